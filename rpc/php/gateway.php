<?php

declare(strict_types=1);

/**
 * Client of the payment gateway for a merchant's server.
 *
 * One file, PHP 8.1 or newer with the extensions curl and hash, and no other dependency: copy it into your shop, or
 * require the package with Composer.
 *
 *     $gateway = new PaymentGateway\Client('https://api.example.com', keyId: '...', secret: '...');
 *     $payment = $gateway->createPayment(
 *         orderId: 'order-1', amount: '1500.00', currency: 'RUB', method: 'sbp',
 *         callbackUri: 'https://shop.example/webhook.php',
 *     );
 *     header('Location: ' . $payment->paymentPageUrl);
 *
 * Amounts are strings, never floats. Times are ISO 8601 strings in UTC. Every call that fails throws a GatewayError.
 *
 * Licence: Apache-2.0.
 */

namespace PaymentGateway;

use DateTimeInterface;
use Generator;
use InvalidArgumentException;
use RuntimeException;
use TypeError;

/** Makes a merchant's calls and signs each of them. */
final class Client
{
    private readonly string $baseUrl;

    /**
     * @param int $timeout seconds that one attempt may take
     * @param int $attempts how often a read or a creation is tried when the gateway gives no answer or is busy; a
     *     creation is repeated with the same order id, so nothing is created twice
     * @param array{keyId: string, secret: string, signature: string} $headers names of the headers, where the operator
     *     has changed them
     */
    public function __construct(
        string $baseUrl,
        private readonly string $keyId,
        #[\SensitiveParameter] private readonly string $secret,
        private readonly int $timeout = 15,
        private readonly int $attempts = 3,
        private readonly array $headers = [
            'keyId' => 'X-Merchant-Key-Id', 'secret' => 'X-Merchant-Secret', 'signature' => 'Signature',
        ],
    ) {
        if (!preg_match('~^https?://[^/]~', $baseUrl)) {
            throw new InvalidArgumentException('baseUrl must be a whole URL such as https://api.example.com');
        }
        // It would end the header, and those after it would be lost.
        if (preg_match('/[\x00-\x1f\x7f]/', $keyId . $secret)) {
            throw new InvalidArgumentException('keyId or secret has a line break or control character: trim it where it is read');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /** The value of the header Signature. A request without a body signs ''. */
    public static function sign(#[\SensitiveParameter] string $secret, string $body): string
    {
        return hash_hmac('sha256', $body, $secret);
    }

    /** The signature of an appeal: of four lines, and not of its body. */
    public static function signAppeal(
        #[\SensitiveParameter] string $secret,
        string $reason,
        string $fileName,
        int $fileSize,
    ): string {
        return self::sign($secret, "appeal-v1\n$reason\n$fileName\n$fileSize");
    }

    /**
     * Creates a payment, or answers with the one already created under the same order id and method.
     *
     * @param ?string $ratePercent an explicit markup, such as '4.5'
     * @param ?array{userId?: string, userIp?: string, fullName?: string, type?: string,
     *     payments?: array{successful?: int, expired?: int}} $payer what the shop knows of the payer
     * @param ?array<string, string> $metadata pairs of your own
     */
    public function createPayment(
        string $orderId,
        string $amount,
        string $currency,
        string $method,
        string $callbackUri,
        // generated: optional CreatePaymentRequest without method rubCollect merchantName
        ?string $description = null,
        ?string $ratePercent = null,
        ?array $payer = null,
        ?string $returnUrl = null,
        ?array $metadata = null,
        // end
    ): Payment {
        $body = get_defined_vars();
        unset($body['ratePercent']);
        $body['metadata'] = $metadata ?: null;
        return Payment::created($this->create('/api/v1/payments', $body, $ratePercent));
    }

    /** Reads a payment by its id or its uuid. */
    public function getPayment(int|string $paymentId): Payment
    {
        return Payment::from($this->get(self::path('/api/v1/payments/%s', $paymentId))['data']);
    }

    /**
     * Goes through payments, the newest first, of one pair of metadata if given. Of an order id there is at most one for each method.
     *
     * @return Generator<int, PaymentListItem>
     */
    public function payments(
        ?string $orderId = null,
        ?string $method = null,
        ?string $status = null,
        ?DateTimeInterface $from = null,
        ?DateTimeInterface $to = null,
        ?array $metadata = null,
    ): Generator {
        foreach ($this->items('/api/v1/payments', get_defined_vars()) as $item) {
            yield PaymentListItem::from($item);
        }
    }

    /** Opens the one appeal that a failed payment may have, within 24 hours of its failure. */
    public function createAppeal(int|string $paymentId, string $reason, string $fileName, string $content): Appeal
    {
        if (preg_match('/[\x00-\x1f\x7f]/', $fileName)) { // it would end its header, and the signature would be wrong
            throw new InvalidArgumentException('fileName has a line break or control character');
        }
        $boundary = bin2hex(random_bytes(16));
        $part = "--$boundary\r\nContent-Disposition: form-data; name=";
        $quoted = addcslashes($fileName, '"\\');
        $form = "$part\"reason\"\r\n\r\n$reason\r\n"
            . "$part\"file\"; filename=\"$quoted\"\r\n\r\n$content\r\n--$boundary--\r\n";
        $signature = self::signAppeal($this->secret, $reason, $fileName, strlen($content));
        $type = "multipart/form-data; boundary=$boundary";
        $answer = $this->send('POST', self::path('/api/v1/payments/%s/appeal', $paymentId), $form, $signature, $type);
        return Appeal::from($answer['data']);
    }

    /** Has the code of a quasi_ecom payment sent again: three times for a payment, 45 seconds apart. */
    public function resendCode(int|string $paymentId): CodeResend
    {
        $path = self::path('/api/v1/payments/%s/quasi-ecom/resend-code', $paymentId);
        return CodeResend::from($this->post($path, '{}')['data']);
    }

    /** Creates a payout, or answers with the one already created under the same order id and method. */
    public function createPayin(
        string $orderId,
        string $amount,
        string $method,
        string $callbackUri,
        string $address,
        string $recipient,
        string $currency = 'RUB',
        // generated: optional CreatePayinRequest
        ?string $code = null,
        ?string $bankName = null,
        ?string $userId = null,
        ?string $userIp = null,
        ?array $metadata = null,
        // end
    ): Payin {
        return Payin::created($this->create('/api/v1/payins', ['metadata' => $metadata ?: null] + get_defined_vars()));
    }

    /** Reads a payout by its uuid. */
    public function getPayin(string $payinId): Payin
    {
        return Payin::from($this->get(self::path('/api/v1/payins/%s', $payinId))['data']);
    }

    /** Takes back a payout that still waits. */
    public function cancelPayin(string $payinId): Payin
    {
        return Payin::from($this->post(self::path('/api/v1/payins/%s/cancel', $payinId), '{}')['data']);
    }

    /**
     * Goes through payouts, the newest first, of one pair of metadata if given.
     *
     * @return Generator<int, Payin>
     */
    public function payins(
        ?string $orderId = null,
        ?string $status = null,
        ?DateTimeInterface $from = null,
        ?DateTimeInterface $to = null,
        ?array $metadata = null,
    ): Generator {
        foreach ($this->items('/api/v1/payins', get_defined_vars()) as $item) {
            yield Payin::from($item);
        }
    }

    /** Asks for a deposit of USDT, or answers with the one already asked for under the same idempotency key, a uuid. */
    public function createDeposit(
        string $amount,
        string $network,
        string $address,
        string $idempotencyKey,
        // generated: optional CreateDepositRequest without currency
        ?int $merchantCashboxId = null,
        ?string $externalReference = null,
        ?array $metadata = null,
        // end
    ): Deposit {
        return Deposit::created($this->create('/api/v1/deposits', ['metadata' => $metadata ?: null] + get_defined_vars()));
    }

    /** Reads a deposit by its id. */
    public function getDeposit(int $depositId): Deposit
    {
        return Deposit::from($this->get(self::path('/api/v1/deposits/%s', $depositId))['data']);
    }

    /** Names the transaction by which you send the USDT of a pending deposit. */
    public function nameTransaction(int $depositId, string $transactionHash): Deposit
    {
        $body = json_encode(['transactionHash' => $transactionHash], JSON_THROW_ON_ERROR);
        return Deposit::from($this->post(self::path('/api/v1/deposits/%s/transaction', $depositId), $body)['data']);
    }

    /**
     * Goes through deposits, the newest first, of one pair of metadata if given.
     *
     * @return Generator<int, Deposit>
     */
    public function deposits(
        ?string $idempotencyKey = null,
        ?string $status = null,
        ?DateTimeInterface $from = null,
        ?DateTimeInterface $to = null,
        ?array $metadata = null,
    ): Generator {
        foreach ($this->items('/api/v1/deposits', get_defined_vars()) as $item) {
            yield Deposit::from($item);
        }
    }

    /**
     * Asks for a withdrawal of USDT, or answers with the one already asked for under the same order id. The address is one of
     * your address book that has rested.
     */
    public function createWithdrawal(
        string $orderId,
        string $amount,
        string $network,
        string $address,
        // generated: optional CreateWithdrawalRequest
        ?int $merchantCashboxId = null,
        ?string $callbackUri = null,
        // end
    ): Withdrawal {
        return Withdrawal::created($this->create('/api/v1/withdrawals', get_defined_vars()));
    }

    /** Reads a withdrawal by its id. */
    public function getWithdrawal(int $withdrawalId): Withdrawal
    {
        return Withdrawal::from($this->get(self::path('/api/v1/withdrawals/%s', $withdrawalId))['data']);
    }

    /**
     * Goes through withdrawals, the newest first.
     *
     * @return Generator<int, Withdrawal>
     */
    public function withdrawals(
        ?string $orderId = null,
        ?string $status = null,
        ?DateTimeInterface $from = null,
        ?DateTimeInterface $to = null,
    ): Generator {
        foreach ($this->items('/api/v1/withdrawals', get_defined_vars()) as $item) {
            yield Withdrawal::from($item);
        }
    }

    /** Reads what a cashbox holds, in USDT with eight decimals. */
    public function getBalance(int $merchantCashboxId): Balance
    {
        return Balance::from($this->get(self::path('/api/v1/cashboxes/%s/balance', $merchantCashboxId))['data']);
    }

    /**
     * Goes through the events of webhooks, the oldest first, for a shop that was away when they were sent.
     *
     * Keep the key of each event that you have handled, and give the last one the next time: then you miss nothing. A
     * few events may come again; skip an id that you know.
     *
     * @return Generator<string, Event>
     */
    public function events(?string $cursor = null): Generator
    {
        do {
            $page = $this->get('/api/v1/events', ['cursor' => $cursor ?: null, 'limit' => 100]);
            $next = $page['next_cursor'] ?? null;
            $last = array_key_last($page['data']);
            foreach ($page['data'] as $i => $item) {
                // Only the end of a page has a cursor of its own.
                yield ($i === $last ? $next : $cursor) ?? '' => Event::from($item);
            }
            $cursor = $next;
        } while ($page['data'] !== []);
    }

    /** @return array<string, mixed> what var_dump shows: not the secret */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'keyId' => $this->keyId];
    }

    /** Yields the items of all pages of a list. */
    private function items(string $path, array $filter): Generator
    {
        foreach (['from', 'to'] as $time) {
            $filter[$time] = $filter[$time]?->format('Y-m-d\TH:i:s.vP');
        }
        do {
            $page = $this->get($path, $filter + ['limit' => 100]);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $filter['cursor'] = $page['next_cursor'] ?? null;
        } while ($filter['cursor'] !== null);
    }

    /** A path with an id in it, which cannot make another path of it. */
    private static function path(string $format, int|string $id): string
    {
        return sprintf($format, rawurlencode((string) $id));
    }

    private function get(string $path, array $query = []): array
    {
        $query = http_build_query($query, '', '&'); // hosts may have set arg_separator.output
        return $this->repeat(fn () => $this->send('GET', $path . ($query === '' ? '' : "?$query"), ''));
    }

    private function post(string $path, string $body): array
    {
        return $this->send('POST', $path, $body);
    }

    /** Creates something. A rate is a number in JSON; as a float it could gain digits, so it is written as it is. */
    private function create(string $path, array $fields, ?string $ratePercent = null): array
    {
        if ($ratePercent !== null && !preg_match('/^\d+(\.\d+)?$/D', $ratePercent)) {
            throw new InvalidArgumentException('ratePercent must be a decimal such as 4.5');
        }
        $given = array_filter($fields, fn ($value) => $value !== null);
        // No field is a list, and an array that is empty or has the keys 0, 1 and so on would be written as one.
        $form = JSON_FORCE_OBJECT | JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        $body = json_encode($given, $form);
        if ($ratePercent !== null) {
            $body = substr($body, 0, -1) . ",\"ratePercent\":$ratePercent}";
        }
        return $this->repeat(fn () => $this->post($path, $body));
    }

    /** Makes a call again while it may succeed later, for as long as a shop's page can wait. */
    private function repeat(callable $call): array
    {
        for ($attempt = 1;; $attempt++) {
            try {
                return $call();
            } catch (GatewayError $error) {
                $pause = $error->retryAfter ?? $attempt;
                if (!$error->isRepeatable() || $attempt >= $this->attempts || $pause > 5) {
                    throw $error;
                }
                sleep($pause);
            }
        }
    }

    /** Sends one signed request and returns the answer's JSON. */
    private function send(
        string $method,
        string $path,
        string $body,
        ?string $signature = null,
        string $type = 'application/json',
    ): array {
        $received = [];
        $curl = curl_init($this->baseUrl . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeout,
            CURLOPT_FOLLOWLOCATION => false, // it would hand the secret to whatever host a redirect names
            CURLOPT_HTTPHEADER => [
                "Content-Type: $type",
                "{$this->headers['keyId']}: $this->keyId",
                "{$this->headers['secret']}: $this->secret",
                "{$this->headers['signature']}: " . ($signature ?? self::sign($this->secret, $body)),
            ],
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ] + ($method === 'GET' ? [] : [CURLOPT_POSTFIELDS => $body]));
        $text = curl_exec($curl);
        if ($text === false) {
            throw new GatewayError('no answer of the gateway came: ' . curl_error($curl), 'unreachable');
        }
        $answer = json_decode($text, true);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status < 200 || $status > 299 || !isset($answer['data'])) {
            throw GatewayError::refused($status, is_array($answer) ? $answer : [], $received);
        }
        return $answer + ['headers' => $received];
    }
}

