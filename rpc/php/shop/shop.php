<?php

declare(strict_types=1);

/**
 * What every shop's payment module needs, whatever the shop: payments that are created once per order, webhooks that do
 * no harm when they come twice, late or in another order, catching up, and refunds.
 *
 * PHP 8.1 or newer, and the client in gateway.php. A module gives it the shop's orders as an implementation of Orders:
 *
 *     $shop = new Shop($client, $orders, 'my-shop-', 'https://shop.example/webhook.php', $webhookSecret, $log);
 *     header('Location: ' . Shop::page($shop->pay('1001', 'sbp', 'https://shop.example/thanks')));
 *
 * Licence: Apache-2.0.
 */

namespace PaymentGateway\Shop;

use Closure;
use DateTimeImmutable;
use InvalidArgumentException;
use JsonException;
use PaymentGateway\Client;
use PaymentGateway\GatewayError;
use PaymentGateway\Payin;
use PaymentGateway\Payment;
use PaymentGateway\Webhook;
use PaymentGateway\WebhookError;
use PaymentGateway\WebhookEvent;
use Throwable;
use TypeError;

require_once __DIR__ . '/order.php';

final class Shop
{
    /** The methods of each currency. A cashbox has those that the operator enabled for it. */
    public const METHODS = [
        'RUB' => ['sbp', 'sim', 'card', 'mtstpay'],
        'AZN' => ['quasi_ecom', 'c2c'],
        'TRY' => ['quasi_ecom', 'c2c'],
        'MNT' => ['c2c', 'iban'],
        'KZT' => ['c2c'],
        'UZS' => ['c2c'],
    ];

    /** The methods by which money can be sent back, by currency. */
    public const REFUNDS = ['RUB' => ['sbp', 'c2c']];

    /** Everything that the core says, for translation. The texts are for sprintf. */
    public const NOTES = [
        // on orders, for the shop's staff
        'paid' => 'Paid: the gateway confirmed payment %s.',
        'late' => 'Paid late: the money of payment %s came after its time was over.',
        'twice' => 'The order was paid before, and now payment %s has come too. Return one of them to the payer.',
        'other_order' => 'The payment is of %s %s, but the order is of %s %s. Compare them before you deliver.',
        'received' => '%s came instead of %s %s. Decide before you deliver.',
        'closed' => '%s %s came for an order that is closed. Deliver it, or return the money.',
        'taken_back' => 'Payment %s counts as unpaid again: it was corrected at the gateway. Deliver nothing for it.',
        'cancelled' => 'The payment was cancelled.',
        'expired' => 'The payment was not made in time.',
        'failed' => 'The payment failed.',
        'failed_because' => 'The payment failed: %s.',
        'claimed' => 'The payer says that they have paid. This proves nothing yet.',
        'case_open' => '%s came instead of %s %s. Decide in the gateway\'s portal within a day what becomes of it.',
        'case_waiting' => '%s came instead of %s %s. The payer has a day to send the rest.',
        'appeal' => 'The payment is under review at the gateway.',
        'refunded' => 'Refund of %s %s: the payer has the money.',
        'not_refunded' => 'Refund of %s %s could not be paid. The money is on your balance again.',
        // to payers
        'paid_already' => 'This order has been paid. Its confirmation is on the way.',
        'in_review' => 'Your payment of this order is being checked. Do not pay again.',
        'may_arrive' => 'You said that you have paid this order, and the transfer may still arrive. Do not pay again.',
        'not_payable' => 'This order cannot be paid.',
        'unavailable' => 'This way of paying is not available now. Choose another one, or try again later.',
        'amount' => 'This amount cannot be paid this way. Choose another way.',
        'later' => 'The payment could not be started. Try again in a few minutes.',
        // to the shop's staff, about refunds
        'refund_currency' => 'The gateway sends money back in roubles only. Return it to the payer yourself.',
        'refund_unpaid' => 'The gateway has taken no payment of this order.',
        'refund_too_much' => 'At most %s %s can be refunded.',
        'refund_sent' => 'An earlier refund of %s %s was sent after all. Check whether you still want this one.',
        'refund_balance' => 'Your cashbox has too little for this refund.',
        'refund_refused' => 'The gateway refused the refund: %s',
    ];

    /** Ends of a payout that leave its money with the shop. */
    private const UNPAID = ['FAILED', 'CANCELLED', 'EXPIRED'];

    /** Attempts that pay() makes anew because the ones before have ended. */
    private const AFRESH = 10;

