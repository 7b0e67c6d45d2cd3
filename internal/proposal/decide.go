package proposal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
)

var (
	errOwn = fault.New(fault.Forbidden, "proposal_own",
		"You made this proposal: another operator approves it.")
	errDecided = fault.New(fault.Refused, "proposal_decided", "The proposal was decided already.")
	errExpired = fault.New(fault.Refused, "proposal_expired", "The proposal is too old to be decided.")
	errDecider = fault.New(fault.Forbidden, "proposal_decider",
		"You were set up within 24 hours, or one of you by the other, or each of you by one alone: another operator approves it.")
	errUnreadable = fault.New(fault.Refused, "proposal_unreadable",
		"Another version of the program made this proposal: refuse it, and propose it again.")
	errAuthor = fault.New(fault.Refused, "proposal_author",
		"Whoever made this proposal may not do this any more: refuse it.")
)

// Approve executes what another operator proposed, once, in the transaction of
// the decision. If that fails, for example because a balance has become too
// low, the error says why and the proposal stays open. To approve an open
// invitation once more returns another code for it.
func (s *Service) Approve(ctx context.Context, who caller.Caller, id int64) (Proposal, Done, error) {
	var done Done
	with := who
	decided, err := s.decide(ctx, who, id, decision{
		to: Approved,
		check: func(q *db.Queries, p Proposal) (err error) {
			traders, err := s.mayApprove(ctx, q, who, p)
			if err != nil {
				return err
			}
			if traders {
				with.Role, err = stillMay(ctx, q, who.ID, nil, acts[p.Action].needs, fault.ErrRoleNotAllowed)
				return err
			}
			// It is done in the name of the approving operator, but
			// with the role of the proposing one.
			with.Role, err = stillMay(ctx, q, p.ProposedBy, &p.CreatedAt, acts[p.Action].needs, errAuthor)
			return err
		},
		act: func(tx pgx.Tx, p Proposal, secret string) (*int64, error) {
			var err error
			a := acts[p.Action]
			done, err = a.do(ctx, with, s.services.approved(tx, p), a.show(p.Params, secret))
			if err != nil || done.Change == nil || done.Change.ID == 0 {
				return nil, err
			}
			return &done.Change.ID, nil
		},
	})
	if errors.Is(err, errDecided) {
		return s.anotherCode(ctx, who, id)
	}
	if err != nil {
		done = Done{}
	}
	return decided, done, err
}

// anotherCode returns another code for an invitation that the caller approved.
func (s *Service) anotherCode(ctx context.Context, who caller.Caller, id int64) (p Proposal, done Done, err error) {
	if p, err = s.Get(ctx, who, id); err != nil {
		return Proposal{}, Done{}, err
	}
	if p.AnotherCode {
		done.Code, err = s.services.Users.AnotherCode(ctx, who, id, *p.Invited)
	}
	if err == nil && done.Code == "" {
		err = errDecided
	}
	if err != nil {
		return Proposal{}, Done{}, err
	}
	return p, done, nil
}

// MayApprove returns the error with which Approve would refuse the caller, for
// a proposal that is open, or nil.
func (s *Service) MayApprove(ctx context.Context, who caller.Caller, p Proposal) error {
	_, err := s.mayApprove(ctx, s.q, who, p)
	return err
}

// mayApprove checks whether the caller may approve a proposal, and reports
// whether a trader's user made it. Such a proposal is approved by operators
// who may execute the action themselves.
//
//rule:who may approve a proposal
func (s *Service) mayApprove(ctx context.Context, q *db.Queries, who caller.Caller, p Proposal) (traders bool, err error) {
	traders, may, err := byTrader(ctx, q, p)
	switch {
	case err != nil:
		return traders, fault.Doing("read who proposed", err)
	case p.ProposedBy == who.ID:
		return traders, errOwn
	case p.Params == nil:
		return traders, errUnreadable
	case traders && !may:
		return traders, errAuthor
	case traders && !who.May(acts[p.Action].needs):
		return traders, fault.ErrRoleNotAllowed
	case traders && !s.services.Settings.FourEyes.On:
		return traders, nil
	}
	return traders, s.independent(ctx, q, who.ID, p)
}

