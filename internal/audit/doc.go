// Package audit proves the ledger's invariants from what is stored. Its queries
// are its own: it shares none with the code that writes, so that a mistake
// there is not repeated here.
package audit
