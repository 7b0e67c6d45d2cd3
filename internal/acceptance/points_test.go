package acceptance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// pointed is a gateway that can be killed at a point: before or after a commit
// or a call outward. Whatever is asked of it is asked until it has answered.
type pointed struct {
	*instance
	t         *testing.T
	points    string
	shop      *shop
	processor *cardProcessor
	box       sandbox.Cashbox
	// list is the last one that was handed over.
	list string
	// second is the token of the operator who approves what another one
	// proposes.
	second string
	// deaths counts how often it died, and final are the answers that it
	// has to keep to, by path.
	deaths int
	final  map[string]string
}

// byTwo ends the name of a way that takes two operators. It is killed at what
// only such ones pass: the rest is that of other ways.
const byTwo = " by two"

var ofTwo = regexp.MustCompile(`internal/proposal\.`)

// byTime is what the program does at its own time, whatever way is gone: it may
// not come again.
var byTime = regexp.MustCompile(`internal/(alarm|audit|auth\.\(\*Keys\)\.used|books|chain\.\(\*Watcher\)\.\w+|deposit\.\(\*Service\)\.Match|figures|ledger\.Fold(Now)?|notify|rate|requestlog|session\.\(\*Service\)\.see|webhook\.\(\*Deliverer\)\.renew|\w+\.(\(\*Service\)\.(Prune|Purge)\w*|(Purge|Erase)\w+))\b`)

// TestPoints walks each way of money once to collect its points, every moment
// before and after a commit or a call outward, and then again for each with a
// kill at it. Started again it goes on: what it has answered stands, every
// withdrawal is on one list and paid once, cards are charged once, webhooks
// come at least once and say the same each time, and the audit is clean.
func TestPoints(t *testing.T) {
	testenv.Long(t, "builds another program, and kills it some 100 times")
	t.Parallel()
	program := buildPoints(t)
	each := 6 // of the points, others each time; where faults are asked for, too, all
	if os.Getenv("GATEWAY_TEST_FAULTS") != "" {
		each = 1
	}
	all := newPassedPlaces(t)
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, each, two := newPointed(t, program), each, strings.HasSuffix(name, byTwo)
			if two {
				p.takesTwo()
				each = 1
			}
			passed := slices.DeleteFunc(p.collect(way), func(point string) bool { return two && !ofTwo.MatchString(point) })
			all.add(passed)
			aimed := slices.Clone(passed)
			if each > 1 { // a few of what may not come again would be no test
				aimed = slices.DeleteFunc(aimed, byTime.MatchString)
			}
			kills, missed := 0, []string(nil)
			for i := rand.IntN(max(1, min(each, len(aimed)))); i < len(aimed); i += each {
				point := aimed[i]
				if p.killAt(point, way) {
					kills++
				} else if !byTime.MatchString(point) {
					missed = append(missed, point)
				}
			}
			p.standsBy()
			t.Logf("%d points, %d kills, %d deaths; not passed again: %q", len(aimed), kills, p.deaths, missed)
			// One place that is not named above, before and after
			// it, may be missed, but not of the few of proposals.
			most := max(kills/10, 2)
			if two {
				most = 0
			}
			testenv.Check(t, kills > 0 && len(missed) <= most, "%d kills, %d points were not passed again: %q", kills, len(missed), missed)
		})
	}
}

// buildPoints builds the program that can be killed at its points, and shows
// that the other one cannot.
func buildPoints(t *testing.T) string {
	const switched = "POINTS_OF_TEST"
	testenv.Check(t, !strings.Contains(string(testenv.Must(os.ReadFile(executable))(t)), switched), "the program has points")
	program := filepath.Join(t.TempDir(), "points.bin")
	noError(t, compile(program, "-tags", "points"))
	return program
}

func newPointed(t *testing.T, program string) *pointed {
	s := fresh(t)
	p := &pointed{t: t, points: openDir(t), list: "0", final: map[string]string{}}
	s.fixed, s.program, s.variables = true, program, map[string]string{"POINTS_OF_TEST": p.points}
	p.instance = s.start(t)
	p.shop, p.processor = newShop(t, ""), newCardProcessor(t, nil)
	p.setProcessor(t, p.processor)
	p.box = p.withdrawing(t, p.first())
	id := p.createDeposit(t, p.box, object{"amount": "20000"}).text("data.id")
	p.operate("OperatorService/ConfirmDeposit", `{"depositId":`+id+`}`)
	testenv.Must(p.pool.Exec(t.Context(), "update rate_limit set calls = 100000 where name = 'link_payments'"))(t)
	p.until("the network is read, from where it is now", func() bool {
		return p.count(p.t, "select count(*) from chain_cursor where network = 'TRC20' and block_hash <> ''") == 1
	})
	return p
}

// takesTwo has whatever an operator moves take another one.
func (p *pointed) takesTwo() {
	p.second = p.newUser(p.t, newUser{login: "second", kind: "operator", role: "admin", state: "whole"})
	noError(p.t, p.stop())
	p.flags = append(p.flags, "-four-eyes", "on", "-four-eyes-above", "1")
	p.start(p.t)
}

// collect goes a way and returns the points that are passed meanwhile.
func (p *pointed) collect(way func(*pointed, string)) (points []string) {
	file := filepath.Join(p.points, "passed")
	noError(p.t, os.Remove(file))
	way(p, newOrder())
	for line := range strings.Lines(string(testenv.Must(os.ReadFile(file))(p.t))) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasSuffix(line, " .") { // what main itself commits
			points = append(points, line)
		}
	}
	return points
}

