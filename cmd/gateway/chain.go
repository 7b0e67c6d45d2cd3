package main

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
	"gateway.example/internal/sandbox"
	start "gateway.example/web/portal/sandbox"
)

const (
	chainEvery = 3 * time.Second
	// nodePatience is how long one answer of a node may take.
	nodePatience = 10 * time.Second
	leastNodes   = 2
)

// chainVariable names the variable with the nodes of a network.
var chainVariable = map[string]string{
	"ARBITRUM": "GATEWAY_CHAIN_ARBITRUM_URLS",
	"BEP20":    "GATEWAY_CHAIN_BEP20_URLS",
	"ERC20":    "GATEWAY_CHAIN_ERC20_URLS",
	"POLYGON":  "GATEWAY_CHAIN_POLYGON_URLS",
	"TRC20":    "GATEWAY_CHAIN_TRC20_URLS",
}

// readChains reads the nodes of each network. Its errors never quote an
// address, because an address can contain a key.
func (c *config) readChains(found *problems, texts map[string]string) {
	c.chainURLs = map[string][]string{}
	for _, network := range chain.Names() {
		if texts[network] == "" {
			continue
		}
		var hosts []string
		for one := range strings.SplitSeq(texts[network], ",") {
			u, err := url.Parse(strings.TrimSpace(one))
			if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
				found.add(chainVariable[network], "must be whole URLs such as https://node.example.com, separated by commas")
				return
			}
			hosts = append(hosts, u.Host)
			c.chainURLs[network] = append(c.chainURLs[network], u.String())
		}
		slices.Sort(hosts)
		if len(slices.Compact(hosts)) < max(leastNodes, len(c.chainURLs[network])) {
			found.add(chainVariable[network], "must be nodes of two or more hosts, each once: one alone is not believed")
		}
	}
}

// wireChains builds a watcher for each network that has nodes. A sandbox
// simulates the other networks. Nodes may have private addresses, because
// whoever runs the program names them.
func (g *gateway) wireChains(ctx context.Context) error {
	var watched []string
	for _, network := range chain.Networks() {
		urls := g.chainURLs[network.Name]
		if len(urls) == 0 && g.sandbox {
			every, round, err := sandbox.Follow(g.workPool, network, g.watcher)
			if err != nil {
				return err
			}
			g.chains, watched = append(g.chains, loop{"watch " + network.Name, every, round}), append(watched, network.Name)
		}
		if len(urls) == 0 {
			continue
		}
		var hosts []string
		for _, address := range urls {
			if u, err := url.Parse(address); err == nil {
				hosts = append(hosts, strings.ToLower(u.Hostname()))
			}
		}
		client := outbound.NewAddresses(g.sandbox, hosts...).Client(nodePatience)
		watcher, err := g.watcher(client, network, urls)
		if err != nil {
			return err
		}
		g.chains, watched = append(g.chains, loop{"watch " + network.Name, chainEvery, watcher.Round}), append(watched, network.Name)
	}
	return db.New(g.workPool).ChainForget(ctx, append([]string{""}, watched...))
}

func (g *gateway) watcher(client *http.Client, network chain.Network, urls []string) (*chain.Watcher, error) {
	watcher, err := chain.NewWatcher(g.workPool, g.clock, client, network, urls)
	if err == nil {
		watcher.Named = g.round.withdrawals
	}
	return watcher, err
}

// purse is the sandbox's wallet for its pages.
func (g *gateway) purse() start.Purse {
	wallet := sandbox.NewWallet(g.workPool, g.deposits, g.withdrawals)
	return start.Purse{
		Deposit: wallet.Deposit, Pay: wallet.Pay,
		Latest: func(ctx context.Context) (list []start.Transferred, _ error) {
			rows, err := wallet.Latest(ctx, walletShows)
			for _, t := range rows {
				list = append(list, start.Transferred{
					Network: t.Network, Hash: t.TransactionHash, To: t.ToAddress, Amount: t.Amount, At: t.SentAt,
					Confirmations: t.Confirmations,
				})
			}
			return list, err
		},
	}
}

// walletShows is how many transfers the wallet's page lists.
const walletShows = 20
