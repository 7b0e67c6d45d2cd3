package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// modelStep is one step of a walk, as plain data: what its numbers mean is
// settled when it is played, modulo whatever exists by then. So any part of a
// list of steps is a list of steps too, which is what lets a failing one be
// shrunk.
type modelStep struct {
	// id numbers the steps of a walk from 1, and keeps its number when
	// others are dropped.
	id int
	op string
	// ref is the step that made the payment, or asked for the one, that
	// this step is about: noted when the step is first played, so that it
	// means the same payment when others are dropped.
	ref int
	n   [6]int
	// injury is 0 or what goes wrong while the step runs, and at the
	// how-manieth statement.
	injury, at int
}

type modelOp struct {
	op     string
	weight int
	// injured steps run transactions of the service, which may be aborted
	// in the middle.
	injured bool
	play    func(*modelWalk, modelStep)
}

// about plays a step that is about one of the records there are; where there is
// none yet nothing happens.
func about[T comparable](
	some func(*modelWalk, modelStep) T, play func(*modelWalk, modelStep, T),
) func(*modelWalk, modelStep) {
	return func(w *modelWalk, s modelStep) {
		var none T
		if record := some(w, s); record != none {
			play(w, s, record)
		}
	}
}

// those are the records of a list that are wanted.
func those[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(r T) bool { return !wanted(r) })
}

// some picks a record for a step to be about, by preference one that is wanted;
// none where there is none yet.
func some[T modelKept](
	list func(*gatewayModel) []T, wanted func(*modelWalk, modelStep, T) bool,
) func(*modelWalk, modelStep) T {
	return func(w *modelWalk, s modelStep) T {
		return pickRecord(w, s.n[0], list(w.model), func(r T) bool { return wanted(w, s, r) })
	}
}

// in picks a record, by preference one in one of these statuses.
func in[T interface {
	modelKept
	history() *modelHistory
}](list func(*gatewayModel) []T, statuses ...string) func(*modelWalk, modelStep) T {
	return some(list, func(_ *modelWalk, _ modelStep, r T) bool { return slices.Contains(statuses, r.history().status) })
}

func payments(m *gatewayModel) []*modelPayment { return m.payments }
func payouts(m *gatewayModel) []*modelPayout   { return m.payouts }
func deposits(m *gatewayModel) []*modelDeposit { return m.deposits }
func leaves(m *gatewayModel) []*modelLeave     { return m.leaves }
func appeals(m *gatewayModel) []*modelAppeal   { return m.appeals }
func moneys(m *gatewayModel) []*modelMoney     { return m.moneys }

// Whom steps are about, by preference.
var (
	anyPayment = some(payments, func(*modelWalk, modelStep, *modelPayment) bool { return true })
	// Now and then one whose window for an appeal is over.
	failedPayment = some(payments, func(w *modelWalk, s modelStep, p *modelPayment) bool {
		return p.status == "failed" && p.appeal == nil && (s.n[1]%6 == 0) == (w.model.refuseAppeal(p) != "")
	})
	claimablePayment = some(payments, func(_ *modelWalk, s modelStep, p *modelPayment) bool {
		if s.n[1]%4 == 0 {
			return p.claimed != nil
		}
		return p.status == "pending" && p.checkout == nil && p.claimed == nil
	})
	openCase = some(payments, func(_ *modelWalk, s modelStep, p *modelPayment) bool { return s.n[1]%5 == 0 || p.isCase() })
	// They wait for a transfer, and a message can confirm it.
	payablePayment = some(payments, func(_ *modelWalk, _ modelStep, p *modelPayment) bool {
		return p.status == "pending" && p.checkout == nil
	})
	tellablePayment = some(payments, func(w *modelWalk, _ modelStep, p *modelPayment) bool {
		return p.status == "pending" && p.checkout == nil && p.currency == "RUB" && p.created.Before(w.model.now) &&
			!w.model.now.After(p.expires) && p.missing() <= modelMost
	})
	freeMoney        = some(moneys, func(_ *modelWalk, _ modelStep, a *modelMoney) bool { return a.state == "free" })
	waitingPayout    = in(payouts, "waiting")
	processingPayout = in(payouts, "processing")
	openPayout       = in(payouts, "waiting", "processing")
	overduePayout    = some(payouts, func(w *modelWalk, _ modelStep, p *modelPayout) bool { return w.overdue(p) })
	pendingDeposit   = in(deposits, "pending")
	waitingForCard   = checkoutIn(phaseDetails)
	openCheckout     = checkoutThat(func(w *modelWalk, p *modelPayment) bool { return !p.closed(w.model.now) })
	begunCheckout    = checkoutThat(func(_ *modelWalk, p *modelPayment) bool { return p.checkout.last() != nil })
	requestedLeave   = in(leaves, "requested")
	approvedLeave    = in(leaves, "requested", "approved")
	handedLeave      = in(leaves, "handed_over")
	undecidedCharge  = checkoutThat(func(w *modelWalk, p *modelPayment) bool { return len(w.undecided(p)) > 0 })
	duelledCharge    = checkoutThat(func(w *modelWalk, p *modelPayment) bool {
		last := p.checkout.last()
		return last != nil && (last.status == attemptTakenBack || last.status == attemptUnderWay && len(w.undecided(p)) > 0)
	})
	openAppeal     = in(appeals, "open")
	reviewedAppeal = in(appeals, "in_review")
)

