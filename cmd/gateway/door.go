package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"gateway.example/internal/edge"
)

type doors struct{ api, pay, portal, ops net.Listener }

// openDoors opens every address before anything else, so that a taken one is
// found at once. Until somebody takes what comes, the public ones refuse
// connections: a proxy goes on to another gateway then, and would wait
// otherwise for as long as a start takes. A sandbox takes another port where
// one that nobody has asked for is taken.
func openDoors(ctx context.Context, c *config, tell func(format string, args ...any)) (*doors, error) {
	var d doors
	var refusing []net.Listener
	for _, door := range []struct {
		listener *net.Listener
		url      *string
		flag     string
		addr     string
	}{
		{&d.api, &c.baseURL, flagAPIAddr, c.apiAddr},
		{&d.pay, &c.payURL, flagPayAddr, c.payAddr},
		{&d.portal, &c.portalURL, flagPortalAddr, c.portalAddr},
		{&d.ops, new(string), flagOpsAddr, c.opsAddr},
	} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", door.addr)
		// A port that a public URL leads to must not move.
		may := c.sandbox && !c.fixed[door.flag] && *door.url == ""
		if may && errors.Is(err, syscall.EADDRINUSE) {
			if listener, err = openNear(ctx, door.addr); err == nil {
				tell("The address %s is in use: taking %s instead (-%s).", door.addr, listener.Addr(), door.flag)
			}
		}
		if err != nil {
			d.close()
			return nil, listenError(door.flag, door.addr, err)
		}
		*door.listener = listener
		// A port that the system has chosen would be another
		// afterwards, and no proxy knows it. One that refuses
		// connections could be taken by another sandbox.
		if _, port, _ := net.SplitHostPort(door.addr); port != "0" && !may && door.listener != &d.ops {
			refusing = append(refusing, listener)
		}
		if *door.url == "" {
			*door.url = localURL(listener)
		}
	}
	for _, listener := range refusing {
		if err := edge.Refuse(listener); err != nil {
			d.close()
			return nil, fmt.Errorf("hold %s: %w", listener.Addr(), err)
		}
	}
	return &d, nil
}

// openNear opens a free port: the first of every tenth after a taken one, so
// that those of one sandbox look alike, or else any.
func openNear(ctx context.Context, addr string) (net.Listener, error) {
	host, text, _ := net.SplitHostPort(addr)
	taken, err := strconv.Atoi(text)
	if err != nil {
		return nil, syscall.EADDRINUSE // a port with a name is one that somebody chose
	}
	for port := taken + 10; port <= taken+100; port += 10 {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return listener, nil
		}
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

// takeConnections ends the time in which the public addresses refuse
// connections.
func (d *doors) takeConnections() error {
	for _, public := range []struct {
		listener net.Listener
		flag     string
	}{{d.api, flagAPIAddr}, {d.pay, flagPayAddr}, {d.portal, flagPortalAddr}} {
		if err := edge.Take(public.listener); err != nil {
			return listenError(public.flag, public.listener.Addr().String(), err)
		}
	}
	return nil
}

func (d *doors) close() {
	for _, listener := range []net.Listener{d.api, d.pay, d.portal, d.ops} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func listenError(flag, addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use: choose another address with -%s", addr, flag)
	}
	return fmt.Errorf("-%s %s: %w", flag, addr, err)
}
