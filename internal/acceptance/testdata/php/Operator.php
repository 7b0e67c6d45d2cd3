<?php

declare(strict_types=1);

use PaymentGateway\Client;

/** What an application of the operator's does. */
trait Operator
{
    /** Says that the payment has come to a status. */
    private function end(int $paymentId, string $status, ?string $reason = null): void
    {
        $body = json_encode(['status' => $status, 'reason' => $reason]);
        $curl = curl_init("{$this->told['baseUrl']}/api/v1/payments/$paymentId/callback");
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => [
                'Content-Type: application/json', 'Signature: ' . Client::sign($this->told['external'], $body),
            ],
        ]);
        self::assertStringContainsString($status, curl_exec($curl));
    }
}