// modelOps are the steps and how often they come.
var modelOps = []modelOp{
	{"create", 300, true, (*modelWalk).create},
	{"repeat", 90, true, (*modelWalk).repeat},
	{"rush", 12, false, (*modelWalk).rush},
	{"move", 190, true, about(anyPayment, (*modelWalk).move)},
	{"confirm", 110, true, about(anyPayment, (*modelWalk).confirm)},
	{"receive", 60, true, about(anyPayment, (*modelWalk).receive)},
	{"keep", 60, false, about(payablePayment, (*modelWalk).keep)},
	{"message", 90, true, about(tellablePayment, (*modelWalk).message)},
	{"vouch", 70, false, (*modelWalk).vouch},
	{"attach", 80, true, about(freeMoney, (*modelWalk).attach)},
	{"decide-case", 40, true, about(openCase, (*modelWalk).decideCase)},
	{"cancel", 55, true, about(anyPayment, (*modelWalk).cancel)},
	{"claim", 60, true, about(claimablePayment, (*modelWalk).claim)},
	{"duel", 12, false, about(anyPayment, (*modelWalk).duel)},
	{"advance", 110, false, (*modelWalk).advance},
	{"expire", 60, true, (*modelWalk).expire},
	{"settle", 22, true, (*modelWalk).settle},
	{"rate", 45, false, (*modelWalk).changeRate},
	{"fund", 55, false, (*modelWalk).topUp},
	{"spend", 20, false, (*modelWalk).spend},
	{"fold", 20, false, (*modelWalk).fold},
	{"prune", 8, false, (*modelWalk).prune},
	{"switch", 26, false, (*modelWalk).flip},
	{"limit", 12, false, (*modelWalk).limit},
	{"payout", 120, true, (*modelWalk).payOut},
	{"payout-again", 30, true, (*modelWalk).payOutAgain},
	{"payout-rush", 16, false, (*modelWalk).rushPayouts},
	{"take", 150, true, about(waitingPayout, (*modelWalk).take)},
	{"take-both", 16, false, about(waitingPayout, (*modelWalk).takeBoth)},
	{"payout-duel", 20, false, about(openPayout, (*modelWalk).duelPayout)},
	{"finish", 75, true, about(processingPayout, (*modelWalk).finish)},
	{"give-back", 20, true, about(processingPayout, (*modelWalk).giveBack)},
	{"reverse", 12, true, about(in(payouts, "completed"), (*modelWalk).reverse)},
	{"withdraw", 24, true, about(waitingPayout, (*modelWalk).withdraw)},
	{"resolve", 18, true, about(overduePayout, (*modelWalk).resolve)},
	{"payout-expire", 24, true, (*modelWalk).expirePayouts},
	{"deposit", 50, true, (*modelWalk).deposit},
	{"deposit-again", 100, true, (*modelWalk).depositAgain},
	{"confirm-deposit", 45, true, about(pendingDeposit, (*modelWalk).confirmDeposit)},
	{"reject-deposit", 12, true, about(pendingDeposit, (*modelWalk).rejectDeposit)},
	{opCome, 40, false, nil},
	{opLeave, 60, false, nil},
	{"send", 30, false, (*modelWalk).send},
	{"watch", 40, true, (*modelWalk).watch},
	{"fork", 14, false, (*modelWalk).fork},
	{"leave", 30, true, (*modelWalk).leave},
	{"leave-again", 20, true, (*modelWalk).leaveAgain},
	{"leave-rush", 8, false, (*modelWalk).rushLeaves},
	{"leave-approve", 24, true, about(requestedLeave, (*modelWalk).approveLeave)},
	{"leave-reject", 8, true, about(approvedLeave, (*modelWalk).rejectLeave)},
	{"leave-cancel", 8, true, about(requestedLeave, (*modelWalk).cancelLeave)},
	{"leave-duel", 10, false, about(requestedLeave, (*modelWalk).duelLeave)},
	{"leave-fail", 16, true, about(handedLeave, (*modelWalk).failLeave)},
	{"hand-over", 30, true, (*modelWalk).handOver},
	{"sign", 24, true, about(handedLeave, (*modelWalk).sign)},
	{"insure", 30, true, about((*modelWalk).someBox, (*modelWalk).insure)},
	{"appeal", 70, true, about(failedPayment, (*modelWalk).appeal)},
	{"appeal-rush", 12, false, about(failedPayment, (*modelWalk).rushAppeals)},
	{"review", 36, true, about(openAppeal, (*modelWalk).review)},
	{"decide", 30, true, about(reviewedAppeal, (*modelWalk).decide)},
	{"decide-both", 12, false, about(reviewedAppeal, (*modelWalk).decideBoth)},
	{opVisit, 130, false, nil},
	{opCase, 30, false, nil},
	{opTold, 40, false, nil},
	{"enter", 30, true, about(waitingForCard, (*modelWalk).enter)},
	{"enter-both", 12, false, about(waitingForCard, (*modelWalk).enterBoth)},
	{"enter-late", 12, false, about(waitingForCard, (*modelWalk).enterLate)},
	{"code", 36, true, about(someCoded, (*modelWalk).giveCode)},
	{"payer-cancel", 10, true, about(openCheckout, (*modelWalk).payerCancel)},
	{"look", 10, false, about(begunCheckout, (*modelWalk).look)},
	{"request-code", 12, true, about(someDeskPayment, (*modelWalk).requestCode)},
	{"no-code", 24, true, about(someDeskPayment, (*modelWalk).noCode)},
	{"resend", 16, true, about(someDeskPayment, (*modelWalk).resend)},
	{"trader-resend", 16, true, about(someDeskPayment, (*modelWalk).traderResend)},
	{"payer-resend", 16, true, about(someDeskPayment, (*modelWalk).payerResend)},
	{"bank", 24, false, about(undecidedCharge, (*modelWalk).decideCharge)},
	{"poll", 36, false, (*modelWalk).poll},
	{opPause, 6, false, (*modelWalk).pause},
	{"bank-duel", 80, false, about(duelledCharge, (*modelWalk).duelBank)},
	{"card-duel", 10, false, about(checkoutIn(phaseDetails, phaseCode), (*modelWalk).duelCard)},
	{"restart", 8, false, (*modelWalk).crash},
	{"deliver", 4, false, (*modelWalk).deliver},
}

