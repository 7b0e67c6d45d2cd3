// Package pgserver runs a PostgreSQL server of the program's own if
// DATABASE_URL names none. On Windows it does not: the locks, signals and
// sockets that it relies on are those of Unix.
package pgserver

import (
	"context"
	"errors"
	"log/slog"
)

// What Start fails with on other systems.
var (
	ErrNoData   = errors.New("pgserver: there is no data of this PostgreSQL")
	ErrNoBinary = errors.New("pgserver: there is no PostgreSQL to run")
	ErrInUse    = errors.New("directory in use")
	ErrEnded    = errors.New("PostgreSQL ended by itself")
)

var errWindows = errors.New(
	"on Windows the program starts no PostgreSQL of its own: start one, and set DATABASE_URL " +
		"(for a sandbox with the flag -sandbox)",
)

// Options are those of other systems.
type Options struct {
	Dir            string
	Ephemeral      bool
	Existing       bool
	MaxConnections int
	Log            *slog.Logger
	Tell           func(format string, args ...any)
}

// Server is one that runs. There is none here.
type Server struct{}

// Start always fails.
func Start(context.Context, Options) (*Server, error) { return nil, errWindows }

// URL lets programs compile that are built for every system.
func (*Server) URL(string) string { return "" }

// Program lets programs compile that are built for every system.
func (*Server) Program(string) string { return "" }

// Stop lets programs compile that are built for every system.
func (*Server) Stop(context.Context) error { return nil }

// Done lets programs compile that are built for every system.
func (*Server) Done() <-chan struct{} { return nil }

// Err lets programs compile that are built for every system.
func (*Server) Err() error { return nil }
