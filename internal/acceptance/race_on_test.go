//go:build race

package acceptance

// raceDetector says whether the tests were built with the race detector; the program is then built
// with it, too.
const raceDetector = true
