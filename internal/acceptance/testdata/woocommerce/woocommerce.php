<?php

/**
 * Plugin Name: WooCommerce's place
 *
 * Stands in for the parts of WooCommerce that the plug-in uses, with their names, arguments and answers. Orders are
 * posts, as they are in WooCommerce without its own tables.
 */

namespace Automattic\WooCommerce\Utilities {
    class FeaturesUtil
    {
        public static array $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $positive = true): bool
        {
            self::$declared[$feature] = $positive;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';

        public function get_name()
        {
            return $this->name;
        }

        abstract public function initialize();
    }
}

namespace {
    add_action('init', fn () => do_action('before_woocommerce_init'), 0);

    abstract class WC_Settings_API
    {
        public $id = '';
        public $settings = [];
        public $form_fields = [];

        public function get_option_key()
        {
            return "woocommerce_{$this->id}_settings";
        }

        public function init_settings()
        {
            $this->settings = get_option($this->get_option_key(), []) ?: array_map(fn ($f) => $f['default'] ?? '', $this->form_fields);
        }

        public function get_option($key, $empty = null)
        {
            return $this->settings[$key] ?? $this->form_fields[$key]['default'] ?? '';
        }

        public function process_admin_options()
        {
            $this->init_settings();
            foreach ($this->form_fields as $key => $field) {
                $value = wp_unslash($_POST["woocommerce_{$this->id}_$key"] ?? null);
                $method = "validate_{$field['type']}_field";
                $this->settings[$key] = match (true) {
                    method_exists($this, $method) => $this->$method($key, $value),
                    $field['type'] === 'checkbox' => $value === null ? 'no' : 'yes',
                    default => $value ?? '',
                };
            }
            return update_option($this->get_option_key(), $this->settings);
        }

        public function generate_password_html($key, $data)
        {
            return sprintf('<input type="password" value="%s" placeholder="%s">', esc_attr($this->get_option($key)), esc_attr($data['placeholder'] ?? ''));
        }
    }

    abstract class WC_Payment_Gateway extends WC_Settings_API
    {
        public $title, $description, $has_fields, $method_title, $method_description, $supports;

        public function is_available()
        {
            return $this->get_option('enabled') === 'yes';
        }

        public function can_refund_order($order)
        {
            return $order && in_array('refunds', $this->supports, true);
        }

        public function get_return_url($order = null)
        {
            return home_url('/?order-received=' . $order->get_id());
        }
    }

    class WC_Admin_Settings
    {
        public static array $said = [];

        public static function add_message($text)
        {
            self::$said[] = "message: $text";
        }

        public static function add_error($text)
        {
            self::$said[] = "error: $text";
        }
    }

    class WC_Order
    {
        private array $changes = [];

        public function __construct(private int $id)
        {
        }

        public function get_id()
        {
            return $this->id;
        }

        public function get_order_number()
        {
            return (string) $this->id;
        }

        public function get_total()
        {
            return get_post_meta($this->id, '_order_total', true);
        }

        public function get_currency()
        {
            return get_post_meta($this->id, '_order_currency', true);
        }

        public function get_payment_method()
        {
            return 'payment_gateway';
        }

        public function get_transaction_id()
        {
            return get_post_meta($this->id, '_transaction_id', true);
        }

        public function get_customer_id()
        {
            return 7;
        }

        public function get_customer_ip_address()
        {
            return '2001:db8::1';
        }

        public function get_formatted_billing_full_name()
        {
            return get_post_meta($this->id, '_billing_name', true) ?: 'Иван Петров';
        }

        public function get_status()
        {
            return substr(get_post_status($this->id), 3);
        }

        public function has_status($status)
        {
            return in_array($this->get_status(), (array) $status, true);
        }

        public function update_status($status, $note = '')
        {
            wp_update_post(['ID' => $this->id, 'post_status' => "wc-$status"]);
            $note === '' || $this->add_order_note($note);
            return true;
        }

        public function payment_complete($transaction = '')
        {
            if ($this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                update_post_meta($this->id, '_transaction_id', $transaction);
                $this->update_status('processing');
            }
            return true;
        }

        public function add_order_note($note)
        {
            return add_post_meta($this->id, 'note', $note);
        }

        public function read_meta_data($force = false)
        {
            $this->changes = [];
        }

        public function get_meta($key)
        {
            return $this->changes[$key] ?? get_post_meta($this->id, $key, true);
        }

        public function update_meta_data($key, $value)
        {
            $this->changes[$key] = $value;
        }

        public function delete_meta_data($key)
        {
            $this->changes[$key] = '';
        }

        public function save_meta_data()
        {
            foreach ($this->changes as $key => $value) {
                update_post_meta($this->id, $key, wp_slash($value));
            }
            $this->changes = [];
        }
    }

    class WC_Payment_Gateways
    {
        private array $gateways = [];

        public function payment_gateways()
        {
            foreach ($this->gateways ? [] : apply_filters('woocommerce_payment_gateways', []) as $class) {
                $gateway = new $class();
                $this->gateways[$gateway->id] = $gateway;
            }
            return $this->gateways;
        }
    }

    function WC()
    {
        static $place;
        return $place ??= new class {
            private ?WC_Payment_Gateways $gateways = null;
            public array $notices = [];

            public function payment_gateways()
            {
                return $this->gateways ??= new WC_Payment_Gateways();
            }
        };
    }

    function wc_get_order($id)
    {
        return get_post_type($id) === 'shop_order' ? new WC_Order((int) $id) : false;
    }

    function wc_add_notice($text, $kind)
    {
        WC()->notices[] = "$kind: $text";
    }

    function get_woocommerce_currency()
    {
        return 'RUB';
    }

    function wc_get_logger()
    {
        return new class {
            public function log($level, $message, $context)
            {
                file_put_contents(getenv('SITE') . '/log', "$level: $message\n", FILE_APPEND);
            }
        };
    }

    function woocommerce_wp_text_input($field)
    {
        printf('<input name="%s" value="%s">', esc_attr($field['id']), esc_attr($field['value']));
    }
}
