package main

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/edge"
	"gateway.example/internal/requisite"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/tracing"
	"gateway.example/internal/vault"
)

// gateway is the running service with everything it consists of.
type gateway struct {
	config
	log *slog.Logger
	ops *ops
	// tell prints the progress of a sandbox's start.
	tell func(format string, args ...any)
	// Calls, deliveries, background work and status pages have connections
	// of their own, so that none of them uses up those of another.
	pools db.Pools
	// replica is the database from which lists are read; nil if there is
	// none.
	replica *db.Replica
	// group contains all the other pools. beatPool has one connection,
	// which is tested every second.
	group                                                 db.Group
	deliveryPool, workPool, exportPool, opsPool, beatPool db.Pool

	clock clock.Clock
	vault *vault.Vault
	links *auth.Links
	cards *card.Safe
	// requisites seals and opens the phones and cards to which payers send
	// money.
	requisites *requisite.Safe
	// hashKey is the key of the hashes by which sealed values are
	// compared.
	hashKey []byte
	services
	// leaving is set when the gateway begins to stop.
	leaving atomic.Bool
	// polls counts the running rounds of questions to acquirers.
	polls sync.WaitGroup

	// sandboxKey and testClock exist in a sandbox only.
	sandboxKey sandbox.Key
	testClock  *sandbox.Clock
	// introduced is what the sandbox has printed about itself.
	introduced sandbox.Info
	// hooksURL is the URL under which the program reaches its own portals.
	hooksURL string
}

const (
	// The sizes of these pools are fixed. That of the pools for calls is
	// -db-connections.
	deliveryConnections, workConnections, exportConnections, opsConnections, beatConnections = 8, 10, 2, 1, 1
	// drainTimeout is how long accepted requests get to finish.
	drainTimeout = 30 * time.Second
)

// serve runs the gateway until ctx ends, and then finishes what it has
// accepted.
func (e environment) serve(ctx context.Context, args []string) error {
	c, err := parseConfig(args, e.getenv, e.stdout)
	if err != nil {
		return err
	}
	tell := e.steps(c)
	doors, err := openDoors(ctx, &c, tell)
	if err != nil {
		return err
	}
	defer doors.close()
	if err := makeDataDir(&c); err != nil {
		return err
	}
	g := &gateway{config: c, log: edge.NewLogger(e.stderr, slog.LevelInfo), ops: newOps(), tell: tell}
	slog.SetDefault(g.log)
	endTraces, err := tracing.Open(ctx, e.getenv, g.log)
	if err != nil {
		return usageError{err}
	}
	defer endTraces()
	opsServer := edge.NewServer(g.ops.handler())
	go func() { _ = opsServer.Serve(doors.ops) }()
	defer func() { _ = opsServer.Close() }()

	database, err := openDatabase(ctx, c, g.log, tell)
	if err != nil {
		return err
	}
	defer database.close()
	if err := g.open(ctx, database.url); err != nil {
		return err
	}
	defer g.close()
	if err := doors.takeConnections(); err != nil {
		return err
	}
	if err := g.introduce(ctx, e, doors, database.url); err != nil {
		return err
	}
	return g.run(ctx, doors, database.died())
}