/** A call that failed, whatever the reason. */
final class GatewayError extends RuntimeException
{
    /**
     * @param string $errorCode the gateway's stable code, such as validation_failed; unreachable when no answer of the
     *     gateway came
     * @param array<string, list<string>> $fields the wrong fields and what is wrong with each
     * @param ?string $requestId name it when you ask the operator about the call
     * @param ?int $retryAfter seconds to wait before the call is repeated, where the gateway says so
     * @param ?string $nextAllowedAt when a code may be sent again, for code_resend_too_early
     * @param ?string $hint what was signed wrongly, for invalid_signature where key and secret are right
     */
    public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly int $status = 0,
        public readonly array $fields = [],
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
        public readonly ?string $nextAllowedAt = null,
        public readonly ?string $hint = null,
    ) {
        parent::__construct("$errorCode: $message", $status);
    }

    /** @internal */
    public static function refused(int $status, array $answer, array $headers): self
    {
        if (!isset($answer['message'], $answer['code'])) {
            return new self("HTTP status $status without an answer of the gateway", 'unreachable', $status);
        }
        return new self(
            $answer['message'],
            $answer['code'],
            $status,
            $answer['errors'] ?? [],
            $answer['requestId'] ?? null,
            // The gateway says seconds; a proxy may say a date, which as a number is 0.
            preg_match('/^\d{1,9}$/D', $headers['retry-after'] ?? '') ? (int) $headers['retry-after'] : null,
            $answer['nextAllowedAt'] ?? null,
            $answer['details']['hint'] ?? null,
        );
    }

    /** Whether the same call may succeed later. Creations are idempotent: a repeat creates nothing twice. */
    public function isRepeatable(): bool
    {
        $codes = ['unreachable', 'busy', 'unavailable', 'outcome_unknown', 'rate_limited', 'internal_error'];
        return in_array($this->errorCode, $codes, true);
    }
}

