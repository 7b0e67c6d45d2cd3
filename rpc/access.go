package rpc

import (
	"gateway/internal/auth"
	"gateway/internal/edge"
	"gateway/internal/limit"
	"gateway/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway/rpc/gen/portal/v1/portalv1connect"
	"gateway/rpc/gen/sandbox/v1/sandboxv1connect"
)

// access says which kinds of callers each procedure lets in, over Connect and REST alike. What such a caller may do with which record is the service's to decide.
var access = edge.Access{
	gatewayv1connect.PaymentServiceCreatePaymentProcedure: {auth.MerchantKey},
	gatewayv1connect.PaymentServiceGetPaymentProcedure: {
		auth.MerchantKey, auth.Cabinet, auth.MerchantPortal, auth.Trader, auth.Operator,
	},
	gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure: {auth.Application},
	gatewayv1connect.PaymentServiceListPaymentsProcedure:        {auth.Cabinet, auth.MerchantKey},
	gatewayv1connect.PaymentServiceCreateAppealProcedure:        {auth.MerchantKey},
	portalv1connect.AuthServiceLoginProcedure:                   {auth.Anyone},
	portalv1connect.TraderServiceListPaymentsProcedure:          {auth.Trader},
	portalv1connect.TraderServiceConfirmReceivedProcedure:       {auth.Trader},
	portalv1connect.TraderServiceCancelPaymentProcedure:         {auth.Trader},
	portalv1connect.MerchantServiceListEventsProcedure:          {auth.MerchantPortal},
	portalv1connect.MerchantServiceReplayEventsProcedure:        {auth.MerchantPortal},
	portalv1connect.MerchantServiceGetReplayProcedure:           {auth.MerchantPortal},
	portalv1connect.MerchantServiceStopReplayProcedure:          {auth.MerchantPortal},
	portalv1connect.MerchantServiceRotateWebhookSecretProcedure: {auth.MerchantPortal},
	portalv1connect.OperatorServiceExplainRoutingProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceExplainRateProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceSetRateProcedure:             {auth.Operator},
	portalv1connect.OperatorServiceSetRateFeedProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceListRatesProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceUpdateMerchantProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceUpdateCashboxProcedure:       {auth.Operator},
	portalv1connect.OperatorServiceSetCashboxMethodProcedure:    {auth.Operator},
	portalv1connect.OperatorServiceSetPlatformLimitProcedure:    {auth.Operator},
	portalv1connect.OperatorServiceUpdateTraderProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceCreateRequisiteProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceUpdateRequisiteProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceCreateUserProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceUpdateUserProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceRevokeTokensProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceListSettingChangesProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceListDeadEventsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceReplayEventsProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceGetReplayProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceStopReplayProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceListAppealsProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceGetAppealFileProcedure:       {auth.Operator},
	portalv1connect.OperatorServiceReviewAppealProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceResolveAppealProcedure:       {auth.Operator},
	portalv1connect.CredentialServiceListCredentialsProcedure:   {auth.MerchantPortal},
	portalv1connect.CredentialServiceCreateCredentialProcedure:  {auth.MerchantPortal},
	portalv1connect.CredentialServiceRevokeCredentialProcedure:  {auth.MerchantPortal},
	sandboxv1connect.SandboxServiceAdvanceClockProcedure:        {auth.Anyone},

	gatewayv1connect.PaymentServiceResendCodeProcedure:             {auth.MerchantKey},
	gatewayv1connect.CheckoutServiceGetCheckoutProcedure:           {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure:    {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure:        {auth.Anyone},
	gatewayv1connect.CheckoutServiceCancelCheckoutProcedure:        {auth.Anyone},
	portalv1connect.TraderServiceRequestCodeProcedure:              {auth.Trader},
	portalv1connect.TraderServiceRequestCodeResendProcedure:        {auth.Trader},
	portalv1connect.TraderServiceMarkCodeNotNeededProcedure:        {auth.Trader},
	portalv1connect.OperatorServiceSetTraderAcquirerProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceListCardConflictsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceCloseCardConflictProcedure:      {auth.Operator},
	gatewayv1connect.PayinServiceCreatePayinProcedure:              {auth.MerchantKey},
	gatewayv1connect.PayinServiceGetPayinProcedure:                 {auth.MerchantKey},
	gatewayv1connect.PayinServiceCancelPayinProcedure:              {auth.MerchantKey},
	portalv1connect.TraderServiceListPayinsProcedure:               {auth.Trader},
	portalv1connect.TraderServiceTakePayinProcedure:                {auth.Trader},
	portalv1connect.TraderServiceGiveBackPayinProcedure:            {auth.Trader},
	portalv1connect.TraderServiceCompletePayinProcedure:            {auth.Trader},
	portalv1connect.TraderServiceFailPayinProcedure:                {auth.Trader},
	portalv1connect.MerchantServiceListPayinsProcedure:             {auth.MerchantPortal},
	portalv1connect.MerchantServiceCancelPayinProcedure:            {auth.MerchantPortal},
	portalv1connect.OperatorServiceListOverduePayinsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceResolvePayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceReclaimPayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceReversePayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceSetCashboxPayoutMethodProcedure: {auth.Operator},
	portalv1connect.OperatorServiceSetTraderPayoutMethodProcedure:  {auth.Operator},

	gatewayv1connect.DepositServiceCreateDepositProcedure:  {auth.MerchantKey},
	gatewayv1connect.DepositServiceGetDepositProcedure:     {auth.MerchantKey},
	gatewayv1connect.CashboxServiceGetBalanceProcedure:     {auth.MerchantKey},
	portalv1connect.OperatorServiceListDepositsProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceConfirmDepositProcedure: {auth.Operator},
	portalv1connect.OperatorServiceRejectDepositProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceSetInsuranceProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceCreateMerchantProcedure: {auth.Operator},
	portalv1connect.OperatorServiceCreateTraderProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceCreateCashboxProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceFundTraderProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceWithdrawTraderProcedure: {auth.Operator},
}

// Access says which kinds of callers a procedure lets in.
func Access(procedure string) []auth.Kind { return access[procedure] }

// uploads are the procedures whose body brings a file.
var uploads = edge.Uploads{gatewayv1connect.PaymentServiceCreateAppealProcedure: auth.ScopePayments}

// NewDoor makes the door that all procedures of the services are behind, over Connect and REST alike.
func NewDoor(keys *auth.Keys, users *auth.Users, limits *limit.Limits, s Services) (*edge.Door, error) {
	procedures, err := s.Procedures()
	if err != nil {
		return nil, err
	}
	return edge.NewDoor(keys, users, limits, access, uploads, procedures)
}