const (
	// modelRange is what a step's numbers are drawn from: large enough for
	// any modulus to come out even.
	modelRange = 10_000
	// modelStatements is about how many round trips the longest transaction
	// makes.
	modelStatements = 10
	// modelInjured is how many percent of the steps that can be aborted
	// are.
	modelInjured = 12
)

// opVisit is drawn for a payer's visit: a card payment, and the next steps
// about it, mixed with others.
const opVisit = "visit"

// opCase is drawn for a payment of which another amount comes, and what is
// decided about it.
const opCase = "case"

// opTold is drawn for a payment of which a bank writes.
const opTold = "told"

// opCome is drawn for a deposit that comes by the network, and opLeave for a
// withdrawal that goes its way.
const (
	opCome  = "come"
	opLeave = "go"
)

// modelVisits are kinds of visits: the steps after the card, as often as they
// stand here, and which card it is by preference.
var modelVisits = []struct{ pan, ops string }{
	{panPending, `poll poll poll bank bank bank code enter enter request-code no-code resend trader-resend bank-duel
		bank-duel bank-duel bank-duel card-duel move confirm payer-cancel enter-both enter-late`},
	{panCode, "code code code code code code code code bank poll resend request-code"},
	{panPending, "resend payer-resend trader-resend pause pause pause"},
	{panPending, "resend payer-resend payer-resend trader-resend pause pause pause poll"},
	{panPending, "bank-duel bank-duel bank-duel card-duel"},
	{panCode, "code code look"},
	{panDeclined, "enter enter enter enter poll payer-resend confirm look"},
	{panExpired, "enter enter enter enter poll move"},
	{panNoFunds, "enter enter enter enter poll payer-cancel"},
}

