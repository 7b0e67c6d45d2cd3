package session

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/optional"
)

// Approved returns the service for use inside the transaction in which a second
// operator approves a change, the proposal with an id. It does not ask for
// another approval.
func (s *Service) Approved(tx pgx.Tx, proposal, proposedBy int64) *Service {
	within := *s
	within.pool, within.q, within.reads = tx, db.New(tx), db.New(tx)
	within.FourEyes, within.proposal, within.proposedBy = foureyes.Rules{}, proposal, proposedBy
	return &within
}

// Deciders are the roles of operators who may approve proposals.
func Deciders() []string {
	var roles []string
	for _, role := range caller.Roles(caller.Operator) {
		if (caller.Caller{Kind: caller.Operator, Role: role}).May(caller.OperatorMoney) {
			roles = append(roles, string(role))
		}
	}
	return roles
}

// settingUp decides how an operator may set a user up. For an operator that
// takes two operators, however few there are: else one could switch the others
// off first. So it does for a payer, whom nobody else could tell from the
// operator who signs in as them, with the links of their payments. The first
// user of a merchant or trader is set up at once, as long as there is no USDT
// that they could take. A later one has to wait for an owner's answer; if no
// owner could answer, it also takes two operators. Without four eyes, nobody is
// noted for an operator, who is trusted as one made by the command.
func (s *Service) settingUp(
	ctx context.Context, q *db.Queries, who caller.Caller, u place, at time.Time, wanted foureyes.SecondOperatorError,
) (setUp, error) {
	by := setUp{at: at, by: who.ID, alone: true}
	if s.proposedBy != 0 {
		by.by, by.alone = s.proposedBy, false
	}
	needsTwo := !u.ofSomebody()
	if u.ofSomebody() {
		settled, owners, err := u.answered(ctx, q, at)
		if err != nil {
			return setUp{}, err
		}
		if settled {
			by.until, needsTwo = new(at.Add(awaits)), owners == 0
		} else if needsTwo, err = u.hasMoney(ctx, q); err != nil {
			return setUp{}, err
		}
	}
	if needsTwo && s.FourEyes.On {
		return by, foureyes.WithAction(s.FourEyes.Always(), wanted.Action, wanted.Params)
	}
	if by.until == nil && s.proposedBy == 0 {
		return setUp{}, nil
	}
	return by, nil
}

// setUp says which operator set a user up and when. until is when the user's
// wait for an owner's answer ends; nil if they do not wait. A user who keeps
// their sign-in keeps the operator who gave it to them.
type setUp struct {
	at           time.Time
	by           int64
	alone, keeps bool
	until        *time.Time
}

func (u setUp) note(ctx context.Context, q *db.Queries, id int64) error {
	if u.by == 0 {
		return nil
	}
	err := q.UserSetUpBy(ctx, db.UserSetUpByParams{
		ID: id, At: u.at, By: u.by, Alone: u.alone, Keeps: u.keeps, Until: u.until,
	})
	return fault.Doing("note who set the user up", err)
}

// raises reports whether the change lets a user do more. An auditor may only
// read, and an owner of a merchant or trader already may do everything.
func (u UserUpdate) raises(of place) bool {
	if of.ofSomebody() {
		return optional.Value(u.Enabled) && !of.enabled ||
			u.Role != nil && *u.Role != of.role && of.role != caller.Owner
	}
	return u.Password != nil || optional.Value(u.Enabled) || u.Role != nil && *u.Role != caller.Auditor
}