    /**
     * @param string $prefix begins the gateway's order ids of this shop and no other; no two shops of one merchant may
     *     share it
     * @param string $callbackUri where this shop's webhooks come in
     * @param string|list<string> $webhookSecrets both of them while you change from one to the other
     * @param ?Closure(string $level, string $message): void $log levels as in PSR-3; no message has a secret in it
     * @param list<string> $earlier prefixes that this shop had before; under them come events of what it knows it made
     */
    public function __construct(
        private readonly Client $client,
        private readonly Orders $orders,
        private readonly string $prefix,
        private readonly string $callbackUri,
        #[\SensitiveParameter] private readonly string|array $webhookSecrets,
        private readonly ?Closure $log = null,
        private readonly array $earlier = [],
    ) {
    }

    /** @return array<string, mixed> what var_dump shows: not the secrets */
    public function __debugInfo(): array
    {
        return ['prefix' => $this->prefix, 'callbackUri' => $this->callbackUri];
    }

    /** Where the payer of a payment goes. */
    public static function page(Payment $payment): string
    {
        return $payment->checkoutUrl ?? $payment->paymentPageUrl ?? throw new ShopError(self::NOTES['later']);
    }

    /** Makes a call that changes nothing. A GatewayError says what is wrong with address, key or secret. */
    public function check(): void
    {
        foreach ($this->client->payments(from: new DateTimeImmutable()) as $payment) {
            break;
        }
    }

    /**
     * Returns the payment by which the order can be paid now, and creates it unless an earlier try has. A payment that
     * has ended is followed by another one, under an order id of its own.
     *
     * @throws ShopError what to tell the payer
     */
    public function pay(
        string $number,
        string $method,
        string $returnUrl,
        ?string $description = null,
        ?array $payer = null,
    ): Payment {
        return $this->orders->locked($number, function () use ($number, $method, $returnUrl, $description, $payer) {
            $order = $this->orders->find($number);
            if ($order === null || $order->state !== Order::OPEN) {
                throw new ShopError(self::NOTES[$order?->state === Order::PAID ? 'paid_already' : 'not_payable']);
            }
            $memory = $order->memory + ['attempt' => 1, 'method' => $method];
            $this->mayHaveCome($order, $memory['method'] !== $method);
            if ($memory['method'] !== $method) {
                $memory = ['attempt' => $memory['attempt'] + 1, 'method' => $method] + $memory;
            }
            for ($i = 0; $i < self::AFRESH; $i++) {
                $payment = $this->create($order, $memory, $returnUrl, $description, $payer);
                $memory['payments'][$payment->uuid] ??= ['status' => 'PENDING', 'sequence' => 0, 'at' => ''];
                $this->orders->apply($order, new Outcome(Outcome::NONE, $memory, paymentId: $payment->uuid));
                if (self::payable($payment)) {
                    $this->log('info', "order $number is paid by payment $payment->uuid");
                    return $payment;
                }
                $memory['attempt']++;
            }
            throw new ShopError(self::NOTES['later']);
        });
    }

    /**
     * Looks at the order's earlier payments, so that it is not paid twice. Of the same method that is asked for, a creation
     * tells how the newest one stands, and what events told of the others is enough.
     *
     * @throws ShopError where one of them has been paid, or may have been
     */
    private function mayHaveCome(Order $order, bool $another): void
    {
        foreach ($order->memory['payments'] ?? [] as $id => $known) {
            if (!$another && !in_array($known['status'] ?? '', ['COMPLETED', 'APPEAL'], true)) {
                continue;
            }
            try {
                $payment = $this->client->getPayment($id);
            } catch (GatewayError $error) {
                if ($error->errorCode === 'not_found') {
                    continue; // it was made with another key, or at another gateway
                }
                $this->failure("order $order->number: payment $id cannot be read", $error);
                throw new ShopError(self::NOTES['later']);
            }
            if (self::payable($payment) && $another && $payment->payerClaimedAt !== null) {
                throw new ShopError(self::NOTES['may_arrive']);
            }
        }
    }

    /** Whether a payment can still be paid; false where the next one is to be made. */
    private static function payable(Payment $payment): bool
    {
        if ($payment->status === 'completed') {
            throw new ShopError(self::NOTES['paid_already']); // its webhook or the feed will say so
        }
        if ($payment->status === 'appeal') {
            throw new ShopError(self::NOTES['in_review']);
        }
        $expired = $payment->status === 'failed' && $payment->statusReason === 'expired';
        if ($expired && $payment->payerClaimedAt !== null && strtotime($payment->statusUpdatedAt) > time() - 86400) {
            throw new ShopError(self::NOTES['may_arrive']);
        }
        // Other values than the first time: the order was changed since.
        return $payment->status === 'pending' && !array_intersect(['amount', 'currency'], $payment->mismatched);
    }

