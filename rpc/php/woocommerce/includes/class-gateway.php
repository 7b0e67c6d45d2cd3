<?php

declare(strict_types=1);

namespace PaymentGateway\WooCommerce;

use PaymentGateway\Client;
use PaymentGateway\GatewayError;
use PaymentGateway\Shop\Shop;
use PaymentGateway\Shop\ShopError;
use Throwable;
use WC_Order;
use WP_Error;

defined('ABSPATH') || exit;

/** The way to pay: its settings, what the payer sees of it, and the start of a payment. */
final class Gateway extends \WC_Payment_Gateway
{
    /** Names of the headers of key id, secret and signature, unless the operator has changed them. */
    private const HEADERS = 'X-Merchant-Key-Id X-Merchant-Secret Signature';

    public function __construct()
    {
        $this->id = ID;
        $this->has_fields = true;
        $this->supports = ['products', 'refunds'];
        $this->method_title = __('Payment Gateway', 'payment-gateway');
        $this->method_description = __('Payers go to the gateway\'s page. An order is paid when the gateway confirms it by a signed message, not when the payer comes back.', 'payment-gateway');
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_$this->id", [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $field = fn (string $type, string $title, string $description = '', mixed $default = ''): array => [
            'type' => $type, 'title' => $title, 'description' => $description, 'default' => $default, 'desc_tip' => false,
        ];
        $this->form_fields = [
            'enabled' => $field('checkbox', __('Enable', 'payment-gateway'), '', 'no')
                + ['label' => __('Offer this way to pay', 'payment-gateway')],
            'address' => $field('text', __('Address of the gateway', 'payment-gateway'), __('Your operator tells you, such as https://api.example.com', 'payment-gateway')),
            'key_id' => $field('text', __('Key id', 'payment-gateway'), __('Make a key in the merchant portal, on the page API keys.', 'payment-gateway')),
            'secret' => $field('password', __('Secret of the key', 'payment-gateway')),
            'webhook_secret' => $field('password', __('Webhook secret', 'payment-gateway'), __('It begins with whsec_. While you change it, put both here with a space between.', 'payment-gateway')),
            'headers' => $field('text', __('Names of the headers', 'payment-gateway'), __('Only where your operator has changed them: of the key id, its secret and the signature, with spaces between.', 'payment-gateway'), self::HEADERS),
            'sandbox' => $field('checkbox', __('Sandbox', 'payment-gateway'), __('Only staff see it then: in a sandbox anybody can pay without money.', 'payment-gateway'), 'no')
                + ['label' => __('This gateway is a sandbox', 'payment-gateway')],
            'methods' => $field('multiselect', __('Methods', 'payment-gateway'), __('Those that your cashbox has. Without a choice all methods of the shop\'s currency are offered.', 'payment-gateway'), [])
                + ['class' => 'wc-enhanced-select', 'options' => self::names()],
            'title' => $field('text', __('Title', 'payment-gateway'), __('What payers read in the checkout.', 'payment-gateway'), __('Bank transfer or card', 'payment-gateway')),
            'description' => $field('textarea', __('Text', 'payment-gateway'), '', __('You pay on the next page.', 'payment-gateway')),
        ];
    }

    /** @return array<string, string> the names of the methods, for payers */
    private static function names(): array
    {
        return [
            'sbp' => __('Fast transfer by phone number (SBP)', 'payment-gateway'),
            'sim' => __('Balance of a mobile phone', 'payment-gateway'),
            'card' => __('Transfer to a card', 'payment-gateway'),
            'c2c' => __('Transfer from card to card', 'payment-gateway'),
            'iban' => __('Transfer to an account', 'payment-gateway'),
            'mtstpay' => __('Bank card', 'payment-gateway'),
            'quasi_ecom' => __('Bank card, with a code', 'payment-gateway'),
        ];
    }

    /** Keeps a secret that the form left empty, because the page does not show what is saved. */
    public function validate_password_field($key, $value): string
    {
        $value = trim((string) $value);
        return $value === '' ? (string) $this->get_option($key) : $value;
    }

    /** A secret's field, without the secret. */
    public function generate_password_html($key, $data): string
    {
        $saved = $this->settings[$key] ?? '';
        $this->settings[$key] = '';
        if ($saved !== '') {
            $data['placeholder'] = __('saved; fill in to change it', 'payment-gateway');
        }
        $html = parent::generate_password_html($key, $data);
        $this->settings[$key] = $saved;
        return $html;
    }

    /** Saves the settings, and says at once whether the gateway takes them. */
    public function process_admin_options(): bool
    {
        $saved = parent::process_admin_options();
        if (!$this->is_set_up()) {
            if ($this->get_option('enabled') === 'yes') {
                \WC_Admin_Settings::add_error(__('Buyers are not offered this way to pay: the address, which begins with https, the key id and both secrets are needed.', 'payment-gateway'));
            }
            return $saved;
        }
        try {
            $this->shop()->check();
            \WC_Admin_Settings::add_message(__('The gateway takes these settings.', 'payment-gateway'));
        } catch (GatewayError $error) {
            $text = __('The gateway does not take these settings: %s', 'payment-gateway');
            \WC_Admin_Settings::add_error(sprintf($text, $error->getMessage()));
        }
        return $saved;
    }

    /** Whether the settings are complete. A secret goes over HTTPS only, but for a sandbox. */
    public function is_set_up(): bool
    {
        $scheme = $this->get_option('sandbox') === 'yes' ? 'https?' : 'https';
        return preg_match("~^$scheme://[^/]~", $this->get_option('address')) === 1
            && $this->get_option('key_id') !== '' && $this->get_option('secret') !== ''
            && $this->get_option('webhook_secret') !== '';
    }

    public function is_available(): bool
    {
        return parent::is_available() && $this->is_set_up() && $this->methods() !== []
            && ($this->get_option('sandbox') !== 'yes' || current_user_can('manage_woocommerce'));
    }

    /** @return array<string, string> the methods that payers may choose, with their names */
    public function methods(): array
    {
        $methods = Shop::METHODS[get_woocommerce_currency()] ?? [];
        $chosen = $this->get_option('methods') ?: $methods;
        return array_intersect_key(self::names(), array_flip(array_intersect($methods, (array) $chosen)));
    }

    public function payment_fields(): void
    {
        echo wp_kses_post(wpautop($this->description));
        $methods = $this->methods();
        if (count($methods) < 2) {
            return;
        }
        foreach ($methods as $method => $name) {
            printf(
                '<p><label><input type="radio" name="payment_gateway_method" value="%s"%s> %s</label></p>',
                esc_attr($method),
                checked($method, array_key_first($methods), false),
                esc_html($name),
            );
        }
    }

    /** @return array{result: string, redirect?: string} */
    public function process_payment($order_id): array
    {
        $order = wc_get_order($order_id);
        $methods = $this->methods();
        // WooCommerce has checked the checkout's nonce by now. Blocks hand their choice over in the same place.
        $chosen = sanitize_key($_POST['payment_gateway_method'] ?? ''); // phpcs:ignore WordPress.Security.NonceVerification
        try {
            $payment = $this->shop()->pay(
                (string) $order_id,
                isset($methods[$chosen]) ? $chosen : (string) array_key_first($methods),
                $this->get_return_url($order),
                mb_substr(sprintf(__('Order %s', 'payment-gateway'), $order->get_order_number()), 0, 255),
                $this->payer($order),
            );
            return ['result' => 'success', 'redirect' => Shop::page($payment)];
        } catch (ShopError $error) {
            $text = WooOrders::translate($error->note);
        } catch (Throwable $error) {
            $this->log('error', "order $order_id: " . $error->getMessage());
            $text = WooOrders::translate(Shop::NOTES['later']);
        }
        wc_add_notice($text, 'error');
        return ['result' => 'failure'];
    }

    /** What the gateway is told of the payer. */
    private function payer(WC_Order $order): ?array
    {
        $ip = filter_var($order->get_customer_ip_address(), FILTER_VALIDATE_IP, FILTER_FLAG_IPV4);
        $user = $order->get_customer_id();
        $payer = [
            'userId' => $user ? $this->prefix() . "user-$user" : null,
            'userIp' => $ip ?: null,
            'fullName' => mb_substr(trim($order->get_formatted_billing_full_name()), 0, 255) ?: null,
        ];
        return array_filter($payer) ?: null;
    }

    /** The button shows where money can be sent back. */
    public function can_refund_order($order): bool
    {
        return parent::can_refund_order($order) && isset(Shop::REFUNDS[$order->get_currency()]);
    }

    public function process_refund($order_id, $amount = null, $reason = ''): bool|WP_Error
    {
        $order = wc_get_order($order_id);
        [$phone, $name] = RefundFields::of($order);
        if ($phone === '' || $name === '') {
            $text = __('Fill in "Refund to phone" and "Name of the recipient" in the order, and save it first.', 'payment-gateway');
            return new WP_Error('payment_gateway', $text);
        }
        try {
            $amount = number_format((float) $amount, 2, '.', '');
            $payin = $this->shop()->refund((string) $order_id, $amount, 'sbp', $phone, $name);
        } catch (ShopError $error) {
            return new WP_Error('payment_gateway', vsprintf(WooOrders::translate($error->note), $error->values));
        } catch (Throwable $error) {
            $this->log('error', "order $order_id: " . $error->getMessage());
            return new WP_Error('payment_gateway', WooOrders::translate(Shop::NOTES['later']));
        }
        RefundFields::forget($order_id);
        $text = __('A refund of %s %s is on its way to the payer: payout %s.', 'payment-gateway');
        $order->add_order_note(sprintf($text, $payin->amount, $payin->currency, $payin->id));
        return true;
    }

    /** The core, with these settings. */
    public function shop(): Shop
    {
        $address = $this->get_option('address');
        $keyId = $this->get_option('key_id');
        $names = preg_split('/\s+/', trim($this->get_option('headers')));
        $names = count($names) === 3 ? $names : explode(' ', self::HEADERS);
        $headers = array_combine(['keyId', 'secret', 'signature'], $names);
        return new Shop(
            new Client($address, $keyId, $this->get_option('secret'), attempts: 2, headers: $headers),
            new WooOrders("$keyId at $address"),
            $this->prefix(),
            rest_url('payment-gateway/v1/webhook'),
            preg_split('/\s+/', $this->get_option('webhook_secret')),
            $this->log(...),
            get_option(ID . '_prefixes', []),
        );
    }

    /**
     * Begins the order ids of this shop. One installed anew, or a copy under another address, begins its own. The address
     * is the saved one: plug-ins for languages change what home_url() says with each request.
     */
    private function prefix(): string
    {
        $shop = get_option(ID . '_shop');
        if ($shop === false) { // the settings are saved for the first time
            add_option(ID . '_shop', $shop = bin2hex(random_bytes(8)));
        }
        $address = preg_replace('~^https?://~', '', get_option('home'));
        $prefix = 'wc-' . substr(hash('sha256', "$shop $address"), 0, 10) . '-';
        $known = get_option(ID . '_prefixes', []);
        if (!in_array($prefix, $known, true)) { // the shop has moved: payments of its earlier address may still come
            update_option(ID . '_prefixes', [...$known, $prefix]);
        }
        return $prefix;
    }

    private function log(string $level, string $message): void
    {
        wc_get_logger()->log($level, $message, ['source' => 'payment-gateway']);
    }
}
