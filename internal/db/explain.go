package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Explain tells the operator what an error means and what to do, without the
// driver's text and codes. For other errors it returns their text.
func Explain(err error) string {
	var failed *pgconn.ConnectError
	var answer *pgconn.PgError
	if !errors.As(err, &failed) {
		if errors.As(err, &answer) {
			return strings.ReplaceAll(err.Error(), answer.Error(), "the database answers: "+answer.Message)
		}
		return err.Error()
	}
	text := explainConnect(failed)
	if errors.Is(err, ErrNoGateway) {
		return ErrNoGateway.Error() + ": " + text
	}
	return text
}

// explainConnect says why connecting failed. Most often DATABASE_URL is wrong.
func explainConnect(failed *pgconn.ConnectError) string {
	host := net.JoinHostPort(failed.Config.Host, fmt.Sprint(failed.Config.Port))
	var answer *pgconn.PgError
	var unknown *net.DNSError
	var network *net.OpError
	switch {
	case errors.As(failed, &answer):
		return explainRefusal(answer, failed.Config, host)
	case errors.As(failed, &unknown) && unknown.IsNotFound:
		return fmt.Sprintf("the host %q of the database is not known: correct DATABASE_URL", failed.Config.Host)
	case errors.Is(failed, context.DeadlineExceeded), errors.Is(failed, os.ErrDeadlineExceeded):
		return fmt.Sprintf("the database at %s does not answer: check the host in DATABASE_URL, and firewalls", host)
	case errors.As(failed, &network) && network.Op == "dial":
		return fmt.Sprintf("nothing answers at %s: start PostgreSQL there, or correct DATABASE_URL", host)
	}
	return fmt.Sprintf("what answers at %s is no PostgreSQL, or has another idea of TLS: "+
		"check the port, sslmode and sslrootcert in DATABASE_URL", host)
}

// explainRefusal says why the server refused a connection.
func explainRefusal(answer *pgconn.PgError, config *pgconn.Config, host string) string {
	switch answer.Code {
	case "28P01", "28000":
		return fmt.Sprintf(
			"the database at %s refuses the user %q: check user and password in DATABASE_URL, and pg_hba.conf",
			host,
			config.User,
		)
	case "3D000":
		return fmt.Sprintf("the server at %s has no database %q: create it, or correct DATABASE_URL", host, config.Database)
	case codeTooManyConnections:
		return fmt.Sprintf("the database at %s has no free connection: raise its max_connections, or lower -db-connections", host)
	case "08P01":
		return fmt.Sprintf("what answers at %s is a pooler such as PgBouncer, which takes no settings of connections: "+
			"put the address of PostgreSQL itself into DATABASE_URL", host)
	case "57P03":
		return fmt.Sprintf("the database at %s is starting or stopping: try again in a moment", host)
	}
	return fmt.Sprintf("the database at %s takes no connection: %s", host, answer.Message)
}