// opPause lets the time pass after which a code may be asked for again.
const opPause = "pause"

// modelSteps draws a walk from its seed.
func modelSteps(seed uint64, count int) []modelStep {
	random := rand.New(rand.NewPCG(seed, 0))
	steps := make([]modelStep, 0, count)
	var visit []modelStep
	for id := 1; id <= count; id++ {
		s := drawModelStep(random)
		switch {
		case len(visit) > 0 && random.IntN(3) > 0:
			s, visit = visit[0], visit[1:]
		case s.op == opVisit:
			s.op, s.n[1], s.n[2] = "create", cardCounter(s.n[1]), s.n[2]%7 // what most traders can put up
			visit = append(visit, drawModelVisit(random, id)...)
		case s.op == opCase:
			s.op, s.n[1], s.n[2] = "create", caseCounter(s.n[1]), s.n[2]%7
			visit = append(visit, drawModelCase(random, id)...)
		case s.op == opTold:
			s.op, s.n[1], s.n[2] = "create", caseCounter(s.n[1]), s.n[2]%7
			visit = append(visit, drawModelTold(random, id)...)
		case s.op == opCome:
			s.op, s.n[1], s.n[2], s.n[4] = "deposit", s.n[1]%2, 6, 1 // by its own cashbox, to the platform's address
			visit = append(visit, drawModelWay(random, id, "send watch fork watch watch")...)
		case s.op == opLeave:
			s.op, s.n[2] = "leave", s.n[2]%3 // little enough for most
			visit = append(visit, drawModelWay(random, id, "leave-approve hand-over sign watch leave-fail watch watch")...)
		}
		s.id = id
		steps = append(steps, s)
	}
	return steps
}

// drawModelVisit draws what follows on the step that makes a card payment.
func drawModelVisit(random *rand.Rand, maker int) []modelStep {
	kind := pickModel(modelVisits, random.IntN(modelRange))
	card := []string{"enter", "enter", "enter", "enter", "enter", "enter-late"}
	steps := []modelStep{drawOp(random, pickModel(card, random.IntN(modelRange)))}
	if random.IntN(2) == 0 {
		steps[0].n[1] = slices.Index(modelPANs, kind.pan)
	}
	for range 5 + random.IntN(8) {
		s := drawOp(random, pickModel(strings.Fields(kind.ops), random.IntN(modelRange)))
		if pansDeclined[kind.pan] != "" && s.op == "enter" && random.IntN(4) > 0 {
			s.n[1] = slices.Index(modelPANs, kind.pan)
		}
		steps = append(steps, s)
	}
	for i := range steps {
		steps[i].ref = maker
	}
	return steps
}

