package session

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/foureyes"
)

// Approved is the service within a transaction in which a second operator approves what another one proposed: it asks for
// no other.
func (s *Service) Approved(tx pgx.Tx, proposedBy int64) *Service {
	within := *s
	within.pool, within.q, within.reads = tx, db.New(tx), db.New(tx)
	within.FourEyes, within.proposedBy = foureyes.Rules{}, proposedBy
	return &within
}

// Deciders are the roles of operators who approve what others propose.
func Deciders() []string {
	var roles []string
	for _, role := range caller.Roles(caller.Operator) {
		if (caller.Caller{Kind: caller.Operator, Role: role}).May(caller.OperatorMoney) {
			roles = append(roles, string(role))
		}
	}
	return roles
}

// enough is how many deciders there must be for operators to be set up by two.
const enough = 2

// settingUp settles who sets an operator up: one alone only while there are not two who could do it together. It is
// nothing for other kinds of users.
func (s *Service) settingUp(
	ctx context.Context, who caller.Caller, kind caller.Kind, at time.Time, a foureyes.Action, params any,
) (setUp, error) {
	if kind != caller.Operator {
		return setUp{}, nil
	}
	if s.proposedBy != 0 {
		return setUp{at: at, by: s.proposedBy}, nil
	}
	if err := s.FourEyes.Always(); err != nil {
		there, countErr := s.q.OperatorCount(ctx, Deciders())
		if countErr != nil {
			return setUp{}, fmt.Errorf("count operators: %w", countErr)
		}
		if there >= enough {
			return setUp{}, foureyes.Want(err, a, params)
		}
	}
	return setUp{at: at, by: who.ID, alone: true}, nil
}

// setUp is who set an operator up, and when.
type setUp struct {
	at    time.Time
	by    int64
	alone bool
}

func (u setUp) note(ctx context.Context, q *db.Queries, id int64) error {
	if u.by == 0 {
		return nil
	}
	err := q.OperatorSetUpBy(ctx, db.OperatorSetUpByParams{ID: id, At: u.at, By: u.by, Alone: u.alone})
	if err != nil {
		return fmt.Errorf("note who set the operator up: %w", err)
	}
	return nil
}

// raises reports whether the user may do more by it than before: an auditor does nothing but read.
func (u UserUpdate) raises() bool {
	return u.Password != nil || u.Enabled != nil && *u.Enabled || u.Role != nil && *u.Role != caller.Auditor
}
