// Package chain watches transfers of USDT on the networks by which they come
// and go. It knows which addresses are the platform's and what moved to and
// from them, and nothing of deposits, withdrawals or the ledger.
package chain
