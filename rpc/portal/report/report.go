// Package report serves what portal.v1 only reads: lists, timelines,
// statements, figures, logs, and what proves the ledger.
package report

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/figures"
	"gateway.example/internal/ledger"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/internal/timeline"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

type Services struct {
	Reports   *report.Service
	Books     *books.Service
	Figures   *figures.Service
	Timelines *timeline.Service
	// Signer signs what leaves the gateway.
	Signer *attest.Signer
}

type service struct {
	Services
	statements *edge.Turnstile
}

func New(services Services) portalv1connect.ReportServiceHandler {
	return &service{services, edge.NewTurnstile(statementsAtOnce)}
}

func (s *service) GetPaymentTimeline(
	ctx context.Context, req *portalv1.GetPaymentTimelineRequest,
) (*portalv1.TimelineResponse, error) {
	return timelineResponse(s.Timelines.Payment(ctx, caller.From(ctx), req.GetPaymentId()))
}

func (s *service) GetPayinTimeline(
	ctx context.Context, req *portalv1.GetPayinTimelineRequest,
) (*portalv1.TimelineResponse, error) {
	return timelineResponse(s.Timelines.Payout(ctx, caller.From(ctx), req.GetPayinId()))
}

func (s *service) ListPayments(
	ctx context.Context, req *portalv1.ReportServiceListPaymentsRequest,
) (*portalv1.ListReportPaymentsResponse, error) {
	ctx, filter := reportFilter(ctx, req.GetFilter())
	page, err := s.Reports.Payments(ctx, caller.From(ctx), filter)
	return &portalv1.ListReportPaymentsResponse{
		Data: rpc.Views(page.Items, reportPayment), NextCursor: page.Next, PreviousCursor: page.Previous,
		SearchedBackTo: rpc.OptionalTime(page.SearchedBackTo),
	}, err
}

func (s *service) ListPayins(
	ctx context.Context, req *portalv1.ReportServiceListPayinsRequest,
) (*portalv1.ListReportPayinsResponse, error) {
	ctx, filter := reportFilter(ctx, req.GetFilter())
	page, err := s.Reports.Payouts(ctx, caller.From(ctx), filter)
	return &portalv1.ListReportPayinsResponse{
		Data: rpc.Views(page.Items, reportPayin), NextCursor: page.Next, PreviousCursor: page.Previous,
		SearchedBackTo: rpc.OptionalTime(page.SearchedBackTo),
	}, err
}

func (s *service) GetStatement(
	ctx context.Context, m *portalv1.GetStatementRequest,
) (*portalv1.GetStatementResponse, error) {
	found := fault.Decoded(ctx)
	filter := books.StatementFilter{
		Paging:      paging(m),
		Account:     ledger.Account{OwnerID: m.GetOwnerId(), Reserved: m.GetReserved()},
		From:        rpc.Moment(m.GetFrom()),
		To:          rpc.Moment(m.GetTo()),
		OldestFirst: m.GetOldestFirst(),
	}
	if m.GetOwner() != "" {
		var known bool
		filter.Account.Owner, known = ledger.OwnerNamed(m.GetOwner())
		found.Check(known || found.Wrong("owner"), "owner", "must be external, platform, cashbox or trader")
	}
	statement, err := s.Books.Statement(fault.WithDecoded(ctx, found), caller.From(ctx), filter)
	a := statement.Account
	return &portalv1.GetStatementResponse{
		Data:           rpc.Views(statement.Items, statementLine),
		Account:        accountView(timeline.Account{Owner: a.Owner.String(), OwnerID: a.OwnerID, Reserved: a.Reserved}),
		OpeningBalance: money.USDT(statement.Opening),
		ClosingBalance: money.USDT(statement.Closing),
		NextCursor:     statement.Next,
		PreviousCursor: statement.Previous,
	}, err
}

// reportFilter reads a filter. What is wrong with it is in the context that it
// returns, for the service to report.
func reportFilter(ctx context.Context, m *portalv1.ReportFilter) (context.Context, report.Filter) {
	found := fault.Decoded(ctx)
	amount := func(field, text string) decimal.Decimal {
		if text == "" {
			return decimal.Zero
		}
		return fault.Read(found, field, text, money.ParseFiat)
	}
	filter := report.Filter{
		Paging:     paging(m),
		Status:     m.GetStatus(),
		Method:     m.GetMethod(),
		Currency:   m.GetCurrency(),
		From:       rpc.Moment(m.GetFrom()),
		To:         rpc.Moment(m.GetTo()),
		MinAmount:  amount("filter.minAmount", m.GetMinAmount()),
		MaxAmount:  amount("filter.maxAmount", m.GetMaxAmount()),
		CashboxID:  m.GetMerchantCashboxId(),
		MerchantID: m.GetMerchantId(),
		TraderID:   m.GetTraderId(),
		Search:     m.GetSearch(),
		Metadata:   metadata.Wanted(found, m.GetMetadata()),
	}
	return fault.WithDecoded(ctx, found), filter
}

