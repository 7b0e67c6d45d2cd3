package dbtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// citusEnv is the URL of the coordinator of a Citus cluster. With it every test gets a distributed database there.
const citusEnv = "GATEWAY_TEST_CITUS"

// OnCitus reports whether tests get distributed databases.
func OnCitus() bool { return os.Getenv(citusEnv) != "" }

// NeedsCitus skips a test that is about distributed databases where there are none.
func NeedsCitus(t testing.TB) {
	t.Helper()
	if !OnCitus() {
		t.Skip(citusEnv + " is not set: it is the URL of a Citus coordinator")
	}
}

// node is a server of the cluster.
type node struct {
	host string
	port int
}

// citusDatabase makes a database on every node, distributes it, and answers its URL on the coordinator.
func citusDatabase(t testing.TB) string {
	t.Helper()
	cloning.Lock()
	defer cloning.Unlock()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), number.Add(1))
	coordinator, err := url.Parse(os.Getenv(citusEnv))
	check(t, err)
	workers := citusWorkers(t)
	at := func(n node, database string) string {
		u := *coordinator
		u.Path = "/" + database
		if n.host != "" {
			u.Host = net.JoinHostPort(n.host, strconv.Itoa(n.port))
		}
		return u.String()
	}
	for _, n := range append([]node{{}}, workers...) {
		citusExec(t, at(n, "postgres"), "create database "+name)
		t.Cleanup(func() { citusExec(t, at(n, "postgres"), "drop database "+name+" with (force)") })
		citusExec(t, at(n, name), "create extension citus")
	}
	port, err := strconv.Atoi(coordinator.Port())
	check(t, err)
	add := []string{fmt.Sprintf("select citus_set_coordinator_host('%s', %d)", coordinator.Hostname(), port)}
	for _, n := range workers {
		add = append(add, fmt.Sprintf("select citus_add_node('%s', %d)", n.host, n.port))
	}
	// Few shards are made quickly, and are still several on each node.
	add = append(add, fmt.Sprintf("alter database %s set citus.shard_count = 4", name))
	citusExec(t, at(node{}, name), add...)
	check(t, db.Migrate(t.Context(), at(node{}, name)))
	check(t, db.Distribute(t.Context(), at(node{}, name)))
	return at(node{}, name)
}

func citusWorkers(t testing.TB) []node {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), os.Getenv(citusEnv))
	check(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), "select node_name, node_port from citus_get_active_worker_nodes() order by 1, 2")
	check(t, err)
	workers, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n node, err error) {
		return n, row.Scan(&n.host, &n.port)
	})
	check(t, err)
	return workers
}

func citusExec(t testing.TB, at string, statements ...string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, at)
	check(t, err)
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range statements {
		_, err := conn.Exec(ctx, sql)
		check(t, err)
	}
}
