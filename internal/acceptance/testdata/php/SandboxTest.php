<?php

declare(strict_types=1);

use PaymentGateway\Client;
use PaymentGateway\GatewayError;
use PaymentGateway\Webhook;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Operator.php';

/** Drives a running sandbox. */
final class SandboxTest extends TestCase
{
    use Operator;

    private array $told;
    private Client $client;
    /** @var resource the shop's server */
    private $shop;
    private array $order;

    protected function setUp(): void
    {
        $this->told = json_decode(getenv('DRIVE'), true, flags: JSON_THROW_ON_ERROR);
        $this->client = $this->clientOf('roubles');
        $this->shop = stream_socket_server('tcp://127.0.0.1:0');
        $this->order = [
            'orderId' => $this->told['run'] . '-php-' . $this->getName(),
            'amount' => '1450.00',
            'currency' => 'RUB',
            'method' => 'sbp',
            'callbackUri' => 'http://' . stream_socket_get_name($this->shop, false) . '/hook',
        ];
    }

    private function clientOf(string $box): Client
    {
        return new Client($this->told['baseUrl'], $this->told[$box]['key_id'], $this->told[$box]['secret']);
    }

    private static function failure(callable $call): GatewayError
    {
        try {
            $call();
        } catch (GatewayError $error) {
            return $error;
        }
        self::fail('the call did not fail');
    }