// drawModelCase draws what follows on the step that makes a payment: its trader
// says that another amount came, somebody decides, and what may have to be
// returned is sent, or not.
func drawModelCase(random *rand.Rand, maker int) []modelStep {
	came, decided := drawOp(random, "receive"), drawOp(random, "decide-case")
	came.n[1], came.n[3] = 1, 4 // the payment's own trader, any amount
	came.ref, decided.ref = maker, maker
	if random.IntN(2) == 0 {
		decided.n[2] = 2 // returned
	}
	if random.IntN(3) == 0 { // it comes as money of no payment, and the application may decide
		kept, attached, moved := drawOp(random, "keep"), drawOp(random, "attach"), drawOp(random, "move")
		kept.n[2], attached.n[0], attached.n[1] = 0, 4, 1 // any amount, the newest money, the payment it is meant for
		kept.ref, moved.ref = maker, maker
		moved.n[1] = 1 // completed
		return []modelStep{kept, attached, pickModel([]modelStep{decided, moved}, random.IntN(2)), drawOp(random, "move")}
	}
	return []modelStep{came, decided, drawOp(random, pickModel([]string{"finish", "finish", "give-back", "reverse"}, random.IntN(modelRange)))}
}

// drawModelTold draws what follows on the step that makes a payment: its
// trader's phone tells that it has come, after the phone's balance was vouched
// for or not, once more, and sometimes when the application has set it back.
func drawModelTold(random *rand.Rand, maker int) []modelStep {
	pause, told, again := drawOp(random, opPause), drawOp(random, "message"), drawOp(random, "message")
	told.n[1], told.n[3] = 2, pickModel([]int{2, 6, 6, 6}, random.IntN(modelRange)) // of its own trader, in its amount
	steps := []modelStep{pause, told, again}
	if random.IntN(3) == 0 {
		back, later, once := drawOp(random, "move"), drawOp(random, "advance"), drawOp(random, "message")
		back.n[1], later.n[0] = 0, 1 // pending; five minutes
		once.n[1], once.n[3] = 2, 6
		steps = append(steps, back, later, once)
	}
	for i := range steps {
		if steps[i].op == "message" || steps[i].op == "move" {
			steps[i].ref = maker
		}
	}
	return steps
}

// drawModelWay draws steps about what a step makes, most of those that are
// given.
func drawModelWay(random *rand.Rand, maker int, ops string) (steps []modelStep) {
	for op := range strings.FieldsSeq(ops) {
		if random.IntN(6) > 0 {
			s := drawOp(random, op)
			s.ref = maker
			steps = append(steps, s)
		}
	}
	return steps
}

func drawModelStep(random *rand.Rand) modelStep {
	total := 0
	for _, o := range modelOps {
		total += o.weight
	}
	left := random.IntN(total)
	for _, o := range modelOps {
		if left -= o.weight; left < 0 {
			return drawOp(random, o.op)
		}
	}
	panic("the weights do not add up")
}

func drawOp(random *rand.Rand, op string) modelStep {
	s := modelStep{op: op}
	for i := range s.n {
		s.n[i] = random.IntN(modelRange)
	}
	i := slices.IndexFunc(modelOps, func(o modelOp) bool { return o.op == op })
	if modelOps[i].injured && random.IntN(100) < modelInjured {
		s.injury, s.at = 1+random.IntN(injuries), 1+random.IntN(modelStatements)
		if op == "enter" || op == "code" || op == "watch" { // several transactions, with what others answer between them
			s.at += random.IntN(2 * modelStatements)
		}
	}
	return s
}

// String writes the step so that parseModelSteps reads it again.
func (s modelStep) String() string {
	n := s.n
	return fmt.Sprintf("%d %s %d %d %d %d %d %d %d %d %d", s.id, s.op, s.ref,
		n[0], n[1], n[2], n[3], n[4], n[5], s.injury, s.at)
}

func formatModelSteps(steps []modelStep) string {
	texts := make([]string, 0, len(steps))
	for _, s := range steps {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, "; ")
}

func parseModelSteps(text string) (steps []modelStep, err error) {
	for line := range strings.SplitSeq(text, ";") {
		var s modelStep
		n := &s.n
		_, err := fmt.Sscan(line, &s.id, &s.op, &s.ref, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &s.injury, &s.at)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", line, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}
