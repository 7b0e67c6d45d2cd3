<?php

declare(strict_types=1);

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use PaymentGateway\Client;
use PaymentGateway\WooCommerce\Blocks;
use PaymentGateway\WooCommerce\Gateway;
use PaymentGateway\WooCommerce\RefundFields;
use PHPUnit\Framework\TestCase;

use function PaymentGateway\WooCommerce\gateway;

require_once __DIR__ . '/../php/Operator.php';

/**
 * A shop with the plug-in, in WordPress and beside a running sandbox. The gateway's webhooks come in by a web server; this
 * process is what payers and staff do.
 */
final class ShopTest extends TestCase
{
    use Operator;

    private array $told;
    private Client $client;

    protected function setUp(): void
    {
        $this->told = json_decode(getenv('DRIVE'), true, flags: JSON_THROW_ON_ERROR);
        $box = $this->told['roubles'];
        $this->client = new Client($this->told['baseUrl'], $box['key_id'], $box['secret']);
        WC()->notices = WC_Admin_Settings::$said = [];
        wp_set_current_user(1)->add_cap('manage_woocommerce');
        $this->save($box['secret']);
        self::assertSame(['message: Шлюз принимает эти настройки.'], WC_Admin_Settings::$said);
    }

    /** Saves the settings, as their page does. */
    private function save(string $secret, array $changes = []): void
    {
        $form = $changes + [
            'enabled' => '1', 'address' => $this->told['baseUrl'], 'key_id' => $this->told['roubles']['key_id'],
            'secret' => $secret, 'webhook_secret' => $this->told['roubles']['webhook_secret'], 'sandbox' => '1',
            'methods' => ['sbp', 'card'], 'title' => 'Банк', 'description' => 'Дальше',
        ];
        $_POST = [];
        foreach (array_filter($form) as $name => $value) {
            $_POST["woocommerce_payment_gateway_$name"] = $value;
        }
        gateway()->process_admin_options();
        $_POST = [];
    }

    /** A gateway may have other names for the headers of a call. */
    public function testHeaderNames(): void
    {
        $box = $this->told['renamed']['roubles'];
        $there = ['address' => $this->told['renamed']['baseUrl'], 'key_id' => $box['key_id']];
        $right = 'X-Shop-Key X-Shop-Secret  X-Shop-Signature ';
        foreach (['' => 'error', 'X-Shop-Key X-Shop-Secret' => 'error', $right => 'message'] as $names => $want) {
            WC_Admin_Settings::$said = [];
            $this->save($box['secret'], $there + ['headers' => $names]);
            self::assertSame($want, strtok(WC_Admin_Settings::$said[0] ?? '', ':'), $names);
        }
    }

    private function order(string $total = '1450'): WC_Order
    {
        $meta = ['_order_total' => $total, '_order_currency' => 'RUB'];
        return new WC_Order(wp_insert_post(['post_type' => 'shop_order', 'post_status' => 'wc-pending', 'meta_input' => $meta]));
    }

    /** Pays an order in the checkout, and returns the payment. */
    private function pay(WC_Order $order, string $method = 'sbp'): object
    {
        $_POST = ['payment_gateway_method' => $method];
        $result = gateway()->process_payment($order->get_id());
        self::assertSame('success', $result['result'], implode(WC()->notices));
        $payments = array_keys($order->get_meta('_payment_gateway')['payments']);
        $payment = $this->client->getPayment(end($payments));
        self::assertSame($payment->paymentPageUrl, $result['redirect']);
        return $payment;
    }

    /** Waits until a webhook has changed the order. */
    private function becomes(WC_Order $order, string $status): void
    {
        $end = time() + 60;
        do {
            usleep(20000);
            clean_post_cache($order->get_id());
        } while ($order->get_status() !== $status && time() < $end);
        self::assertSame($status, $order->get_status(), (string) @file_get_contents(getenv('SITE') . '/log'));
    }