/** A webhook that must not be believed. Answer it with 400. */
final class WebhookError extends RuntimeException
{
}

final class Webhook
{
    /**
     * Returns the event of a webhook that was signed with one of the secrets within the last five minutes.
     *
     *     $event = Webhook::verify(file_get_contents('php://input'), $_SERVER, $webhookSecret);
     *
     * The body must be as it was received. Give both secrets while you change from one to the other. The same event may
     * come more than once: remember its eventId.
     *
     * @param array<string, mixed> $headers of getallheaders(), $_SERVER, or a PSR-7 request
     * @param string|list<string> $secrets
     * @param ?int $now the time in Unix seconds, for tests
     * @throws WebhookError when the webhook must not be believed
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        int $tolerance = 300,
        ?int $now = null,
    ): WebhookEvent {
        $received = self::received($headers);
        $id = $received['webhook-id'] ?? '';
        $timestamp = $received['webhook-timestamp'] ?? '';
        if ($id === '') {
            throw new WebhookError('the header webhook-id is missing');
        }
        if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > $tolerance) {
            throw new WebhookError('webhook-timestamp is not within five minutes of now');
        }
        $signatures = explode(' ', $received['webhook-signature'] ?? '');
        $keys = [];
        foreach ((array) $secrets as $secret) { // array_map would stand in the trace, with the secrets
            $keys[] = self::key($secret);
        }
        foreach ($keys as $key) {
            $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            foreach ($signatures as $got) {
                if (hash_equals($want, $got)) {
                    return WebhookEvent::parse($body);
                }
            }
        }
        throw new WebhookError('webhook-signature is by none of the secrets');
    }

    /** The headers by their names in lower case, also those of $_SERVER, such as HTTP_WEBHOOK_ID. */
    private static function received(array $headers): array
    {
        $received = [];
        foreach ($headers as $name => $value) {
            $name = strtolower(str_replace('_', '-', preg_replace('/^HTTP_/', '', (string) $name)));
            $received[$name] = is_array($value) ? implode(' ', $value) : (string) $value;
        }
        return $received;
    }

