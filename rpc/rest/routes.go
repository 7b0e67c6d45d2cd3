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

		unary(http.MethodPost, "/api/v1/payments/{payment_id}/quasi-ecom/resend-code",
			gatewayv1connect.PaymentServiceResendCodeProcedure, http.StatusOK, s.Payment.ResendCode),
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
