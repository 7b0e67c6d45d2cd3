// Package rpc is the Connect side of every service: one file a service, each method a mapping
// between its messages and a room below.
package rpc