    /** What a secret signs with. A wrong secret is the receiver's mistake and no WebhookError. */
    private static function key(#[\SensitiveParameter] string $secret): string
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new InvalidArgumentException('a webhook secret must be whsec_ and base64');
        }
        return $key;
    }
}

/** What the gateway answers with. The properties are the fields of the API in camel case; it may have more by now. */
abstract class Record
{
    /** @internal */
    public static function from(array $fields): static
    {
        $given = [];
        foreach ($fields as $name => $value) {
            $given[lcfirst(str_replace('_', '', ucwords($name, '_')))] = $value;
        }
        $arguments = [];
        foreach ((new \ReflectionMethod(static::class, '__construct'))->getParameters() as $parameter) {
            $name = $parameter->getName();
            $type = (string) $parameter->getType();
            if (!array_key_exists($name, $given)) {
                continue;
            }
            $class = ltrim($type, '?');
            $nested = is_array($given[$name]) && is_subclass_of($class, self::class);
            $arguments[$name] = $nested ? $class::from($given[$name]) : $given[$name];
        }
        return new static(...$arguments);
    }

    /** @internal */
    public static function created(array $answer): static
    {
        $mismatch = $answer['headers']['idempotent-mismatch'] ?? '';
        return static::from($answer['data'] + [
            'replayed' => ($answer['headers']['idempotent-replay'] ?? '') === 'true',
            'mismatched' => preg_split('/,\s*/', $mismatch, -1, PREG_SPLIT_NO_EMPTY),
        ]);
    }
}

