// Package deposit implements the life of a deposit of USDT into a cashbox, from
// a merchant's request to an operator's confirmation, and reads what a cashbox
// holds.
package deposit
