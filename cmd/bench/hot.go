package main

import (
	"context"
	"fmt"
	"sync/atomic"
)

// hotAccount measures movements onto one account: operators' FundTrader, over HTTP, each under a
// reference of its own and all to one trader.
//
// It is for comparison with a ledger server's own benchmark of a hot account, where each request
// posts one movement from the world onto the same account, under a reference, and is answered once
// it is committed. A request here does that and in the same transaction writes the log of what
// operators change; it is signed in by a bearer token, and many users make the calls. It has no
// postings script to interpret, and answers with no balances.
func (b *bench) hotAccount(ctx context.Context) error {
	// A trader without requisites: nobody else moves their money.
	var traderID int64
	err := b.onStage(ctx, func(ctx context.Context, s *stage) (err error) {
		traderID, err = s.addTrader(ctx, "Hot account")
		return err
	})
	if err != nil {
		return err
	}
	office, hangUp, err := b.openOffice(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	var references atomic.Int64
	fund := func(_ context.Context, client int) (bool, error) {
		var made struct{}
		err := office.call(client, "FundTrader", map[string]any{
			"traderId": traderID, "amount": "1.5", "reference": fmt.Sprintf("hot-%d", references.Add(1)),
		}, &made)
		return err == nil, err
	}
	commits, end, err := b.committer(ctx, "hot_commit_per_s")
	if err != nil {
		return err
	}
	defer end()
	return b.inTurn(ctx, load{rate: "hot_account_transfers_per_s", use: "hot_account", do: fund}, commits)
}
