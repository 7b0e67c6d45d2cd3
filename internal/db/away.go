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

// ErrUnavailable is returned while the database cannot be reached.
var ErrUnavailable = &fault.Error{
	Kind: fault.Unavailable, Code: "unavailable", Message: "The service is unavailable for a moment; repeat the call.",
	RetryAfter: time.Second,
}

// Fault is the fault that callers see for a driver's error, or nil if the error
// is not temporary. Services return the driver's errors unchanged, and the edge
// calls this.
func Fault(err error) *fault.Error {
	switch {
	case isAway(err):
		return ErrUnavailable
	case IsLockTimeout(err), hasCode(err, codeQueryCanceled):
		return fault.ErrBusy
	}
	return nil
}

// isAway reports whether the error says that the database cannot be reached,
// closed the connection, did not answer in time, or has no space left.
func isAway(err error) bool {
	return errors.As(err, new(*pgconn.ConnectError)) || isBroken(err) || pgconn.Timeout(err) ||
		hasCode(err, codeDiskFull)
}

const (
	// classConnection is the class of codes for broken connections. Poolers
	// use it too.
	classConnection        = "08"
	codeTooManyConnections = "53300"
	codeDiskFull           = "53100"
)

// isBroken reports whether the error says that a connection broke during its
// use.
func isBroken(err error) bool {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		// FATAL and PANIC end the connection: the server shuts down or
		// recovers, or an administrator ended the session.
		return answer.SeverityUnlocalized == "FATAL" || answer.SeverityUnlocalized == "PANIC" ||
			answer.Code == codeTooManyConnections || strings.HasPrefix(answer.Code, classConnection)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // the driver closes the connection of a cancelled call
	}
	return errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(*net.OpError))
}

// begin begins a transaction. If the connection is broken it uses another one,
// since nothing has been done yet.
func begin(ctx context.Context, b Beginner) (pgx.Tx, error) {
	tx, err := b.Begin(ctx)
	if isBroken(err) {
		tx, err = b.Begin(ctx)
	}
	return tx, err
}

// isAlive tells the pool whether a connection may be used. A server that has
// ended leaves a message or the end of the stream in the socket. The pool then
// replaces the connection before a statement is lost on it.
func isAlive(_ context.Context, conn *pgx.Conn) (bool, error) {
	socket := conn.PgConn().Conn()
	if wrapped, ok := socket.(interface{ NetConn() net.Conn }); ok { // TLS
		socket = wrapped.NetConn()
	}
	return isSilent(socket), nil
}
