<?php

declare(strict_types=1);

use PaymentGateway\Client;
use PaymentGateway\Shop\Order;
use PaymentGateway\Shop\Orders;
use PaymentGateway\Shop\Outcome;
use PaymentGateway\Shop\Shop;
use PaymentGateway\Shop\ShopError;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../../../../rpc/php/shop/shop.php';
require_once __DIR__ . '/Operator.php';

/** A shop whose orders lie in memory. */
final class Drawer implements Orders
{
    /** @var array<string, Order> */
    public array $orders = [];
    /** @var list<string> what was done, and why */
    public array $done = [];
    public string $cursor = '';
    public ?Throwable $broken = null;

    public function add(string $number, string $amount, string $currency = 'RUB'): void
    {
        $this->orders[$number] = new Order($number, $amount, $currency, Order::OPEN);
    }

    public function locked(string $number, callable $work): mixed
    {
        return $this->broken ? throw $this->broken : $work();
    }

    public function find(string $number): ?Order
    {
        return $this->orders[$number] ?? null;
    }

    public function apply(Order $order, Outcome $outcome): void
    {
        $state = ['paid' => Order::PAID, 'hold' => Order::OPEN][$outcome->action] ?? $order->state;
        $paidBy = $outcome->action === 'paid' ? $outcome->paymentId : $order->paidBy;
        $this->orders[$order->number] =
            new Order($order->number, $order->amount, $order->currency, $state, $paidBy, $outcome->memory);
        if ($outcome->action !== 'none') {
            $this->done[] = "$outcome->action: " . $outcome->text();
        }
    }

    public function cursor(): string
    {
        return $this->cursor;
    }

    public function keepCursor(string $cursor): void
    {
        $this->cursor = $cursor;
    }

    public function told(): array
    {
        return array_splice($this->done, 0);
    }
}

/** Holds the core of shop modules to what it promises, beside a running sandbox. */
final class ShopTest extends TestCase
{
    use Operator;

    private const SECRET = 'whsec_c2hvcCB0ZXN0IHNlY3JldA==';

    private array $told;
    private Drawer $drawer;
    private Shop $shop;
    private string $log = '';

    protected function setUp(): void
    {
        $this->told = json_decode(getenv('DRIVE'), true, flags: JSON_THROW_ON_ERROR);
        $this->drawer = new Drawer();
        $this->shop = $this->shopAt($this->told['baseUrl']);
    }

    private function shopAt(string $url, ?Orders $orders = null): Shop
    {
        $prefix = "{$this->told['run']}-{$this->getName(false)}-";
        $log = function (string $level, string $message): void {
            $this->log .= "$level: $message\n";
        };
        // Nobody listens there: what happens comes by the feed, or as the tests sign it.
        return new Shop($this->clientAt($url), $orders ?? $this->drawer, $prefix, 'http://127.0.0.1:1/', self::SECRET, $log);
    }

    private function clientAt(string $url): Client
    {
        $box = $this->told['roubles'];
        return new Client($url, $box['key_id'], $box['secret'], attempts: 1);
    }

    private function pay(string $number, string $method = 'sbp'): object
    {
        return $this->shop->pay($number, $method, 'http://127.0.0.1:1/thanks');
    }

    private function refused(string $note, callable $call): void
    {
        try {
            $call();
        } catch (ShopError $error) {
            self::assertSame(Shop::NOTES[$note], $error->note);
            return;
        }
        self::fail("it was not refused: $note");
    }

