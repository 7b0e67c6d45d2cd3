// Package deposit is the life of a deposit of USDT into a cashbox, from a
// merchant's request to an operator's word, and what a cashbox holds.
package deposit