    /** Waits for a webhook, as a web server would, and answers it. */
    private function delivery(): array
    {
        $connection = stream_socket_accept($this->shop, 60);
        fgets($connection);
        $headers = [];
        while (($line = trim(fgets($connection))) !== '') {
            [$name, $value] = explode(': ', $line, 2);
            $headers[$name] = $value;
        }
        $body = stream_get_contents($connection, (int) $headers['Content-Length']);
        fwrite($connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return [$body, $headers];
    }

    public function testPayment(): void
    {
        $more = ['description' => 'Чашки', 'ratePercent' => '4.5', 'payer' => ['userId' => 'payer-1']];
        $payment = $this->client->createPayment(...$this->order, ...$more);
        self::assertSame(['pending', '1450.00'], [$payment->status, $payment->amount]);
        self::assertSame('Чашки', $payment->description);
        self::assertSame(4.5, $payment->ledger['sellerRateMarkupPercent']);
        self::assertNotSame('', $payment->requisite->value);
        self::assertStringStartsWith('http', $payment->paymentPageUrl);
        self::assertFalse($payment->replayed);

        $again = $this->client->createPayment(...array_merge($this->order, ['amount' => '1460']), ...$more);
        self::assertSame([true, ['amount']], [$again->replayed, $again->mismatched]);
        self::assertSame($payment->uuid, $again->uuid);

        $this->end($payment->id, 'completed');
        [$body, $headers] = $this->delivery();
        $secrets = ['whsec_' . base64_encode('the next one'), $this->told['roubles']['webhook_secret']];
        $event = Webhook::verify($body, $headers, $secrets);
        self::assertSame(['payment.status.updated', 'COMPLETED'], [$event->type, $event->data->status]);
        self::assertSame($this->order['orderId'], $event->data->orderId);

        self::assertSame('completed', $this->client->getPayment($payment->uuid)->status);
        $since = new DateTimeImmutable('-1 day');
        $listed = iterator_to_array($this->client->payments(orderId: $this->order['orderId'], from: $since));
        self::assertSame([$payment->id], array_column($listed, 'id'));
        self::assertSame($this->order['orderId'], $listed[0]->orderId);
        $none = $this->client->payments(orderId: $this->order['orderId'], to: $since);
        self::assertSame([], iterator_to_array($none));
        $this->readsOnFrom($event->eventId);
    }

    /** PHP has one kind of array: an empty one, and one whose keys are numbers, are objects of JSON as well. */
    public function testArrays(): void
    {
        $create = fn (array $more) => $this->client->createPayment(...['orderId' => uniqid('', true)] + $this->order, ...$more);
        self::assertSame(['7', '8'], $create(['metadata' => ['0' => '7', '1' => '8']])->metadata);
        self::assertNull($create(['metadata' => [], 'payer' => []])->metadata);
        self::assertNull($create(['payer' => ['userId' => 'payer-1', 'payments' => []]])->metadata);
    }

    /** The feed has the event, and whoever keeps its cursor does not miss what comes later. */
    private function readsOnFrom(string $eventId): void
    {
        $found = [];
        $cursor = null;
        foreach ($this->client->events() as $cursor => $event) {
            if ($event->id === $eventId) {
                $found[] = $event;
            }
        }
        self::assertCount(1, $found);
        self::assertSame($eventId, $found[0]->webhook()->eventId);
        foreach ($this->client->events($cursor) as $event) {
            self::assertNotSame($eventId, $event->id);
        }
    }

    public function testErrors(): void
    {
        $wrong = array_merge($this->order, ['orderId' => '', 'amount' => '0.5']);
        $error = self::failure(fn () => $this->client->createPayment(...$wrong));
        self::assertSame(['validation_failed', 422], [$error->errorCode, $error->status]);
        self::assertEqualsCanonicalizing(['amount', 'orderId'], array_keys($error->fields));
        self::assertNotSame('', $error->requestId);
        self::assertFalse($error->isRepeatable());

        $stranger = new Client($this->told['baseUrl'], $this->told['roubles']['key_id'], 'not the secret');
        self::assertSame('invalid_signature', self::failure(fn () => $stranger->getPayment(1))->errorCode);
        self::assertSame('not_found', self::failure(fn () => $this->client->getPayment('../events'))->errorCode);
        $nowhere = new Client('http://127.0.0.1:1', 'k', 's', attempts: 1);
        self::assertTrue(self::failure(fn () => $nowhere->getPayment(1))->isRepeatable());
        self::assertStringNotContainsString($this->told['roubles']['secret'], print_r($this->client, true));
        $secret = $this->told['roubles']['secret'];
        foreach ([['api.example.com', $secret], [$this->told['baseUrl'], "$secret\n"]] as [$url, $wrong]) {
            try {
                new Client($url, 'k', $wrong);
                self::fail('a wrong address or secret was taken');
            } catch (InvalidArgumentException $error) {
                self::assertStringNotContainsString($secret, $error->getMessage());
            }
        }
    }

    /** Some hosts have & written as in HTML. */
    public function testSeparator(): void
    {
        $before = ini_set('arg_separator.output', '&amp;');
        try {
            self::assertSame([], iterator_to_array($this->client->payments(orderId: $this->order['orderId'], status: 'failed')));
        } finally {
            ini_set('arg_separator.output', $before);
        }
    }

    public function testAppeal(): void
    {
        $payment = $this->client->createPayment(...$this->order);
        $this->end($payment->id, 'failed');
        $name = 'чек "1" № 2.pdf';
        $content = "%PDF-1.4\r\n\xff";
        $appeal = $this->client->createAppeal($payment->id, "Платёж прошёл\nв 12:00", $name, $content);
        self::assertSame([$name, strlen($content), 'open'], [$appeal->fileName, $appeal->fileSize, $appeal->status]);
        $this->expectException(\InvalidArgumentException::class);
        $this->client->createAppeal($payment->id, 'Платёж прошёл', "a\r\nX: y.pdf", $content);
    }

    /** A creation that got no answer is made again with the same order id. */
    public function testRepeat(): void
    {
        $answers = [
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n",
            "HTTP/1.1 201 Created\r\nIdempotent-Replay: true\r\n",
        ];
        $bodies = ['{"message":"later","code":"busy","requestId":"1"}', null];
        $payment = ['id' => 1, 'uuid' => 'u', 'orderId' => 'o', 'status' => 'pending', 'amount' => '1.00'];
        $payment += ['currency' => 'RUB', 'method' => 'sbp', 'createdAt' => '', 'statusUpdatedAt' => ''];
        $bodies[1] = json_encode(['data' => $payment]);
        $child = pcntl_fork();
        if ($child === 0) {
            foreach ($answers as $i => $head) {
                $connection = stream_socket_accept($this->shop, 60);
                fread($connection, 8192);
                fwrite($connection, "{$head}Connection: close\r\n\r\n$bodies[$i]");
                fclose($connection);
            }
            posix_kill(getmypid(), SIGKILL);
        }
        $gateway = new Client('http://' . stream_socket_get_name($this->shop, false), 'k', 's');
        self::assertTrue($gateway->createPayment(...$this->order)->replayed);
        pcntl_waitpid($child, $status);
    }

    /** JSON of somebody else, such as a proxy, is no answer. */
    public function testForeignAnswer(): void
    {
        $child = pcntl_fork();
        if ($child === 0) {
            $connection = stream_socket_accept($this->shop, 60);
            fread($connection, 8192);
            fwrite($connection, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}");
            fclose($connection);
            posix_kill(getmypid(), SIGKILL);
        }
        $gateway = new Client('http://' . stream_socket_get_name($this->shop, false), 'k', 's', attempts: 1);
        self::assertSame('unreachable', self::failure(fn () => $gateway->createPayment(...$this->order))->errorCode);
        pcntl_waitpid($child, $status);
    }

    public function testPayout(): void
    {
        $payin = $this->client->createPayin(
            orderId: $this->order['orderId'],
            amount: '1500',
            method: 'sbp',
            callbackUri: $this->order['callbackUri'],
            address: '+79991234567',
            recipient: 'Иван Петров',
        );
        self::assertSame(['waiting', '16.54054055'], [$payin->status, $payin->frozenUsdt]);
        self::assertSame('waiting', $this->client->getPayin($payin->id)->status);
        $listed = iterator_to_array($this->client->payins(orderId: $payin->orderId));
        self::assertSame([$payin->id], array_column($listed, 'id'));
        self::assertSame('cancelled', $this->client->cancelPayin($payin->id)->status);
        $balance = $this->client->getBalance($this->told['roubles']['merchantCashboxId']);
        self::assertMatchesRegularExpression('/^\d+\.\d{8}$/', $balance->available);
    }

    public function testDeposit(): void
    {
        $hex = bin2hex(random_bytes(16));
        $request = [
            'amount' => '100.5',
            'network' => 'ERC20',
            'address' => '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
            'idempotencyKey' => preg_replace('/(.{8})(.{4})(.{4})(.{4})(.{12})/', '$1-$2-$3-$4-$5', $hex),
        ];
        $deposit = $this->client->createDeposit(...$request);
        self::assertSame(['pending', '100.50000000'], [$deposit->status, $deposit->amount]);
        self::assertTrue($this->client->createDeposit(...$request)->replayed);
        $transaction = bin2hex(random_bytes(32));
        self::assertSame("0x$transaction", $this->client->nameTransaction($deposit->id, $transaction)->namedTransactionHash);
        self::assertSame('ERC20', $this->client->getDeposit($deposit->id)->network);
        $listed = iterator_to_array($this->client->deposits(idempotencyKey: $request['idempotencyKey']));
        self::assertSame([$deposit->id], array_column($listed, 'id'));
    }

    /** The sandbox's keys may ask for none, which only a call to the right place with a right signature is told. */
    public function testWithdrawal(): void
    {
        $request = ['orderId' => 'w', 'amount' => '20', 'network' => 'TRC20', 'address' => 'T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm'];
        foreach ([
            fn () => $this->client->createWithdrawal(...$request),
            fn () => $this->client->getWithdrawal(1),
            fn () => iterator_to_array($this->client->withdrawals(orderId: 'w', status: 'requested')),
        ] as $call) {
            self::assertSame('merchant_scope_required', self::failure($call)->errorCode);
        }
    }

    public function testCard(): void
    {
        $order = array_merge($this->order, ['currency' => 'AZN', 'method' => 'quasi_ecom', 'amount' => '100']);
        $gateway = $this->clientOf('cards');
        $payment = $gateway->createPayment(...$order);
        self::assertSame('awaiting_payer_details', $payment->quasiEcom->phase);
        self::assertNull($payment->requisite);
        $error = self::failure(fn () => $gateway->resendCode($payment->id));
        self::assertSame('code_resend_wrong_step', $error->errorCode);
    }
}
