package bankmessage

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/sensitive"
)

const (
	// lastUnknown is how many of the newest unknown messages operators see,
	// and try new patterns on.
	lastUnknown = 1000
	// maxPattern is the maximum length of a pattern in characters. maxSteps
	// limits the size of its compiled program. The cost of reading a
	// message grows with both.
	maxPattern = 1000
	maxSteps   = 5000
	// tryWithin is how long a try may take.
	tryWithin = 2 * time.Second
	// mostShown is how many messages a try shows, and how many groups of
	// unknown messages are shown.
	mostShown = 50
)

// Group is a group of unknown messages of one sender that differ only in their
// numbers and names.
type Group struct {
	Count  int
	Newest Message
}

// Groups are the groups of unknown messages.
type Groups struct {
	// Of is how many messages were examined, the newest ones.
	Of int
	// List are the largest groups, the largest first.
	List []Group
}

// Unknown groups the newest messages that no pattern knows, for operators. That
// an operator reads their texts is recorded first.
func (s *Service) Unknown(ctx context.Context, who caller.Caller) (Groups, error) {
	if err := s.note(ctx, who, "text"); err != nil {
		return Groups{}, err
	}
	rows, err := s.unknown(ctx)
	if err != nil {
		return Groups{}, err
	}
	at := map[string]int{}
	var groups []Group
	for _, row := range rows {
		m := s.messageOf(row)
		if m.Text == nil {
			continue
		}
		shape := strings.ToLower(m.Sender) + "\n" + shapeOf(*m.Text)
		i, known := at[shape]
		if !known {
			i = len(groups)
			at[shape] = i
			groups = append(groups, Group{Newest: m})
		}
		groups[i].Count++
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Count, a.Count) })
	return Groups{Of: len(rows), List: groups[:min(len(groups), mostShown)]}, nil
}

// These match what differs between messages of the same kind: numbers, and
// words that begin like names.
var (
	shapeNumbers = regexp.MustCompile(`\d[\d .,:'’]*`)
	shapeNames   = regexp.MustCompile(`\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)*`)
)

func shapeOf(text string) string {
	return shapeNames.ReplaceAllString(shapeNumbers.ReplaceAllString(normal(text), "0 "), "A")
}

// unknown are the newest messages that no pattern knows.
func (s *Service) unknown(ctx context.Context) ([]db.BankMessage, error) {
	rows, err := db.List(ctx, s.pools.Reads, func(q *db.Queries) ([]db.BankMessage, error) {
		return q.BankMessageUnknown(ctx, db.BankMessageUnknownParams{BeforeID: 1 << 62, Page: lastUnknown})
	})
	return rows, fault.Doing("list messages", err)
}

func (s *Service) note(ctx context.Context, who caller.Caller, what string) error {
	if err := who.Need(caller.OperatorReveal); err != nil {
		return err
	}
	subject := sensitive.Subject{Kind: "bank_message", Key: "list", What: what}
	return sensitive.Record(ctx, db.New(s.pools.Calls), who, s.clock.Now(), subject)
}

// NewPattern is a pattern to be tried, in the syntax of the files of patterns.
type NewPattern struct {
	Currency string
	Kind     Kind
	Expr     string
}

// Try is what a new pattern reads of unknown messages.
type Try struct {
	// Of is how many messages it was tried on, and Known is how many of
	// them it can read. Messages has the newest of these, with what the
	// pattern reads.
	Of, Known int
	// Cut says that the time ended before all messages were tried.
	Cut      bool
	Messages []Message
}

// TryPattern tries a pattern on the newest unknown messages, for operators. It
// changes nothing: a pattern is used only once a person has added it to the
// files. Matching takes time linear in the text, and the size of the pattern
// and the time are limited besides.
func (s *Service) TryPattern(ctx context.Context, who caller.Caller, n NewPattern) (Try, error) {
	if err := who.Need(caller.OperatorReveal); err != nil {
		return Try{}, err
	}
	f := fault.Decoded(ctx)
	f.Check(slices.Contains(Kinds, n.Kind), "says", "must be incoming, outgoing, declined, balance or advertisement")
	f.Check(units[n.Currency] != "", "currency", "must be one whose messages are known")
	if f.Required("pattern", n.Expr) {
		f.MaxLength("pattern", n.Expr, maxPattern)
	}
	p := pattern{kind: n.Kind}
	if f.Err() == nil {
		var err error
		if p.expr, err = compileBounded(n.Expr, n.Currency); err != nil {
			f.Add("pattern", "%s", err.Error())
		}
	}
	if err := f.Err(); err != nil {
		return Try{}, err
	}
	if err := s.note(ctx, who, "pattern tried, "+strconv.Itoa(lastUnknown)); err != nil {
		return Try{}, err
	}
	rows, err := s.unknown(ctx)
	if err != nil {
		return Try{}, err
	}
	within, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	return s.try(within, p, rows), ctx.Err()
}

// try reads messages by a pattern, until tryWithin is over.
func (s *Service) try(ctx context.Context, p pattern, rows []db.BankMessage) (tried Try) {
	for _, row := range rows {
		if ctx.Err() != nil {
			tried.Cut = true
			return tried
		}
		tried.Of++
		m := s.messageOf(row)
		if m.Text == nil {
			continue
		}
		read, known := p.read(normal(*m.Text))
		if !known {
			continue
		}
		m.Amount, m.Balance, m.Account = sum(read.Amount), sum(read.Balance), read.Account
		if tried.Known++; len(tried.Messages) < mostShown {
			tried.Messages = append(tried.Messages, m)
		}
	}
	return tried
}

// compileBounded compiles a pattern that somebody has typed. The text of its
// error completes the sentence "the pattern ...".
func compileBounded(expr, currency string) (*regexp.Regexp, error) {
	compiled, err := compile(expr, currency)
	if err != nil {
		return nil, fmt.Errorf("is no regular expression of Go: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	tree, err := syntax.Parse(compiled.String(), syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxSteps {
		return nil, errLarge
	}
	return compiled, nil
}
