// Package seal seals the days of the ledger: each has a page with the root of a
// hash tree over its transfers, signed and chained to the page of the day
// before. It also makes and verifies proofs that a transfer is on a page, which
// show only what their reader may see. docs/ledger-proof.md describes the
// formats for people who write their own verifier.
package seal
