<?php

declare(strict_types=1);

/**
 * What the core knows of a shop's order, and what it asks the shop to do with it.
 *
 * Licence: Apache-2.0.
 */

namespace PaymentGateway\Shop;

use InvalidArgumentException;
use PaymentGateway\WebhookEvent;
use RuntimeException;

/** An order as the shop has it now. */
final class Order
{
    /** OPEN waits for money, PAID has been paid by whatever means, CLOSED is cancelled or refunded. */
    public const OPEN = 'open';
    public const PAID = 'paid';
    public const CLOSED = 'closed';

    /**
     * @param string $number what the shop calls the order
     * @param string $amount what the payer owes, with two decimals: '1500.00'
     * @param string $state OPEN, PAID or CLOSED
     * @param string $paidBy the uuid of the payment that an Outcome::PAID named, '' where none did
     * @param array<string, mixed> $memory what the last Outcome of this order had as its memory, [] before the first
     */
    public function __construct(
        public readonly string $number,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $state,
        public readonly string $paidBy = '',
        public readonly array $memory = [],
    ) {
    }
}

/** What an event means for an order. */
final class Outcome
{
    public const NONE = 'none'; // nothing but the memory changes
    public const NOTE = 'note'; // somebody should read the note; the order stays as it is
    public const PAID = 'paid'; // deliver
    public const HOLD = 'hold'; // deliver nothing before a person has looked at it
    public const FAILED = 'failed'; // not paid; the payer may try again

    /**
     * @param array<string, mixed> $memory keep it with the order
     * @param string $note English text for sprintf, a key of Shop::NOTES; '' where there is nothing to say
     * @param list<string> $values what sprintf puts into the note
     * @param string $paymentId the payment's uuid
     */
    public function __construct(
        public readonly string $action,
        public readonly array $memory,
        public readonly string $note = '',
        public readonly array $values = [],
        public readonly string $paymentId = '',
    ) {
    }

    /** The note in the shop's language, or in English. */
    public function text(?callable $translate = null): string
    {
        return vsprintf($translate ? $translate($this->note) : $this->note, $this->values);
    }
}

/** The shop's orders. A module for a shop implements these. */
interface Orders
{
    /**
     * Calls the work and returns what it returns, while no other process works on the same order. Throw where the lock
     * cannot be had.
     */
    public function locked(string $number, callable $work): mixed;

    /** The order as it is now, or null where the shop has none of this number. */
    public function find(string $number): ?Order;

    /** Does what the outcome says, and then keeps its memory: if the first fails, the event comes again. */
    public function apply(Order $order, Outcome $outcome): void;

    /** What keepCursor was last given, or ''. */
    public function cursor(): string;

    public function keepCursor(string $cursor): void;
}

/** Something that the payer or the shop's owner has to be told. The message is a key of Shop::NOTES. */
final class ShopError extends RuntimeException
{
    /** @param list<string> $values what sprintf puts into the message */
    public function __construct(public readonly string $note, public readonly array $values = [])
    {
        parent::__construct(vsprintf($note, $values));
    }
}

/** Amounts of money, which are never floats. */
final class Money
{
    /** The amount in hundredths. */
    public static function cents(string $amount): int
    {
        if (!preg_match('/^(\d{1,15})(?:\.(\d{1,2})0*)?$/D', $amount, $found)) {
            throw new InvalidArgumentException('an amount must be a decimal such as 1500.00');
        }
        return (int) $found[1] * 100 + (int) str_pad($found[2] ?? '', 2, '0');
    }

    public static function text(int $cents): string
    {
        return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    }
}

/** The decision what an event means for an order. It has no effects, so it can be asked as often as one likes. */
final class Decision
{
    /**
     * @param string $current the gateway's order id of the newest attempt to pay the order
     */
    public static function ofPayment(Order $order, WebhookEvent $event, string $current): Outcome
    {
        $data = $event->data;
        $id = (string) $data->uuid;
        $memory = $order->memory;
        $known = $memory['payments'][$id] ?? [];
        if ($event->type === 'payment.payer.claimed' && !isset($known['claimed'])) {
            $memory['payments'][$id] = ['claimed' => true] + $known;
            return new Outcome(Outcome::NOTE, $memory, Shop::NOTES['claimed'], [], $id);
        }
        if ($event->type !== 'payment.status.updated' || !self::newer($known, $event)) {
            return new Outcome(Outcome::NONE, $memory, paymentId: $id);
        }
        $memory['payments'][$id] = ['status' => $data->status] + self::place($event) + $known;
        $memory['payments'][$id]['received'] = $data->currency === $order->currency ? self::cameBy($event) : '0';
        // Staff may have released the order that was held for this payment, which leaves no id on it.
        $paidByThis = $order->paidBy === $id || $order->paidBy === '' && isset($known['held']);
        [$action, $note, $values] = match ($data->status) {
            'COMPLETED' => self::completed($order, $event, $paidByThis),
            'FAILED', 'CANCELLED', 'PENDING' => self::unpaid($order, $event, $current, $paidByThis),
            'APPEAL' => self::appeal($event),
            default => [Outcome::NONE, '', []],
        };
        $others = !$paidByThis || $data->status === 'APPEAL' && $order->paidBy !== $id;
        if ($order->state === Order::PAID && $others && in_array($action, [Outcome::HOLD, Outcome::FAILED], true)) {
            $action = Outcome::NOTE; // what another payment has paid, or staff have decided, is not stopped by this one
        }
        $came = array_intersect(['COMPLETED', 'APPEAL'], array_column($memory['payments'], 'status'));
        if ($action === Outcome::FAILED && ($came || $order->state === Order::CLOSED)) {
            $action = Outcome::NOTE; // held since money came by another payment, or closed: it stays so
        }
        if ($action === Outcome::HOLD) {
            $memory['payments'][$id]['held'] = true;
        }
        return new Outcome($action, $memory, $note, $values, $id);
    }

