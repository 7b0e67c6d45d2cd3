package sandbox

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
)

// banks are three banks for payers of roubles: two whose app opens by a link,
// which the hosted pages of a sandbox answer themselves, and one with only the
// steps.
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

// receiving sets the platform's addresses for deposits. They belong to no
// wallet: what somebody sent there would be lost.
func (s *seeder) receiving(ctx context.Context) error {
	for network, address := range map[string]string{
		"TRC20": "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "ERC20": "0x0000000000000000000000000000000000000000",
	} {
		if err := s.q.ReceivingSet(ctx, db.ReceivingSetParams{Network: network, Address: address}); err != nil {
			return fmt.Errorf("seed receiving address: %w", err)
		}
	}
	return nil
}
