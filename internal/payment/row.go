package payment

import "gateway.example/internal/db"

// FromRow is a payment as its row says, for those who read rows of their own choice.
func (s *Service) FromRow(row db.Payment) Payment { return s.fromRow(row) }
