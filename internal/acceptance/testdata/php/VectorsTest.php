<?php

declare(strict_types=1);

use PaymentGateway\Client;
use PaymentGateway\GatewayError;
use PaymentGateway\Webhook;
use PaymentGateway\WebhookError;
use PaymentGateway\WebhookEvent;
use PaymentGateway\Withdrawal;
use PHPUnit\Framework\TestCase;

/** Holds the client to the vectors that all clients share. */
final class VectorsTest extends TestCase
{
    private static function vectors(string $kind): array
    {
        $text = file_get_contents(getenv('VECTORS'));
        $named = [];
        foreach (json_decode($text, true, flags: JSON_THROW_ON_ERROR)[$kind] as $vector) {
            $named[$vector['name']] = [$vector];
        }
        return $named;
    }

    public function bodies(): array
    {
        return self::vectors('bodies');
    }

    public function appeals(): array
    {
        return self::vectors('appeals');
    }

    public function webhooks(): array
    {
        return self::vectors('webhooks');
    }

    /** @dataProvider bodies */
    public function testBody(array $v): void
    {
        self::assertSame($v['signature'], Client::sign($v['secret'], $v['body']));
    }

    /** @dataProvider appeals */
    public function testAppeal(array $v): void
    {
        self::assertSame(
            $v['signature'],
            Client::signAppeal($v['secret'], $v['reason'], $v['fileName'], $v['fileSize']),
        );
    }

    /** @dataProvider webhooks */
    public function testWebhook(array $v): void
    {
        $headers = ['webhook-id' => $v['id'], 'webhook-timestamp' => $v['timestamp']];
        $headers['webhook-signature'] = $v['signature'];
        if (!$v['valid']) {
            $this->expectException(WebhookError::class);
        }
        self::assertIsObject(Webhook::verify($v['body'], $headers, $v['secrets'], now: $v['now']));
    }

    /** Headers as $_SERVER, getallheaders() and PSR-7 have them. */
    public function testHeaders(): void
    {
        $v = self::vectors('webhooks')['the example of the specification'][0];
        $forms = [
            ['HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE'],
            ['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'],
        ];
        foreach ($forms as $names) {
            $headers = array_combine($names, [$v['id'], $v['timestamp'], $v['signature']]);
            self::assertIsObject(Webhook::verify($v['body'], $headers, $v['secrets'][0], now: $v['now']));
        }
        $lists = array_map(fn (string $value) => [$value], $headers);
        self::assertIsObject(Webhook::verify($v['body'], $lists, $v['secrets'], now: $v['now']));
        ini_set('zend.exception_ignore_args', '0');
        try {
            Webhook::verify($v['body'], $headers, 'whsec_not base64', now: $v['now']);
            self::fail('a wrong secret was taken');
        } catch (InvalidArgumentException $error) {
            self::assertStringNotContainsString('whsec_not', print_r($error->getTrace(), true));
        }
    }

    /** A proxy may say by a date when to come back, which is no number of seconds, and none to come back at once. */
    public function testRetryAfter(): void
    {
        $busy = ['message' => 'later', 'code' => 'busy'];
        foreach (['7' => 7, 'Mon, 30 Nov 2026 16:00:00 GMT' => null, '-1' => null] as $said => $seconds) {
            self::assertSame($seconds, GatewayError::refused(503, $busy, ['retry-after' => (string) $said])->retryAfter, "$said");
        }
    }

    /** A withdrawal is read whole, from an answer and from its webhook: the sandbox's keys may ask for none. */
    public function testWithdrawal(): void
    {
        $fields = [
            'id' => 12, 'merchantCashboxId' => null, 'orderId' => 'w-1', 'status' => 'completed', 'statusReason' => null,
            'amount' => '250.50000000', 'fee' => '1.50000000', 'currency' => 'USDT', 'network' => 'TRC20',
            'address' => 'T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm', 'transactionHash' => str_repeat('ab', 32),
            'createdAt' => '2026-11-20T22:14:03.123Z', 'statusUpdatedAt' => '2026-11-20T22:16:41.907Z',
        ];
        $read = Withdrawal::from($fields);
        $event = WebhookEvent::parse(json_encode(['type' => 'withdrawal.status.updated', 'data' => $fields]))->data;
        foreach ($fields as $name => $value) {
            self::assertSame($value, $read->$name, $name);
        }
        foreach (['id', 'orderId', 'amount', 'fee', 'network', 'address', 'transactionHash'] as $name) {
            self::assertSame($fields[$name], $event->$name, $name);
        }
    }
}
