// Package rpc serves the contract's API over Connect: one file a service, each
// method a mapping between its messages and a method of a service below. It
// also has what every service needs, those of rpc/portal too: who may call
// what, codecs, errors.
package rpc
