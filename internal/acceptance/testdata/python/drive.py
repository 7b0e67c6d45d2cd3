"""Drives a running sandbox with the Python client: a payment with its webhook, and a payout."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

import gateway

told = json.loads(os.environ["DRIVE"])
base_url, roubles, run = told["baseUrl"], told["roubles"], told["run"]
client = gateway.Gateway(base_url, roubles["key_id"], roubles["secret"])
deliveries = []


class Shop(BaseHTTPRequestHandler):
    """Keeps the webhooks that it could verify."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fresh = "whsec_" + base64.b64encode(b"the secret after the next change").decode()
        event = gateway.verify_webhook(body, self.headers, fresh, roubles["webhook_secret"])
        deliveries.append((event, body, dict(self.headers)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


shop = HTTPServer(("127.0.0.1", 0), Shop)
threading.Thread(target=shop.serve_forever, daemon=True).start()
callback_uri = f"http://127.0.0.1:{shop.server_port}/hook"


def fails(kind, call, *given, **named):
    """Return the error that a call must raise."""
    try:
        call(*given, **named)
    except kind as error:
        return error
    raise AssertionError(f"{call} did not fail")


def payment():
    assert roubles["secret"] not in repr(client) + str(client)
    order = {
        "orderId": f"{run}-python",
        "amount": "1400.00",
        "currency": "RUB",
        "method": "sbp",
        "callbackUri": callback_uri,
        "description": "Чашки",
        "ratePercent": Decimal("4.5"),
        "payer": {"userId": "payer-1", "payments": {"successful": 2}},
    }
    created = client.create_payment(order)
    assert not created.replayed and created.mismatched == (), created
    assert created.data["status"] == "pending" and created.data["amount"] == "1400.00", created
    assert created.data["ledger"]["sellerRateMarkupPercent"] == Decimal("4.5"), created
    assert created.data["description"] == "Чашки", created
    again = client.create_payment({**order, "amount": "1401", "callbackUri": callback_uri + "/2"})
    assert again.replayed and sorted(again.mismatched) == ["amount", "callbackUri"], again
    assert again.data["uuid"] == created.data["uuid"], again

    wrong = fails(gateway.GatewayError, client.create_payment, {**order, "orderId": "", "amount": "0.5"})
    assert wrong.code == "validation_failed" and sorted(wrong.fields) == ["amount", "orderId"], wrong.fields
    assert wrong.request_id and not wrong.repeatable
    fails(TypeError, client.create_payment, {**order, "amount": 1400.1})
    stranger = gateway.Gateway(base_url, roubles["key_id"], "not the secret")
    assert fails(gateway.GatewayError, stranger.get_payment, 1).code == "invalid_signature"
    nowhere = gateway.Gateway("http://127.0.0.1:1", "k", "s")
    unreachable = fails(gateway.GatewayError, nowhere.get_payment, 1)
    assert unreachable.code == "unreachable" and unreachable.repeatable
    fails(ValueError, gateway.Gateway, "api.example.com", "k", "s")

    assert client.get_payment(created.data["id"])["status"] == "pending"
    assert [item["uuid"] for item in client.list_payments(order["orderId"])] == [created.data["uuid"]]
    body = b'{"status":"completed"}'
    confirm = gateway.urllib.request.Request(f"{base_url}/api/v1/payments/{created.data['id']}/callback", data=body)
    confirm.add_header("Content-Type", "application/json")
    confirm.add_header("Signature", gateway.sign(told["external"], body))
    gateway.urllib.request.urlopen(confirm).close()
    assert client.get_payment(created.data["uuid"])["status"] == "completed"
    for _ in range(600):
        if deliveries:
            break
        time.sleep(0.1)
    event = deliveries[0][0]
    assert event["type"] == "payment.status.updated" and event["data"]["status"] == "COMPLETED", event
    forged()


def forged():
    """Change the delivery in every way that must be refused."""
    _, body, headers = deliveries[0]
    secret = roubles["webhook_secret"]
    lowered = {name.lower(): value for name, value in headers.items()}
    gateway.verify_webhook(body, lowered, secret)
    old = f"{lowered['webhook-id']}.{int(time.time()) - 301}."
    key = base64.b64decode(secret[6:])
    resigned = "v1," + base64.b64encode(hmac.new(key, old.encode() + body, hashlib.sha256).digest()).decode()
    late = {"webhook-timestamp": old.split(".")[1], "webhook-signature": resigned}
    other = "whsec_" + base64.b64encode(b"another secret").decode()
    for changed_body, changed, by in [
        (body.replace(b"1400.00", b"9400.00"), {}, secret),
        (body, {"webhook-id": "other"}, secret),
        (body, {"webhook-signature": ""}, secret),
        (body, late, secret),
        (body, {"webhook-timestamp": "now"}, secret),
        (body, {}, other),
    ]:
        fails(gateway.WebhookError, gateway.verify_webhook, changed_body, {**lowered, **changed}, by)
    fails(gateway.WebhookError, gateway.verify_webhook, body, {}, secret)
    gateway.verify_webhook(body, {**lowered, **late}, secret, tolerance=400)
    fails(ValueError, gateway.verify_webhook, body, lowered, "whsec_not base64")


def payout():
    created = client.create_payin(
        {
            "orderId": f"{run}-python",
            "amount": "1500",
            "currency": "RUB",
            "method": "sbp",
            "callbackUri": callback_uri,
            "address": "+79991234567",
            "recipient": "Иван Петров",
        }
    )
    assert created.data["status"] == "waiting" and created.data["frozenUsdt"] == "16.54054055", created
    assert client.get_payin(created.data["id"])["status"] == "waiting"
    assert client.cancel_payin(created.data["id"])["status"] == "cancelled"
    balance = client.get_balance(roubles["merchantCashboxId"])
    assert balance["currency"] == "USDT" and Decimal(balance["available"]) > 0, balance


payment()
payout()
print("all went well")
