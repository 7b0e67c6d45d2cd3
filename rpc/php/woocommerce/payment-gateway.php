<?php

/**
 * Plugin Name: Payment Gateway
 * Description: Takes payments of WooCommerce orders through the payment gateway.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.0
 * Text Domain: payment-gateway
 * Domain Path: /languages
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 */

declare(strict_types=1);

namespace PaymentGateway\WooCommerce;

defined('ABSPATH') || exit;

const FILE = __FILE__;
const VERSION = '0.1.0';
/** What the plug-in calls itself: the way to pay, the order's memory and the log. */
const ID = 'payment_gateway';
const CATCH_UP = 'payment_gateway_catch_up';

// Both come with the plug-in; another one may have brought the same client.
class_exists(\PaymentGateway\Client::class) || require_once __DIR__ . '/lib/gateway.php';
class_exists(\PaymentGateway\Shop\Shop::class) || require_once __DIR__ . '/lib/shop/shop.php';
require_once __DIR__ . '/includes/class-wooorders.php';

add_action('init', function (): void {
    load_plugin_textdomain('payment-gateway', false, dirname(plugin_basename(FILE)) . '/languages');
    if (!wp_next_scheduled(CATCH_UP)) {
        wp_schedule_event(time() + 60, 'payment_gateway_minutes', CATCH_UP);
    }
});

add_action('before_woocommerce_init', function (): void {
    foreach (['custom_order_tables', 'cart_checkout_blocks'] as $feature) {
        \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility($feature, FILE, true);
    }
});

add_action('plugins_loaded', function (): void {
    if (class_exists('WC_Payment_Gateway')) {
        require_once __DIR__ . '/includes/class-gateway.php';
        require_once __DIR__ . '/includes/class-refundfields.php';
        RefundFields::register();
    }
});

add_filter('woocommerce_payment_gateways', fn (array $gateways): array => [...$gateways, Gateway::class]);

add_action('woocommerce_blocks_payment_method_type_registration', function ($registry): void {
    require_once __DIR__ . '/includes/class-blocks.php';
    $registry->register(new Blocks());
});

/** The plug-in's one instance of the way to pay, which has the settings. */
function gateway(): Gateway
{
    return WC()->payment_gateways()->payment_gateways()[ID];
}

// The gateway's webhooks. What they say is believed by their signature alone.
add_action('rest_api_init', function (): void {
    register_rest_route('payment-gateway/v1', '/webhook', [
        'methods' => 'POST',
        'permission_callback' => '__return_true',
        'callback' => function (\WP_REST_Request $request): \WP_REST_Response {
            $status = gateway()->shop()->webhook($request->get_body(), $request->get_headers());
            return new \WP_REST_Response(null, $status);
        },
    ]);
});

// A shop that was away reads what it missed.
add_filter('cron_schedules', function (array $schedules): array {
    $schedules['payment_gateway_minutes'] = ['interval' => 300, 'display' => 'Payment Gateway: every five minutes'];
    return $schedules;
});
add_action(CATCH_UP, function (): void {
    if (class_exists('WC_Payment_Gateway') && gateway()->is_set_up()) {
        gateway()->shop()->catchUp();
    }
});

// WooCommerce cancels orders that are unpaid for an hour. One whose payment is open stays: the gateway says how it ends.
add_filter('woocommerce_cancel_unpaid_order', function (bool $cancel, \WC_Order $order): bool {
    return $cancel && !WooOrders::hasOpenPayment($order);
}, 10, 2);

// The page to which the payer comes back. Coming back proves nothing, so the order is as the webhooks left it.
add_action('woocommerce_thankyou_' . ID, function (int $orderId): void {
    $order = wc_get_order($orderId);
    if ($order && $order->has_status(['pending', 'on-hold'])) {
        $text = __('We are waiting for your payment to be confirmed. You need not pay again.', 'payment-gateway');
        echo '<p class="woocommerce-info">' . esc_html($text) . '</p>';
    }
});

add_filter('plugin_action_links_' . plugin_basename(FILE), function (array $links): array {
    $url = admin_url('admin.php?page=wc-settings&tab=checkout&section=' . ID);
    $link = '<a href="' . esc_url($url) . '">' . esc_html__('Settings', 'payment-gateway') . '</a>';
    return [$link, ...$links];
});

register_deactivation_hook(FILE, fn () => wp_clear_scheduled_hook(CATCH_UP));
