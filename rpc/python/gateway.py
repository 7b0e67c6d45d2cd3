"""Client of the payment gateway for a merchant's server.

One file, Python 3.9 or newer, nothing but the standard library: copy it into your program.

    gateway = Gateway("https://api.example.com", key_id="...", secret="...")
    created = gateway.create_payment({
        "orderId": "order-1", "amount": "1500.00", "currency": "RUB", "method": "sbp",
        "callbackUri": "https://shop.example/hook",
    })
    print(created.data["paymentPageUrl"])

Requests and answers have the field names of the API. Amounts are strings; numbers in answers that are not whole are
decimal.Decimal, never float. Every call raises a GatewayError when it fails.

Licence: Apache-2.0.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, Generic, Iterator, List, Literal, Mapping, Optional, Tuple, TypedDict, TypeVar, Union

PaymentStatus = Literal["pending", "completed", "failed", "cancelled", "appeal"]
PaymentMethod = Literal["sbp", "sim", "card", "mtstpay", "quasi_ecom", "c2c", "iban"]
Currency = Literal["RUB", "AZN", "TRY", "MNT", "KZT", "UZS"]
PayinStatus = Literal["waiting", "processing", "completed", "failed", "cancelled", "expired"]
PayinMethod = Literal["sbp", "c2c"]
DepositStatus = Literal["pending", "confirmed", "rejected"]
WithdrawalStatus = Literal["requested", "approved", "handed_over", "completed", "rejected", "failed", "cancelled"]
Network = Literal["TRC20", "ERC20", "BEP20", "POLYGON", "ARBITRUM"]

T = TypeVar("T")


class PayerPayments(TypedDict, total=False):
    """How many payments the payer has completed, and let expire, before."""

    successful: int
    expired: int


class Payer(TypedDict, total=False):
    """What the shop knows of the payer, as far as it knows it."""

    userId: str
    userIp: str
    fullName: str
    type: str
    payments: PayerPayments


class _RequiredOfPayment(TypedDict):
    currency: Currency
    method: PaymentMethod
    # generated: required CreatePaymentRequest without currency
    orderId: str
    amount: str
    callbackUri: str
    # end


class NewPayment(_RequiredOfPayment, total=False):
    """What create_payment takes."""

    # generated: optional CreatePaymentRequest without method rubCollect merchantName
    description: Optional[str]
    ratePercent: Optional[Decimal]
    payer: Optional[Payer]
    returnUrl: Optional[str]
    metadata: Optional[Dict[str, str]]
    # end


class Requisite(TypedDict):
    """Where the payer sends the money."""

    type: str
    method: str
    value: str
    holder: Optional[str]
    bank: Optional[str]


class _Payment(TypedDict):
    currency: Currency
    # generated: required Payment without currency
    id: int
    uuid: str
    orderId: str
    status: PaymentStatus
    amount: str
    method: PaymentMethod
    extra: Dict[str, Any]
    createdAt: str
    statusUpdatedAt: str
    description: Optional[str]
    expiresAt: Optional[str]
    requisite: Optional[Requisite]
    ledger: Optional[Dict[str, Any]]
    statusReason: Optional[str]
    returnUrl: Optional[str]
    payerClaimedAt: Optional[str]
    receivedAmount: Optional[str]
    # end


class Payment(_Payment, total=False):
    """A payment. The fields below are there where the payment has them."""

    # generated: optional Payment
    paymentPageUrl: str
    checkoutUrl: str
    quasiEcom: Dict[str, Any]
    payerRequisites: Dict[str, Any]
    metadata: Dict[str, str]
    # end


class _RequiredOfPayin(TypedDict):
    # generated: required CreatePayinRequest
    orderId: str
    amount: str
    currency: Literal["RUB"]
    callbackUri: str
    method: PayinMethod
    address: str
    recipient: str
    # end


class NewPayin(_RequiredOfPayin, total=False):
    """What create_payin takes: a payout."""

    # generated: optional CreatePayinRequest
    code: Optional[str]
    bankName: Optional[str]
    userId: Optional[str]
    userIp: Optional[str]
    metadata: Optional[Dict[str, str]]
    # end


class _Payin(TypedDict):
    # generated: required Payin
    id: str
    orderId: str
    status: PayinStatus
    amount: str
    currency: Literal["RUB"]
    method: PayinMethod
    beneficiary: Dict[str, Any]
    frozenUsdt: str
    expiresAt: str
    createdAt: str
    statusUpdatedAt: str
    statusReason: Optional[str]
    proofReference: Optional[str]
    # end


class Payin(_Payin, total=False):
    """A payout. The fields below are there where the payout has them."""

    # generated: optional Payin
    metadata: Dict[str, str]
    # end


class _RequiredOfDeposit(TypedDict):
    # generated: required CreateDepositRequest
    amount: str
    network: Network
    address: str
    idempotencyKey: str
    # end


class NewDeposit(_RequiredOfDeposit, total=False):
    """What create_deposit takes. The idempotency key is a uuid of yours."""

    # generated: optional CreateDepositRequest without currency
    merchantCashboxId: Optional[int]
    externalReference: Optional[str]
    metadata: Optional[Dict[str, str]]
    # end


class _Deposit(TypedDict):
    # generated: required Deposit
    id: int
    merchantCashboxId: int
    direction: Literal["deposit"]
    status: DepositStatus
    amount: str
    currency: Literal["USDT"]
    network: Network
    address: str
    idempotencyKey: str
    createdAt: str
    statusUpdatedAt: str
    externalReference: Optional[str]
    transactionHash: Optional[str]
    confirmations: Optional[int]
    # end


class Deposit(_Deposit, total=False):
    """A deposit of USDT. The fields below are there where the deposit has them."""

    # generated: optional Deposit
    metadata: Dict[str, str]
    namedTransactionHash: str
    # end


class _RequiredOfWithdrawal(TypedDict):
    # generated: required CreateWithdrawalRequest
    orderId: str
    amount: str
    network: Network
    address: str
    # end


class NewWithdrawal(_RequiredOfWithdrawal, total=False):
    """What create_withdrawal takes. The address is one of your address book that has rested."""

    # generated: optional CreateWithdrawalRequest
    merchantCashboxId: Optional[int]
    callbackUri: Optional[str]
    # end


class Withdrawal(TypedDict):
    """A withdrawal of USDT."""

    # generated: Withdrawal
    id: int
    orderId: str
    status: WithdrawalStatus
    amount: str
    fee: str
    currency: Literal["USDT"]
    network: Network
    address: str
    createdAt: str
    statusUpdatedAt: str
    merchantCashboxId: Optional[int]
    statusReason: Optional[str]
    transactionHash: Optional[str]
    # end


class Balance(TypedDict):
    """What a cashbox holds, in USDT with eight decimals."""

    merchantCashboxId: int
    traderCashboxId: int
    currency: Literal["USDT"]
    totalBalance: str
    available: str
    reserved: str
    insuranceReserved: str


@dataclass(frozen=True)
class Created(Generic[T]):
    """What a creation answers with.

    replayed: an earlier, same call had created it. mismatched: the fields in which the earlier call differed; its values
    hold.
    """

    data: T
    replayed: bool
    mismatched: Tuple[str, ...]


@dataclass(frozen=True)
class HeaderNames:
    """Names of the headers of a signed call, where the operator has changed them."""

    key_id: str = "X-Merchant-Key-Id"
    secret: str = "X-Merchant-Secret"
    signature: str = "Signature"


class GatewayError(Exception):
    """A call that failed, whatever the reason.

    code is the gateway's stable code, such as validation_failed, or unreachable when no answer of the gateway came.
    fields are the wrong fields and what is wrong with each. Name request_id when you ask the operator. Wait retry_after
    seconds before you repeat the call, where the gateway says so.
    """

    def __init__(
        self,
        message: str,
        code: str,
        fields: Optional[Mapping[str, List[str]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.fields: Mapping[str, List[str]] = fields or {}
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def repeatable(self) -> bool:
        """Whether the same call may succeed later. Creations are idempotent: a repeat creates nothing twice."""
        codes = ("unreachable", "busy", "unavailable", "outcome_unknown", "rate_limited", "internal_error")
        return self.code in codes


class WebhookError(Exception):
    """A webhook that must not be believed. Answer it with 400."""


def sign(secret: str, body: bytes) -> str:
    """Return the value of the header Signature. A request without a body signs b""."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def sign_appeal(secret: str, reason: str, file_name: str, file_size: int) -> str:
    """Return the signature of an appeal: of four lines, and not of its body."""
    return sign(secret, f"appeal-v1\n{reason}\n{file_name}\n{file_size}".encode())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would hand the secret to whatever host it names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Gateway:
    """Makes a merchant's calls and signs each of them."""

    def __init__(
        self, base_url: str, key_id: str, secret: str, timeout: float = 30, headers: HeaderNames = HeaderNames()
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("https", "http") or not parts.netloc or re.search(r"[\x00-\x20\x7f]", base_url):
            raise ValueError(f"base_url must be a whole URL such as https://api.example.com, and is {base_url!r}")
        # The error of a header would quote the secret, and would look as if no answer had come.
        for name, value in (("key_id", key_id), ("secret", secret)):
            if not isinstance(value, str) or not re.fullmatch(r"[ -~]+", value):
                raise ValueError(f"{name} must be text of printable ASCII without line breaks: strip it where it is read")
        self._base_url = base_url.rstrip("/")
        self._key_id = key_id
        self._secret = secret
        self._timeout = timeout
        self._headers = headers
        self._opener = urllib.request.build_opener(_NoRedirect)

    def create_payment(self, request: NewPayment) -> Created[Payment]:
        """Create a payment, or answer with the one already created under the same orderId and method."""
        return self._create("/api/v1/payments", request)

    def get_payment(self, payment_id: Union[int, str]) -> Payment:
        """Read a payment by its id or its uuid."""
        return self._call("GET", f"/api/v1/payments/{_quoted(payment_id)}")[0]["data"]

    def payments(
        self,
        order_id: Optional[str] = None,
        method: Optional[PaymentMethod] = None,
        status: Optional[PaymentStatus] = None,
        since: Optional[datetime] = None,
        until: Optional[datetime] = None,
        metadata: Optional[Dict[str, str]] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Go through payments, the newest first, of one pair of metadata if given. Of an order id there is at most one
        for each method."""
        filters = {"orderId": order_id, "method": method, "status": status, **_pairs(metadata)}
        return self._items("/api/v1/payments", since, until, **filters)

    def resend_code(self, payment_id: Union[int, str]) -> Dict[str, Any]:
        """Have the code of a quasi_ecom payment sent again: three times for a payment, 45 seconds apart."""
        return self._call("POST", f"/api/v1/payments/{_quoted(payment_id)}/quasi-ecom/resend-code", {})[0]["data"]

    def create_appeal(self, payment_id: Union[int, str], reason: str, file_name: str, content: bytes) -> Dict[str, Any]:
        """Open the one appeal that a failed payment may have, within 24 hours of its failure."""
        if re.search(r"[\x00-\x1f\x7f]", file_name):  # it would end its header, and the signature would be wrong
            raise ValueError("file_name has a line break or control character")
        boundary = secrets.token_hex(16)
        name = file_name.replace("\\", "\\\\").replace('"', '\\"')
        disposition = f"--{boundary}\r\nContent-Disposition: form-data; name="
        head = f'{disposition}"reason"\r\n\r\n{reason}\r\n{disposition}"file"; filename="{name}"\r\n\r\n'
        form = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        signature = sign_appeal(self._secret, reason, file_name, len(content))
        path = f"/api/v1/payments/{_quoted(payment_id)}/appeal"
        return self._send("POST", path, form, f"multipart/form-data; boundary={boundary}", signature)[0]["data"]

    def create_payin(self, request: NewPayin) -> Created[Payin]:
        """Create a payout, or answer with the one already created under the same orderId and method."""
        return self._create("/api/v1/payins", request)

    def get_payin(self, payin_id: str) -> Payin:
        """Read a payout by its uuid."""
        return self._call("GET", f"/api/v1/payins/{_quoted(payin_id)}")[0]["data"]

    def cancel_payin(self, payin_id: str) -> Payin:
        """Take back a payout that still waits."""
        return self._call("POST", f"/api/v1/payins/{_quoted(payin_id)}/cancel", {})[0]["data"]

    def payins(
        self,
        order_id: Optional[str] = None,
        status: Optional[PayinStatus] = None,
        since: Optional[datetime] = None,
        until: Optional[datetime] = None,
        metadata: Optional[Dict[str, str]] = None,
    ) -> Iterator[Payin]:
        """Go through payouts, the newest first, of one pair of metadata if given."""
        filters = {"orderId": order_id, "status": status, **_pairs(metadata)}
        return self._items("/api/v1/payins", since, until, **filters)

    def create_deposit(self, request: NewDeposit) -> Created[Deposit]:
        """Ask for a deposit, or answer with the one already asked for under the same idempotencyKey."""
        return self._create("/api/v1/deposits", request)

    def get_deposit(self, deposit_id: int) -> Deposit:
        """Read a deposit by its id."""
        return self._call("GET", f"/api/v1/deposits/{_quoted(deposit_id)}")[0]["data"]

    def name_transaction(self, deposit_id: int, transaction_hash: str) -> Deposit:
        """Name the transaction by which you send the USDT of a pending deposit."""
        path = f"/api/v1/deposits/{_quoted(deposit_id)}/transaction"
        return self._call("POST", path, {"transactionHash": transaction_hash})[0]["data"]

    def deposits(
        self,
        idempotency_key: Optional[str] = None,
        status: Optional[DepositStatus] = None,
        since: Optional[datetime] = None,
        until: Optional[datetime] = None,
        metadata: Optional[Dict[str, str]] = None,
    ) -> Iterator[Deposit]:
        """Go through deposits, the newest first, of one pair of metadata if given."""
        filters = {"idempotencyKey": idempotency_key, "status": status, **_pairs(metadata)}
        return self._items("/api/v1/deposits", since, until, **filters)

    def create_withdrawal(self, request: NewWithdrawal) -> Created[Withdrawal]:
        """Ask for a withdrawal, or answer with the one already asked for under the same orderId."""
        return self._create("/api/v1/withdrawals", request)

    def get_withdrawal(self, withdrawal_id: int) -> Withdrawal:
        """Read a withdrawal by its id."""
        return self._call("GET", f"/api/v1/withdrawals/{_quoted(withdrawal_id)}")[0]["data"]

    def withdrawals(
        self,
        order_id: Optional[str] = None,
        status: Optional[WithdrawalStatus] = None,
        since: Optional[datetime] = None,
        until: Optional[datetime] = None,
    ) -> Iterator[Withdrawal]:
        """Go through withdrawals, the newest first."""
        return self._items("/api/v1/withdrawals", since, until, orderId=order_id, status=status)

    def events(self, cursor: Optional[str] = None) -> Iterator[Tuple[str, Dict[str, Any]]]:
        """Go through the events of webhooks, the oldest first, for a shop that was away when they were sent.

        Each comes with a cursor. Keep that of the last event you have handled, and give it the next time: then you miss
        nothing. A few events may come again: remember each id. The payload is the body that was or will be sent.
        """
        while True:
            page = self._call("GET", _with("/api/v1/events", cursor=cursor, limit=100))[0]
            last = page.get("next_cursor") or cursor
            for place, event in enumerate(page["data"], 1):
                # Only the end of a page has a cursor of its own.
                yield (last if place == len(page["data"]) else cursor) or "", event
            if not page["data"]:
                return
            cursor = last

    def get_balance(self, merchant_cashbox_id: int) -> Balance:
        """Read what a cashbox holds."""
        return self._call("GET", f"/api/v1/cashboxes/{_quoted(merchant_cashbox_id)}/balance")[0]["data"]

    def _items(
        self, path: str, since: Optional[datetime], until: Optional[datetime], **filters: Optional[str]
    ) -> Iterator[Any]:
        query: Dict[str, Any] = {**filters, "limit": 100}
        for name, moment in (("from", since), ("to", until)):
            if moment is not None and moment.tzinfo is None:
                raise ValueError("since and until need a time zone")
            query[name] = moment and moment.isoformat(timespec="milliseconds")
        while True:
            page = self._call("GET", _with(path, **query))[0]
            yield from page["data"]
            query["cursor"] = page.get("next_cursor")
            if not query["cursor"]:
                return

    def _create(self, path: str, request: Mapping[str, Any]) -> Created[Any]:
        answer, headers = self._call("POST", path, request)
        mismatch = headers.get("Idempotent-Mismatch") or ""
        return Created(
            data=answer["data"],
            replayed=headers.get("Idempotent-Replay") == "true",
            mismatched=tuple(field.strip() for field in mismatch.split(",") if field.strip()),
        )

    def _call(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Tuple[Any, Mapping[str, str]]:
        sent = b"" if body is None else _encode(body)
        return self._send(method, path, sent, "application/json", sign(self._secret, sent))

    def _send(self, method: str, path: str, body: bytes, media: str, signature: str) -> Tuple[Any, Mapping[str, str]]:
        request = urllib.request.Request(self._base_url + path, data=body or None, method=method)
        request.add_header("Content-Type", media)
        request.add_header(self._headers.key_id, self._key_id)
        request.add_header(self._headers.secret, self._secret)
        request.add_header(self._headers.signature, signature)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                answer = json.loads(response.read(), parse_float=Decimal)
        except urllib.error.HTTPError as error:
            raise _refused(error) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise GatewayError(f"no answer of the gateway came: {error}", "unreachable") from error
        if not isinstance(answer, dict) or "data" not in answer:
            raise GatewayError("no answer of the gateway came, but other JSON", "unreachable")
        return answer, response.headers


def _quoted(part: Union[int, str]) -> str:
    return urllib.parse.quote(str(part), safe="")


def _pairs(metadata: Optional[Mapping[str, str]]) -> Dict[str, Optional[str]]:
    return {f"metadata[{key}]": value for key, value in (metadata or {}).items()}


def _with(path: str, **query: Union[None, int, str]) -> str:
    return path + "?" + urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})


def _encode(body: Mapping[str, Any]) -> bytes:
    """Write JSON in which a Decimal is a number in its own digits, which the json module cannot do."""
    fields = []
    for name, value in body.items():
        if isinstance(value, float):
            raise TypeError(f"{name} must not be a float: give amounts as strings, and ratePercent as a Decimal")
        text = format(value, "f") if isinstance(value, Decimal) else json.dumps(value)
        fields.append(f"{json.dumps(name)}: {text}")
    return ("{" + ", ".join(fields) + "}").encode()


def _refused(error: urllib.error.HTTPError) -> GatewayError:
    retry_after = error.headers.get("Retry-After")
    try:
        answer = json.loads(error.read())
        message, code = answer["message"], answer["code"]
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return GatewayError(f"HTTP status {error.code} without an answer of the gateway", "unreachable")
    seconds = int(retry_after) if retry_after and retry_after.isdigit() else None
    return GatewayError(message, code, answer.get("errors"), answer.get("requestId"), seconds)


def verify_webhook(body: bytes, headers: Mapping[str, str], *secrets: str, tolerance: int = 300) -> Dict[str, Any]:
    """Return the event of a webhook that was signed with one of the secrets within the last five minutes.

    The body must be as it was received. Give both secrets while you change from one to the other. The same event may
    come more than once: remember its eventId. Before you deliver, compare what came with your order: data.amount is what
    was asked for, and meta.receivedAmount, where it is not None, what came. Raise a WebhookError if the webhook must not be
    believed.
    """
    received = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp = received.get("webhook-id", ""), received.get("webhook-timestamp", "")
    signatures = received.get("webhook-signature", "").split(" ")
    if not event_id:
        raise WebhookError("the header webhook-id is missing")
    seconds = int(timestamp) if re.fullmatch(r"[0-9]{1,12}", timestamp) else 0
    if abs(time.time() - seconds) > tolerance:
        raise WebhookError("webhook-timestamp is not within five minutes of now")
    signed = f"{event_id}.{timestamp}.".encode() + body
    for key in [_key(secret) for secret in secrets]:
        want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(want, got.encode()) for got in signatures):
            return json.loads(body, parse_float=Decimal)
    raise WebhookError("webhook-signature is by none of the secrets")


def _key(secret: str) -> bytes:
    """Return what a secret signs with. A wrong secret is the receiver's mistake and no WebhookError."""
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("a webhook secret must be whsec_ and base64") from None
    return key
