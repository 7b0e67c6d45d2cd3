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

// openDoors listens on every address before anything else, so that a taken one
// is found at once. Until takeConnections the public ones refuse connections:
// then a proxy tries another gateway at once and does not wait for the start.
// If a default port is taken, a sandbox uses another one.
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
		// The port of a public URL must not change.
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
		// A port chosen by the system stays open: opened again, it
		// would be another one. So does a port that nobody has asked
		// for, because another sandbox could take it.
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

// openNear opens a free port: the next in steps of ten after a taken one, so
// that the ports of one sandbox resemble each other, otherwise any.
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

// takeConnections makes the public addresses accept connections.
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
