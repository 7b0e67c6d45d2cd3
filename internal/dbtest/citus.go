package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// citusEnv names the variable with the URL of a Citus cluster's coordinator.
// If it is set, every test gets a distributed database there.
const citusEnv = "GATEWAY_TEST_CITUS"

// OnCitus reports whether tests get distributed databases.
func OnCitus() bool { return os.Getenv(citusEnv) != "" }

// NeedsCitus skips a test of distributed databases if there is no cluster.
func NeedsCitus(t testing.TB) {
	t.Helper()
	if !OnCitus() {
		t.Skip(citusEnv + " is not set: it is the URL of a Citus coordinator")
	}
}

// Distributed makes a migrated database on every node of the cluster and
// distributes its tables. It returns the database's URL on the coordinator,
// and a function that drops it.
func Distributed(ctx context.Context) (address string, drop func() error, err error) {
	address, drop, err = citusDatabase(ctx)
	if err != nil {
		return "", nil, err
	}
	return address, drop, db.Distribute(ctx, address)
}

// Undistributed makes a migrated database on the cluster whose tables are
// still on the coordinator.
func Undistributed(t testing.TB) *DB {
	t.Helper()
	NeedsCitus(t)
	address, drop, err := citusDatabase(t.Context())
	check(t, err)
	t.Cleanup(func() { check(t, drop()) })
	return open(t, address)
}

// citusDatabase makes a migrated database on every node; the first node is the
// coordinator. Only one database is made at a time. If that fails half way,
// what was made until then stays.
func citusDatabase(ctx context.Context) (address string, drop func() error, err error) {
	cloning.Lock()
	defer cloning.Unlock()
	nodes, err := citusNodes(ctx)
	if err != nil {
		return "", nil, err
	}
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), number.Add(1))
	drop = func() error {
		var errs []error
		for _, n := range nodes {
			errs = append(errs, onNode(context.Background(), n.at("postgres"), "drop database if exists "+name+" with (force)"))
		}
		return errors.Join(errs...)
	}
	add := []string{fmt.Sprintf("select citus_set_coordinator_host('%s', %d)", nodes[0].host, nodes[0].port)}
	for _, n := range nodes {
		if err := onNode(ctx, n.at("postgres"), "create database "+name); err != nil {
			return "", nil, err
		}
		if err := onNode(ctx, n.at(name), "create extension citus"); err != nil {
			return "", nil, err
		}
		if n != nodes[0] {
			add = append(add, fmt.Sprintf("select citus_add_node('%s', %d)", n.host, n.port))
		}
	}
	// Few shards are made quickly, and are still several on each node.
	add = append(add, fmt.Sprintf("alter database %s set citus.shard_count = 4", name))
	address = nodes[0].at(name)
	if err := onNode(ctx, address, add...); err != nil {
		return "", nil, err
	}
	return address, drop, db.Migrate(ctx, address)
}

// citusNode is a server of the cluster.
type citusNode struct {
	host string
	port int
	// like is the URL of the coordinator.
	like string
}

// at is the URL of a database of the node.
func (n citusNode) at(database string) string {
	u, _ := url.Parse(n.like)
	u.Host, u.Path = net.JoinHostPort(n.host, strconv.Itoa(n.port)), "/"+database
	return u.String()
}

// citusNodes are the coordinator and then the workers.
func citusNodes(ctx context.Context) ([]citusNode, error) {
	like := os.Getenv(citusEnv)
	conn, err := pgx.Connect(ctx, like)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	nodes := []citusNode{{conn.Config().Host, int(conn.Config().Port), like}}
	rows, err := conn.Query(ctx, "select node_name, node_port from citus_get_active_worker_nodes() order by 1, 2")
	if err != nil {
		return nil, err
	}
	n := citusNode{like: like}
	_, err = pgx.ForEachRow(rows, []any{&n.host, &n.port}, func() error {
		nodes = append(nodes, n)
		return nil
	})
	return nodes, err
}

// onNode runs statements on their own connection, and not in one transaction,
// because CREATE DATABASE refuses to run in one.
func onNode(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
