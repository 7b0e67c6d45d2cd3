// Package history checks what clients saw. Calls are recorded with their begin
// and end while something breaks; afterwards porcupine looks for an order of
// all calls, one after the other, that explains every answer, and the logs of
// events are compared with what they promise. Only tests use it.
package history
