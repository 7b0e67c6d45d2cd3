<?php

declare(strict_types=1);

namespace PaymentGateway\WooCommerce;

use PaymentGateway\Shop\Order;
use PaymentGateway\Shop\Orders;
use PaymentGateway\Shop\Outcome;
use RuntimeException;
use WC_Order;

defined('ABSPATH') || exit;

/** WooCommerce's orders, by its own calls alone, so that it does not matter in which tables they lie. */
final class WooOrders implements Orders
{
    private const MEMORY = '_payment_gateway';

    /** @param string $account names the gateway and the key: another one's feed has other cursors */
    public function __construct(private readonly string $account)
    {
    }

    public function locked(string $number, callable $work): mixed
    {
        global $wpdb;
        $name = ID . md5(DB_NAME . $wpdb->prefix . $number);
        if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, 10)', $name)) !== '1') {
            throw new RuntimeException("order $number is locked");
        }
        try {
            return $work();
        } finally {
            $wpdb->query($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }

    public function find(string $number): ?Order
    {
        if (!ctype_digit($number)) {
            return null;
        }
        clean_post_cache((int) $number); // another process may have changed it before the lock was free
        $order = wc_get_order((int) $number);
        if (!$order instanceof WC_Order) {
            return null;
        }
        $order->read_meta_data(true);
        return new Order(
            $number,
            number_format((float) $order->get_total(), 2, '.', ''),
            $order->get_currency(),
            match ($order->get_status()) {
                'pending', 'failed', 'on-hold', 'checkout-draft' => Order::OPEN,
                'cancelled', 'refunded', 'trash' => Order::CLOSED,
                default => Order::PAID, // processing, completed, and what a shop adds after them
            },
            (string) $order->get_transaction_id(),
            self::memory($order),
        );
    }

    public function apply(Order $order, Outcome $outcome): void
    {
        $wc = wc_get_order((int) $order->number);
        $text = $outcome->text(self::translate(...));
        switch ($outcome->action) {
            case Outcome::PAID:
                if (!$wc->payment_complete($outcome->paymentId)) {
                    throw new RuntimeException("WooCommerce could not complete order $order->number");
                }
                $wc->add_order_note($text);
                break;
            case Outcome::HOLD:
                self::move($wc, !$wc->has_status(['refunded', 'trash']), 'on-hold', $text);
                break;
            case Outcome::FAILED:
                self::move($wc, $wc->has_status(['pending', 'on-hold']), 'failed', $text);
                break;
            case Outcome::NOTE:
                $wc->add_order_note($text);
        }
        $wc->update_meta_data(self::MEMORY, $outcome->memory);
        $wc->save_meta_data();
    }

    /** Notes a text on the order, and moves it where it may move. */
    private static function move(WC_Order $order, bool $may, string $status, string $text): void
    {
        if (!$may) {
            $order->add_order_note($text);
        } elseif (!$order->update_status($status, $text)) {
            throw new RuntimeException("WooCommerce could not move order {$order->get_id()}");
        }
    }

    public function cursor(): string
    {
        $kept = get_option(ID . '_cursor');
        return is_array($kept) && $kept['account'] === $this->account ? $kept['cursor'] : '';
    }

    public function keepCursor(string $cursor): void
    {
        update_option(ID . '_cursor', ['account' => $this->account, 'cursor' => $cursor], false);
    }

    /** Whether a payment of the order waits for money. */
    public static function hasOpenPayment(WC_Order $order): bool
    {
        return in_array('PENDING', array_column(self::memory($order)['payments'] ?? [], 'status'), true);
    }

    /** A text of the core in the shop's language. */
    public static function translate(string $text): string
    {
        return $text === '' ? '' : __($text, 'payment-gateway'); // phpcs:ignore WordPress.WP.I18n
    }

    private static function memory(WC_Order $order): array
    {
        return $order->get_meta(self::MEMORY) ?: [];
    }
}
