//go:build !race

package testenv

// Race says whether the tests were built with the race detector.
const Race = false
