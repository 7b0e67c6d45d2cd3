package rest

import (
	"net/http"

	"gateway.example/rpc/gen/gateway/v1/gatewayv1handler"
	"gateway.example/rpc/gen/portal/v1/portalv1handler"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1handler"
)

const credentials = "/api/merchant-portal/merchant-cashboxes/{merchant_cashbox_id}/api-credentials"

// routes is the table of the documented paths. The first row that fits a path wins.
func routes(s Services) []route {
	table := documented(s)
	if s.Sandbox != nil {
		table = append(table, sandboxed(s.Sandbox)...)
	}
	return table
}

// sandboxed are the paths that a sandbox has besides.
func sandboxed(s sandboxv1handler.SandboxServiceHandler) []route {
	const simulation = "/api/v1/sandbox/simulation"
	return []route{
		unary(http.MethodPost, "/api/v1/sandbox/trigger",
			sandboxv1handler.SandboxServiceTriggerProcedure, http.StatusOK, s.Trigger),
		unary(http.MethodPost, "/api/v1/sandbox/clock/advance",
			sandboxv1handler.SandboxServiceAdvanceClockProcedure, http.StatusOK, s.AdvanceClock),
		unary(http.MethodGet, simulation,
			sandboxv1handler.SandboxServiceGetSimulationProcedure, http.StatusOK, s.GetSimulation),
		unary(http.MethodPut, simulation,
			sandboxv1handler.SandboxServiceStartSimulationProcedure, http.StatusOK, s.StartSimulation),
		unary(http.MethodDelete, simulation,
			sandboxv1handler.SandboxServiceStopSimulationProcedure, http.StatusOK, s.StopSimulation),
	}
}

// documented are the paths that every gateway has.
func documented(s Services) []route {
	return []route{
		unary(http.MethodPost, "/api/v1/payments",
			gatewayv1handler.PaymentServiceCreatePaymentProcedure, http.StatusOK, s.Payment.CreatePayment),
		unary(http.MethodGet, "/api/v1/payments",
			gatewayv1handler.PaymentServiceListPaymentsProcedure, http.StatusOK, s.Payment.ListPayments),
		unary(http.MethodGet, "/api/v1/payments/{payment_id}",
			gatewayv1handler.PaymentServiceGetPaymentProcedure, http.StatusOK, s.Payment.GetPayment),
		unary(http.MethodPost, "/api/v1/payments/{payment_id}/callback",
			gatewayv1handler.PaymentServiceUpdatePaymentStatusProcedure, http.StatusOK, s.Payment.UpdatePaymentStatus),
		upload("/api/v1/payments/{payment_id}/appeal",
			gatewayv1handler.PaymentServiceCreateAppealProcedure, http.StatusCreated, s.Payment.CreateAppeal),
		download("/api/operator/appeals/{appeal_id}/file",
			portalv1handler.OperatorServiceGetAppealFileProcedure, s.Operator.GetAppealFile),

		unary(http.MethodGet, credentials,
			portalv1handler.CredentialServiceListCredentialsProcedure, http.StatusOK, s.Credential.ListCredentials),
		unary(
			http.MethodPost,
			credentials,
			portalv1handler.CredentialServiceCreateCredentialProcedure,
			http.StatusCreated,
			s.Credential.CreateCredential,
		),
		unary(http.MethodDelete, credentials+"/{credential_id}",
			portalv1handler.CredentialServiceRevokeCredentialProcedure, http.StatusOK, s.Credential.RevokeCredential),

		unary(http.MethodPost, "/api/v1/payins",
			gatewayv1handler.PayinServiceCreatePayinProcedure, http.StatusOK, s.Payin.CreatePayin),
		unary(http.MethodGet, "/api/v1/payins",
			gatewayv1handler.PayinServiceListPayinsProcedure, http.StatusOK, s.Payin.ListPayins),
		unary(http.MethodGet, "/api/v1/payins/{payin_id}",
			gatewayv1handler.PayinServiceGetPayinProcedure, http.StatusOK, s.Payin.GetPayin),
		unary(http.MethodPost, "/api/v1/payins/{payin_id}/cancel",
			gatewayv1handler.PayinServiceCancelPayinProcedure, http.StatusOK, s.Payin.CancelPayin),

		creation("/api/v1/deposits", gatewayv1handler.DepositServiceCreateDepositProcedure, s.Deposit.CreateDeposit),
		unary(http.MethodGet, "/api/v1/deposits",
			gatewayv1handler.DepositServiceListDepositsProcedure, http.StatusOK, s.Deposit.ListDeposits),
		unary(http.MethodGet, "/api/v1/deposits/{deposit_id}",
			gatewayv1handler.DepositServiceGetDepositProcedure, http.StatusOK, s.Deposit.GetDeposit),
		unary(http.MethodGet, "/api/v1/cashboxes/{merchant_cashbox_id}/balance",
			gatewayv1handler.CashboxServiceGetBalanceProcedure, http.StatusOK, s.Cashbox.GetBalance),
		unary(http.MethodGet, "/api/v1/events",
			gatewayv1handler.EventServiceListEventsProcedure, http.StatusOK, s.Events.ListEvents),

		unary(http.MethodPost, "/api/v1/payments/{payment_id}/quasi-ecom/resend-code",
			gatewayv1handler.PaymentServiceResendCodeProcedure, http.StatusOK, s.Payment.ResendCode),
		unary(http.MethodGet, "/api/v1/checkout/{token}",
			gatewayv1handler.CheckoutServiceGetCheckoutProcedure, http.StatusOK, s.Checkout.GetCheckout),
		unary(http.MethodPost, "/api/v1/checkout/{token}/payer-details",
			gatewayv1handler.CheckoutServiceSubmitPayerDetailsProcedure, http.StatusOK, s.Checkout.SubmitPayerDetails),
		unary(http.MethodPost, "/api/v1/checkout/{token}/payer-otp",
			gatewayv1handler.CheckoutServiceSubmitPayerOtpProcedure, http.StatusOK, s.Checkout.SubmitPayerOtp),
		unary(http.MethodPost, "/api/v1/checkout/{token}/cancel",
			gatewayv1handler.CheckoutServiceCancelCheckoutProcedure, http.StatusOK, s.Checkout.CancelCheckout),
	}
}
