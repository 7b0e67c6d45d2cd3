// Package work lists what waits for operators, by age, and who is working on
// what. It decides nothing: deposits, appeals and the rest are decided by their
// own packages.
package work
