package rpc

import (
	"mime"
	"net/http"
	"strconv"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1handler"
	"gateway.example/rpc/gen/portal/v1/portalv1handler"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1handler"
)

// users are everybody who signs in.
var users = []caller.Kind{caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator}

// unfinished are the procedures that work before the second factor was given.
var unfinished = edge.Unfinished{
	portalv1handler.AuthServiceSecondFactorProcedure: true,
	portalv1handler.AuthServiceLogoutProcedure:       true,
	portalv1handler.AuthServiceGetSessionProcedure:   true,
	portalv1handler.AuthServiceBeginTotpProcedure:    true,
	portalv1handler.AuthServiceConfirmTotpProcedure:  true,
}

// access says which kinds of callers each procedure lets in, over Connect and REST alike. What such
// a caller may do with which record is the service's to decide.
var access = edge.Access{
	gatewayv1handler.PaymentServiceCreatePaymentProcedure: {caller.MerchantKey},
	gatewayv1handler.PaymentServiceGetPaymentProcedure: {
		caller.MerchantKey, caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator,
	},
	gatewayv1handler.PaymentServiceUpdatePaymentStatusProcedure:    {caller.Application},
	gatewayv1handler.PaymentServiceListPaymentsProcedure:           {caller.Cabinet, caller.MerchantKey},
	gatewayv1handler.PaymentServiceCreateAppealProcedure:           {caller.MerchantKey},
	portalv1handler.AuthServiceLoginProcedure:                      {caller.Anyone},
	portalv1handler.AuthServiceSecondFactorProcedure:               users,
	portalv1handler.AuthServiceLogoutProcedure:                     users,
	portalv1handler.AuthServiceGetSessionProcedure:                 users,
	portalv1handler.AuthServiceListSessionsProcedure:               users,
	portalv1handler.AuthServiceEndSessionProcedure:                 users,
	portalv1handler.AuthServiceBeginTotpProcedure:                  users,
	portalv1handler.AuthServiceConfirmTotpProcedure:                users,
	portalv1handler.AuthServiceRemoveTotpProcedure:                 users,
	portalv1handler.AuthServiceRenewRecoveryCodesProcedure:         users,
	portalv1handler.AuthServiceChangePasswordProcedure:             users,
	portalv1handler.AuthServiceSetPreferencesProcedure:             users,
	portalv1handler.OperatorServiceInviteUserProcedure:             {caller.Operator},
	portalv1handler.TraderServiceListPaymentsProcedure:             {caller.Trader},
	portalv1handler.TraderServiceConfirmReceivedProcedure:          {caller.Trader},
	portalv1handler.TraderServiceCancelPaymentProcedure:            {caller.Trader},
	portalv1handler.MerchantServiceListEventsProcedure:             {caller.MerchantPortal},
	portalv1handler.MerchantServiceReplayEventsProcedure:           {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetReplayProcedure:              {caller.MerchantPortal},
	portalv1handler.MerchantServiceStopReplayProcedure:             {caller.MerchantPortal},
	portalv1handler.MerchantServiceRotateWebhookSecretProcedure:    {caller.MerchantPortal},
	portalv1handler.OperatorServiceListWorkProcedure:               {caller.Operator},
	portalv1handler.OperatorServiceTakeWorkProcedure:               {caller.Operator},
	portalv1handler.OperatorServiceReleaseWorkProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceExplainRoutingProcedure:         {caller.Operator},
	portalv1handler.OperatorServiceExplainRateProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceQuoteRateProcedure:              {caller.Operator},
	portalv1handler.OperatorServiceSetRateProcedure:                {caller.Operator},
	portalv1handler.OperatorServiceSetRateFeedProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceListRatesProcedure:              {caller.Operator},
	portalv1handler.OperatorServiceUpdateMerchantProcedure:         {caller.Operator},
	portalv1handler.OperatorServiceUpdateCashboxProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceSetCashboxMethodProcedure:       {caller.Operator},
	portalv1handler.OperatorServiceSetBankProcedure:                {caller.Operator},
	portalv1handler.OperatorServiceListBanksProcedure:              {caller.Operator},
	portalv1handler.OperatorServiceSetPlatformLimitProcedure:       {caller.Operator},
	portalv1handler.OperatorServiceUpdateTraderProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceCreateRequisiteProcedure:        {caller.Operator},
	portalv1handler.OperatorServiceUpdateRequisiteProcedure:        {caller.Operator},
	portalv1handler.OperatorServiceCreateUserProcedure:             {caller.Operator},
	portalv1handler.OperatorServiceUpdateUserProcedure:             {caller.Operator},
	portalv1handler.OperatorServiceRevokeTokensProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceListSettingChangesProcedure:     {caller.Operator},
	portalv1handler.OperatorServiceListDeadEventsProcedure:         {caller.Operator},
	portalv1handler.OperatorServiceReplayEventsProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceGetReplayProcedure:              {caller.Operator},
	portalv1handler.OperatorServiceStopReplayProcedure:             {caller.Operator},
	portalv1handler.OperatorServiceListAppealsProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceGetAppealFileProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceReviewAppealProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceResolveAppealProcedure:          {caller.Operator},
	portalv1handler.CredentialServiceListCredentialsProcedure:      {caller.MerchantPortal},
	portalv1handler.CredentialServiceCreateCredentialProcedure:     {caller.MerchantPortal},
	portalv1handler.CredentialServiceRevokeCredentialProcedure:     {caller.MerchantPortal},
	portalv1handler.RequestLogServiceListRequestsProcedure:         {caller.MerchantPortal},
	portalv1handler.LookServiceListCashboxLooksProcedure:           {caller.MerchantPortal},
	portalv1handler.LookServiceUpdateCashboxLookProcedure:          {caller.MerchantPortal},
	sandboxv1handler.SandboxServiceAdvanceClockProcedure:           {caller.Anyone},
	sandboxv1handler.SandboxServiceGetSimulationProcedure:          {caller.Anyone},
	sandboxv1handler.SandboxServiceStartSimulationProcedure:        {caller.Anyone},
	sandboxv1handler.SandboxServiceStopSimulationProcedure:         {caller.Anyone},
	sandboxv1handler.SandboxServiceTriggerProcedure:                {caller.Anyone},
	portalv1handler.OperatorServiceReplayRoutingProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceListRoutingRefusalsProcedure:    {caller.Operator},
	portalv1handler.OperatorServiceGetRateDayProcedure:             {caller.Operator},
	portalv1handler.OperatorServiceListWaitingSettlementsProcedure: {caller.Operator},
	portalv1handler.OperatorServiceCorrectBalanceProcedure:         {caller.Operator},
	portalv1handler.OperatorServiceListProposalsProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceApproveProposalProcedure:        {caller.Operator},
	portalv1handler.OperatorServiceRefuseProposalProcedure:         {caller.Operator},
	portalv1handler.ReportServiceListAccountsProcedure:             {caller.Operator},
	portalv1handler.ReportServiceGetIncomeProcedure:                {caller.Operator},

	gatewayv1handler.PaymentServiceResendCodeProcedure:          {caller.MerchantKey},
	gatewayv1handler.CheckoutServiceGetCheckoutProcedure:        {caller.Anyone},
	gatewayv1handler.CheckoutServiceSubmitPayerDetailsProcedure: {caller.Anyone},
	gatewayv1handler.CheckoutServiceSubmitPayerOtpProcedure:     {caller.Anyone},
	gatewayv1handler.CheckoutServiceCancelCheckoutProcedure:     {caller.Anyone},
	portalv1handler.TraderServiceRequestCodeProcedure:           {caller.Trader},
	portalv1handler.TraderServiceRequestCodeResendProcedure:     {caller.Trader},
	portalv1handler.TraderServiceMarkCodeNotNeededProcedure:     {caller.Trader},
	portalv1handler.OperatorServiceSetTraderAcquirerProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceListCardConflictsProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceCloseCardConflictProcedure:   {caller.Operator},
	gatewayv1handler.PayinServiceCreatePayinProcedure:           {caller.MerchantKey},
	gatewayv1handler.PayinServiceGetPayinProcedure:              {caller.MerchantKey},
	gatewayv1handler.PayinServiceCancelPayinProcedure:           {caller.MerchantKey},
	portalv1handler.TraderServiceListPayinsProcedure:            {caller.Trader},
	portalv1handler.TraderServiceTakePayinProcedure:             {caller.Trader},
	portalv1handler.TraderServiceGiveBackPayinProcedure:         {caller.Trader},
	portalv1handler.TraderServiceCompletePayinProcedure:         {caller.Trader},
	portalv1handler.TraderServiceFailPayinProcedure:             {caller.Trader},
	portalv1handler.TraderServiceGetDeskProcedure:               {caller.Trader},
	portalv1handler.TraderServiceSetBreakProcedure:              {caller.Trader},
	portalv1handler.TraderServiceListRequisitesProcedure:        {caller.Trader},
	portalv1handler.TraderServiceUpdateRequisiteProcedure:       {caller.Trader},
	portalv1handler.TraderServiceExplainRequisitesProcedure:     {caller.Trader},
	portalv1handler.ReceiptServiceListReceiptsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReceiptServiceGetReceiptProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceGetPaymentTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceGetPayinTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceListPaymentsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceListPayinsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceGetStatementProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceGetOverviewProcedure: {caller.MerchantPortal},
	portalv1handler.ReportServiceListEventsProcedure:  {caller.MerchantPortal},
	portalv1handler.ReportServiceGetSignedTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1handler.ReportServiceGetSigningKeysProcedure:           {caller.Anyone},
	portalv1handler.ProofServiceGetPaymentProofProcedure:           {caller.MerchantPortal},
	portalv1handler.ProofServiceGetPayinProofProcedure:             {caller.MerchantPortal},
	portalv1handler.ProofServiceGetDepositProofProcedure:           {caller.MerchantPortal},
	portalv1handler.TrustServiceListAuditLogProcedure:              {caller.Operator},
	portalv1handler.TrustServiceGetReconciliationProcedure:         {caller.Operator},
	portalv1handler.TrustServiceListAlarmsProcedure:                {caller.Operator},
	portalv1handler.ProofServiceListSealedDaysProcedure:            {caller.Operator},
	portalv1handler.ReceiptServiceAppealWithReceiptProcedure:       {caller.MerchantPortal},
	portalv1handler.MerchantServiceListCashboxesProcedure:          {caller.MerchantPortal},
	portalv1handler.MerchantServiceListBalancesProcedure:           {caller.MerchantPortal},
	portalv1handler.MerchantServiceListDepositsProcedure:           {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetDepositProcedure:             {caller.MerchantPortal},
	portalv1handler.MerchantServiceCreateDepositProcedure:          {caller.MerchantPortal},
	portalv1handler.MerchantServiceListDepositNetworksProcedure:    {caller.MerchantPortal},
	portalv1handler.MerchantServiceListAppealsProcedure:            {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetAppealProcedure:              {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetAppealFileProcedure:          {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetEventProcedure:               {caller.MerchantPortal},
	portalv1handler.MerchantServiceGetEndpointHealthProcedure:      {caller.MerchantPortal},
	portalv1handler.MerchantServiceListDeadEndpointsProcedure:      {caller.MerchantPortal},
	portalv1handler.MerchantServiceListOldWebhookSecretsProcedure:  {caller.MerchantPortal},
	portalv1handler.CredentialServiceDiagnoseSignatureProcedure:    {caller.MerchantPortal},
	portalv1handler.TeamServiceListMembersProcedure:                {caller.MerchantPortal},
	portalv1handler.TeamServiceInviteMemberProcedure:               {caller.MerchantPortal},
	portalv1handler.TeamServiceUpdateMemberProcedure:               {caller.MerchantPortal},
	portalv1handler.TeamServiceEndMemberSessionsProcedure:          {caller.MerchantPortal},
	portalv1handler.TeamServiceReinviteMemberProcedure:             {caller.MerchantPortal},
	portalv1handler.TeamServiceListTeamChangesProcedure:            {caller.MerchantPortal},
	portalv1handler.TeamServiceListTeamSessionsProcedure:           {caller.MerchantPortal},
	portalv1handler.MerchantServiceListPayinsProcedure:             {caller.MerchantPortal},
	portalv1handler.MerchantServiceCancelPayinProcedure:            {caller.MerchantPortal},
	portalv1handler.OperatorServiceListOverduePayinsProcedure:      {caller.Operator},
	portalv1handler.OperatorServiceResolvePayinProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceReclaimPayinProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceReversePayinProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceSetCashboxPayoutMethodProcedure: {caller.Operator},
	portalv1handler.OperatorServiceSetTraderPayoutMethodProcedure:  {caller.Operator},

	gatewayv1handler.DepositServiceCreateDepositProcedure:  {caller.MerchantKey},
	gatewayv1handler.DepositServiceGetDepositProcedure:     {caller.MerchantKey},
	gatewayv1handler.CashboxServiceGetBalanceProcedure:     {caller.MerchantKey},
	gatewayv1handler.DepositServiceListDepositsProcedure:   {caller.MerchantKey},
	gatewayv1handler.PayinServiceListPayinsProcedure:       {caller.MerchantKey},
	gatewayv1handler.EventServiceListEventsProcedure:       {caller.MerchantKey},
	portalv1handler.OperatorServiceListDepositsProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceConfirmDepositProcedure: {caller.Operator},
	portalv1handler.OperatorServiceRejectDepositProcedure:  {caller.Operator},
	portalv1handler.OperatorServiceSetInsuranceProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceCreateMerchantProcedure: {caller.Operator},
	portalv1handler.OperatorServiceCreateTraderProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceCreateCashboxProcedure:  {caller.Operator},
	portalv1handler.OperatorServiceFundTraderProcedure:     {caller.Operator},
	portalv1handler.OperatorServiceWithdrawTraderProcedure: {caller.Operator},

	portalv1handler.OperatorServiceListMerchantsProcedure:        {caller.Operator},
	portalv1handler.OperatorServiceGetMerchantProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceListCashboxesProcedure:        {caller.Operator},
	portalv1handler.OperatorServiceGetCashboxProcedure:           {caller.Operator},
	portalv1handler.OperatorServiceListTradersProcedure:          {caller.Operator},
	portalv1handler.OperatorServiceGetTraderProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceListRequisitesProcedure:       {caller.Operator},
	portalv1handler.OperatorServiceGetRequisiteProcedure:         {caller.Operator},
	portalv1handler.OperatorServiceRevealRequisiteProcedure:      {caller.Operator},
	portalv1handler.OperatorServiceListUsersProcedure:            {caller.Operator},
	portalv1handler.OperatorServiceGetUserProcedure:              {caller.Operator},
	portalv1handler.OperatorServiceListPlatformLimitsProcedure:   {caller.Operator},
	portalv1handler.OperatorServiceRemoveTraderAcquirerProcedure: {caller.Operator},
	portalv1handler.OperatorServiceListSensitiveReadsProcedure:   {caller.Operator},
}

// Access says which kinds of callers a procedure lets in.
func Access(procedure string) []caller.Kind { return access[procedure] }

// uploads are the procedures whose body brings a file.
var uploads = edge.Uploads{gatewayv1handler.PaymentServiceCreateAppealProcedure: caller.ScopePayments}

// NewDoor makes the door that all procedures of the services are behind, over Connect and REST
// alike.
func NewDoor(keys *auth.Keys, users *session.Service, limits *limit.Limits, s Services) (*edge.Door, error) {
	door, err := edge.NewDoor(keys, users, limits, access, uploads, unfinished, s.Procedures())
	if err != nil {
		return nil, err
	}
	door.CallbackPayment = callbackPayment
	return door, nil
}

// callbackPayment is the id of the payment that a call of UpdatePaymentStatus is for, over REST in the
// path and over Connect in the body, or 0 where it names none.
func callbackPayment(r *http.Request, body []byte) int64 {
	if inPath := r.PathValue("payment_id"); inPath != "" {
		id, _ := strconv.ParseInt(inPath, 10, 64) // 0 of what is none
		return id
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	m := &gatewayv1.UpdatePaymentStatusRequest{}
	if len(decode(m.ProtoReflect(), media == mediaJSON, body)) > 0 {
		return 0
	}
	return m.GetPaymentId()
}