    /** Sends the shop a webhook as the gateway signs it. */
    private function send(array $data, array $meta, string $type = 'payment.status.updated', int $age = 0): int
    {
        $data += ['uuid' => 'p1', 'amount' => '100.00', 'currency' => 'RUB'];
        $data['orderId'] ??= "{$this->told['run']}-{$this->getName(false)}-7-1";
        $at = (string) (time() - $age);
        $body = json_encode(compact('type', 'data', 'meta') + ['eventId' => 'e', 'createdAt' => "2026-01-01T$at"]);
        $key = base64_decode(substr(self::SECRET, 6));
        $signature = 'v1,' . base64_encode(hash_hmac('sha256', "e.$at.$body", $key, true));
        return $this->shop->webhook($body, [
            'HTTP_WEBHOOK_ID' => 'e', 'HTTP_WEBHOOK_TIMESTAMP' => $at, 'HTTP_WEBHOOK_SIGNATURE' => $signature,
        ]);
    }

    /** Reads the feed until something was done: an event is in it a moment after it happened. */
    private function catchUp(): void
    {
        for ($end = time() + 60; $this->drawer->done === [] && time() < $end; usleep(50000)) {
            $this->shop->catchUp();
        }
    }

    /** An order is paid by one payment at a time, and each try after an end has one of its own. */
    public function testPay(): void
    {
        $this->drawer->add('7', '1450.00');
        $first = $this->pay('7');
        self::assertStringStartsWith('http', Shop::page($first));
        self::assertSame($first->uuid, $this->pay('7')->uuid);
        $this->end($first->id, 'failed', 'expired');
        $second = $this->pay('7');
        self::assertNotSame($first->uuid, $second->uuid);
        $third = $this->pay('7', 'card');
        self::assertNotSame($second->uuid, $third->uuid);
        $this->drawer->orders['7'] = new Order('7', '1460.00', 'RUB', 'open', '', $this->drawer->orders['7']->memory);
        $fourth = $this->pay('7', 'card');
        self::assertSame('1460.00', $fourth->amount);

        $this->end($fourth->id, 'completed');
        $this->refused('paid_already', fn () => $this->pay('7', 'card'));
        $this->catchUp();
        self::assertSame(["paid: Paid: the gateway confirmed payment $fourth->uuid."], $this->drawer->told());
        $this->end($third->id, 'completed'); // the payer had both pages open
        $this->catchUp();
        self::assertStringStartsWith('note: The order was paid before', $this->drawer->told()[0]);
        $this->drawer->cursor = '';
        $this->shop->catchUp();
        self::assertSame([], $this->drawer->told());
        $this->refused('paid_already', fn () => $this->pay('7', 'card'));
        $this->refused('not_payable', fn () => $this->pay('8'));

        $this->drawer->add('9', '0.50');
        $this->refused('later', fn () => $this->pay('9'));
        self::assertStringContainsString('error: order 9: no payment: validation_failed, request ', $this->log);
        foreach ([$this->told['roubles']['secret'], self::SECRET] as $secret) {
            self::assertStringNotContainsString($secret, $this->log . print_r($this->shop, true));
        }
    }

    /** Who chose another method gets no second payment of what they may have paid already. */
    public function testAnotherMethod(): void
    {
        $this->drawer->add('7', '1450.00');
        $first = $this->pay('7');
        $this->end($first->id, 'completed'); // its webhook is on its way
        $this->refused('paid_already', fn () => $this->pay('7', 'card'));

        $this->drawer->add('8', '1450.00');
        $claimed = $this->pay('8');
        $this->claim($claimed);
        $this->refused('may_arrive', fn () => $this->pay('8', 'card'));
        self::assertSame($claimed->uuid, $this->pay('8')->uuid);
        $this->end($claimed->id, 'failed', 'expired');
        $this->refused('may_arrive', fn () => $this->pay('8', 'card'));

        // Less came by the first of two payments, and the second one has ended since.
        $this->drawer->add('9', '1450.00');
        $part = $this->pay('9');
        $second = $this->pay('9', 'card');
        $came = ['uuid' => $part->uuid, 'orderId' => $part->orderId, 'amount' => '1450.00', 'status' => 'COMPLETED'];
        self::assertSame(200, $this->send($came, ['sequence' => 1, 'receivedAmount' => '90.00']));
        $this->end($part->id, 'completed');
        $this->end($second->id, 'cancelled');
        $this->refused('paid_already', fn () => $this->pay('9', 'card'));

        // The shop has another key now, which knows nothing of the payment before.
        $this->drawer->orders['10'] = new Order('10', '1450.00', 'RUB', Order::OPEN, '', [
            'attempt' => 1, 'method' => 'sbp', 'payments' => ['019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b' => ['status' => 'PENDING']],
        ]);
        self::assertSame('card', $this->pay('10', 'card')->method);
    }

