package report

import (
	"context"
	"io"
	"time"

	"gateway.example/internal/bankstatement"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// statementsAtOnce is how many statements are read at a time, for everybody
// together: a large one takes memory.
const statementsAtOnce = 4

func (s *service) CompareStatement(
	ctx context.Context, req *portalv1.CompareStatementRequest,
) (*portalv1.CompareStatementResponse, error) {
	who, found := caller.From(ctx), fault.Decoded(ctx)
	if err := who.Need(caller.TraderMoney, caller.OperatorRead); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(req.GetZone())
	found.Check(err == nil && req.GetZone() != "Local", "zone", "must be the name of a time zone, such as Europe/Moscow")
	file := rpc.UploadedFile(ctx, req.GetFile())
	if found.Check(file != nil && file.Size() > 0, "file", "must not be empty"); found.Err() == nil {
		found.Check(file.Size() <= bankstatement.MaxSize, "file", "%s", fault.LargerThan(bankstatement.MaxSize))
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	leave, err := s.statements.Enter(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer leave()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	c, err := s.Reports.CompareStatement(ctx, who, report.StatementFile{
		TraderID: req.GetTraderId(), RequisiteID: req.GetRequisiteId(), Content: content, Zone: zone,
	})
	return &portalv1.CompareStatementResponse{
		From: rpc.Timestamp(c.From), Until: rpc.Timestamp(c.Until), Outgoing: int64(c.Out),
		Came: rpc.Views(c.In, statementMovement), Missing: rpc.Views(c.Missing, comparedPayment),
	}, err
}

func statementMovement(line report.ComparedLine) *portalv1.StatementMovement {
	return &portalv1.StatementMovement{
		Number: int64(line.Number), At: rpc.Timestamp(line.At), Timed: line.Timed, Amount: money.Fiat(line.Amount), Text: line.Text,
		Payment: rpc.Maybe(line.Payment, comparedPayment),
	}
}

func comparedPayment(p payment.Payment) *portalv1.ComparedPayment {
	return &portalv1.ComparedPayment{
		Id: p.ID, Status: string(p.Status), Amount: money.Fiat(p.Amount), Currency: p.Currency, CreatedAt: rpc.Timestamp(p.CreatedAt),
		ReceivedAmount: rpc.OptionalFiat(p.ReceivedAmount),
	}
}
