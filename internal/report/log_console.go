package report

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// operatorActor is how the log names an operator.
func operatorActor(id int64) string { return caller.Caller{Kind: caller.Operator, ID: id}.Actor() }

// readLines reads what operators saw of what is hidden, such as whole requisites and files.
func readLines(ctx context.Context, q *db.Queries, rank int, r logRead) ([]logLine, error) {
	if !r.asks(LogRead) {
		return nil, nil
	}
	at, id := r.beyond(rank)
	var rows []db.AuditReadsBelowRow
	var err error
	if r.Backward {
		var above []db.AuditReadsAboveRow
		above, err = q.AuditReadsAbove(ctx, db.AuditReadsAboveParams{
			AfterAt: at, AfterID: id, FromAt: r.From, ToAt: r.To, UserID: r.userID, Subject: optional.Of(r.Subject),
			SubjectKey: optional.Of(r.Key), Page: r.page,
		})
		for _, row := range above {
			rows = append(rows, db.AuditReadsBelowRow(row))
		}
	} else {
		rows, err = q.AuditReadsBelow(ctx, db.AuditReadsBelowParams{
			BeforeAt: at, BeforeID: id, FromAt: r.From, ToAt: r.To, UserID: r.userID, Subject: optional.Of(r.Subject),
			SubjectKey: optional.Of(r.Key), Page: r.page,
		})
	}
	lines := make([]logLine, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, logLine{place: logPlace{row.At, rank, row.ID}, LogItem: LogItem{
			ID: row.ID, At: row.At, Kind: LogRead, Actor: operatorActor(row.UserID), Login: row.Login,
			Subject: row.Subject, Key: row.SubjectKey, What: row.What,
		}})
	}
	return lines, err
}

// proposalLines reads what operators proposed to one another, and what they decided of it.
func proposalLines(ctx context.Context, q *db.Queries, rank int, r logRead) ([]logLine, error) {
	proposed, decided := r.asks(LogProposal), r.asks(LogDecision)
	if !proposed && !decided {
		return nil, nil
	}
	at, id := r.beyond(rank)
	var rows []db.AuditProposalsBelowRow
	var err error
	if r.Backward {
		var above []db.AuditProposalsAboveRow
		above, err = q.AuditProposalsAbove(ctx, db.AuditProposalsAboveParams{
			Proposed: proposed, Decided: decided, AfterAt: at, AfterID: id, FromAt: r.From, ToAt: r.To,
			UserID: r.userID, Subject: optional.Of(r.Subject), SubjectKey: optional.Of(r.Key), Page: r.page,
		})
		for _, row := range above {
			rows = append(rows, db.AuditProposalsBelowRow(row))
		}
	} else {
		rows, err = q.AuditProposalsBelow(ctx, db.AuditProposalsBelowParams{
			Proposed: proposed, Decided: decided, BeforeAt: at, BeforeID: id, FromAt: r.From, ToAt: r.To,
			UserID: r.userID, Subject: optional.Of(r.Subject), SubjectKey: optional.Of(r.Key), Page: r.page,
		})
	}
	lines := make([]logLine, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, logLine{place: logPlace{row.At, rank, row.ID}, LogItem: proposalItem(row)})
	}
	return lines, err
}

// proposalItem is a line of a proposal: twice its id is what was proposed, one more the decision.
func proposalItem(row db.AuditProposalsBelowRow) LogItem {
	item := LogItem{
		ID: row.ID / 2, At: row.At, Kind: LogProposal, Actor: operatorActor(row.UserID),
		Subject: row.Subject, Key: row.SubjectKey, What: row.Action, Reason: row.Why,
	}
	if row.Decision != "" {
		item.Kind, item.Outcome = LogDecision, row.Decision
		return item
	}
	item.After = row.Payload
	return item
}
