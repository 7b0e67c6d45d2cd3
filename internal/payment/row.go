package payment

import "gateway.example/internal/db"

// RequisiteHashes are those by which payments are found whose requisite is a phone, card or account.
func (s *Service) RequisiteHashes(value string) [][]byte { return s.config.Requisites.Hashes(value) }

// FromRow is a payment as its row says, for those who read rows of their own choice.
func (s *Service) FromRow(row db.Payment) Payment { return s.fromRow(row) }
