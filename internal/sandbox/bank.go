package sandbox

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
)

// banks are three banks for payers of roubles: two whose app opens by a link, which the hosted pages
// of a sandbox answer themselves, and one with only the steps.
func (s *seeder) banks(ctx context.Context) error {
	const (
		link   = "https://test-bank.example/?to={value}&sum={amount}&name={recipient}"
		source = "https://test-bank.example/"
		steps  = `{"en": "Choose Payments, then By phone number. Enter number and amount, and check the recipient.",
			"ru": "Выберите «Платежи», затем «По номеру телефона». Введите номер и сумму и проверьте получателя."}`
	)
	for _, bank := range []db.BankSetParams{
		{Name: "Test Bank North", Link: link, Steps: []byte("{}")},
		{Name: "Test Bank South", Link: link, Steps: []byte("{}")},
		{Name: "Test Bank with steps", Steps: []byte(steps)},
	} {
		bank.Currency, bank.Methods, bank.Source, bank.Enabled = "RUB", []string{"sbp"}, source, true
		if err := s.q.BankSet(ctx, bank); err != nil {
			return fmt.Errorf("seed bank: %w", err)
		}
	}
	return nil
}
