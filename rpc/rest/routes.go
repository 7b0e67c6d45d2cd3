package rest

import (
	"net/http"

	"gateway/rpc/gen/gateway/v1/gatewayv1connect"
)

// routes is the table of the documented paths. The first row that fits a path wins.
func routes(s Services) []route {
	return []route{
		unary(http.MethodPost, "/api/v1/payments",
			gatewayv1connect.PaymentServiceCreatePaymentProcedure, http.StatusOK, s.Payment.CreatePayment),
		unary(http.MethodGet, "/api/v1/payments/{payment_id}",
			gatewayv1connect.PaymentServiceGetPaymentProcedure, http.StatusOK, s.Payment.GetPayment),
		unary(http.MethodPost, "/api/v1/payments/{payment_id}/callback",
			gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure, http.StatusOK, s.Payment.UpdatePaymentStatus),

		unary(http.MethodPost, "/api/v1/payins",
			gatewayv1connect.PayinServiceCreatePayinProcedure, http.StatusOK, s.Payin.CreatePayin),
		unary(http.MethodGet, "/api/v1/payins/{payin_id}",
			gatewayv1connect.PayinServiceGetPayinProcedure, http.StatusOK, s.Payin.GetPayin),
		unary(http.MethodPost, "/api/v1/payins/{payin_id}/cancel",
			gatewayv1connect.PayinServiceCancelPayinProcedure, http.StatusOK, s.Payin.CancelPayin),

		creation("/api/v1/deposits", gatewayv1connect.DepositServiceCreateDepositProcedure, s.Deposit.CreateDeposit),
		unary(http.MethodGet, "/api/v1/deposits/{deposit_id}",
			gatewayv1connect.DepositServiceGetDepositProcedure, http.StatusOK, s.Deposit.GetDeposit),
		unary(http.MethodGet, "/api/v1/cashboxes/{merchant_cashbox_id}/balance",
			gatewayv1connect.CashboxServiceGetBalanceProcedure, http.StatusOK, s.Cashbox.GetBalance),
	}
}
