package db

import (
	"context"

	"gateway.example/internal/fault"
)

// Identity is the identity of a database. A standby has that of its primary.
type Identity struct {
	// Cluster is the system identifier of the PostgreSQL cluster; nil if the server does not reveal it, as some
	// managed ones do not.
	Cluster *int64
	// Database is its number in the cluster.
	Database int64
	Name     string
}

// Identify asks the server which cluster and database these are.
func Identify(ctx context.Context, pool Pool) (id Identity, err error) {
	var tells bool
	err = pool.QueryRow(ctx, `select d.oid::bigint, d.datname,
		coalesce(has_function_privilege(to_regprocedure('pg_control_system()')::oid, 'execute'), false)
		from pg_database d where d.datname = current_database()`).
		Scan(&id.Database, &id.Name, &tells)
	if err == nil && tells {
		err = pool.QueryRow(ctx, "select system_identifier from pg_control_system()").Scan(&id.Cluster)
	}
	return id, fault.Doing("ask which database this is", err)
}

// is reports whether two identities are the same, as far as both are known.
func (id Identity) is(other Identity) bool {
	sameCluster := id.Cluster == nil && other.Cluster == nil ||
		id.Cluster != nil && other.Cluster != nil && *id.Cluster == *other.Cluster
	return sameCluster && id.Database == other.Database && id.Name == other.Name
}
