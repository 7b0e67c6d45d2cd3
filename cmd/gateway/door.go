package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// doors are the program's addresses.
type doors struct{ api, pay, portal, ops net.Listener }

// openDoors opens every address before anything else, so that a taken one is found at once. Until somebody takes what
// comes, the public ones refuse connections: a proxy goes on to another gateway then, and would wait otherwise for
// as long as a start takes.
func openDoors(ctx context.Context, c *config) (*doors, error) {
	var d doors
	var refusing []net.Listener
	for _, door := range []struct {
		listener *net.Listener
		url      *string
		flag     string
		addr     string
	}{
		{&d.api, &c.baseURL, "api-addr", c.apiAddr},
		{&d.pay, &c.payURL, "pay-addr", c.payAddr},
		{&d.portal, &c.portalURL, "portal-addr", c.portalAddr},
		{&d.ops, new(string), "ops-addr", c.opsAddr},
	} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", door.addr)
		if err != nil {
			d.close()
			return nil, listenError(door.flag, door.addr, err)
		}
		*door.listener = listener
		// A port that the system has chosen would be another afterwards, and no proxy knows it.
		if _, port, _ := net.SplitHostPort(door.addr); port != "0" && door.listener != &d.ops {
			refusing = append(refusing, listener)
		}
		if *door.url == "" {
			*door.url = localURL(listener)
		}
	}
	for _, listener := range refusing {
		if err := refuse(listener); err != nil {
			d.close()
			return nil, fmt.Errorf("hold %s: %w", listener.Addr(), err)
		}
	}
	return &d, nil
}

// takeConnections ends the time in which the public addresses refuse connections.
func (d *doors) takeConnections() error {
	for _, public := range []net.Listener{d.api, d.pay, d.portal} {
		if err := take(public); err != nil {
			return fmt.Errorf("listen on %s: %w", public.Addr(), err)
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

// newServer bounds how long a slow or silent client can keep a connection busy.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
}
