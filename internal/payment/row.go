package payment

import "gateway.example/internal/db"

// RequisiteHashes are the hashes by which payments to a phone, card or account are found.
func (s *Service) RequisiteHashes(value string) [][]byte { return s.config.Requisites.Hashes(value) }

// FromRow converts a row, for packages with queries of their own.
func (s *Service) FromRow(row db.Payment) Payment { return s.fromRow(row) }
