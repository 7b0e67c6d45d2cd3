//go:build !windows

package pgserver

import (
	"strconv"
	"strings"
)

// settings are on the command line, where ALTER SYSTEM cannot override them.
func settings(opts Options, socketDir string) []string {
	pairs := []string{
		"listen_addresses=",
		"unix_socket_directories=" + quoteDir(socketDir),
		"unix_socket_permissions=0700",
		"port=" + port,
		"max_connections=" + strconv.Itoa(opts.MaxConnections),
		"timezone=UTC",
		"log_timezone=UTC",
	}
	pairs = append(pairs, silence...)
	if opts.Ephemeral {
		pairs = append(pairs, hurry...)
	} else {
		pairs = append(pairs, "fsync=on", "shared_buffers=256MB")
	}
	args := make([]string, 0, 2*len(pairs))
	for _, pair := range pairs {
		args = append(args, "-c", pair)
	}
	return args
}

// silence keeps the contents of statements, above all card data, out of the
// server's log. Clients still get every error in full. Terse drops the DETAIL
// that quotes a row.
var silence = []string{
	"log_min_messages=log",
	"log_min_error_statement=panic",
	"log_error_verbosity=terse",
	"log_statement=none",
	"log_min_duration_statement=-1",
	"log_min_duration_sample=-1",
	"log_transaction_sample_rate=0",
	"log_parameter_max_length=0",
	"log_parameter_max_length_on_error=0",
}

// hurry trades durability for speed.
var hurry = []string{
	"fsync=off",
	"synchronous_commit=off",
	"full_page_writes=off",
	"shared_buffers=128MB",
	// A checkpoint may remove a segment while a slot is being made that
	// needs it. Tests make databases, and with them checkpoints, all the
	// time.
	"wal_keep_size=128MB",
}

// quoteDir quotes a path in a setting that is a list.
func quoteDir(path string) string {
	return `"` + strings.ReplaceAll(path, `"`, `""`) + `"`
}
