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
	}
}
