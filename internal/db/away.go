package db

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/fault"
)

// ErrUnavailable answers while the database cannot be reached.
var ErrUnavailable = &fault.Error{
	Kind: fault.Unavailable, Code: "unavailable", Message: "The service is unavailable for a moment; repeat the call.",
	RetryAfter: time.Second,
}

// Fault is what callers are told of an error of the driver's, or nil where it is none that passes.
// The rooms pass the driver's errors on, and the edge asks for their meaning.
func Fault(err error) *fault.Error {
	switch {
	case isAway(err):
		return ErrUnavailable
	case IsLockTimeout(err), hasCode(err, codeQueryCanceled):
		return fault.ErrBusy
	}
	return nil
}

// isAway reports whether err says that the database could not be reached, that it ended the
// connection, that its answer did not come in time, or that it has no room for what was to be written.
func isAway(err error) bool {
	return errors.As(err, new(*pgconn.ConnectError)) || isBroken(err) || pgconn.Timeout(err) ||
		hasCode(err, codeDiskFull)
}

const (
	// classConnection are the codes of broken connections; the pooler in front of a database uses
	// them too.
	classConnection        = "08"
	codeTooManyConnections = "53300"
	codeDiskFull           = "53100"
)

// isBroken reports whether err says that a connection broke while it was in use.
func isBroken(err error) bool {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		// FATAL and PANIC end the connection: the server shuts down or recovers, or an
		// administrator ended the session.
		return answer.SeverityUnlocalized == "FATAL" || answer.SeverityUnlocalized == "PANIC" ||
			answer.Code == codeTooManyConnections || strings.HasPrefix(answer.Code, classConnection)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // the driver closes the connection of a call that was given up
	}
	return errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(*net.OpError))
}

// begin begins a transaction, on another connection where the first broke: nothing has been done on
// it yet.
func begin(ctx context.Context, b Beginner) (pgx.Tx, error) {
	tx, err := b.Begin(ctx)
	if isBroken(err) {
		tx, err = b.Begin(ctx)
	}
	return tx, err
}

// isAlive tells the pool whether a connection may be handed out. A server that has gone left word
// in the socket: its farewell, or the end of the stream. The pool replaces such a connection before
// any statement is lost on it.
func isAlive(_ context.Context, conn *pgx.Conn) (bool, error) {
	socket := conn.PgConn().Conn()
	if wrapped, ok := socket.(interface{ NetConn() net.Conn }); ok { // TLS
		socket = wrapped.NetConn()
	}
	return isSilent(socket), nil
}