// killAt has the program killed at a point of a way, and goes the way to its
// end. It tells whether the point was passed.
func (p *pointed) killAt(point string, way func(*pointed, string)) bool {
	order := filepath.Join(p.points, "kill")
	noError(p.t, errors.Join(os.WriteFile(order+".new", []byte(point), 0o600), os.Rename(order+".new", order)))
	died := p.deaths
	for range 2 {
		way(p, newOrder())
		if _, err := os.Stat(order); err != nil {
			if p.deaths == died { // at the very end of the way
				<-p.ended
			}
			p.revived()
			return true
		}
	}
	_ = os.Remove(order)
	return false
}

// revived starts the program again if it has died. What it had leased is free,
// and its calls to processors are over, as they are after some time.
func (p *pointed) revived() bool {
	select {
	case <-p.ended:
	default:
		return false
	}
	p.deaths++
	p.forgiven = true
	p.pool.Close()
	pool := testenv.Must(pgxpool.New(p.t.Context(), p.DatabaseURL))(p.t)
	defer pool.Close()
	for _, sql := range []string{
		"update webhook_endpoint set leased_until = now()", "update chain_cursor set leased_until = now()",
		"update card_attempt set poll_at = now() where poll_at > now()",
	} {
		testenv.Must(pool.Exec(p.t.Context(), sql))(p.t)
	}
	if err := p.tryStart(); err != nil {
		return p.revived() // killed at its start
	}
	return true
}

// call asks until there is an answer. Whoever asks again because there was none
// may be refused: it was done.
func (p *pointed) call(method, address, body string, headers header) answer {
	p.t.Helper()
	var got answer
	asked := p.deaths
	noError(p.t, testenv.Eventually(func() (err error) {
		if p.revived() {
			return fmt.Errorf("%s: it died", address)
		}
		got, err = trySend(method, address, body, headers)
		return err
	}))
	testenv.Need(p.t, got.status < http.StatusBadRequest || proposedBy(got) != "" || asked != p.deaths &&
		got.status < http.StatusInternalServerError, "%s %s: %s", address, body, got)
	return got
}

func (p *pointed) asks(path, body string) answer {
	p.t.Helper()
	return p.call(http.MethodPost, p.BaseURL+path, body, signed(p.box, body))
}

func (p *pointed) rpc(login, method, body string) answer {
	p.t.Helper()
	return p.call(http.MethodPost, p.BaseURL+"/portal.v1."+method, body, bearer(p.user(p.t, login).Token))
}

// operate has an operator do something, and another one approve it where that
// takes two.
func (p *pointed) operate(method, body string) answer {
	p.t.Helper()
	got := p.rpc("operator", method, body)
	if id := proposedBy(got); id != "" {
		p.decide("ApproveProposal", `{"proposalId":`+id+`}`)
	}
	return got
}

// proposedBy is the id of the proposal that was made instead of what was asked,
// or "".
func proposedBy(got answer) string {
	for _, id := range []any{got.at("proposal.proposalId"), got.detail().at("proposalId")} {
		if id != nil {
			return fmt.Sprint(id)
		}
	}
	return ""
}

func (p *pointed) decide(method, body string) {
	p.t.Helper()
	p.call(http.MethodPost, p.BaseURL+"/portal.v1.OperatorService/"+method, body, bearer(p.second))
}

// until waits until something is so, whatever becomes of the program meanwhile.
func (p *pointed) until(what string, so func() bool) {
	p.t.Helper()
	testenv.Until(p.t, what, func() bool { return !p.revived() && so() })
}

// ends waits until what was made has a status, which it has to keep.
func (p *pointed) ends(path, status string, box sandbox.Cashbox) {
	p.t.Helper()
	var got answer
	p.until(path+" is "+status, func() bool {
		var err error
		got, err = trySend(http.MethodGet, p.BaseURL+path, "", signed(box, ""))
		return err == nil && got.text("data.status") == status
	})
	p.final[path] = box.KeyID + " " + status
}

// told waits for the webhook of an order's completion.
func (p *pointed) told(order string) { p.toldOf(order, "COMPLETED") }

// toldOf waits for the webhook of an order's end. However often one comes, it
// says the same, and no other says it, too.
func (p *pointed) toldOf(order, status string) {
	p.t.Helper()
	p.until(order+" is told to be "+status, func() bool {
		for _, l := range p.shop.events(order) {
			if l.text("data.status") == status {
				return true
			}
		}
		return false
	})
	p.until("the gateway knows that "+order+" was told", func() bool {
		return p.count(p.t, "select count(*) from webhook_event where status = 'pending'") == 0
	})
	said := map[string]string{}
	for _, l := range p.shop.events(order) {
		for _, name := range []string{"eventId", "meta.sequence"} {
			id := name + " " + l.text(name)
			testenv.Check(p.t, said[id] == "" || said[id] == l.raw, "%s of %s: %s, then %s", id, order, said[id], l.raw)
			said[id] = l.raw
		}
	}
}

// standsBy wants every answer kept, each proposal made and decided once, and
// the ledger to hold.
func (p *pointed) standsBy() {
	open := p.count(p.t, "select count(*) from proposal where decision is null")
	twice := p.count(p.t, "select count(*) from (select from proposal group by action, payload having count(*) > 1) twice")
	testenv.Check(p.t, open == 0 && twice == 0, "%d proposals are open, %d were made twice", open, twice)
	for path, was := range p.final {
		keyID, status, _ := strings.Cut(was, " ")
		got := p.call(http.MethodGet, p.BaseURL+path, "", signed(p.instance.box(p.t, keyID), ""))
		testenv.Check(p.t, got.text("data.status") == status, "%s: %s; was %s", path, got, status)
	}
	p.wantAudit(p.t)
}