    /** The notes on an order, which has at least so many: one comes a moment after its status. */
    private function notes(WC_Order $order, int $least = 1): array
    {
        $end = time() + 60;
        do {
            usleep(5000);
            clean_post_cache($order->get_id());
            $notes = get_post_meta($order->get_id(), 'note');
        } while (count($notes) < $least && time() < $end);
        return $notes;
    }

    /** The newest event of a payment, as the gateway sent it. */
    private function event(string $orderId): array
    {
        foreach ($this->client->events() as $event) {
            $body = $event->payload;
            $found = $event->webhook()->data->orderId === $orderId ? json_decode($body, true) : $found ?? [];
        }
        return $found;
    }

    /** Sends the shop a webhook, and returns the status of its answer. */
    private function post(array $event, string $secret = ''): int
    {
        $body = json_encode($event);
        $at = (string) time();
        $key = base64_decode(substr($secret ?: $this->told['roubles']['webhook_secret'], 6));
        $signature = base64_encode(hash_hmac('sha256', "{$event['eventId']}.$at.$body", $key, true));
        $curl = curl_init(rest_url('payment-gateway/v1/webhook'));
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true, CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => [
                'Content-Type: application/json', "webhook-id: {$event['eventId']}", "webhook-timestamp: $at",
                "webhook-signature: v1,$signature",
            ],
        ]);
        curl_exec($curl);
        return curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    }

    /** Settings are tried when they are saved, a page never shows a secret, and nobody buys for nothing in a sandbox. */
    public function testSettings(): void
    {
        $this->save('not the secret');
        self::assertStringStartsWith('error: Шлюз не принимает эти настройки: invalid_signature', WC_Admin_Settings::$said[1]);
        $this->save($this->told['roubles']['secret']);
        $this->save(''); // the page leaves it empty
        self::assertCount(4, WC_Admin_Settings::$said);
        self::assertStringStartsWith('message', WC_Admin_Settings::$said[3]);
        $html = gateway()->generate_password_html('secret', ['title' => '']);
        self::assertStringNotContainsString($this->told['roubles']['secret'], $html);
        self::assertStringContainsString('сохранён', $html);

        self::assertTrue(gateway()->is_available());
        wp_set_current_user(0);
        self::assertFalse(gateway()->is_available());
        $this->save('', ['sandbox' => '']);
        self::assertFalse(gateway()->is_available(), 'a secret would go over HTTP');
        self::assertStringStartsWith('error: Покупателям этот способ оплаты не предлагается', WC_Admin_Settings::$said[4]);
        $this->save('', ['sandbox' => '', 'enabled' => '']);
        self::assertCount(5, WC_Admin_Settings::$said, 'what is switched off need not be complete');
        self::assertSame(['custom_order_tables' => true, 'cart_checkout_blocks' => true], FeaturesUtil::$declared);
        self::assertNotFalse(wp_next_scheduled('payment_gateway_catch_up'));
    }

    /** Both checkouts offer the methods that were chosen. */
    public function testCheckout(): void
    {
        $names = ['sbp' => 'По номеру телефона через СБП', 'card' => 'Перевод на карту'];
        $this->expectOutputRegex('~value="sbp" checked.*value="card"~s');
        gateway()->payment_fields();
        $registry = new class {
            public ?Blocks $registered = null;

            public function register(Blocks $blocks): void
            {
                $this->registered = $blocks;
            }
        };
        do_action('woocommerce_blocks_payment_method_type_registration', $registry);
        $blocks = $registry->registered;
        self::assertSame(['payment-gateway-blocks'], $blocks->get_payment_method_script_handles());
        self::assertTrue($blocks->is_active());
        self::assertSame($names, $blocks->get_payment_method_data()['methods']);
        file_put_contents(getenv('SITE') . '/blocks.json', json_encode($blocks->get_payment_method_data()));
    }

    /** One webhook pays an order, and no other: not again, not an older one, not one that somebody else signed. */
    public function testPaid(): void
    {
        $order = $this->order();
        $payment = $this->pay($order);
        self::assertSame($payment->uuid, $this->pay($order)->uuid);
        self::assertFalse(apply_filters('woocommerce_cancel_unpaid_order', true, $order));
        $this->end($payment->id, 'completed');
        $this->becomes($order, 'processing');
        self::assertSame($payment->uuid, $order->get_transaction_id());
        self::assertSame(["Оплачен: шлюз подтвердил платёж $payment->uuid."], $this->notes($order));

        $event = $this->event($payment->orderId);
        self::assertSame(200, $this->post($event));
        $older = $event;
        [$older['meta']['sequence'], $older['data']['status']] = [0, 'FAILED'];
        self::assertSame(200, $this->post($older));
        $forged = $event;
        [$forged['meta']['sequence'], $forged['data']['status']] = [9, 'FAILED'];
        self::assertSame(400, $this->post($forged, 'whsec_' . base64_encode('somebody')));
        self::assertCount(1, $this->notes($order));
        self::assertSame('processing', $order->get_status());
        self::assertTrue(apply_filters('woocommerce_cancel_unpaid_order', true, $order));

        $other = $this->order('99');
        self::assertSame(200, $this->post(['eventId' => 'other'] + $this->of($event, $other, '1450.00')));
        $this->becomes($other, 'on-hold');
    }

    /** A buyer may have a longer name than the gateway takes. */
    public function testLongName(): void
    {
        $order = $this->order();
        update_post_meta($order->get_id(), '_billing_name', str_repeat('Ы', 256));
        self::assertSame('pending', $this->pay($order)->status);
    }

    /** The event as one of another order, whose payment is of another amount. */
    private function of(array $event, WC_Order $order, string $amount): array
    {
        $event['data']['orderId'] = preg_replace('/\d+-\d+$/', $order->get_id() . '-1', $event['data']['orderId']);
        $event['data']['amount'] = $amount;
        $event['data']['uuid'] = '01a20000-0000-7000-8000-000000000000';
        return $event;
    }

    /** A plug-in for languages changes addresses, and a shop moves to another one: what was begun before is paid all the same. */
    public function testAddress(): void
    {
        $order = $this->order();
        $in = fn (string $url): string => "$url/en";
        add_filter('home_url', $in);
        try {
            $payment = $this->pay($order);
        } finally {
            remove_filter('home_url', $in);
        }
        $this->end($payment->id, 'completed');
        $this->becomes($order, 'processing');

        [$order, $other] = [$this->order(), $this->order()];
        add_filter('option_home', $in);
        try {
            $payment = $this->pay($order);
        } finally {
            remove_filter('option_home', $in);
        }
        wp_cache_flush();
        $this->end($payment->id, 'completed');
        $this->becomes($order, 'processing');
        $stray = ['eventId' => 'stray'] + $this->of($this->event($payment->orderId), $other, '1450.00');
        self::assertSame(200, $this->post($stray));
        clean_post_cache($other->get_id());
        self::assertSame('pending', $other->get_status());
        $stray['data']['orderId'] = 'another-1-1';
        self::assertSame(200, $this->post($stray));
        $log = file_get_contents(getenv('SITE') . '/log');
        self::assertStringContainsString('event stray of payment.status.updated is passed over: another-1-1 is no order of this shop', $log);
    }

    /** A payer may try again after a payment has failed. What came late still counts. */
    public function testFailed(): void
    {
        $order = $this->order();
        $first = $this->pay($order);
        $this->end($first->id, 'failed');
        $this->becomes($order, 'failed');
        $second = $this->pay($order, 'card');
        self::assertNotSame($first->uuid, $second->uuid);
        self::assertSame('card', $second->method);
        $this->end($second->id, 'completed');
        $this->becomes($order, 'processing');
        self::assertSame(['result' => 'failure'], gateway()->process_payment($order->get_id()));
        self::assertSame(['error: Этот заказ уже оплачен. Подтверждение скоро придёт.'], WC()->notices);
    }

    /** Another amount than the order's holds it. */
    public function testOtherAmount(): void
    {
        $order = $this->order();
        $payment = $this->pay($order);
        $said = '';
        foreach ($this->told['traders'] as $trader) {
            $curl = curl_init("{$this->told['baseUrl']}/portal.v1.TraderService/ConfirmReceived");
            curl_setopt_array($curl, [
                CURLOPT_RETURNTRANSFER => true,
                CURLOPT_POSTFIELDS => json_encode(['paymentId' => $payment->id, 'receivedAmount' => '1000.00']),
                CURLOPT_HTTPHEADER => ['Content-Type: application/json', "Authorization: Bearer {$trader['token']}"],
            ]);
            $said .= curl_exec($curl);
        }
        self::assertStringContainsString('1000.00', $said);
        $this->becomes($order, 'on-hold');
        self::assertStringStartsWith('Пришло 1000.00 вместо 1450.00 RUB.', $this->notes($order)[0]);
    }

    /** A shop that was away has all its orders right after the next time the timer rings. */
    public function testAway(): void
    {
        touch(getenv('SITE') . '/away');
        try {
            $order = $this->order();
            $this->end($this->pay($order)->id, 'completed');
            for ($end = time() + 60; $order->get_status() === 'pending' && time() < $end; usleep(20000)) {
                do_action('payment_gateway_catch_up');
            }
            self::assertSame('processing', $order->get_status());
        } finally {
            unlink(getenv('SITE') . '/away');
        }
    }

    /** Staff say to whom money goes back, and it goes back once. */
    public function testRefund(): void
    {
        $order = $this->order();
        self::assertTrue(gateway()->can_refund_order($order));
        $this->end($this->pay($order)->id, 'completed');
        $this->becomes($order, 'processing');
        $refused = gateway()->process_refund($order->get_id(), '450');
        self::assertStringStartsWith('Сначала заполните', $refused->get_error_message());
        $_POST = ['_payment_gateway_refund_phone' => '+79991234567', '_payment_gateway_refund_name' => 'Иван Петров'];
        do_action('woocommerce_process_shop_order_meta', $order->get_id());
        self::assertTrue(gateway()->process_refund($order->get_id(), '450'));
        self::assertStringStartsWith('Возврат 450.00 RUB отправлен', $this->notes($order, 2)[1]);
        self::assertSame(['', ''], RefundFields::of($order));
    }

    /** The clock is turned, so it comes late: a payment's time is over, and its money comes all the same. */
    public function testTimeIsOver(): void
    {
        $order = $this->order();
        $payment = $this->pay($order);
        $curl = curl_init("{$this->told['baseUrl']}/api/v1/sandbox/clock/advance");
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true, CURLOPT_POSTFIELDS => '{"seconds":1200}',
            CURLOPT_HTTPHEADER => ['Content-Type: application/json'],
        ]);
        curl_exec($curl);
        $this->becomes($order, 'failed');
        self::assertSame(['Платёж не сделан вовремя.'], $this->notes($order));
        $this->end($payment->id, 'completed');
        $this->becomes($order, 'processing');
    }

    /** What is uninstalled leaves no secret, and no log has had one. */
    public function testUninstall(): void
    {
        $log = file_get_contents(getenv('SITE') . '/log');
        self::assertStringContainsString('paid by event', $log);
        foreach (['secret', 'webhook_secret'] as $secret) {
            self::assertStringNotContainsString($this->told['roubles'][$secret], $log);
        }
        define('WP_UNINSTALL_PLUGIN', true);
        require WP_PLUGIN_DIR . '/payment-gateway/uninstall.php';
        global $wpdb;
        $left = $wpdb->get_col("select option_name from $wpdb->options where option_name like '%payment\\_gateway%'");
        self::assertSame([], $left);
        self::assertFalse(wp_next_scheduled('payment_gateway_catch_up'));
    }
}
