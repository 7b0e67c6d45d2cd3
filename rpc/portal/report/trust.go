package report

import (
	"context"
	"time"

	"gateway.example/internal/alarm"
	"gateway.example/internal/audit"
	"gateway.example/internal/auditlog"
	"gateway.example/internal/caller"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

type TrustService struct {
	Log    *auditlog.Service
	Audits *audit.Service
	Alarms *alarm.Service
}

func (s *TrustService) ListAuditLog(
	ctx context.Context, m *portalv1.ListAuditLogRequest,
) (*portalv1.ListAuditLogResponse, error) {
	page, err := s.Log.List(ctx, caller.From(ctx), auditlog.Filter{
		Paging: paging(m), Kinds: m.GetKinds(), User: m.GetUser(), Subject: m.GetSubject(), Key: m.GetKey(),
		From: rpc.Moment(m.GetFrom()), To: rpc.Moment(m.GetTo()),
	})
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListAuditLogResponse{NextCursor: page.Next, PreviousCursor: page.Previous}
	for _, item := range page.Items {
		line, err := auditLine(item)
		if err != nil {
			return nil, err
		}
		out.Data = append(out.Data, line)
	}
	return out, nil
}

// auditLine is a line of the log, with the fields that its kind has. It fails
// only on a stored setting that is no JSON object.
func auditLine(l auditlog.Item) (*portalv1.AuditLogLine, error) {
	before, err := portal.Object(l.Before)
	if err != nil {
		return nil, err
	}
	after, err := portal.Object(l.After)
	return &portalv1.AuditLogLine{
		Id:           l.ID,
		At:           rpc.Timestamp(l.At),
		Kind:         l.Kind,
		Actor:        l.Actor,
		Login:        l.Login,
		Subject:      l.Subject,
		Key:          l.Key,
		SubjectLogin: l.SubjectLogin,
		What:         l.What,
		Reason:       l.Reason,
		Before:       before,
		After:        after,
		Door:         l.Door,
		Outcome:      l.Outcome,
		Address:      l.Address,
		Agent:        l.Agent,
	}, err
}

func (s *TrustService) GetReconciliation(
	ctx context.Context, _ *portalv1.GetReconciliationRequest,
) (*portalv1.GetReconciliationResponse, error) {
	state, err := s.Audits.State(ctx, caller.From(ctx))
	out := &portalv1.GetReconciliationResponse{Recent: auditState(state.Recent), Full: auditState(state.Full)}
	for _, i := range state.Invariants {
		out.Invariants = append(out.Invariants, &portalv1.Invariant{
			Name: i.Name, ProvedAt: rpc.OptionalTime(i.ProvedAt()), Recent: i.RecentAt != nil,
			Violations: i.Violations[:min(len(i.Violations), 100)],
		})
	}
	return out, err
}

func auditState(s audit.Standing) *portalv1.AuditState {
	out := &portalv1.AuditState{Running: s.Running != nil}
	if last := s.Last; last != nil {
		out.ProvedAt, out.RowsRead, out.Violations = rpc.Timestamp(last.BeganAt), last.RowsRead, last.Violations
		out.DurationMilliseconds = int64(last.Took() / time.Millisecond)
	}
	return out
}

func (s *TrustService) ListAlarms(
	ctx context.Context, _ *portalv1.ListAlarmsRequest,
) (*portalv1.ListAlarmsResponse, error) {
	alarms, err := s.Alarms.List(ctx, caller.From(ctx))
	out := &portalv1.ListAlarmsResponse{}
	for _, a := range alarms {
		out.Data = append(out.Data, &portalv1.Alarm{
			Name: a.Name, Severity: string(a.Severity), Firing: a.Firing, Since: rpc.OptionalTime(a.Since), Count: a.Count,
			Page: a.Link, Runbook: a.Runbook, Expression: a.Expression,
		})
	}
	return out, err
}
