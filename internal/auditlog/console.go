package auditlog

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// operatorActor is how the log names an operator.
func operatorActor(id int64) string { return caller.Caller{Kind: caller.Operator, ID: id}.Actor() }

// readLines reads which hidden data operators viewed, such as whole requisites
// and files.
func readLines(ctx context.Context, q *db.Queries, rank int, r query) ([]line, error) {
	if !r.asks(Read) {
		return nil, nil
	}
	at, id := r.beyond(rank)
	rows, err := q.AuditReads(ctx, db.AuditReadsParams{
		Backward: r.Backward, At: at, ID: id, FromAt: r.From, ToAt: r.To, UserID: r.userID, Subject: optional.Of(r.Subject),
		SubjectKey: optional.Of(r.Key), Page: r.page,
	})
	return db.Each(rows, func(row db.AuditReadsRow) line { return readLine(rank, row) }), err
}

func readLine(rank int, row db.AuditReadsRow) line {
	return line{place: place{row.At, rank, row.ID}, Item: Item{
		ID: row.ID, At: row.At, Kind: Read, Actor: operatorActor(row.UserID), Login: row.Login,
		Subject: row.Subject, Key: row.SubjectKey, What: row.What,
	}}
}

// proposalLines reads what operators proposed, and what was decided about it.
func proposalLines(ctx context.Context, q *db.Queries, rank int, r query) ([]line, error) {
	proposed, decided := r.asks(Proposal), r.asks(Decision)
	if !proposed && !decided {
		return nil, nil
	}
	at, id := r.beyond(rank)
	rows, err := q.AuditProposals(ctx, db.AuditProposalsParams{
		Proposed: proposed, Decided: decided, Backward: r.Backward, At: at, ID: id, FromAt: r.From, ToAt: r.To,
		UserID: r.userID, Subject: optional.Of(r.Subject), SubjectKey: optional.Of(r.Key), Page: r.page,
	})
	return db.Each(rows, func(row db.AuditProposalsRow) line { return proposalLine(rank, row) }), err
}

// proposalLine is a line of a proposal. The id in its place is twice the
// proposal's id for the proposal, and one more for the decision.
func proposalLine(rank int, row db.AuditProposalsRow) line {
	item := Item{
		ID: row.ID / 2, At: row.At, Kind: Proposal, Actor: operatorActor(row.UserID),
		Subject: row.Subject, Key: row.SubjectKey, What: row.Action, Reason: row.Why,
	}
	if row.Decision != "" {
		item.Kind, item.Outcome = Decision, row.Decision
	} else {
		item.After = row.Payload
	}
	return line{item, place{row.At, rank, row.ID}}
}