// Refuse ends a proposal without executing it. The operator who proposed it
// withdraws it in this way. If a trader proposed it, they see the reason.
func (s *Service) Refuse(ctx context.Context, who caller.Caller, id int64, reason string) (Proposal, error) {
	reason = strings.TrimSpace(reason)
	return s.decide(ctx, who, id, decision{
		to: Refused, reason: reason,
		check: func(q *db.Queries, p Proposal) error {
			f := fault.Decoded(ctx)
			f.MaxLength("reason", reason, maxReason)
			traders, _, err := byTrader(ctx, q, p)
			f.Check(reason != "" || !traders, "reason", "is required")
			return errors.Join(err, f.Err())
		},
		act: func(pgx.Tx, Proposal, string) (*int64, error) { return nil, nil },
	})
}

// decision is a decision about a proposal and its effect.
type decision struct {
	to     State
	reason string
	check  func(*db.Queries, Proposal) error
	act    func(tx pgx.Tx, p Proposal, secret string) (*int64, error)
}

// decide checks that the caller can decide the proposal, and does so.
// Decisions about one proposal run one after another, so that only one takes
// effect.
func (s *Service) decide(ctx context.Context, who caller.Caller, id int64, d decision) (Proposal, error) {
	if err := who.Admit(ctx, caller.OperatorMoney); err != nil {
		return Proposal{}, err
	}
	err := db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.ProposalLock(ctx, id)
		if db.NoRows(err) {
			return fault.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("lock proposal: %w", err)
		}
		now := s.clock.Now()
		p := fromRow(row, "", nil, now)
		if err := s.mayDecide(ctx, q, who, p); err != nil {
			return err
		}
		if err := d.check(q, p); err != nil {
			return err
		}
		secret, err := s.secrets(row)
		if err != nil {
			return err
		}
		change, err := d.act(tx, p, secret)
		if err != nil {
			return err
		}
		state := string(d.to)
		err = q.ProposalDecide(ctx, db.ProposalDecideParams{
			ID: id, Decision: &state, DecidedBy: &who.ID, DecidedAt: &now, DecisionReason: d.reason, ChangeID: change,
		})
		if err != nil {
			return fmt.Errorf("decide proposal: %w", err)
		}
		return nil
	})
	if err != nil {
		return Proposal{}, err
	}
	return s.Get(ctx, who, id)
}

// mayDecide checks the caller's present role, and that the proposal is open.
func (s *Service) mayDecide(ctx context.Context, q *db.Queries, who caller.Caller, p Proposal) error {
	if _, err := stillMay(ctx, q, who.ID, nil, caller.OperatorMoney, fault.ErrRoleNotAllowed); err != nil {
		return err
	}
	switch p.State {
	case Open:
		return nil
	case Expired:
		return errExpired
	default:
		return errDecided
	}
}

// stillMay returns an operator's present role, which must have the capability.
// The role is locked until the transaction ends. Whoever was set up after
// since, such as invited anew because their access was stolen, is refused: what
// was done before may not have been theirs.
func stillMay(
	ctx context.Context, q *db.Queries, id int64, since *time.Time, needed caller.Capability, refusal error,
) (caller.Role, error) {
	role, err := q.ProposalOperator(ctx, db.ProposalOperatorParams{ID: id, Since: since})
	if db.IgnoreNoRows(err) != nil {
		return "", fmt.Errorf("read operator: %w", err)
	}
	if err != nil || role == nil || !(caller.Caller{Kind: caller.Operator, Role: caller.Role(*role)}).May(needed) {
		return "", refusal
	}
	return caller.Role(*role), nil
}

// newFor is how long after they were set up an operator may decide nothing.
const newFor = 24 * time.Hour

// independent checks that an operator is among those who may decide.
func (s *Service) independent(ctx context.Context, q *db.Queries, decider int64, p Proposal) error {
	able, err := s.deciders(ctx, q, p.ProposedBy, &decider)
	if err == nil && able == 0 {
		return errDecider
	}
	return err
}

// deciders counts the operators who may decide what one of them proposes; if
// decider is set, it counts only that one. If one of two operators set the
// other up, neither decides for the other: whoever proposed the other had the
// link to sign in as them, and could be both if they were also told the code.
// Nor does one decide for another if each was set up by one operator alone.
func (s *Service) deciders(ctx context.Context, q *db.Queries, proposer int64, decider *int64) (int64, error) {
	count, err := q.OperatorDeciders(ctx, db.OperatorDecidersParams{
		Roles: session.Deciders(), ID: proposer, Before: s.clock.Now().Add(-newFor), Decider: decider,
	})
	return count, fault.Doing("count operators who decide", err)
}
