package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// checkHome refuses to serve a restored copy of a production database until
// "gateway adopt" allows it: the copy would charge cards and send webhooks
// beside the original. The very first start stores where the database is.
func (g *gateway) checkHome(ctx context.Context) error {
	if g.offline {
		return nil
	}
	q := db.New(g.workPool)
	id, err := db.Identify(ctx, g.workPool)
	if err != nil {
		return err
	}
	here := db.HomePutParams{Cluster: id.Cluster, Database: id.Database, BaseURL: g.baseURL, Since: time.Now()}
	if !g.sandbox {
		if err := q.HomePut(ctx, here); err != nil {
			return fmt.Errorf("note where the database is: %w", err)
		}
	}
	home, err := q.HomeGet(ctx)
	switch {
	case db.NoRows(err):
		return nil
	case err != nil:
		return fmt.Errorf("read where the database is served from: %w", err)
	case g.sandbox:
		return fmt.Errorf("the database is that of a production gateway, %s: a sandbox needs one of its own", home.BaseURL)
	}
	if moved := movedFrom(home, here); moved != "" {
		return fmt.Errorf("the database looks like a copy: it %s. If it is the one that counts from now on, run "+
			"gateway adopt and start again. To look at a copy that calls nobody, start with -offline", moved)
	}
	return nil
}

// movedFrom says how the place of a database differs from before, or "" if it
// does not.
func movedFrom(home db.Home, here db.HomePutParams) string {
	since := home.Since.UTC().Format(time.DateOnly)
	switch {
	case home.Cluster != nil && here.Cluster != nil && *home.Cluster != *here.Cluster:
		return "was served from another PostgreSQL cluster since " + since
	case home.Database != here.Database:
		return "was another database of its PostgreSQL cluster since " + since
	case home.BaseURL != here.BaseURL:
		return "was served as " + home.BaseURL + " since " + since + ", and -base-url is " + here.BaseURL
	}
	return ""
}

// numbersLost is more than the number of events that can be lost between a
// backup and its restore.
const numbersLost = 1_000_000_000

// adopt makes a restored database the valid one, so that the next start
// accepts it.
func (e environment) adopt(ctx context.Context, args []string) error {
	c, _, err := e.parseDatabase("adopt", args, nil)
	if err != nil {
		return err
	}
	if c.sandbox {
		return usageError{errors.New("adopt: -database-url or DATABASE_URL is needed: see gateway adopt -h")}
	}
	return e.withDatabase(ctx, c, func(pool db.Pool, at place) error {
		err := db.InTx(ctx, pool, func(_ pgx.Tx, q *db.Queries) error {
			if err := q.HomeForget(ctx); err != nil {
				return err
			}
			return q.WebhookRelayLeap(ctx, numbersLost)
		})
		if err != nil {
			return fmt.Errorf("adopt the database: %w", err)
		}
		_, err = fmt.Fprintf(e.stdout, "adopted: %s. The next start of the gateway calls processors, webhooks and feeds.\n", at)
		return err
	})
}
