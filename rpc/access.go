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
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// users are everybody who signs in.
var users = []caller.Kind{caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator}

// unfinished are the procedures that work before the second factor was given.
var unfinished = edge.Unfinished{
	portalv1connect.AuthServiceSecondFactorProcedure: true,
	portalv1connect.AuthServiceLogoutProcedure:       true,
	portalv1connect.AuthServiceGetSessionProcedure:   true,
	portalv1connect.AuthServiceBeginTotpProcedure:    true,
	portalv1connect.AuthServiceConfirmTotpProcedure:  true,
}

// access says which kinds of callers each procedure lets in, over Connect and REST alike. What such
// a caller may do with which record is the service's to decide.
var access = edge.Access{
	gatewayv1connect.PaymentServiceCreatePaymentProcedure: {caller.MerchantKey},
	gatewayv1connect.PaymentServiceGetPaymentProcedure: {
		caller.MerchantKey, caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator,
	},
	gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure:    {caller.Application},
	gatewayv1connect.PaymentServiceListPaymentsProcedure:           {caller.Cabinet, caller.MerchantKey},
	gatewayv1connect.PaymentServiceCreateAppealProcedure:           {caller.MerchantKey},
	portalv1connect.AuthServiceLoginProcedure:                      {caller.Anyone},
	portalv1connect.AuthServiceSecondFactorProcedure:               users,
	portalv1connect.AuthServiceLogoutProcedure:                     users,
	portalv1connect.AuthServiceGetSessionProcedure:                 users,
	portalv1connect.AuthServiceListSessionsProcedure:               users,
	portalv1connect.AuthServiceEndSessionProcedure:                 users,
	portalv1connect.AuthServiceBeginTotpProcedure:                  users,
	portalv1connect.AuthServiceConfirmTotpProcedure:                users,
	portalv1connect.AuthServiceRemoveTotpProcedure:                 users,
	portalv1connect.AuthServiceRenewRecoveryCodesProcedure:         users,
	portalv1connect.AuthServiceChangePasswordProcedure:             users,
	portalv1connect.AuthServiceSetPreferencesProcedure:             users,
	portalv1connect.OperatorServiceInviteUserProcedure:             {caller.Operator},
	portalv1connect.TraderServiceListPaymentsProcedure:             {caller.Trader},
	portalv1connect.TraderServiceConfirmReceivedProcedure:          {caller.Trader},
	portalv1connect.TraderServiceCancelPaymentProcedure:            {caller.Trader},
	portalv1connect.MerchantServiceListEventsProcedure:             {caller.MerchantPortal},
	portalv1connect.MerchantServiceReplayEventsProcedure:           {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetReplayProcedure:              {caller.MerchantPortal},
	portalv1connect.MerchantServiceStopReplayProcedure:             {caller.MerchantPortal},
	portalv1connect.MerchantServiceRotateWebhookSecretProcedure:    {caller.MerchantPortal},
	portalv1connect.OperatorServiceListWorkProcedure:               {caller.Operator},
	portalv1connect.OperatorServiceTakeWorkProcedure:               {caller.Operator},
	portalv1connect.OperatorServiceReleaseWorkProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceExplainRoutingProcedure:         {caller.Operator},
	portalv1connect.OperatorServiceExplainRateProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceQuoteRateProcedure:              {caller.Operator},
	portalv1connect.OperatorServiceSetRateProcedure:                {caller.Operator},
	portalv1connect.OperatorServiceSetRateFeedProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceListRatesProcedure:              {caller.Operator},
	portalv1connect.OperatorServiceUpdateMerchantProcedure:         {caller.Operator},
	portalv1connect.OperatorServiceUpdateCashboxProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceSetCashboxMethodProcedure:       {caller.Operator},
	portalv1connect.OperatorServiceSetBankProcedure:                {caller.Operator},
	portalv1connect.OperatorServiceListBanksProcedure:              {caller.Operator},
	portalv1connect.OperatorServiceSetPlatformLimitProcedure:       {caller.Operator},
	portalv1connect.OperatorServiceUpdateTraderProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceCreateRequisiteProcedure:        {caller.Operator},
	portalv1connect.OperatorServiceUpdateRequisiteProcedure:        {caller.Operator},
	portalv1connect.OperatorServiceCreateUserProcedure:             {caller.Operator},
	portalv1connect.OperatorServiceUpdateUserProcedure:             {caller.Operator},
	portalv1connect.OperatorServiceRevokeTokensProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceListSettingChangesProcedure:     {caller.Operator},
	portalv1connect.OperatorServiceListDeadEventsProcedure:         {caller.Operator},
	portalv1connect.OperatorServiceReplayEventsProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceGetReplayProcedure:              {caller.Operator},
	portalv1connect.OperatorServiceStopReplayProcedure:             {caller.Operator},
	portalv1connect.OperatorServiceListAppealsProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceGetAppealFileProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceReviewAppealProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceResolveAppealProcedure:          {caller.Operator},
	portalv1connect.CredentialServiceListCredentialsProcedure:      {caller.MerchantPortal},
	portalv1connect.CredentialServiceCreateCredentialProcedure:     {caller.MerchantPortal},
	portalv1connect.CredentialServiceSetCredentialLimitsProcedure:  {caller.MerchantPortal},
	portalv1connect.CredentialServiceRevokeCredentialProcedure:     {caller.MerchantPortal},
	portalv1connect.RequestLogServiceListRequestsProcedure:         {caller.MerchantPortal},
	portalv1connect.LookServiceListCashboxLooksProcedure:           {caller.MerchantPortal},
	portalv1connect.LookServiceUpdateCashboxLookProcedure:          {caller.MerchantPortal},
	sandboxv1connect.SandboxServiceAdvanceClockProcedure:           {caller.Anyone},
	sandboxv1connect.SandboxServiceGetSimulationProcedure:          {caller.Anyone},
	sandboxv1connect.SandboxServiceStartSimulationProcedure:        {caller.Anyone},
	sandboxv1connect.SandboxServiceStopSimulationProcedure:         {caller.Anyone},
	sandboxv1connect.SandboxServiceTriggerProcedure:                {caller.Anyone},
	portalv1connect.OperatorServiceReplayRoutingProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceListRoutingRefusalsProcedure:    {caller.Operator},
	portalv1connect.OperatorServiceGetRateDayProcedure:             {caller.Operator},
	portalv1connect.OperatorServiceListWaitingSettlementsProcedure: {caller.Operator},
	portalv1connect.OperatorServiceCorrectBalanceProcedure:         {caller.Operator},
	portalv1connect.OperatorServiceListProposalsProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceApproveProposalProcedure:        {caller.Operator},
	portalv1connect.OperatorServiceRefuseProposalProcedure:         {caller.Operator},
	portalv1connect.ReportServiceListAccountsProcedure:             {caller.Operator},
	portalv1connect.ReportServiceGetIncomeProcedure:                {caller.Operator},

	gatewayv1connect.PaymentServiceResendCodeProcedure:          {caller.MerchantKey},
	gatewayv1connect.CheckoutServiceGetCheckoutProcedure:        {caller.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure: {caller.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure:     {caller.Anyone},
	gatewayv1connect.CheckoutServiceCancelCheckoutProcedure:     {caller.Anyone},
	portalv1connect.TraderServiceRequestCodeProcedure:           {caller.Trader},
	portalv1connect.TraderServiceRequestCodeResendProcedure:     {caller.Trader},
	portalv1connect.TraderServiceMarkCodeNotNeededProcedure:     {caller.Trader},
	portalv1connect.OperatorServiceSetTraderAcquirerProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceListCardConflictsProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceCloseCardConflictProcedure:   {caller.Operator},
	gatewayv1connect.PayinServiceCreatePayinProcedure:           {caller.MerchantKey},
	gatewayv1connect.PayinServiceGetPayinProcedure:              {caller.MerchantKey},
	gatewayv1connect.PayinServiceCancelPayinProcedure:           {caller.MerchantKey},
	portalv1connect.TraderServiceListPayinsProcedure:            {caller.Trader},
	portalv1connect.TraderServiceTakePayinProcedure:             {caller.Trader},
	portalv1connect.TraderServiceGiveBackPayinProcedure:         {caller.Trader},
	portalv1connect.TraderServiceCompletePayinProcedure:         {caller.Trader},
	portalv1connect.TraderServiceFailPayinProcedure:             {caller.Trader},
	portalv1connect.TraderServiceGetDeskProcedure:               {caller.Trader},
	portalv1connect.TraderServiceSetBreakProcedure:              {caller.Trader},
	portalv1connect.TraderServiceListRequisitesProcedure:        {caller.Trader},
	portalv1connect.TraderServiceUpdateRequisiteProcedure:       {caller.Trader},
	portalv1connect.TraderServiceExplainRequisitesProcedure:     {caller.Trader},
	portalv1connect.ReceiptServiceListReceiptsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReceiptServiceGetReceiptProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceGetPaymentTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceGetPayinTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceListPaymentsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceListPayinsProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceGetStatementProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceGetOverviewProcedure: {caller.MerchantPortal},
	portalv1connect.ReportServiceListEventsProcedure:  {caller.MerchantPortal},
	portalv1connect.ReportServiceGetSignedTimelineProcedure: {
		caller.Trader,
		caller.MerchantPortal,
		caller.Operator,
	},
	portalv1connect.ReportServiceGetSigningKeysProcedure:           {caller.Anyone},
	portalv1connect.ProofServiceGetPaymentProofProcedure:           {caller.MerchantPortal},
	portalv1connect.ProofServiceGetPayinProofProcedure:             {caller.MerchantPortal},
	portalv1connect.ProofServiceGetDepositProofProcedure:           {caller.MerchantPortal},
	portalv1connect.TrustServiceListAuditLogProcedure:              {caller.Operator},
	portalv1connect.TrustServiceGetReconciliationProcedure:         {caller.Operator},
	portalv1connect.TrustServiceListAlarmsProcedure:                {caller.Operator},
	portalv1connect.ProofServiceListSealedDaysProcedure:            {caller.Operator},
	portalv1connect.ReceiptServiceAppealWithReceiptProcedure:       {caller.MerchantPortal},
	portalv1connect.MerchantServiceListCashboxesProcedure:          {caller.MerchantPortal},
	portalv1connect.MerchantServiceListBalancesProcedure:           {caller.MerchantPortal},
	portalv1connect.MerchantServiceListDepositsProcedure:           {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetDepositProcedure:             {caller.MerchantPortal},
	portalv1connect.MerchantServiceCreateDepositProcedure:          {caller.MerchantPortal},
	portalv1connect.MerchantServiceListDepositNetworksProcedure:    {caller.MerchantPortal},
	portalv1connect.MerchantServiceListAppealsProcedure:            {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetAppealProcedure:              {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetAppealFileProcedure:          {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetEventProcedure:               {caller.MerchantPortal},
	portalv1connect.MerchantServiceGetEndpointHealthProcedure:      {caller.MerchantPortal},
	portalv1connect.MerchantServiceListDeadEndpointsProcedure:      {caller.MerchantPortal},
	portalv1connect.MerchantServiceListOldWebhookSecretsProcedure:  {caller.MerchantPortal},
	portalv1connect.CredentialServiceDiagnoseSignatureProcedure:    {caller.MerchantPortal},
	portalv1connect.TeamServiceListMembersProcedure:                {caller.MerchantPortal},
	portalv1connect.TeamServiceInviteMemberProcedure:               {caller.MerchantPortal},
	portalv1connect.TeamServiceAnswerMemberProcedure:               {caller.MerchantPortal},
	portalv1connect.TeamServiceUpdateMemberProcedure:               {caller.MerchantPortal},
	portalv1connect.TeamServiceEndMemberSessionsProcedure:          {caller.MerchantPortal},
	portalv1connect.TeamServiceReinviteMemberProcedure:             {caller.MerchantPortal},
	portalv1connect.TeamServiceListTeamChangesProcedure:            {caller.MerchantPortal},
	portalv1connect.TeamServiceListTeamSessionsProcedure:           {caller.MerchantPortal},
	portalv1connect.MerchantServiceListPayinsProcedure:             {caller.MerchantPortal},
	portalv1connect.MerchantServiceCancelPayinProcedure:            {caller.MerchantPortal},
	portalv1connect.OperatorServiceListOverduePayinsProcedure:      {caller.Operator},
	portalv1connect.OperatorServiceResolvePayinProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceReclaimPayinProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceReversePayinProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceSetCashboxPayoutMethodProcedure: {caller.Operator},
	portalv1connect.OperatorServiceSetTraderPayoutMethodProcedure:  {caller.Operator},

	gatewayv1connect.DepositServiceCreateDepositProcedure:  {caller.MerchantKey},
	gatewayv1connect.DepositServiceGetDepositProcedure:     {caller.MerchantKey},
	gatewayv1connect.CashboxServiceGetBalanceProcedure:     {caller.MerchantKey},
	gatewayv1connect.DepositServiceListDepositsProcedure:   {caller.MerchantKey},
	gatewayv1connect.PayinServiceListPayinsProcedure:       {caller.MerchantKey},
	gatewayv1connect.EventServiceListEventsProcedure:       {caller.MerchantKey},
	portalv1connect.OperatorServiceListDepositsProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceConfirmDepositProcedure: {caller.Operator},
	portalv1connect.OperatorServiceRejectDepositProcedure:  {caller.Operator},
	portalv1connect.OperatorServiceSetInsuranceProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceCreateMerchantProcedure: {caller.Operator},
	portalv1connect.OperatorServiceCreateTraderProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceCreateCashboxProcedure:  {caller.Operator},
	portalv1connect.OperatorServiceFundTraderProcedure:     {caller.Operator},
	portalv1connect.OperatorServiceWithdrawTraderProcedure: {caller.Operator},

	portalv1connect.OperatorServiceListMerchantsProcedure:        {caller.Operator},
	portalv1connect.OperatorServiceGetMerchantProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceListCashboxesProcedure:        {caller.Operator},
	portalv1connect.OperatorServiceGetCashboxProcedure:           {caller.Operator},
	portalv1connect.OperatorServiceListTradersProcedure:          {caller.Operator},
	portalv1connect.OperatorServiceGetTraderProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceListRequisitesProcedure:       {caller.Operator},
	portalv1connect.OperatorServiceGetRequisiteProcedure:         {caller.Operator},
	portalv1connect.OperatorServiceRevealRequisiteProcedure:      {caller.Operator},
	portalv1connect.OperatorServiceListUsersProcedure:            {caller.Operator},
	portalv1connect.OperatorServiceGetUserProcedure:              {caller.Operator},
	portalv1connect.OperatorServiceListPlatformLimitsProcedure:   {caller.Operator},
	portalv1connect.OperatorServiceRemoveTraderAcquirerProcedure: {caller.Operator},
	portalv1connect.OperatorServiceListSensitiveReadsProcedure:   {caller.Operator},
}

// Access says which kinds of callers a procedure lets in.
func Access(procedure string) []caller.Kind { return access[procedure] }

// uploads are the procedures whose body brings a file.
var uploads = edge.Uploads{gatewayv1connect.PaymentServiceCreateAppealProcedure: caller.ScopePayments}

// NewDoor makes the door that all procedures of the services are behind, over Connect and REST
// alike.
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