/** Where the payer sends the money. */
final class Requisite extends Record
{
    public function __construct(
        public readonly string $type,
        public readonly string $method,
        public readonly string $value,
        public readonly ?string $holder = null,
        public readonly ?string $bank = null,
    ) {
    }
}

/** A payment. Its status is pending, completed, failed, cancelled or appeal. */
final class Payment extends Record
{
    /**
     * @param bool $replayed whether a creation answered with what an earlier, same call had created
     * @param list<string> $mismatched the fields in which the earlier call differed; its values hold
     */
    public function __construct(
        // generated: Payment without extra quasiEcom
        public readonly int $id,
        public readonly string $uuid,
        public readonly string $orderId,
        public readonly string $status,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $method,
        public readonly string $createdAt,
        public readonly string $statusUpdatedAt,
        public readonly ?string $description = null,
        public readonly ?string $expiresAt = null,
        public readonly ?Requisite $requisite = null,
        public readonly ?string $paymentPageUrl = null,
        public readonly ?string $checkoutUrl = null,
        public readonly ?array $ledger = null,
        public readonly ?array $payerRequisites = null,
        public readonly ?string $statusReason = null,
        public readonly ?string $returnUrl = null,
        public readonly ?string $payerClaimedAt = null,
        public readonly ?string $receivedAmount = null,
        public readonly ?array $metadata = null,
        // end
        public readonly ?array $extra = null,
        public readonly ?CodeResend $quasiEcom = null,
        public readonly bool $replayed = false,
        public readonly array $mismatched = [],
    ) {
    }
}

