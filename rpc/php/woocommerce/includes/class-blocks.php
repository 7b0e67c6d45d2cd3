<?php

declare(strict_types=1);

namespace PaymentGateway\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined('ABSPATH') || exit;

/** The way to pay in the checkout that is made of blocks. */
final class Blocks extends AbstractPaymentMethodType
{
    protected $name = ID;

    public function initialize(): void
    {
    }

    public function is_active(): bool
    {
        return gateway()->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element'];
        wp_register_script('payment-gateway-blocks', plugins_url('blocks.js', FILE), $needs, VERSION, true);
        return ['payment-gateway-blocks'];
    }

    /** @return array<string, mixed> what blocks.js reads */
    public function get_payment_method_data(): array
    {
        return [
            'title' => gateway()->title,
            'description' => wp_strip_all_tags(gateway()->description),
            'methods' => gateway()->methods(),
            'supports' => ['products'],
        ];
    }
}
