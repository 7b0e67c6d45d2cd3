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

// listeners are the program's doors. They are opened before anything else, so that a taken port is
// found at once.
type listeners struct{ api, pay, portal, ops net.Listener }

func openListeners(ctx context.Context, c *config) (*listeners, error) {
	var l listeners
	for _, door := range []struct {
		listener *net.Listener
		url      *string
		flag     string
		addr     string
	}{
		{&l.api, &c.baseURL, "api-addr", c.apiAddr},
		{&l.pay, &c.payURL, "pay-addr", c.payAddr},
		{&l.portal, &c.portalURL, "portal-addr", c.portalAddr},
		{&l.ops, new(string), "ops-addr", c.opsAddr},
	} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", door.addr)
		if err != nil {
			l.close()
			return nil, listenError(door.flag, door.addr, err)
		}
		*door.listener = listener
		if *door.url == "" {
			*door.url = localURL(listener)
		}
	}
	return &l, nil
}

func listenError(flag, addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use: choose another address with -%s", addr, flag)
	}
	return fmt.Errorf("-%s %s: %w", flag, addr, err)
}

func (l *listeners) close() {
	for _, listener := range []net.Listener{l.api, l.pay, l.portal, l.ops} {
		if listener != nil {
			_ = listener.Close()
		}
	}
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
