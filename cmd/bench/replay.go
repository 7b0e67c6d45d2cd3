package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	pgxdecimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"gateway.example/internal/rate"
)

// connectOne opens a connection to the place's database, which is closed at
// the part's end.
func (b *bench) connectOne(ctx context.Context) *pgx.Conn {
	config, err := pgx.ParseConfig(b.url)
	if err != nil {
		panic(failure{errors.New("the database's URL is not valid")})
	}
	config.RuntimeParams["timezone"] = "UTC"
	conn, err := pgx.ConnectConfig(ctx, config)
	check(err, "reach PostgreSQL")
	pgxdecimal.Register(conn.TypeMap())
	b.atEnd(func() { _ = conn.Close(context.WithoutCancel(ctx)) })
	return conn
}

// creation is a recorded creation: its statements and values.
type creation struct {
	orderID, amount string
	id              int64
	at              time.Time
	trips           []trip
	// worth is the amount and the sums calculated from it.
	worth []decimal.Decimal
}

// worths is how many sums worth has.
const worths = 6

// worth calculates the sums with the bench's rate and percentages.
func worth(amount string) [worths]decimal.Decimal {
	fiat := decimal.RequireFromString(amount)
	terms := rate.Terms{Markup: decimal.New(45, -1), TraderShare: decimal.New(15, -1)}
	q := rate.Calculate(fiat, decimal.New(925, -1), terms)
	return [worths]decimal.Decimal{fiat, q.Amount, q.Profit, q.SpreadTrader, q.SpreadPlatform, q.Hold()}
}

// usual keeps only the creations with the most frequent sequence of
// statements. Others found a slot taken, for example.
func usual(recorded []creation) []creation {
	byShape := map[string][]creation{}
	var best []creation
	for _, c := range recorded {
		var shape strings.Builder
		for _, made := range c.trips {
			for _, said := range made {
				shape.WriteString(said.sql + said.tag)
			}
		}
		alike := append(byShape[shape.String()], c)
		if byShape[shape.String()] = alike; len(alike) > len(best) {
			best = alike
		}
	}
	return best
}

// replayedIDs is higher than all ids that the gateway uses.
const replayedIDs = 1 << 40

// drawnAmounts is the number of different amounts in a replay. It is so high
// that they rarely collide.
const drawnAmounts = 100_000

// replayer repeats recorded creations, each client on its own connection: the
// same statements in the same round trips, without HTTP and without the
// gateway. Order ids, amounts, sums, UUIDs and times are new; the gateway's
// choices stay as recorded.
func (b *bench) replayer(ctx context.Context) (act, error) {
	recorded := usual(b.recorded)
	if len(recorded) == 0 {
		return nil, errors.New("no creation was recorded: measure trips, too")
	}
	for i := range recorded {
		sums := worth(recorded[i].amount)
		recorded[i].worth = sums[:]
	}
	// The sums are calculated before the measurement, so that it contains
	// only the statements. As integers they cost the garbage collector
	// nothing.
	drawn := make([][worths]int64, drawnAmounts)
	for i := range drawn {
		for k, sum := range worth(amount()) {
			drawn[i][k] = sum.Shift(8).IntPart()
		}
	}
	conns := b.connect(ctx)
	return func(ctx context.Context, client int) (bool, error) {
		n := b.scene.next.Add(1)
		like := recorded[rand.IntN(len(recorded))]
		fresh := creation{orderID: orderID(n), id: replayedIDs + n, at: time.Now().UTC()}
		for _, units := range drawn[rand.IntN(len(drawn))] {
			fresh.worth = append(fresh.worth, decimal.New(units, -8))
		}
		for _, made := range like.trips {
			done, err := like.replay(ctx, conns[client], made, fresh)
			if err != nil && !refused(err) {
				return false, err
			}
			if !done {
				_, err := conns[client].Exec(ctx, "rollback")
				return false, err
			}
		}
		return true, nil
	}, nil
}

// refused reports whether a constraint of the database refused a creation.
func refused(err error) bool {
	var told *pgconn.PgError
	const integrityConstraints = "23" // the class of their errors
	return errors.As(err, &told) && strings.HasPrefix(told.Code, integrityConstraints)
}

// replay sends the statements of a round trip with new values, and reads the
// answers. It returns false if one of them differs from the recorded one.
func (c creation) replay(ctx context.Context, conn *pgx.Conn, made trip, fresh creation) (bool, error) {
	var batch pgx.Batch
	for _, said := range made {
		args := make([]any, len(said.args))
		for i, arg := range said.args {
			args[i] = c.renew(arg, fresh)
		}
		batch.Queue(said.sql, args...)
	}
	results := conn.SendBatch(ctx, &batch)
	done := true
	for _, said := range made {
		tag, err := results.Exec()
		if err != nil {
			return false, errors.Join(fmt.Errorf("%.60q: %w", said.sql, err), results.Close())
		}
		done = done && tag.String() == said.tag
	}
	return done, results.Close()
}

// renew replaces a recorded value by the new creation's value. Days stay the
// same; they are recognised as midnights.
func (c creation) renew(arg any, fresh creation) any {
	switch said := arg.(type) {
	case string:
		if said == c.orderID {
			return fresh.orderID
		}
	case int64:
		if said == c.id {
			return fresh.id
		}
	case decimal.Decimal:
		if i := slices.IndexFunc(c.worth, said.Equal); i >= 0 {
			return fresh.worth[i]
		}
	case uuid.UUID:
		return uuid.Must(uuid.NewV7())
	case time.Time:
		if !said.Equal(said.Truncate(24 * time.Hour)) {
			return fresh.at.Add(said.Sub(c.at))
		}
	case []int64, []decimal.Decimal, []string:
		from := reflect.ValueOf(said)
		list := reflect.MakeSlice(from.Type(), from.Len(), from.Len())
		for i := range from.Len() {
			list.Index(i).Set(reflect.ValueOf(c.renew(from.Index(i).Interface(), fresh)))
		}
		return list.Interface()
	}
	return arg
}