    private function create(Order $order, array $memory, string $returnUrl, ?string $description, ?array $payer): Payment
    {
        try {
            return $this->client->createPayment(
                orderId: $this->orderId($order->number, $memory['attempt']),
                amount: $order->amount,
                currency: $order->currency,
                method: $memory['method'],
                callbackUri: $this->callbackUri,
                description: $description,
                payer: $payer,
                returnUrl: $returnUrl,
            );
        } catch (GatewayError $error) {
            $this->failure("order $order->number: no payment", $error);
            throw new ShopError(self::NOTES[match ($error->errorCode) {
                'collect_requisites_not_available', 'merchant_collect_payer_blocked' => 'unavailable',
                'merchant_collect_amount_outside_platform_limits' => 'amount',
                default => 'later',
            }]);
        }
    }

    /**
     * Takes a webhook, with its body as it was received, and returns the HTTP status to answer with.
     *
     * @param array<string, mixed> $headers of $_SERVER or getallheaders()
     */
    public function webhook(string $body, array $headers): int
    {
        try {
            $event = Webhook::verify($body, $headers, $this->webhookSecrets);
        } catch (WebhookError | JsonException | TypeError $error) {
            $this->log('warning', 'a webhook was refused: ' . $error->getMessage());
            return 400;
        } catch (InvalidArgumentException $error) {
            $this->log('error', 'no webhook can be verified: ' . $error->getMessage());
            return 503;
        }
        try {
            $this->take($event);
            return 200;
        } catch (Throwable $error) {
            $this->log('error', "event $event->eventId waits for another try: " . $error->getMessage());
            return 503; // the gateway sends it again
        }
    }

    /**
     * Takes what happened since the last time, for a shop that was away when the webhooks were sent. Call it every few
     * minutes. An event that the shop fails to take is logged and stops it, and comes first the next time. Types that
     * nobody knows yet, and what cannot be read, are passed over.
     *
     * @return int how many events there were
     * @throws Throwable what the shop's Orders threw
     */
    public function catchUp(int $seconds = 20): int
    {
        $count = 0;
        $kept = $this->orders->cursor();
        $end = time() + $seconds;
        try {
            foreach ($this->client->events($kept === '' ? null : $kept) as $cursor => $item) {
                try {
                    $event = $item->webhook();
                } catch (JsonException | TypeError $error) {
                    $event = null; // it would not be read better the next time
                    $this->log('error', "event $item->id of $item->type cannot be read: " . $error->getMessage());
                }
                try {
                    $event && $this->take($event);
                } catch (Throwable $error) {
                    $this->log('error', "event $item->id of $item->type stops what follows: " . $error->getMessage());
                    throw $error;
                }
                $count++;
                if ($cursor !== '' && $cursor !== $kept) { // the end of a page
                    $this->orders->keepCursor($kept = $cursor);
                    if (time() >= $end) {
                        break;
                    }
                }
            }
        } catch (GatewayError $error) {
            $this->failure('the events cannot be read', $error);
            if ($error->errorCode === 'validation_failed' && isset($error->fields['cursor'])) {
                $this->orders->keepCursor(''); // from the beginning: what is known does nothing
            }
        }
        return $count;
    }

    /**
     * Sends money back to the payer: a payout to the phone number or card that they name.
     *
     * @throws ShopError what to tell the shop's staff
     */
    public function refund(string $number, string $amount, string $method, string $address, string $recipient): Payin
    {
        return $this->orders->locked($number, function () use ($number, $amount, $method, $address, $recipient) {
            $order = $this->orders->find($number) ?? throw new ShopError(self::NOTES['refund_unpaid']);
            $this->refundable($order, $amount, $method);
            $memory = $order->memory + ['refund' => 1];
            do { // a payout that has ended unpaid, whose answer was lost, is no refund
                [$payin, $same] = $this->payOut($order, $memory['refund']++, $amount, $method, $address, $recipient);
                $memory['refunds'][$payin->id] ??= [
                    'amount' => $payin->amount, 'status' => strtoupper($payin->status), 'sequence' => 0, 'at' => '',
                ];
            } while (in_array(strtoupper($payin->status), self::UNPAID, true));
            $this->orders->apply($order, new Outcome(Outcome::NONE, $memory));
            $this->log('info', "order $number: refund $payin->id of $payin->amount $payin->currency");
            if (!$same) {
                throw new ShopError(self::NOTES['refund_sent'], [$payin->amount, $payin->currency]);
            }
            return $payin;
        });
    }

