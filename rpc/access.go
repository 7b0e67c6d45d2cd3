package rpc

import (
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// users are all kinds that sign in.
var users = []caller.Kind{caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator}

// unfinished are the procedures that work before the second factor was given.
var unfinished = edge.Unfinished{
	portalv1connect.AuthServiceSecondFactorProcedure: true,
	portalv1connect.AuthServiceLogoutProcedure:       true,
	portalv1connect.AuthServiceGetSessionProcedure:   true,
	portalv1connect.AuthServiceBeginTotpProcedure:    true,
	portalv1connect.AuthServiceConfirmTotpProcedure:  true,
}

// access says which kinds of callers may call what, over Connect and REST. A
// service's row is for all its procedures without a row of their own. A service
// for several kinds has no row, and procedures that everybody may call have one
// each, so that nothing new is open to everybody by accident. Services decide
// what a caller may do with which record.
//
// Operators come in where operatorActs has what it takes of them.
var access = withOperators(edge.Access{
	gatewayv1connect.PayinServiceName:       {caller.MerchantKey},
	gatewayv1connect.DepositServiceName:     {caller.MerchantKey},
	gatewayv1connect.CashboxServiceName:     {caller.MerchantKey},
	gatewayv1connect.EventServiceName:       {caller.MerchantKey},
	gatewayv1connect.MessageServiceName:     {caller.Device},
	gatewayv1connect.WithdrawalServiceName:  {caller.MerchantKey},
	portalv1connect.MerchantServiceName:     {caller.MerchantPortal},
	portalv1connect.CredentialServiceName:   {caller.MerchantPortal},
	portalv1connect.TeamServiceName:         {caller.MerchantPortal},
	portalv1connect.LookServiceName:         {caller.MerchantPortal},
	portalv1connect.BlockServiceName:        {caller.MerchantPortal},
	portalv1connect.LinkServiceName:         {caller.MerchantPortal},
	portalv1connect.RequestLogServiceName:   {caller.MerchantPortal},
	portalv1connect.TraderServiceName:       {caller.Trader},
	portalv1connect.AuthServiceName:         users,
	portalv1connect.NotificationServiceName: users,
	portalv1connect.PayoutFileServiceName:   {caller.MerchantPortal},

	gatewayv1connect.CheckoutServiceGetCheckoutProcedure:        {caller.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure: {caller.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure:     {caller.Anyone},
	gatewayv1connect.CheckoutServiceCancelCheckoutProcedure:     {caller.Anyone},

	gatewayv1connect.PaymentServiceCreatePaymentProcedure: {caller.MerchantKey},
	gatewayv1connect.PaymentServiceGetPaymentProcedure: {
		caller.MerchantKey, caller.Cabinet, caller.MerchantPortal, caller.Trader,
	},
	gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure: {caller.Application},
	gatewayv1connect.PaymentServiceListPaymentsProcedure:        {caller.Cabinet, caller.MerchantKey},
	gatewayv1connect.PaymentServiceCreateAppealProcedure:        {caller.MerchantKey},
	gatewayv1connect.PaymentServiceResendCodeProcedure:          {caller.MerchantKey},

	portalv1connect.AuthServiceLoginProcedure: {caller.Anyone},

	portalv1connect.ProofServiceGetPaymentProofProcedure:    {caller.MerchantPortal},
	portalv1connect.ProofServiceGetPayinProofProcedure:      {caller.MerchantPortal},
	portalv1connect.ProofServiceGetDepositProofProcedure:    {caller.MerchantPortal},
	portalv1connect.ProofServiceGetWithdrawalProofProcedure: {caller.MerchantPortal},

	portalv1connect.ArrivalServiceListPaymentArrivalsProcedure: {caller.Trader, caller.MerchantPortal},
	portalv1connect.ArrivalServiceDecideCaseProcedure:          {caller.MerchantPortal},
	portalv1connect.ArrivalServiceListFreeArrivalsProcedure:    {caller.Trader},
	portalv1connect.ArrivalServiceKeepArrivalProcedure:         {caller.Trader},
	portalv1connect.ArrivalServiceKeepMessageProcedure:         {caller.Trader},
	portalv1connect.ArrivalServiceAttachArrivalProcedure:       {caller.Trader},

	portalv1connect.WithdrawalServiceAddAddressProcedure:          {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceListAddressesProcedure:       {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceRemoveAddressProcedure:       {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceRequestWithdrawalProcedure:   {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceCancelWithdrawalProcedure:    {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceListWithdrawalsProcedure:     {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceGetWithdrawalProcedure:       {caller.MerchantPortal, caller.Trader},
	portalv1connect.WithdrawalServiceListWithdrawalTermsProcedure: {caller.MerchantPortal, caller.Trader},

	portalv1connect.ReceiptServiceListReceiptsProcedure:      {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReceiptServiceGetReceiptProcedure:        {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReceiptServiceGetPayinReceiptProcedure:   {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReceiptServiceAppealWithReceiptProcedure: {caller.MerchantPortal},

	portalv1connect.ReportServiceGetPaymentTimelineProcedure: {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceGetPayinTimelineProcedure:   {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceListPaymentsProcedure:       {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceListPayinsProcedure:         {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceGetStatementProcedure:       {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceGetPayerProcedure:           {caller.MerchantPortal},
	portalv1connect.ReportServiceCompareStatementProcedure:   {caller.Trader},
	portalv1connect.ReportServiceGetOverviewProcedure:        {caller.MerchantPortal},
	portalv1connect.ReportServiceListEventsProcedure:         {caller.MerchantPortal},
	portalv1connect.ReportServiceGetSignedTimelineProcedure:  {caller.Trader, caller.MerchantPortal},
	portalv1connect.ReportServiceGetSigningKeysProcedure:     {caller.Anyone},

	sandboxv1connect.SandboxServiceAdvanceClockProcedure:    {caller.Anyone},
	sandboxv1connect.SandboxServiceGetSimulationProcedure:   {caller.Anyone},
	sandboxv1connect.SandboxServiceStartSimulationProcedure: {caller.Anyone},
	sandboxv1connect.SandboxServiceStopSimulationProcedure:  {caller.Anyone},
	sandboxv1connect.SandboxServiceTriggerProcedure:         {caller.Anyone},
})

// withOperators lets operators besides call what they have a capability for.
func withOperators(access edge.Access) edge.Access {
	for _, procedures := range operatorActs {
		for _, procedure := range procedures {
			access[procedure] = append(slices.Clone(access.Of(procedure)), caller.Operator)
		}
	}
	return access
}

func Access(procedure string) []caller.Kind { return access.Of(procedure) }

var uploads = edge.Uploads{
	gatewayv1connect.PaymentServiceCreateAppealProcedure:     caller.ScopePayments,
	portalv1connect.TraderServiceCompletePayinProcedure:      edge.ByUsers,
	portalv1connect.ReportServiceCompareStatementProcedure:   edge.ByUsers,
	portalv1connect.PayoutFileServiceSendPayoutFileProcedure: edge.ByUsers,
	portalv1connect.LinkServiceSetLinkPictureProcedure:       edge.ByUsers,
}

// NewDoor makes the door in front of all procedures, over Connect and REST.
func NewDoor(keys *auth.Keys, users *session.Service, limits *limit.Limits, s Services) (*edge.Door, error) {
	procedures, err := s.Procedures()
	if err != nil {
		return nil, err
	}
	door, err := edge.NewDoor(keys, users, limits, access, uploads, unfinished, procedures)
	if err != nil {
		return nil, err
	}
	if door.OperatorNeeds, err = operatorNeeds(operatorActs, procedures); err != nil {
		return nil, err
	}
	door.CallbackPayment = callbackPayment
	return door, nil
}

// callbackPayment is the payment that a call of UpdatePaymentStatus names by
// its id or uuid, in the path over REST and in the body over Connect; 0 and ""
// are none.
func callbackPayment(r *http.Request, body []byte) (id int64, named string) {
	if inPath := r.PathValue("payment_id"); inPath != "" {
		if parsed, err := uuid.Parse(inPath); err == nil {
			return 0, parsed.String()
		}
		id, _ := strconv.ParseInt(inPath, 10, 64) // 0 of what is none
		return id, ""
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	m := &gatewayv1.UpdatePaymentStatusRequest{}
	if len(decode(m.ProtoReflect(), media == mediaJSON, body)) > 0 {
		return 0, ""
	}
	return m.GetPaymentId(), m.GetPaymentUuid()
}