    /** Has the payer say on the payment's page that they have paid. */
    private function claim(object $payment): void
    {
        $curl = curl_init("$payment->paymentPageUrl/paid");
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true, CURLOPT_POSTFIELDS => '',
            CURLOPT_HTTPHEADER => ['Origin: null', 'Sec-Fetch-Site: same-origin'],
        ]);
        curl_exec($curl);
        self::assertNotNull($this->clientAt($this->told['baseUrl'])->getPayment($payment->id)->payerClaimedAt);
    }

    public function meanings(): array
    {
        $back = ['sequence' => 3, 'reason' => 'chargeback'];
        return [
            'twice' => [[['COMPLETED', ['sequence' => 1]], ['COMPLETED', ['sequence' => 1]]], ['paid: Paid: the']],
            'reordered' => [[['COMPLETED', ['sequence' => 2]], ['FAILED', ['sequence' => 1]]], ['paid: Paid: the']],
            'late' => [
                [['FAILED', ['sequence' => 1, 'reason' => 'expired']], ['COMPLETED', ['sequence' => 2, 'late' => true]]],
                ['failed: The payment was not made in time.', 'paid: Paid late'],
            ],
            'taken back' => [
                [['COMPLETED', ['sequence' => 2]], ['FAILED', $back]], ['paid: Paid: the', 'hold: Payment p1 counts'],
            ],
            'cancelled' => [[['CANCELLED', ['sequence' => 1]]], ['failed: The payment was cancelled.']],
            'declined' => [[['FAILED', ['sequence' => 1, 'reason' => 'declined']]], ['failed: The payment failed: dec']],
            'an earlier attempt' => [[['FAILED', ['sequence' => 1], ['orderId' => '-7-0']]], []],
            'another amount' => [
                [['APPEAL', ['sequence' => 1, 'case' => 'open', 'receivedAmount' => '90.00']],
                    ['COMPLETED', ['sequence' => 2, 'case' => 'taken', 'receivedAmount' => '90.00']]],
                ['hold: 90.00 came instead of 100.00 RUB. Decide in', 'hold: 90.00 came instead of 100.00 RUB. Decide be'],
            ],
            'held, and another one ends' => [
                [['COMPLETED', ['sequence' => 1, 'receivedAmount' => '90.00'], ['uuid' => 'p0', 'orderId' => '-7-0']],
                    ['FAILED', ['sequence' => 1, 'reason' => 'expired']]],
                ['hold: 90.00 came instead of 100.00 RUB. Decide be', 'note: The payment was not made in time.'],
            ],
            'in review, and another one ends' => [
                [['APPEAL', ['sequence' => 1], ['uuid' => 'p0', 'orderId' => '-7-0']], ['CANCELLED', ['sequence' => 1]]],
                ['hold: The payment is under review', 'note: The payment was cancelled.'],
            ],
            'taken back, and another one ends' => [
                [['COMPLETED', ['sequence' => 1], ['uuid' => 'p0', 'orderId' => '-7-0']],
                    ['FAILED', $back, ['uuid' => 'p0', 'orderId' => '-7-0']], ['FAILED', ['sequence' => 1]]],
                ['paid: Paid: the', 'hold: Payment p0 counts', 'failed: The payment failed.'],
            ],
            'the amount' => [[['COMPLETED', ['sequence' => 1, 'receivedAmount' => '100']]], ['paid: Paid: the']],
            'of another sum' => [[['COMPLETED', ['sequence' => 1], ['amount' => '1.00']]], ['hold: The payment is of 1']],
            'of another currency' => [[['COMPLETED', ['sequence' => 1], ['currency' => 'UZS']]], ['hold: The payment is']],
            'a closed order' => [[['COMPLETED', ['sequence' => 1]]], ['hold: 100.00 RUB came for an order that'], 'closed'],
            'a closed order, unpaid' => [[['CANCELLED', ['sequence' => 1]]], ['note: The payment was cancelled.'], 'closed'],
            'paid otherwise' => [[['APPEAL', ['sequence' => 1]]], ['note: The payment is under review'], 'paid'],
            'a stranger' => [[['COMPLETED', ['sequence' => 1], ['orderId' => 'link-7-1']]], []],
        ];
    }

    /**
     * @dataProvider meanings
     * @param list<array{string, array<string, mixed>, array<string, string>}> $events
     * @param list<string> $told how each thing that the shop does begins
     */
    public function testMeaning(array $events, array $told, string $state = 'open'): void
    {
        $this->drawer->orders['7'] = new Order('7', '100.00', 'RUB', $state);
        foreach ($events as $event) {
            [$status, $meta, $data] = $event + [2 => []];
            if (str_starts_with($data['orderId'] ?? '', '-')) {
                $data['orderId'] = "{$this->told['run']}-{$this->getName(false)}{$data['orderId']}";
            }
            self::assertSame(200, $this->send(['status' => $status] + $data, $meta));
        }
        $done = $this->drawer->told();
        self::assertCount(count($told), $done, implode("\n", $done));
        foreach ($told as $i => $beginning) {
            self::assertStringStartsWith($beginning, $done[$i]);
        }
    }

    /** An order that was held for a payment, and that staff released, is paid by that payment and by no other. */
    public function testReleased(): void
    {
        $this->drawer->add('7', '100.00');
        $came = ['case' => 'open', 'receivedAmount' => '90.00'];
        $this->send(['status' => 'APPEAL'], ['sequence' => 1] + $came);
        $this->drawer->orders['7'] = new Order('7', '100.00', 'RUB', Order::PAID, '', $this->drawer->orders['7']->memory);
        $this->send(['status' => 'APPEAL'], ['sequence' => 2, 'case' => 'waiting'] + $came);
        $this->send(['status' => 'COMPLETED'], ['sequence' => 3, 'case' => 'taken'] + $came);
        $this->send(['status' => 'COMPLETED', 'uuid' => 'p2'], ['sequence' => 1]);
        $this->send(['status' => 'FAILED'], ['sequence' => 4, 'reason' => 'chargeback']);
        $told = array_map(fn (string $text): string => substr($text, 0, 30), $this->drawer->told());
        self::assertSame([
            'hold: 90.00 came instead of 10', 'note: 90.00 came instead of 10', 'note: 90.00 came instead of 10',
            'note: The order was paid befor', 'hold: Payment p1 counts as unp',
        ], $told);

        $this->drawer->add('7', '100.00');
        $this->send(['status' => 'APPEAL'], ['sequence' => 1]);
        $this->drawer->orders['7'] = new Order('7', '100.00', 'RUB', Order::PAID, '', $this->drawer->orders['7']->memory);
        $this->send(['status' => 'COMPLETED'], ['sequence' => 2]);
        self::assertSame('note: Paid: the gateway confirmed payment p1.', $this->drawer->told()[1]);
    }

    /** What is not from the gateway, or old, changes nothing; what the shop cannot take comes again. */
    public function testRefusedWebhooks(): void
    {
        $this->drawer->add('7', '100.00');
        self::assertSame(400, $this->shop->webhook('{}', ['HTTP_WEBHOOK_ID' => 'e']));
        self::assertSame(400, $this->send(['status' => 'COMPLETED'], ['sequence' => 1], age: 301));
        $this->drawer->broken = new RuntimeException('the disk is full');
        self::assertSame(503, $this->send(['status' => 'COMPLETED'], ['sequence' => 1]));
        $this->drawer->broken = null;
        self::assertSame([], $this->drawer->told());
        self::assertSame(200, $this->send(['status' => 'PENDING'], ['sequence' => 1], 'payment.payer.claimed'));
        self::assertSame(200, $this->send(['status' => 'PENDING'], ['sequence' => 1], 'payment.of.tomorrow'));
        self::assertSame(200, $this->send(['status' => 5, 'amount' => [1]], ['sequence' => 1], 'payment.of.tomorrow'));
        self::assertSame(200, $this->send(['status' => 'COMPLETED'], ['sequence' => 2]));
        self::assertCount(2, $this->drawer->told());
        $this->drawer->cursor = 'nonsense';
        $this->shop->catchUp();
        self::assertSame('', $this->drawer->cursor);
    }

    /** An event that the shop fails to take stops the feed, is named, and comes first the next time. */
    public function testShopFails(): void
    {
        $this->drawer->add('7', '1450.00');
        $payment = $this->pay('7');
        $this->end($payment->id, 'completed');
        foreach ([new RuntimeException('the disk is full'), new TypeError('the shop is wrong')] as $this->drawer->broken) {
            $this->log = '';
            try {
                for ($end = time() + 60; time() < $end; usleep(50000)) {
                    $this->shop->catchUp();
                }
                self::fail('the event was passed over');
            } catch (RuntimeException | TypeError $error) {
                self::assertSame($this->drawer->broken, $error);
            }
            $reason = preg_quote($error->getMessage());
            self::assertMatchesRegularExpression("~error: event [0-9a-f-]{36} of payment.status.updated .*$reason~", $this->log);
        }
        $this->drawer->broken = null;
        $this->catchUp();
        self::assertSame(["paid: Paid: the gateway confirmed payment $payment->uuid."], $this->drawer->told());
    }

    /** Money goes back at most once, also when nobody knows whether it did, and never more than came. */
    public function testRefund(): void
    {
        $this->drawer->add('7', '1500.00');
        $refund = fn (string $amount) => $this->shop->refund('7', $amount, 'sbp', '+79991234567', 'Иван Петров');
        $this->refused('refund_unpaid', fn () => $refund('1000.00'));
        $payment = $this->pay('7');
        $this->end($payment->id, 'completed');
        $this->catchUp();
        $this->refused('refund_too_much', fn () => $refund('1500.01'));
        $before = $this->drawer->orders['7'];
        $payin = $refund('1000.00');
        $this->refused('refund_too_much', fn () => $refund('500.01'));

        foreach ([fn () => $this->shop->refund('7', '1000.00', 'c2c', '4242424242424242', 'Иван Петров'),
            fn () => $refund('900.00')] as $another) {
            $this->drawer->orders['7'] = $before; // the answer was lost
            $this->refused('refund_sent', $another);
        }
        self::assertSame([$payin->id], array_keys($this->drawer->orders['7']->memory['refunds']));
        $this->drawer->told();
        $name = "{$this->told['run']}-{$this->getName(false)}-7-refund-1";
        $failed = ['uuid' => null, 'id' => $payin->id, 'orderId' => $name, 'status' => 'FAILED', 'amount' => '1000.00'];
        self::assertSame(200, $this->send($failed, ['sequence' => 1], 'payin.of.tomorrow'));
        self::assertSame([], $this->drawer->told());
        self::assertSame(200, $this->send($failed, ['sequence' => 1], 'payin.status.updated'));
        self::assertStringStartsWith('note: Refund of 1000.00 RUB could not', $this->drawer->told()[0]);
        $this->drawer->told();
        $before = $this->drawer->orders['7'];
        $taken = $this->clientAt($this->told['baseUrl'])->cancelPayin($refund('1500.00')->id);
        $this->drawer->orders['7'] = $before; // that answer was lost, and the payout has ended since
        self::assertNotContains($refund('1500.00')->id, [$payin->id, $taken->id]);

        // Less came than was asked for, and staff released the order all the same.
        $released = fn (string $status, array $meta) => $this->send(['status' => $status, 'amount' => '1450.00'], $meta);
        $this->drawer->orders['7'] = new Order('7', '1450.00', 'RUB', Order::OPEN);
        $released('APPEAL', ['sequence' => 1, 'case' => 'open', 'receivedAmount' => '1000.00']);
        $this->refused('refund_unpaid', fn () => $refund('1.00'));
        $released('COMPLETED', ['sequence' => 2, 'case' => 'taken', 'receivedAmount' => '1000.00']);
        $memory = $this->drawer->orders['7']->memory + ['refund' => 9];
        $this->drawer->orders['7'] = new Order('7', '1450.00', 'RUB', Order::PAID, '', $memory);
        $this->refused('refund_too_much', fn () => $refund('1000.01'));
        self::assertSame('400.00', $refund('400.00')->amount);
        $this->refused('refund_too_much', fn () => $refund('600.01'));

        $this->drawer->add('8', '10.00', 'KZT');
        $kzt = fn () => $this->shop->refund('8', '1.00', 'c2c', '4000', 'N');
        $this->refused('refund_currency', $kzt);
    }

    /** The manual's example for OpenCart keeps what it is given, and moves orders as the core says. */
    public function testManual(): void
    {
        $page = file_get_contents(__DIR__ . '/../../../../docs/integrate/php-shop.md');
        self::assertSame(1, preg_match('~```php\n<\?php(.*?)\n```~s', $page, $found));
        eval($found[1]);
        $db = new class {
            public array $kept = [];

            public function query(string $sql): object
            {
                if (preg_match("~^REPLACE INTO `kept` SET id = (\d+), kept = '(.*)'$~s", $sql, $new)) {
                    $this->kept[$new[1]] = stripslashes($new[2]);
                }
                $asked = preg_match('~^SELECT kept FROM `kept` WHERE id = (\d+)$~', $sql, $key);
                return (object) ['row' => ['got' => '1', 'kept' => $asked ? $this->kept[$key[1]] ?? null : null]];
            }

            public function escape(string $text): string
            {
                return addslashes($text);
            }
        };
        $model = new class {
            public array $row = ['total' => 50.0, 'currency_value' => 2.0, 'currency_code' => 'RUB', 'order_status_id' => 1];
            public array $history = [];

            public function getOrder(int $id): array
            {
                return $id === 7 ? $this->row : [];
            }

            public function addHistory(int $id, int $status, string $comment): void
            {
                $this->row['order_status_id'] = $status;
                $this->history[] = "$status $comment";
            }
        };
        $orders = new OpenCartOrders($db, $model, 'kept');
        $this->shop = $this->shopAt($this->told['baseUrl'], $orders);
        foreach ([['COMPLETED', 2], ['COMPLETED', 2], ['FAILED', 1], ['FAILED', 3]] as [$status, $sequence]) {
            self::assertSame(200, $this->send(['status' => $status], ['sequence' => $sequence]));
        }
        $taken = 'Payment p1 counts as unpaid again: it was corrected at the gateway. Deliver nothing for it.';
        self::assertSame(['2 Paid: the gateway confirmed payment p1.', "1 $taken"], $model->history);
        self::assertNull($orders->find('8'));
        $orders->keepCursor("it's here");
        self::assertSame("it's here", $orders->cursor());
    }

    /** The methods are the gateway's. */
    public function testMethods(): void
    {
        self::assertEquals($this->told['methods'], Shop::METHODS);
        self::assertEquals($this->told['payoutMethods'], Shop::REFUNDS);
    }
}
