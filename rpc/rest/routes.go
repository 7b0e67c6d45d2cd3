package rest

import (
	"net/http"
	"slices"

	"gateway.example/rpc"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

const credentials = "/api/merchant-portal/merchant-cashboxes/{merchant_cashbox_id}/api-credentials"

// routes is the table of the documented paths. The first matching row wins.
func routes(s rpc.Services) []route {
	table := documented(s)
	if s.Sandbox != nil {
		table = append(table, sandboxed(s.Sandbox)...)
	}
	return table
}

// sandboxed are the additional paths of a sandbox.
func sandboxed(s sandboxv1connect.SandboxServiceHandler) []route {
	const simulation = "/api/v1/sandbox/simulation"
	return []route{
		unary(http.MethodPost, "/api/v1/sandbox/trigger",
			sandboxv1connect.SandboxServiceTriggerProcedure, http.StatusOK, s.Trigger),
		unary(http.MethodPost, "/api/v1/sandbox/clock/advance",
			sandboxv1connect.SandboxServiceAdvanceClockProcedure, http.StatusOK, s.AdvanceClock),
		unary(http.MethodGet, simulation,
			sandboxv1connect.SandboxServiceGetSimulationProcedure, http.StatusOK, s.GetSimulation),
		unary(http.MethodPut, simulation,
			sandboxv1connect.SandboxServiceStartSimulationProcedure, http.StatusOK, s.StartSimulation),
		unary(http.MethodDelete, simulation,
			sandboxv1connect.SandboxServiceStopSimulationProcedure, http.StatusOK, s.StopSimulation),
	}
}

// documented are the paths of every gateway.
func documented(s rpc.Services) []route {
	return slices.Concat(paymentRoutes(s), payoutRoutes(s), usdtRoutes(s), checkoutRoutes(s), []route{
		unary(http.MethodGet, credentials,
			portalv1connect.CredentialServiceListCredentialsProcedure, http.StatusOK, s.Credential.ListCredentials),
		unary(http.MethodPost, credentials,
			portalv1connect.CredentialServiceCreateCredentialProcedure, http.StatusCreated, s.Credential.CreateCredential),
		unary(http.MethodDelete, credentials+"/{credential_id}",
			portalv1connect.CredentialServiceRevokeCredentialProcedure, http.StatusOK, s.Credential.RevokeCredential),
		unary(http.MethodGet, "/api/v1/cashboxes/{merchant_cashbox_id}/balance",
			gatewayv1connect.CashboxServiceGetBalanceProcedure, http.StatusOK, s.Cashbox.GetBalance),
		unary(http.MethodGet, "/api/v1/events",
			gatewayv1connect.EventServiceListEventsProcedure, http.StatusOK, s.Events.ListEvents),
		unary(http.MethodPost, "/api/v1/bank-messages",
			gatewayv1connect.MessageServiceForwardMessageProcedure, http.StatusAccepted, s.Messages.ForwardMessage),
	})
}

// paymentRoutes are the paths of payments and their appeals. Creating a payment
// answers 200, as repeating that does.
func paymentRoutes(s rpc.Services) []route {
	return []route{
		unary(http.MethodPost, "/api/v1/payments",
			gatewayv1connect.PaymentServiceCreatePaymentProcedure, http.StatusOK, s.Payment.CreatePayment),
		unary(http.MethodGet, "/api/v1/payments",
			gatewayv1connect.PaymentServiceListPaymentsProcedure, http.StatusOK, s.Payment.ListPayments),
		unary(http.MethodGet, "/api/v1/payments/{payment_id}",
			gatewayv1connect.PaymentServiceGetPaymentProcedure, http.StatusOK, s.Payment.GetPayment),
		unary(http.MethodPost, "/api/v1/payments/{payment_id}/callback",
			gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure, http.StatusOK, s.Payment.UpdatePaymentStatus),
		upload("/api/v1/payments/{payment_id}/appeal",
			gatewayv1connect.PaymentServiceCreateAppealProcedure, http.StatusCreated, s.Payment.CreateAppeal),
		download("/api/operator/appeals/{appeal_id}/file",
			portalv1connect.OperatorServiceGetAppealFileProcedure, s.Operator.GetAppealFile),
		unary(http.MethodPost, "/api/v1/payments/{payment_id}/quasi-ecom/resend-code",
			gatewayv1connect.PaymentServiceResendCodeProcedure, http.StatusOK, s.Payment.ResendCode),
	}
}

// payoutRoutes are the paths of payouts, which the contract calls payins.
// Creating one answers 200, as repeating that does.
func payoutRoutes(s rpc.Services) []route {
	return []route{
		unary(http.MethodPost, "/api/v1/payins",
			gatewayv1connect.PayinServiceCreatePayinProcedure, http.StatusOK, s.Payin.CreatePayin),
		unary(http.MethodGet, "/api/v1/payins",
			gatewayv1connect.PayinServiceListPayinsProcedure, http.StatusOK, s.Payin.ListPayins),
		unary(http.MethodGet, "/api/v1/payins/{payin_id}",
			gatewayv1connect.PayinServiceGetPayinProcedure, http.StatusOK, s.Payin.GetPayin),
		unary(http.MethodPost, "/api/v1/payins/{payin_id}/cancel",
			gatewayv1connect.PayinServiceCancelPayinProcedure, http.StatusOK, s.Payin.CancelPayin),
	}
}

// usdtRoutes are the paths of deposits and withdrawals. Creating a deposit
// answers 201 and repeating that 200, while a withdrawal has 200 for both.
func usdtRoutes(s rpc.Services) []route {
	return []route{
		creation("/api/v1/deposits", gatewayv1connect.DepositServiceCreateDepositProcedure, s.Deposit.CreateDeposit),
		unary(http.MethodGet, "/api/v1/deposits",
			gatewayv1connect.DepositServiceListDepositsProcedure, http.StatusOK, s.Deposit.ListDeposits),
		unary(http.MethodGet, "/api/v1/deposits/{deposit_id}",
			gatewayv1connect.DepositServiceGetDepositProcedure, http.StatusOK, s.Deposit.GetDeposit),
		unary(http.MethodPost, "/api/v1/deposits/{deposit_id}/transaction",
			gatewayv1connect.DepositServiceNameTransactionProcedure, http.StatusOK, s.Deposit.NameTransaction),
		unary(http.MethodPost, "/api/v1/withdrawals",
			gatewayv1connect.WithdrawalServiceCreateWithdrawalProcedure, http.StatusOK, s.Withdrawals.CreateWithdrawal),
		unary(http.MethodGet, "/api/v1/withdrawals",
			gatewayv1connect.WithdrawalServiceListWithdrawalsProcedure, http.StatusOK, s.Withdrawals.ListWithdrawals),
		unary(http.MethodGet, "/api/v1/withdrawals/{withdrawal_id}",
			gatewayv1connect.WithdrawalServiceGetWithdrawalProcedure, http.StatusOK, s.Withdrawals.GetWithdrawal),
	}
}

// checkoutRoutes are the calls of a payer's program. It has no key: whoever has
// the token in the path may make them.
func checkoutRoutes(s rpc.Services) []route {
	return []route{
		unary(http.MethodGet, "/api/v1/checkout/{token}",
			gatewayv1connect.CheckoutServiceGetCheckoutProcedure, http.StatusOK, s.Checkout.GetCheckout),
		unary(http.MethodPost, "/api/v1/checkout/{token}/payer-details",
			gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure, http.StatusOK, s.Checkout.SubmitPayerDetails),
		unary(http.MethodPost, "/api/v1/checkout/{token}/payer-otp",
			gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure, http.StatusOK, s.Checkout.SubmitPayerOtp),
		unary(http.MethodPost, "/api/v1/checkout/{token}/cancel",
			gatewayv1connect.CheckoutServiceCancelCheckoutProcedure, http.StatusOK, s.Checkout.CancelCheckout),
	}
}