// open migrates the database and wires the services together.
func (g *gateway) open(ctx context.Context, url string) error {
	g.tell("Bringing the tables of the database up to date.")
	if err := db.Migrate(ctx, url); err != nil {
		return g.anew(err)
	}
	half := (g.connections + 1) / 2
	for _, p := range []struct {
		pool *db.Pool
		size int
		kind db.Kind
	}{
		{&g.pools.Creations, g.connections, db.ForCreations},
		{&g.pools.Calls, half, db.ForCalls},
		{&g.pools.Reads, half, db.ForReads},
		{&g.deliveryPool, deliveryConnections, db.ForDeliveries},
		{&g.workPool, workConnections, db.ForWork},
		{&g.exportPool, exportConnections, db.ForReads},
		{&g.opsPool, opsConnections, db.ForReads},
		{&g.beatPool, beatConnections, db.ForReads},
	} {
		var err error
		if *p.pool, err = g.group.Open(ctx, url, p.size, p.kind); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{
		g.checkHome, g.openReplica, g.openSecrets, g.openClock, g.checkKeys, g.openSafes, g.wire,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// openReplica opens the standby from which lists are read, if one is set.
func (g *gateway) openReplica(ctx context.Context) (err error) {
	if g.readURL != "" {
		g.replica, err = db.OpenReplica(ctx, g.readURL, (g.connections+1)/2, g.pools.Reads)
	}
	return err
}

// openSecrets reads the keys from the environment. A sandbox uses its own for
// those that are not set.
func (g *gateway) openSecrets(context.Context) error {
	var err error
	if g.sandbox {
		if g.sandboxKey, err = sandbox.LoadKey(g.dataDir); err != nil {
			return err
		}
		g.completeKeys(g.sandboxKey)
		g.externalSecret = g.sandboxKey.ExternalPaymentsSecret()
	}
	if g.vault, err = vault.New(g.vaultKeys...); err != nil {
		return fmt.Errorf("%s: %w", envVaultKeys, err)
	}
	if g.links, err = auth.NewLinks(g.linkKeys...); err != nil {
		return fmt.Errorf("%s: %w", envLinkKeys, err)
	}
	if g.externalSecret == "" {
		g.log.Warn(envExternalSecret + " is not set: payments cannot be created")
	}
	return nil
}

// openSafes reads the key of the hashes of cards and requisites from the
// database, where it stays the same when vault keys change. The first start
// creates it.
func (g *gateway) openSafes(ctx context.Context) error {
	first, err := hkdf.Key(sha256.New, g.vaultKeys[0], nil, "card hashes", sha256.Size)
	if err != nil {
		return fmt.Errorf("derive the key of card hashes: %w", err)
	}
	hashKey, err := card.HashKey(ctx, db.New(g.workPool), g.vault, first)
	if err != nil {
		return err
	}
	g.hashKey = hashKey
	g.cards, g.requisites = card.NewSafe(g.vault, hashKey), requisite.NewSafe(g.vault, hashKey)
	return nil
}

// openClock uses the wall clock. In a sandbox it fills the database and uses
// its test clock.
func (g *gateway) openClock(ctx context.Context) error {
	g.clock = clock.Real{}
	if !g.sandbox {
		return nil
	}
	if _, err := db.New(g.workPool).TestClockGet(ctx); db.NoRows(err) {
		g.tell("Making test merchants, traders and money.")
		if err := g.openSafes(ctx); err != nil {
			return err
		}
	}
	if err := sandbox.Seed(ctx, g.workPool, g.sandboxKey, g.vault, g.requisites); err != nil {
		return err
	}
	var err error
	if g.testClock, err = sandbox.NewClock(ctx, g.workPool); err != nil {
		return err
	}
	g.clock = g.testClock
	return nil
}

func (g *gateway) close() {
	g.replica.Close()
	for _, pool := range []db.Pool{
		g.beatPool, g.opsPool, g.exportPool, g.workPool, g.deliveryPool, g.pools.Reads, g.pools.Calls, g.pools.Creations,
	} {
		if pool != nil {
			pool.Close()
		}
	}
}

// run serves until ctx ends or something indispensable fails. Then it drains:
// first requests and deliveries in progress, then background work.
func (g *gateway) run(ctx context.Context, doors *doors, databaseDied <-chan struct{}) error {
	api, err := g.apiHandler()
	if err != nil {
		return err
	}
	portals, err := g.portalHandler(ctx.Done())
	if err != nil {
		return err
	}
	// Background work goes on after ctx has ended, until everything
	// accepted is finished.
	background, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	delivering, stopDeliveries := context.WithCancel(background)
	defer stopDeliveries()
	var working sync.WaitGroup
	working.Go(func() { g.work(background) })
	if !g.offline {
		working.Go(func() { g.deliverer.Run(delivering) })
		working.Go(func() { g.tellUsers(delivering) })
	}
	working.Go(func() { g.requests.Run(background) })
	if g.testClock != nil {
		working.Go(func() { g.testClock.Follow(background) })
	}
	servers := map[*http.Server]net.Listener{
		edge.NewServer(g.public(g.baseURL, api)):                     doors.api,
		edge.NewServer(g.public(g.payURL, g.payHandler(ctx.Done()))): doors.pay,
		edge.NewServer(g.public(g.portalURL, portals)):               doors.portal,
	}
	failed := make(chan error, len(servers))
	for server, listener := range servers {
		go func() { failed <- server.Serve(edge.OneLength(listener)) }()
	}
	ready := g.readiness
	g.ops.check.Store(&ready)
	g.log.Info("ready", "api", g.baseURL, "pay", g.payURL, "portal", g.portalURL, "sandbox", g.sandbox,
		"offline", g.offline)

	select {
	case <-ctx.Done():
		g.sayGoodbye()
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-databaseDied:
		err = errors.New("PostgreSQL has stopped")
	}
	g.ops.check.Store(nil)
	g.log.Info("stopping")
	// No delivery begins any more. Another process, or the next start,
	// makes those that are due.
	stopDeliveries()
	g.drain(servers, stopWork, &working)
	return err
}

// sayGoodbye serves for a while longer, but as not ready, so that load
// balancers stop sending requests: a connection that is opened at the moment
// when a listener closes would be reset. Answers also ask callers to close
// their connections, because closing one during a request would lose it.
func (g *gateway) sayGoodbye() {
	g.ops.check.Store(nil)
	g.leaving.Store(true)
	if g.drainDelay > 0 {
		g.log.Info("no longer ready; stopping soon", "after", g.drainDelay.String())
	}
	time.Sleep(g.drainDelay)
}

// public wraps the handler of a public URL. It finds the caller's address
// behind proxies, requires https if the URL has it, and asks callers to open
// new connections when the gateway is about to stop.
func (g *gateway) public(address string, handler http.Handler) http.Handler {
	if g.sandbox {
		handler = edge.OnlyOwnHosts(handler, g.baseURL, g.payURL, g.portalURL)
	}
	handler = g.proxies.In(handler)
	secure := strings.HasPrefix(address, "https://")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if secure {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		// The connection is closed after a request with chunks, so
		// that nothing behind them is read: edge.OneLength does not
		// follow chunks. HTTP/1.0 has no chunks and net/http ignores
		// them there, so its connections are closed, too.
		if g.leaving.Load() || len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

func (g *gateway) drain(servers map[*http.Server]net.Listener, stopWork func(), working *sync.WaitGroup) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var draining sync.WaitGroup
	for server := range servers {
		draining.Go(func() { _ = server.Shutdown(ctx) })
	}
	draining.Wait()
	stopWork()
	working.Wait()
}
