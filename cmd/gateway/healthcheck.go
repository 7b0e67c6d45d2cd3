package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthcheck asks /readyz. It is for container images that have no other
// program to do that.
func (e environment) healthcheck(ctx context.Context, args []string) error {
	var c config
	if _, err := newOptions("healthcheck", e.getenv, e.stdout, c.only("ops-addr")).parse(args); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.opsAddr)
	if err != nil {
		return usageError{
			fmt.Errorf("-ops-addr (GATEWAY_OPS_ADDR) must be an address such as :9090, and is %q", c.opsAddr),
		}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	address := net.JoinHostPort(host, port)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := direct.Do(r)
	if err != nil {
		return fmt.Errorf("no gateway answers at %s: start it, or say where it is with -ops-addr", address)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if answer.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSpace(string(text)))
	}
	return err
}

// direct uses no proxy and follows no redirect.
var direct = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