/** A payment as lists have it. */
final class PaymentListItem extends Record
{
    public function __construct(
        public readonly int $id,
        public readonly string $uuid,
        public readonly string $orderId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly ?Requisite $requisiteSnapshot = null,
        public readonly ?array $ledger = null,
        public readonly ?string $createdAt = null,
        public readonly ?string $statusUpdatedAt = null,
        public readonly ?string $receivedAmount = null,
        public readonly ?array $metadata = null,
        public readonly ?string $method = null,
    ) {
    }
}

/** How the checkout of a card stands. */
final class CodeResend extends Record
{
    public function __construct(
        public readonly string $phase,
        public readonly int $attemptsLeft,
        public readonly int $codeResendCount,
        public readonly int $codeResendMax,
        public readonly ?string $nextAllowedAt = null,
        public readonly ?string $codeResendLastBy = null,
        public readonly ?string $codeResendLastAt = null,
    ) {
    }
}

/** The merchant's statement that a failed payment was paid. */
final class Appeal extends Record
{
    public function __construct(
        public readonly int $id,
        public readonly int $paymentId,
        public readonly string $uuid,
        public readonly string $reason,
        public readonly string $fileName,
        public readonly int $fileSize,
        public readonly string $status,
        public readonly string $createdAt,
    ) {
    }
}

/** A payout. Its status is waiting, processing, completed, failed, cancelled or expired. */
final class Payin extends Record
{
    /**
     * @param bool $replayed whether a creation answered with what an earlier, same call had created
     * @param list<string> $mismatched the fields in which the earlier call differed; its values hold
     */
    public function __construct(
        // generated: Payin
        public readonly string $id,
        public readonly string $orderId,
        public readonly string $status,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $method,
        public readonly array $beneficiary,
        public readonly string $frozenUsdt,
        public readonly string $expiresAt,
        public readonly string $createdAt,
        public readonly string $statusUpdatedAt,
        public readonly ?string $statusReason = null,
        public readonly ?string $proofReference = null,
        public readonly ?array $metadata = null,
        // end
        public readonly bool $replayed = false,
        public readonly array $mismatched = [],
    ) {
    }
}

/** A deposit of USDT. Its status is pending, confirmed or rejected. */
final class Deposit extends Record
{
    /**
     * @param bool $replayed whether a creation answered with what an earlier, same call had created
     * @param list<string> $mismatched the fields in which the earlier call differed; its values hold
     */
    public function __construct(
        // generated: Deposit
        public readonly int $id,
        public readonly int $merchantCashboxId,
        public readonly string $direction,
        public readonly string $status,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $network,
        public readonly string $address,
        public readonly string $idempotencyKey,
        public readonly string $createdAt,
        public readonly string $statusUpdatedAt,
        public readonly ?string $externalReference = null,
        public readonly ?array $metadata = null,
        public readonly ?string $transactionHash = null,
        public readonly ?int $confirmations = null,
        public readonly ?string $namedTransactionHash = null,
        // end
        public readonly bool $replayed = false,
        public readonly array $mismatched = [],
    ) {
    }
}

