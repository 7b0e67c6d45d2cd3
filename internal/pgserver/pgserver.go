//go:build !windows

// Package pgserver runs the PostgreSQL server that the program manages for itself when no
// DATABASE_URL names one. It finds or fetches the binaries, keeps the data across starts, and
// leaves no server behind however the program ends.
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
	// superuser owns the cluster; the socket's directory is what keeps others out.
	superuser = "postgres"
	// port only names the socket's file: the server listens on no network address.
	port = "5432"
	// stopPatience is how long Stop waits for a fast shutdown when its context sets no end.
	stopPatience = 30 * time.Second
	// quitPatience exceeds the 5 s after which PostgreSQL itself kills children that ignore
	// SIGQUIT.
	quitPatience = 10 * time.Second
)

// ErrNoData says that a directory holds no data of the PostgreSQL that would run on it.
var ErrNoData = errors.New("pgserver: there is no data of this PostgreSQL")

// Options says where the server lives and how careful it is.
type Options struct {
	// Dir holds data, socket, log and locks, and is made if missing. Required.
	Dir string
	// Ephemeral gives up durability (no fsync) for speed: for tests, whose data may die with the
	// machine.
	Ephemeral bool
	// Existing has Start fail with ErrNoData instead of making a new, empty cluster.
	Existing bool
	// MaxConnections defaults to 200, or 500 when Ephemeral.
	MaxConnections int
	// Log hears of slow or surprising steps. Default: silence.
	Log *slog.Logger
	// Tell hears what is done now, in words for whoever waits for it. Default: silence.
	Tell func(format string, args ...any)

	// Seams for tests: where to look for binaries, what to do without any, whether namespaces are
	// allowed.
	searchDirs      []string
	fetch           fetchFunc
	forbidNamespace bool
}

// withDefaults fills what the caller left out; paths become absolute because the server changes its
// directory.
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
}

// Start brings up a private PostgreSQL under opts.Dir and returns once it takes connections. ctx
// bounds the start alone; a server that is up ends with Stop or with this process, even by SIGKILL
// (Linux). Errors: ErrInUse when another program holds the directory, ErrNoBinary when there is no
// PostgreSQL to run, ErrNoData when there is none and none is to be made.
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

// startLocked takes the directory's locks and keeps them for the server's life.
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

// startHeld prepares data, socket and log, and launches the server, under locks already held.
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

// site is everything a launch needs to know about the place it happens in.
type site struct {
	opts Options
	who  identity
	inst install
	held locks
	log  *os.File
}

// launchIn makes the cluster if there is none and runs the server on it until ready.
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
	return &Server{proc: proc, socketDir: sock.path}, nil
}

// URL is the connection string of one database, for pgx, over the unix socket. A new cluster has
// the database "postgres"; others are the caller's to create. The user is the superuser.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database}
	query := url.Values{"host": {s.socketDir}, "port": {port}}.Encode()
	u.RawQuery = strings.ReplaceAll(query, "+", "%20") // as in libpq, a plus is no space
	return u.String()
}

// Stop shuts the server down: SIGINT, then SIGQUIT when ctx ends first (or, ctx having no end,
// after 30 s). Either way the data is safe. A second call, or one after the server died, does no
// harm.
func (s *Server) Stop(ctx context.Context) error {
	return s.proc.stop(ctx)
}

// Done is closed once the server is gone, whether stopped or dead.
func (s *Server) Done() <-chan struct{} {
	return s.proc.done
}

// Err says why the server is gone: nil while it runs and after Stop, else the cause and the last
// lines of its log.
func (s *Server) Err() error {
	select {
	case <-s.proc.done:
		return s.proc.err
	default:
		return nil
	}
}
