package portal

import (
	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Arrival is a transfer with what the reader may know of it.
func (v *Visit) Arrival(a payment.Arrival) view.Arrival {
	row := view.Arrival{
		ID: a.ID, Amount: v.Amount(a.Amount, a.Currency), CameAt: a.CameAt, Payer: a.Payer, Note: a.Note,
		State: say.ArrivalState(string(a.State)),
	}
	if a.MessageID != nil {
		row.Message = v.Say(say.ByMessage, *a.MessageID)
	}
	if a.PayoutUUID != nil && (v.Who.Kind != caller.Trader || a.State == payment.ArrivalReturned) {
		row.Payout = view.Link(v.PayoutPath(a.PayoutUUID.String()))
	}
	return row
}

// Fitting shows the free transfers that may belong to this payment. Traders and
// operators can attach them to it.
func (v *Visit) Fitting(p payment.Payment, list []payment.Arrival) view.Fitting {
	shown := view.Fitting{
		Action: v.PaymentPath(p.ID) + "/attach", Token: submission.NewToken(),
		May: v.May(caller.TraderWork) || v.May(caller.OperatorCases),
	}
	for _, a := range list {
		row := v.Arrival(a)
		if row.Off = !a.Amount.Equal(p.Missing()); row.Off {
			row.State = say.ArrivalOff
		}
		shown.Items = append(shown.Items, row)
	}
	return shown
}
