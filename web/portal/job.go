package portal

import (
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Job is a payment as the desk shows it.
func (v *Visit) Job(p checkout.DeskPayment) view.Job {
	job := view.Job{
		ID: p.ID, Seen: SeenOf(p.Payment), Amount: v.Amount(p.Expected(), p.Currency), Method: p.Method, Requisite: v.RequisiteOf(p.Payment),
		ExpiresAt: p.ExpiresAt, ClaimedAt: p.ClaimStands(), Receipts: p.Receipts, Fits: p.Fits,
	}
	if p.CardCheckout() {
		job.Phase = say.PhaseOf(string(p.Phase))
		if p.Card != nil {
			job.Card = p.Card.Last4
		}
	}
	if v.Who.May(caller.TraderWork) {
		for _, step := range p.Steps {
			job.Steps = append(job.Steps, view.StepOf(p.ID, string(step)))
		}
	}
	return job
}

// SeenOf is how a payment stands, as the form of its trader says it: what was
// said of the whole amount is not said of the rest of it.
func SeenOf(p payment.Payment) string { return string(p.Status) + " " + money.Fiat(p.Expected()) }

// RequisiteOf is a payment's requisite, as far as its trader knows it.
func (v *Visit) RequisiteOf(p payment.Payment) view.Requisite {
	var r view.Requisite
	for to, from := range map[*string]*string{&r.Value: p.RequisiteFor(v.Who), &r.Bank: p.RequisiteBank, &r.Holder: p.RequisiteHolder} {
		if from != nil {
			*to = *from
		}
	}
	return r
}

// Offer is a payout as a trader sees it.
func (v *Visit) Offer(o payout.Offer) view.Offer {
	shown := view.Offer{
		ID:        o.UUID.String(),
		Path:      v.PayoutPath(o.UUID.String()),
		Amount:    v.Amount(o.Amount, o.Currency),
		Method:    o.Method,
		Address:   o.Address,
		Recipient: o.Recipient,
		Reward:    v.USDT(o.RewardUSDT),
		Earns:     v.Shell.Short(o.RewardUSDT) + "\u00a0USDT",
		Status:    string(o.Status),
		ExpiresAt: o.ExpiresAt,
		MayWork:   v.Who.May(caller.TraderWork),
	}
	if bank := o.Bank(); bank != nil {
		shown.Bank = *bank
	}
	if o.ReturnOf != nil {
		shown.Returns = v.Say(say.ReasonOf("returned"))
	}
	return shown
}

// ReceiptShown is a file of a payment with its address.
func (v *Visit) ReceiptShown(id int64, file payment.Receipt) view.Receipt {
	return view.Receipt{
		Number: file.Number, Name: file.Name, About: v.Say(say.FileType(file.Type)) + ", " + Size(file.Size),
		SentAt: file.CreatedAt, Download: view.Link(fmt.Sprintf("%s/receipts/%d", v.PaymentPath(id), file.Number)),
	}
}