/** A withdrawal of USDT. Its status is requested, approved, handed_over, completed, rejected, failed or cancelled. */
final class Withdrawal extends Record
{
    /**
     * @param string $fee what it costs besides its amount, which is what arrives
     * @param bool $replayed whether a creation answered with what an earlier, same call had created
     * @param list<string> $mismatched the fields in which the earlier call differed; its values hold
     */
    public function __construct(
        // generated: Withdrawal
        public readonly int $id,
        public readonly string $orderId,
        public readonly string $status,
        public readonly string $amount,
        public readonly string $fee,
        public readonly string $currency,
        public readonly string $network,
        public readonly string $address,
        public readonly string $createdAt,
        public readonly string $statusUpdatedAt,
        public readonly ?int $merchantCashboxId = null,
        public readonly ?string $statusReason = null,
        public readonly ?string $transactionHash = null,
        // end
        public readonly bool $replayed = false,
        public readonly array $mismatched = [],
    ) {
    }
}

/** What a cashbox holds, in USDT with eight decimals. */
final class Balance extends Record
{
    public function __construct(
        public readonly int $merchantCashboxId,
        public readonly int $traderCashboxId,
        public readonly string $currency,
        public readonly string $totalBalance,
        public readonly string $available,
        public readonly string $reserved,
        public readonly string $insuranceReserved,
    ) {
    }
}

/** A webhook event as the feed has it. Its status is pending, delivered or dead. */
final class Event extends Record
{
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $payload,
        public readonly string $createdAt,
        public readonly string $status,
    ) {
    }

    /** The event as Webhook::verify returns it. */
    public function webhook(): WebhookEvent
    {
        return WebhookEvent::parse($this->payload);
    }
}

/** A webhook. Answer types that you do not know with 200: later versions may send more. */
final class WebhookEvent extends Record
{
    /** The types that EventData is made for. */
    private const TYPES = [
        'payment.status.updated', 'payment.payer.claimed', 'payment.quasi_ecom.code_resend',
        'payin.status.updated', 'deposit.status.updated', 'withdrawal.status.updated',
    ];

    /** @param array<string, mixed> $meta not part of the stable contract: its fields may change */
    public function __construct(
        public readonly string $type = '',
        public readonly string $eventId = '',
        public readonly string $createdAt = '',
        public readonly EventData $data = new EventData(),
        public readonly array $meta = [],
    ) {
    }

    /**
     * Reads a body. What a type of tomorrow tells may be of other types than here: it comes without its data then.
     *
     * @internal
     */
    public static function parse(string $body): self
    {
        $fields = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        try {
            return self::from($fields);
        } catch (TypeError $error) {
            if (!is_string($fields['type'] ?? null) || in_array($fields['type'], self::TYPES, true)) {
                throw $error;
            }
            return self::from(array_diff_key($fields, ['data' => 0, 'meta' => 0]));
        }
    }
}

/** What an event tells, of a payment or a payout mostly. Deposits and withdrawals have numbers for ids. What its type does not have is null. The status is in upper case. */
final class EventData extends Record
{
    public function __construct(
        public readonly ?string $orderId = null,
        public readonly ?string $status = null,
        public readonly ?string $amount = null,
        public readonly ?string $currency = null,
        public readonly ?string $uuid = null,
        public readonly string|int|null $id = null,
        public readonly ?string $method = null,
        public readonly ?string $frozenUsdt = null,
        public readonly ?array $payerRequisites = null,
        public readonly ?string $requestedBy = null,
        public readonly ?array $quasiEcom = null,
        public readonly ?string $network = null,
        public readonly ?string $address = null,
        public readonly ?string $transactionHash = null,
        public readonly ?string $fee = null,
        public readonly ?int $merchantCashboxId = null,
        public readonly ?string $externalReference = null,
        public readonly ?string $idempotencyKey = null,
    ) {
    }
}
