package session

import "time"

// Costly are the program's parameters of the hashes of passwords. The tests'
// hundreds of hashes are made with others: with these they would take longer
// than all else.
var Costly = *passwordParams

func init() { passwordParams.Memory, passwordParams.Iterations = 64, 1 }

// At sets the service's clock.
func (s *Service) At(now func() time.Time) { s.now = now }
