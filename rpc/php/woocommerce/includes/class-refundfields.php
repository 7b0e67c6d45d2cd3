<?php

declare(strict_types=1);

namespace PaymentGateway\WooCommerce;

use PaymentGateway\Shop\Shop;
use WC_Order;

defined('ABSPATH') || exit;

/**
 * To whom a refund goes. The gateway does not tell shops from where a payer sent the money, so staff ask the payer for
 * a phone number, and fill it in before they press the refund button. It is forgotten once the refund was sent.
 */
final class RefundFields
{
    private const PHONE = '_payment_gateway_refund_phone';
    private const NAME = '_payment_gateway_refund_name';

    public static function register(): void
    {
        add_action('woocommerce_admin_order_data_after_billing_address', [self::class, 'show']);
        add_action('woocommerce_process_shop_order_meta', [self::class, 'save']);
    }

    /** @return array{string, string} phone number and name */
    public static function of(WC_Order $order): array
    {
        return [(string) $order->get_meta(self::PHONE), (string) $order->get_meta(self::NAME)];
    }

    public static function show(WC_Order $order): void
    {
        if ($order->get_payment_method() !== ID) {
            return;
        }
        if (!isset(Shop::REFUNDS[$order->get_currency()])) {
            echo '<p>' . esc_html(WooOrders::translate(Shop::NOTES['refund_currency'])) . '</p>';
            return;
        }
        [$phone, $name] = self::of($order);
        woocommerce_wp_text_input([
            'id' => self::PHONE, 'value' => $phone, 'label' => __('Refund to phone', 'payment-gateway'),
            'placeholder' => '+79991234567', 'wrapper_class' => 'form-field-wide',
        ]);
        woocommerce_wp_text_input([
            'id' => self::NAME, 'value' => $name, 'label' => __('Name of the recipient', 'payment-gateway'),
            'wrapper_class' => 'form-field-wide',
        ]);
    }

    /** WooCommerce has checked the form's nonce and the user's rights. */
    public static function save(int $orderId): void
    {
        $order = wc_get_order($orderId);
        foreach ([self::PHONE, self::NAME] as $field) {
            if (isset($_POST[$field])) { // phpcs:ignore WordPress.Security.NonceVerification
                $order->update_meta_data($field, sanitize_text_field(wp_unslash($_POST[$field]))); // phpcs:ignore
            }
        }
        $order->save_meta_data();
    }

    public static function forget(int $orderId): void
    {
        $order = wc_get_order($orderId);
        $order->delete_meta_data(self::PHONE);
        $order->delete_meta_data(self::NAME);
        $order->save_meta_data();
    }
}