    /**
     * Makes the payout of a refund, or finds the one that an earlier try has made, whose answer was lost.
     *
     * @return array{Payin, bool} whether it is what was asked for now
     */
    private function payOut(
        Order $order,
        int $refund,
        string $amount,
        string $method,
        string $address,
        string $recipient,
    ): array {
        $orderId = "{$this->prefix}$order->number-refund-$refund";
        try {
            // Another method makes another payout of the same order id.
            foreach ($this->client->payins(orderId: $orderId) as $earlier) {
                if ($earlier->method !== $method) {
                    return [$earlier, false];
                }
            }
            $payin = $this->client->createPayin(
                orderId: $orderId,
                amount: $amount,
                method: $method,
                callbackUri: $this->callbackUri,
                address: $address,
                recipient: $recipient,
                currency: $order->currency,
            );
            return [$payin, $payin->mismatched === []];
        } catch (GatewayError $error) {
            // The number of the refund stays: should this one have been made, the next try meets it.
            $this->failure("order $order->number: no refund", $error);
            if ($error->errorCode === 'insufficient_cashbox_balance') {
                throw new ShopError(self::NOTES['refund_balance']);
            }
            throw new ShopError(self::NOTES['refund_refused'], [$error->getMessage()]);
        }
    }

    private function refundable(Order $order, string $amount, string $method): void
    {
        if (!in_array($method, self::REFUNDS[$order->currency] ?? [], true)) {
            throw new ShopError(self::NOTES['refund_currency']);
        }
        $left = self::received($order);
        if ($left === null) {
            throw new ShopError(self::NOTES['refund_unpaid']);
        }
        foreach ($order->memory['refunds'] ?? [] as $refund) {
            if (!in_array($refund['status'], self::UNPAID, true)) {
                $left -= Money::cents($refund['amount']);
            }
        }
        if (Money::cents($amount) > $left) {
            throw new ShopError(self::NOTES['refund_too_much'], [Money::text(max(0, $left)), $order->currency]);
        }
    }

    /**
     * What came for the order in all, in hundredths, or null where nothing did. Staff may have released an order that was
     * held, so what counts is what the gateway says of its payments. What an older version remembers of one that paid the
     * order has no amount: it was the order's.
     */
    private static function received(Order $order): ?int
    {
        $sum = null;
        foreach ($order->memory['payments'] ?? [] as $id => $payment) {
            if (($payment['status'] ?? '') === 'COMPLETED') {
                $sum += Money::cents($payment['received'] ?? ($id === $order->paidBy ? $order->amount : '0'));
            }
        }
        return $sum;
    }

    private function orderId(string $number, int $attempt): string
    {
        return "{$this->prefix}$number-$attempt";
    }

    /** Has the shop do what an event means. What is no order of this shop is passed over. */
    private function take(WebhookEvent $event): void
    {
        $prefixes = array_map(fn (string $prefix): string => preg_quote($prefix, '~'), [$this->prefix, ...$this->earlier]);
        $pattern = '~^(' . implode('|', $prefixes) . ')(.+?)(-refund)?-\d+$~D';
        if (!preg_match($pattern, (string) $event->data->orderId, $found)) {
            $this->log('info', "event $event->eventId of $event->type is passed over: {$event->data->orderId} is no order of this shop");
            return;
        }
        [, $prefix, $number] = $found;
        $refund = ($found[3] ?? '') !== '';
        $this->orders->locked($number, function () use ($event, $prefix, $number, $refund) {
            $order = $this->orders->find($number);
            if ($order === null) {
                $this->log('warning', "there is no order $number: event $event->eventId");
                return;
            }
            // A copy of the shop has its earlier prefixes too, and other orders of the same numbers.
            $known = $refund ? isset($order->memory['refunds'][$event->data->id])
                : isset($order->memory['payments'][$event->data->uuid]);
            if ($prefix !== $this->prefix && !$known) {
                $this->log('warning', "order $number knows nothing of it: event $event->eventId is passed over");
                return;
            }
            $current = $prefix . $order->number . '-' . ($order->memory['attempt'] ?? 1);
            $outcome = $refund ? Decision::ofRefund($order, $event)
                : Decision::ofPayment($order, $event, $current);
            $this->orders->apply($order, $outcome);
            $this->log('info', "order $order->number: $outcome->action by event $event->eventId");
        });
    }

    private function failure(string $what, GatewayError $error): void
    {
        $this->log('error', "$what: $error->errorCode, request " . ($error->requestId ?? 'unknown'));
    }

    private function log(string $level, string $message): void
    {
        if ($this->log !== null) {
            ($this->log)($level, $message);
        }
    }
}
