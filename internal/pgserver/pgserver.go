//go:build !windows

// Package pgserver runs a PostgreSQL server of the program's own if
// DATABASE_URL names none. It finds or fetches the binaries and keeps the data
// between starts. However the program ends, the server ends too.
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// superuser owns the cluster. Access is restricted by the directory of
	// the socket.
	superuser = "postgres"
	// port is only part of the socket's name: the server does not listen on
	// a network.
	port = "5432"
	// stopPatience is how long Stop waits for a fast shutdown if its
	// context has no end.
	stopPatience = 30 * time.Second
	// quitPatience is longer than the 5 s after which PostgreSQL kills
	// children that ignore SIGQUIT.
	quitPatience = 10 * time.Second
)

// ErrNoData says that a directory has no data for the PostgreSQL that would
// run.
var ErrNoData = errors.New("pgserver: there is no data of this PostgreSQL")

// ErrEnded says that a server ended by itself, for example on data that it
// cannot recover.
var ErrEnded = errors.New("pgserver: PostgreSQL ended by itself")

// Options configures the server.
type Options struct {
	// Dir holds data, socket, log and locks. It is created if it does not
	// exist. Required.
	Dir string
	// Ephemeral gives up durability (no fsync) for speed, for tests.
	Ephemeral bool
	// Existing makes Start fail with ErrNoData instead of making a new
	// cluster.
	Existing bool
	// MaxConnections defaults to 200, or 500 when Ephemeral.
	MaxConnections int
	// Log gets slow or surprising steps. Default: none.
	Log *slog.Logger
	// Tell gets what is being done, in words for somebody who waits.
	// Default: none.
	Tell func(format string, args ...any)

	// For tests: where to search, how to fetch, whether namespaces may be
	// used.
	searchDirs      []string
	fetch           fetchFunc
	forbidNamespace bool
}

// withDefaults sets defaults. Paths become absolute because the server changes
// its directory.
func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("pgserver: no directory given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("pgserver: %w", err)
	}
	o.Dir = dir
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Tell == nil {
		o.Tell = func(string, ...any) {}
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 200
		if o.Ephemeral {
			o.MaxConnections = 500
		}
	}
	if o.fetch == nil {
		o.fetch = fetchFromRepository("")
	}
	return o, nil
}

// Server is a running PostgreSQL. Its methods may be called from any goroutine.
type Server struct {
	proc *process
	// socketDir is where clients connect.
	socketDir string
	// bin is where its programs are.
	bin string
}

// Program is the path of one of PostgreSQL's own programs that came with the
// server.
func (s *Server) Program(name string) string { return filepath.Join(s.bin, name) }

// Start starts a private PostgreSQL in opts.Dir and returns when it accepts
// connections. ctx limits only the start. The server ends with Stop or with
// this process, even after SIGKILL (on Linux). Errors: ErrInUse if another
// program uses the directory, ErrNoBinary without a PostgreSQL, ErrNoData if
// there are no data and Existing is set.
func Start(ctx context.Context, opts Options) (*Server, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if opts.Existing && len(dataMajors(opts.Dir)) == 0 {
		return nil, ErrNoData
	}
	who, err := chooseIdentity(ctx, opts.forbidNamespace)
	if err != nil {
		return nil, err
	}
	inst, err := chooseInstall(ctx, opts, who)
	if err != nil {
		return nil, err
	}
	if err := makeDir(opts.Dir, who); err != nil {
		return nil, err
	}
	if err := who.reach(ctx, inst, opts.Dir); err != nil {
		return nil, err
	}
	return startLocked(ctx, opts, who, inst)
}

// startLocked takes the directory's locks and keeps them as long as the server
// lives.
func startLocked(ctx context.Context, opts Options, who identity, inst install) (*Server, error) {
	held, err := lockDir(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	srv, err := startHeld(ctx, opts, who, inst, held)
	if err != nil {
		held.release()
		return nil, err
	}
	return srv, nil
}

// startHeld prepares data, socket and log, and starts the server, with the
// locks held.
func startHeld(ctx context.Context, opts Options, who identity, inst install, held locks) (*Server, error) {
	logFile, err := openLog(opts.Dir)
	if err != nil {
		return nil, err
	}
	srv, err := launchIn(ctx, site{opts: opts, who: who, inst: inst, held: held, log: logFile})
	if err != nil {
		_ = logFile.Close()
		return nil, err
	}
	return srv, nil
}

// site is what starting needs to know about the directory.
type site struct {
	opts Options
	who  identity
	inst install
	held locks
	log  *os.File
}

// launchIn makes the cluster if there is none, starts the server and waits
// until it is ready.
func launchIn(ctx context.Context, at site) (*Server, error) {
	data, err := prepareData(ctx, at)
	if err != nil {
		return nil, err
	}
	sock, err := makeSocketDir(at.opts.Dir, at.who)
	if err != nil {
		return nil, err
	}
	at.opts.Tell("Starting PostgreSQL %d of %s.", at.inst.major, at.inst.bin)
	proc, err := launch(at, data, sock)
	if err != nil {
		sock.remove()
		return nil, err
	}
	if err := proc.awaitReady(ctx, data); err != nil {
		return nil, errors.Join(err, proc.stop(context.WithoutCancel(ctx)))
	}
	return &Server{proc: proc, socketDir: sock.path, bin: at.inst.bin}, nil
}

// URL is the connection string for pgx of one database, over the unix socket. A
// new cluster has the database "postgres"; the caller creates others. The user
// is the superuser.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database}
	query := url.Values{"host": {s.socketDir}, "port": {port}}.Encode()
	u.RawQuery = strings.ReplaceAll(query, "+", "%20") // as in libpq, a plus is no space
	return u.String()
}

// Stop shuts the server down with SIGINT, and with SIGQUIT when ctx ends (or
// after 30 s if it has no end). The data are safe either way. It may be called
// again, and after the server died.
func (s *Server) Stop(ctx context.Context) error {
	return s.proc.stop(ctx)
}

// Done is closed when the server has stopped or died.
func (s *Server) Done() <-chan struct{} {
	return s.proc.done
}

// Err says why the server is gone, with the end of its log; nil while it runs
// and after Stop.
func (s *Server) Err() error {
	select {
	case <-s.proc.done:
		return s.proc.err
	default:
		return nil
	}
}
