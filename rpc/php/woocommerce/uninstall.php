<?php

/**
 * Takes away what the plug-in kept: settings with their secrets, the place in the feed, and its timer. What it wrote on
 * orders belongs to the orders, and stays with them.
 *
 * Licence: Apache-2.0.
 */

defined('WP_UNINSTALL_PLUGIN') || exit;

delete_option('woocommerce_payment_gateway_settings');
delete_option('payment_gateway_cursor');
delete_option('payment_gateway_shop');
delete_option('payment_gateway_prefixes');
wp_clear_scheduled_hook('payment_gateway_catch_up');
