<?php

/**
 * Starts WordPress, as its wp-config.php does: for the tests, and in a web server for who calls the shop. The first time
 * it installs it, with both plug-ins, which are there from the next time on.
 */

error_reporting(E_ALL & ~E_DEPRECATED); // Debian's WordPress is older than its PHP
define('ABSPATH', getenv('WORDPRESS') . '/');
define('WP_HOME', getenv('SHOP_URL'));
define('WP_SITEURL', getenv('SHOP_URL'));
define('WP_CONTENT_DIR', getenv('SITE') . '/content');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('SITE') . '/socket');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';

function wp_mail(): bool
{
    return true; // nobody reads that a site was made
}

$_SERVER['HTTP_HOST'] ??= parse_url(WP_HOME, PHP_URL_HOST);

$server = new mysqli('localhost', DB_USER, '', '', 0, getenv('SITE') . '/socket');
$new = $server->query("show databases like 'shop'")->num_rows === 0;
if ($new) {
    $server->query('create database shop');
    define('WP_INSTALLING', true);
}
require ABSPATH . 'wp-settings.php';
if ($new) {
    require ABSPATH . 'wp-admin/includes/upgrade.php';
    wp_install('Shop', 'owner', 'owner@shop.example', true, '', 'not a secret');
    mkdir(WP_CONTENT_DIR . '/languages');
    touch(WP_CONTENT_DIR . '/languages/ru_RU.mo'); // WordPress speaks what it has
    update_option('WPLANG', 'ru_RU');
    update_option('active_plugins', ['payment-gateway/payment-gateway.php', 'woocommerce/woocommerce.php']);
}
