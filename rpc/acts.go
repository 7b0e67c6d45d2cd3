package rpc

import (
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// operatorActs are the capabilities that procedures need of an operator.
// internal/caller says whether a capability needs a fresh second factor;
// services decide what takes a second operator. The door checks this first, and
// cannot be made if a procedure has no row.
var operatorActs = map[caller.Capability][]string{
	caller.OperatorRead: {
		gatewayv1connect.PaymentServiceGetPaymentProcedure,
		portalv1connect.ArrivalServiceListPaymentArrivalsProcedure,
		portalv1connect.BlockServiceListBlocksProcedure,
		portalv1connect.LinkServiceGetLinkProcedure,
		portalv1connect.LinkServiceListLinksProcedure,
		portalv1connect.OperatorServiceExplainRateProcedure,
		portalv1connect.OperatorServiceExplainRoutingProcedure,
		portalv1connect.OperatorServiceExplainTraderProcedure,
		portalv1connect.OperatorServiceGetAppealFileProcedure,
		portalv1connect.OperatorServiceGetCashboxProcedure,
		portalv1connect.OperatorServiceGetMerchantProcedure,
		portalv1connect.OperatorServiceGetRateDayProcedure,
		portalv1connect.OperatorServiceGetReplayProcedure,
		portalv1connect.OperatorServiceGetRequisiteProcedure,
		portalv1connect.OperatorServiceGetTraderProcedure,
		portalv1connect.OperatorServiceGetUserProcedure,
		portalv1connect.OperatorServiceListAppealMessagesProcedure,
		portalv1connect.OperatorServiceListAppealsProcedure,
		portalv1connect.OperatorServiceListBanksProcedure,
		portalv1connect.OperatorServiceListCardConflictsProcedure,
		portalv1connect.OperatorServiceListCashboxesProcedure,
		portalv1connect.OperatorServiceListDeadEventsProcedure,
		portalv1connect.OperatorServiceListDepositsProcedure,
		portalv1connect.OperatorServiceListMerchantsProcedure,
		portalv1connect.OperatorServiceListOverduePayinsProcedure,
		portalv1connect.OperatorServiceListPlatformLimitsProcedure,
		portalv1connect.OperatorServiceListProposalsProcedure,
		portalv1connect.OperatorServiceListRatesProcedure,
		portalv1connect.OperatorServiceListReceivingAddressesProcedure,
		portalv1connect.OperatorServiceListRequisitesProcedure,
		portalv1connect.OperatorServiceListRoutingRefusalsProcedure,
		portalv1connect.OperatorServiceListSensitiveReadsProcedure,
		portalv1connect.OperatorServiceListSettingChangesProcedure,
		portalv1connect.OperatorServiceListTradersProcedure,
		portalv1connect.OperatorServiceListTransfersProcedure,
		portalv1connect.OperatorServiceListUsersProcedure,
		portalv1connect.OperatorServiceListWaitingSettlementsProcedure,
		portalv1connect.OperatorServiceListWorkProcedure,
		portalv1connect.OperatorServiceQuoteRateProcedure,
		portalv1connect.OperatorServiceReleaseWorkProcedure,
		portalv1connect.OperatorServiceReplayRoutingProcedure,
		portalv1connect.OperatorServiceSendAppealMessageProcedure,
		portalv1connect.OperatorServiceTakeWorkProcedure,
		portalv1connect.ProofServiceListSealedDaysProcedure,
		portalv1connect.ReceiptServiceGetReceiptProcedure,
		portalv1connect.WithdrawalServiceGetHandOverProcedure,
		portalv1connect.WithdrawalServiceGetWithdrawalProcedure,
		portalv1connect.WithdrawalServiceListHandOversProcedure,
		portalv1connect.WithdrawalServiceListWithdrawalsProcedure,
		portalv1connect.WithdrawalServiceListWithdrawalTermsProcedure,
		portalv1connect.ReceiptServiceGetPayinReceiptProcedure,
		portalv1connect.ReceiptServiceListReceiptsProcedure,
		portalv1connect.ReportServiceCompareStatementProcedure,
		portalv1connect.ReportServiceGetIncomeProcedure,
		portalv1connect.ReportServiceGetPatternsProcedure,
		portalv1connect.ReportServiceGetPayerProcedure,
		portalv1connect.ReportServiceGetPayinTimelineProcedure,
		portalv1connect.ReportServiceGetPaymentTimelineProcedure,
		portalv1connect.ReportServiceGetProcessorsProcedure,
		portalv1connect.ReportServiceGetSignedTimelineProcedure,
		portalv1connect.ReportServiceGetStatementProcedure,
		portalv1connect.ReportServiceListAccountsProcedure,
		portalv1connect.ReportServiceListPayinsProcedure,
		portalv1connect.ReportServiceListPaymentsProcedure,
		portalv1connect.TrustServiceGetReconciliationProcedure,
		portalv1connect.TrustServiceListAlarmsProcedure,
		portalv1connect.TrustServiceListAuditLogProcedure,
	},
	caller.OperatorReveal: {
		portalv1connect.OperatorServiceListObjectedMessagesProcedure,
		portalv1connect.OperatorServiceListUnknownMessagesProcedure,
		portalv1connect.OperatorServiceRevealProposalProcedure,
		portalv1connect.OperatorServiceRevealRequisiteProcedure,
		portalv1connect.OperatorServiceTryMessagePatternProcedure,
	},
	caller.OperatorDirectory: {
		portalv1connect.OperatorServiceCreateCashboxProcedure,
		portalv1connect.OperatorServiceCreateMerchantProcedure,
		portalv1connect.OperatorServiceCreateRequisiteProcedure,
		portalv1connect.OperatorServiceCreateTraderProcedure,
		portalv1connect.OperatorServiceRemoveLinkPictureProcedure,
		portalv1connect.OperatorServiceRemoveTraderAcquirerProcedure,
		portalv1connect.OperatorServiceSetBankProcedure,
		portalv1connect.OperatorServiceSetCashboxMethodProcedure,
		portalv1connect.OperatorServiceSetCashboxPayoutMethodProcedure,
		portalv1connect.OperatorServiceSetPlatformLimitProcedure,
		portalv1connect.OperatorServiceSetTraderAcquirerProcedure,
		portalv1connect.OperatorServiceSetTraderPayoutMethodProcedure,
		portalv1connect.OperatorServiceUpdateCashboxProcedure,
		portalv1connect.OperatorServiceUpdateMerchantProcedure,
		portalv1connect.OperatorServiceUpdateRequisiteProcedure,
		portalv1connect.OperatorServiceUpdateTraderProcedure,
	},
	caller.OperatorBlock: {
		portalv1connect.BlockServiceBlockPayerProcedure,
		portalv1connect.BlockServiceUnblockPayerProcedure,
	},
	caller.OperatorRates: {
		portalv1connect.OperatorServiceSetRateFeedProcedure,
		portalv1connect.OperatorServiceSetRateProcedure,
	},
	caller.OperatorMoney: {
		portalv1connect.OperatorServiceApproveProposalProcedure,
		portalv1connect.OperatorServiceAssignTransferProcedure,
		portalv1connect.OperatorServiceConfirmDepositProcedure,
		portalv1connect.OperatorServiceCorrectBalanceProcedure,
		portalv1connect.OperatorServiceFundTraderProcedure,
		portalv1connect.OperatorServiceRefuseProposalProcedure,
		portalv1connect.OperatorServiceRejectDepositProcedure,
		portalv1connect.OperatorServiceSetInsuranceProcedure,
		portalv1connect.OperatorServiceSetReceivingAddressProcedure,
		portalv1connect.OperatorServiceWithdrawTraderProcedure,
		portalv1connect.WithdrawalServiceApproveWithdrawalProcedure,
		portalv1connect.WithdrawalServiceCompleteWithdrawalProcedure,
		portalv1connect.WithdrawalServiceExportHandOverProcedure,
		portalv1connect.WithdrawalServiceFailWithdrawalProcedure,
		portalv1connect.WithdrawalServiceRejectWithdrawalProcedure,
		portalv1connect.WithdrawalServiceReportHashProcedure,
		portalv1connect.WithdrawalServiceSetWithdrawalTermsProcedure,
	},
	caller.OperatorCases: {
		portalv1connect.ArrivalServiceAttachArrivalProcedure,
		portalv1connect.ArrivalServiceDecideCaseProcedure,
		portalv1connect.ArrivalServiceKeepMessageProcedure,
		portalv1connect.OperatorServiceCloseCardConflictProcedure,
		portalv1connect.OperatorServiceReclaimPayinProcedure,
		portalv1connect.OperatorServiceReplayEventsProcedure,
		portalv1connect.OperatorServiceResolveAppealProcedure,
		portalv1connect.OperatorServiceResolveObjectionProcedure,
		portalv1connect.OperatorServiceResolvePayinProcedure,
		portalv1connect.OperatorServiceReversePayinProcedure,
		portalv1connect.OperatorServiceReviewAppealProcedure,
		portalv1connect.OperatorServiceStopReplayProcedure,
	},
	caller.OperatorUsers: {
		portalv1connect.OperatorServiceCreateUserProcedure,
		portalv1connect.OperatorServiceInviteUserProcedure,
		portalv1connect.OperatorServiceRevokeTokensProcedure,
		portalv1connect.OperatorServiceUpdateUserProcedure,
	},
}

// operatorNeeds finds the capability of each procedure that operators may call.
func operatorNeeds(acts map[caller.Capability][]string, procedures []string) (map[string]caller.Capability, error) {
	needs := map[string]caller.Capability{}
	for capability, list := range acts {
		for _, procedure := range list {
			needs[procedure] = capability
		}
	}
	for _, procedure := range procedures {
		for _, kind := range Access(procedure) {
			if kind == caller.Operator && needs[procedure] == "" && !forAllUsers(procedure) {
				return nil, fmt.Errorf("procedure %s: nothing says what it takes of an operator", procedure)
			}
		}
	}
	return needs, nil
}

// forAllUsers reports whether a procedure is only about its caller, whatever
// their kind.
func forAllUsers(procedure string) bool {
	return len(Access(procedure)) == len(users) && Access(procedure)[0] == users[0]
}
