package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// door is one of the program's addresses, and what listens on it while it is open.
type door struct {
	net.Listener
	flag, addr string
}

// open listens. A port that was left to the system is kept for the next time.
func (d *door) open(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", d.addr)
	if err != nil {
		return listenError(d.flag, d.addr, err)
	}
	host, _, _ := net.SplitHostPort(d.addr)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	d.Listener, d.addr = listener, net.JoinHostPort(host, port)
	return nil
}

func (d *door) close() {
	if d.Listener != nil {
		_ = d.Close()
	}
}

// doors are the program's addresses.
type doors struct{ api, pay, portal, ops door }

// openDoors tries every address before anything else, so that a taken one is found at once. It leaves only the
// ops address open: a proxy goes on to another gateway where this one refuses connections, and would wait where
// nobody takes them yet, for as long as a start takes.
func openDoors(ctx context.Context, c *config) (*doors, error) {
	d := &doors{
		api: door{flag: "api-addr", addr: c.apiAddr}, pay: door{flag: "pay-addr", addr: c.payAddr},
		portal: door{flag: "portal-addr", addr: c.portalAddr}, ops: door{flag: "ops-addr", addr: c.opsAddr},
	}
	if err := d.ops.open(ctx); err != nil {
		return nil, err
	}
	if err := d.openPublic(ctx); err != nil {
		d.close()
		return nil, err
	}
	c.baseURL = cmp.Or(c.baseURL, localURL(d.api))
	c.payURL = cmp.Or(c.payURL, localURL(d.pay))
	c.portalURL = cmp.Or(c.portalURL, localURL(d.portal))
	for _, public := range d.public() {
		public.close()
	}
	return d, nil
}

func (d *doors) public() []*door { return []*door{&d.api, &d.pay, &d.portal} }

// openPublic opens the public addresses, when there is somebody to take what comes.
func (d *doors) openPublic(ctx context.Context) error {
	for _, public := range d.public() {
		if err := public.open(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *doors) close() {
	for _, one := range append(d.public(), &d.ops) {
		one.close()
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