    /** A payout that returns money to the payer. */
    public static function ofRefund(Order $order, WebhookEvent $event): Outcome
    {
        $id = (string) $event->data->id;
        $known = $order->memory['refunds'][$id] ?? [];
        if ($event->type !== 'payin.status.updated' || !self::newer($known, $event)) {
            return new Outcome(Outcome::NONE, $order->memory);
        }
        $memory = $order->memory;
        $amount = (string) $event->data->amount;
        $memory['refunds'][$id] = ['amount' => $amount, 'status' => $event->data->status] + self::place($event) + $known;
        $note = Shop::NOTES[$event->data->status === 'COMPLETED' ? 'refunded' : 'not_refunded'];
        return new Outcome(Outcome::NOTE, $memory, $note, [$amount, (string) $event->data->currency]);
    }

    /**
     * Whether the event is later than what is known: the gateway counts the events of each payment, and sends them in
     * any order and more than once.
     */
    private static function newer(array $known, WebhookEvent $event): bool
    {
        $place = self::place($event);
        if ($place['sequence'] > 0 && ($known['sequence'] ?? 0) > 0) {
            return $place['sequence'] > $known['sequence'];
        }
        return strcmp($place['at'], $known['at'] ?? '') > 0; // should a later gateway not count any more
    }

    /** @return array{sequence: int, at: string} */
    private static function place(WebhookEvent $event): array
    {
        return ['sequence' => (int) ($event->meta['sequence'] ?? 0), 'at' => $event->createdAt];
    }

    /** What came by the payment of an event that is completed. */
    private static function cameBy(WebhookEvent $event): string
    {
        return (string) ($event->meta['receivedAmount'] ?? $event->data->amount);
    }

    /** @return array{string, string, list<string>} action, note and values */
    private static function completed(Order $order, WebhookEvent $event, bool $paidByThis): array
    {
        $data = $event->data;
        $received = self::cameBy($event);
        if ($order->state === Order::PAID) {
            if (!$paidByThis) {
                return [Outcome::NOTE, Shop::NOTES['twice'], [$data->uuid]];
            }
            if (Money::cents($received) !== Money::cents($data->amount)) {
                return [Outcome::NOTE, Shop::NOTES['received'], [$received, $data->amount, $data->currency]];
            }
            $told = $order->paidBy === $data->uuid;
            return $told ? [Outcome::NONE, '', []] : [Outcome::NOTE, Shop::NOTES['paid'], [$data->uuid]];
        }
        if ($data->currency !== $order->currency || Money::cents($data->amount) !== Money::cents($order->amount)) {
            $values = [$data->amount, $data->currency, $order->amount, $order->currency];
            return [Outcome::HOLD, Shop::NOTES['other_order'], $values];
        }
        if (Money::cents($received) !== Money::cents($data->amount)) {
            return [Outcome::HOLD, Shop::NOTES['received'], [$received, $data->amount, $data->currency]];
        }
        if ($order->state === Order::CLOSED) {
            return [Outcome::HOLD, Shop::NOTES['closed'], [$data->amount, $data->currency]];
        }
        $note = ($event->meta['late'] ?? false) === true ? 'late' : 'paid';
        return [Outcome::PAID, Shop::NOTES[$note], [$data->uuid]];
    }

    /** @return array{string, string, list<string>} action, note and values */
    private static function unpaid(Order $order, WebhookEvent $event, string $current, bool $paidByThis): array
    {
        if ($order->state === Order::PAID && $paidByThis) {
            return [Outcome::HOLD, Shop::NOTES['taken_back'], [$event->data->uuid]];
        }
        if ($event->data->status === 'PENDING' || $event->data->orderId !== $current) {
            return [Outcome::NONE, '', []]; // an earlier attempt has ended; the newest one decides
        }
        if ($event->data->status === 'CANCELLED') {
            return [Outcome::FAILED, Shop::NOTES['cancelled'], []];
        }
        $reason = (string) ($event->meta['reason'] ?? '');
        return match ($reason) {
            'expired' => [Outcome::FAILED, Shop::NOTES['expired'], []],
            '' => [Outcome::FAILED, Shop::NOTES['failed'], []],
            default => [Outcome::FAILED, Shop::NOTES['failed_because'], [$reason]],
        };
    }

    /** @return array{string, string, list<string>} action, note and values */
    private static function appeal(WebhookEvent $event): array
    {
        $received = (string) ($event->meta['receivedAmount'] ?? '');
        $values = [$received, $event->data->amount, $event->data->currency];
        return match ($received === '' ? '' : $event->meta['case'] ?? '') {
            'open' => [Outcome::HOLD, Shop::NOTES['case_open'], $values],
            'waiting' => [Outcome::HOLD, Shop::NOTES['case_waiting'], $values],
            default => [Outcome::HOLD, Shop::NOTES['appeal'], []],
        };
    }
}