func paging(m interface {
	GetCursor() string
	GetBackward() bool
	GetLimit() int32
}) report.Paging {
	return report.Paging{Cursor: m.GetCursor(), Backward: m.GetBackward(), Limit: int(m.GetLimit())}
}

// shownUSDT formats an amount; nil is one that the caller may not see.
func shownUSDT(d *decimal.Decimal) *string { return rpc.Number(d, money.USDT) }

// reportPayment is a payment in a report. The service has already removed what
// the caller may not see, so a sum that is missing is unknown or not theirs,
// and never 0.
func reportPayment(p report.PaymentItem) *portalv1.ReportPayment {
	return &portalv1.ReportPayment{
		Id:                 p.ID,
		Uuid:               p.UUID.String(),
		CreatedAt:          rpc.Timestamp(p.CreatedAt),
		OrderId:            optional.Of(p.OrderID),
		Method:             p.Method,
		Currency:           p.Currency,
		Amount:             money.Fiat(p.Amount),
		Status:             string(p.Status),
		StatusReason:       p.StatusReason,
		StatusAt:           rpc.Timestamp(p.StatusAt),
		ExpiresAt:          rpc.Timestamp(p.ExpiresAt),
		ClaimedAt:          rpc.OptionalTime(p.ClaimedAt),
		MerchantId:         p.MerchantID,
		MerchantCashboxId:  p.CashboxID,
		TraderId:           optional.Of(p.TraderID),
		Requisite:          p.RequisiteValue,
		CardLast4:          optional.Of(p.CardLast4),
		AmountUsdt:         shownUSDT(p.Sums.Amount),
		ProfitUsdt:         shownUSDT(p.Sums.Profit),
		SpreadTraderUsdt:   shownUSDT(p.Sums.SpreadTrader),
		SpreadPlatformUsdt: shownUSDT(p.Sums.SpreadPlatform),
		ReceivedAmount:     rpc.OptionalFiat(p.ReceivedAmount),
		Metadata:           p.Metadata,
	}
}

// reportPayin is a payout in a report, with what the service has left for the
// caller to see. FrozenUsdt is missing rather than 0.
func reportPayin(p report.PayoutItem) *portalv1.ReportPayin {
	out := &portalv1.ReportPayin{
		Id:                p.ID,
		PayinId:           p.UUID.String(),
		CreatedAt:         rpc.Timestamp(p.CreatedAt),
		OrderId:           optional.Of(p.OrderID),
		Method:            p.Method,
		Currency:          p.Currency,
		Amount:            money.Fiat(p.Amount),
		Status:            string(p.Status),
		StatusReason:      p.StatusReason,
		StatusAt:          rpc.Timestamp(p.StatusAt),
		ExpiresAt:         rpc.Timestamp(p.ExpiresAt),
		MerchantId:        p.MerchantID,
		MerchantCashboxId: p.CashboxID,
		TraderId:          p.TraderID,
		AddressMask:       p.AddressMask,
		Recipient:         p.Recipient,
		ProofReference:    p.ProofReference,
		RewardUsdt:        shownUSDT(p.RewardUSDT),
		Metadata:          p.Metadata,
	}
	if !p.FrozenUSDT.IsZero() {
		out.FrozenUsdt = shownUSDT(&p.FrozenUSDT)
	}
	return out
}

// statementLine says by its direction whether an amount came or went, and
// writes every amount without a sign.
func statementLine(line books.StatementLine) *portalv1.StatementLine {
	out := &portalv1.StatementLine{
		TransferId: line.TransferID,
		At:         rpc.Timestamp(line.At),
		Kind:       line.Kind,
		Subject:    line.Subject,
		SubjectId:  line.SubjectID,
		Direction:  direction(line.Debit.IsZero()),
		Amount:     money.USDT(line.Debit.Add(line.Credit)),
		Balance:    money.USDT(line.Balance),
	}
	if line.SubjectUUID != uuid.Nil {
		out.SubjectUuid = new(line.SubjectUUID.String())
	}
	return out
}

func direction(credit bool) string {
	if credit {
		return "credit"
	}
	return "debit"
}

func accountView(a timeline.Account) *portalv1.LedgerAccount {
	purpose := "available"
	if a.Reserved {
		purpose = "reserved"
	}
	return &portalv1.LedgerAccount{Owner: a.Owner, OwnerId: a.OwnerID, Purpose: purpose}
}
