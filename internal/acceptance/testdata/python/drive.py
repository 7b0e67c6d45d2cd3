"""Drives a running sandbox with the Python client: a payment with its webhook, a payout, a deposit and an appeal."""

import base64
import json
import os
import secrets
import socket
import threading
import time
import unittest.mock
import uuid
from datetime import datetime, timedelta, timezone
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


def broken():
    """What comes is no answer of the gateway, or a part of one: each is a GatewayError, and the call may be repeated."""
    order = {"orderId": "o", "amount": "1", "currency": "RUB", "method": "sbp", "callbackUri": callback_uri}
    for answer in (
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\n{",
        b"no HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
    ):
        server = socket.create_server(("127.0.0.1", 0))

        def say():
            connection, _ = server.accept()
            connection.recv(1 << 16)
            connection.sendall(answer)
            connection.close()

        threading.Thread(target=say, daemon=True).start()
        stranger = gateway.Gateway(f"http://127.0.0.1:{server.getsockname()[1]}", "k", "s")
        error = fails(gateway.GatewayError, stranger.create_payment, order)
        assert error.code == "unreachable" and error.repeatable, error


def renamed():
    """Where the operator has given the headers other names, the client sends those, and none of the usual ones."""
    server = socket.create_server(("127.0.0.1", 0))
    heard = []

    def hear():
        connection, _ = server.accept()
        heard.append(connection.recv(1 << 16).decode().lower())
        connection.close()

    thread = threading.Thread(target=hear, daemon=True)
    thread.start()
    names = gateway.HeaderNames(key_id="X-Shop-Key", secret="X-Shop-Secret", signature="X-Shop-Sign")
    shop_client = gateway.Gateway(f"http://127.0.0.1:{server.getsockname()[1]}", "k", "s", headers=names)
    fails(gateway.GatewayError, shop_client.get_payment, 1)
    thread.join()
    for line in ("x-shop-key: k", "x-shop-secret: s", f"x-shop-sign: {gateway.sign('s', b'')}"):
        assert f"\r\n{line}\r\n" in heard[0], heard
    assert "x-merchant" not in heard[0] and "\r\nsignature:" not in heard[0], heard


def vectors():
    """Hold the client to the vectors that all clients share."""
    with open(os.environ["VECTORS"], encoding="utf-8") as file:
        shared = json.load(file)
    for v in shared["bodies"]:
        assert gateway.sign(v["secret"], v["body"].encode()) == v["signature"], v["name"]
    for v in shared["appeals"]:
        got = gateway.sign_appeal(v["secret"], v["reason"], v["fileName"], v["fileSize"])
        assert got == v["signature"], v["name"]
    for v in shared["webhooks"]:
        headers = {f"webhook-{part}": v[part] for part in ("id", "timestamp", "signature")}
        given = (v["body"].encode(), headers, *v["secrets"])
        with unittest.mock.patch("time.time", return_value=v["now"]):
            if v["valid"]:
                gateway.verify_webhook(*given)
            else:
                fails(gateway.WebhookError, gateway.verify_webhook, *given)


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
    for mistaken in (("https://api.example.com ", "k", "s"), (base_url, "k", "секрет"), (base_url, "", "s"), (base_url, "k", None)):
        fails(ValueError, gateway.Gateway, *mistaken)
    read_from_file = fails(ValueError, gateway.Gateway, base_url, roubles["key_id"], roubles["secret"] + "\n")
    assert roubles["secret"] not in str(read_from_file), "the error shows the secret"

    assert client.get_payment(created.data["id"])["status"] == "pending"
    hour_ago, hour_on = (datetime.now(timezone.utc) + timedelta(hours=hours) for hours in (-1, 1))
    found = client.payments(order["orderId"], method="sbp", status="pending", since=hour_ago, until=hour_on)
    assert [item["uuid"] for item in found] == [created.data["uuid"]]
    assert list(client.payments(order["orderId"], until=hour_ago)) == []
    assert fails(gateway.GatewayError, list, client.payments(status="paid")).fields.keys() == {"status"}
    fails(ValueError, list, client.payments(since=datetime.now()))
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
    known = [item for cursor, item in client.events() if item["id"] == event["eventId"]]
    assert [json.loads(item["payload"])["eventId"] for item in known] == [event["eventId"]], known
    assert all(item["id"] != event["eventId"] for _, item in client.events(cursor_after(event["eventId"])))
    assert event["type"] == "payment.status.updated" and event["data"]["status"] == "COMPLETED", event
    _, received, headers = deliveries[0]
    fails(ValueError, gateway.verify_webhook, received, headers, "whsec_not base64")
    endless = {**headers, "webhook-timestamp": "1" * 5000}
    fails(gateway.WebhookError, gateway.verify_webhook, received, {k.lower(): v for k, v in endless.items()}, roubles["webhook_secret"])


def cursor_after(event_id):
    """What whoever has read the whole feed keeps, which has the event in it."""
    ends = list(client.events())
    assert any(item["id"] == event_id for _, item in ends), ends
    return ends[-1][0]


def appeal():
    order = {"amount": "1310.00", "currency": "RUB", "method": "sbp", "callbackUri": callback_uri}
    created = client.create_payment({**order, "orderId": f"{run}-python-appeal"})
    file = ('чек "1" \\.pdf', b"%PDF-1.4\r\n\xff")
    # The signature is right, or the answer would be about it.
    error = fails(gateway.GatewayError, client.create_appeal, created.data["id"], "Платёж прошёл", *file)
    assert error.code == "appeal_payment_not_failed", error
    fails(ValueError, client.create_appeal, created.data["id"], "Платёж прошёл", "a\r\nX: y.pdf", b"%PDF-")


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
    assert [item["id"] for item in client.payins(f"{run}-python", status="waiting")] == [created.data["id"]]
    assert client.cancel_payin(created.data["id"])["status"] == "cancelled"
    balance = client.get_balance(roubles["merchantCashboxId"])
    assert balance["currency"] == "USDT" and Decimal(balance["available"]) > 0, balance


def deposit():
    request = {
        "amount": "100.5",
        "network": "TRC20",
        "address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        "idempotencyKey": str(uuid.uuid4()),
    }
    created = client.create_deposit(request)
    assert created.data["status"] == "pending" and created.data["amount"] == "100.50000000", created
    assert client.create_deposit(request).replayed
    transaction = secrets.token_hex(32)
    assert client.name_transaction(created.data["id"], transaction)["namedTransactionHash"] == transaction
    assert client.get_deposit(created.data["id"])["network"] == "TRC20"
    assert [item["id"] for item in client.deposits(request["idempotencyKey"], "pending")] == [created.data["id"]]


def withdrawal():
    """The sandbox's keys may ask for none, which only a call to the right place with a right signature is told."""
    request = {"orderId": f"{run}-python", "amount": "20", "network": "TRC20", "address": "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"}
    for call in (
        lambda: client.create_withdrawal(request),
        lambda: client.get_withdrawal(1),
        lambda: list(client.withdrawals(request["orderId"], "requested")),
    ):
        error = fails(gateway.GatewayError, call)
        assert error.code == "merchant_scope_required", error


vectors()
broken()
renamed()
payment()
payout()
deposit()
withdrawal()
appeal()
print("all went well")
