// Package tracing makes OpenTelemetry traces of requests, of what is done for a
// payment or payout later, and of calls that go out. It is off unless the
// environment names a collector, and costs nothing then.
//
// A span holds no secret: an exporter lets through listed attributes alone
// (export.go).
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The standard variables that are read here. Those of the exporter also exist
// with TRACES_ before the last word. The library reads others, such as those of
// samplers, by itself.
const (
	envEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	envResource = "OTEL_RESOURCE_ATTRIBUTES"
	envDisabled = "OTEL_SDK_DISABLED"
)

// stopTimeout limits the wait for the last spans.
const stopTimeout = 3 * time.Second

// current makes the spans; nil is off.
var current atomic.Pointer[sdktrace.TracerProvider]

// On reports whether spans are made.
func On() bool { return current.Load() != nil }

// Provider is for libraries that make spans. It may only be called when tracing
// is On.
func Provider() trace.TracerProvider { return current.Load() }

// Open starts sending spans if the environment asks for it. The returned
// function sends the last ones and stops.
func Open(ctx context.Context, getenv func(string) string, log *slog.Logger) (func(), error) {
	wanted, err := check(getenv)
	if err != nil || !wanted {
		return func() {}, err
	}
	// The library's log quotes settings, and the exporter's headers are
	// secrets.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err) }))
	client, err := newCollector(getenv)
	if err != nil {
		return nil, err
	}
	otlp, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "gateway")),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envResource, err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&exporter{next: otlp, log: log}),
		sdktrace.WithResource(about),
		sdktrace.WithIDGenerator(ids{}),
	)
	current.Store(provider)
	return func() {
		current.Store(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		_ = provider.Shutdown(ctx)
	}, nil
}

// checked are the variables that are checked: which values of them are right,
// and what a wrong one must be.
var checked = []struct {
	variable string
	right    func(value string) bool
	must     string
}{
	{envEndpoint, isEndpoint, "must be an http or https URL, such as http://127.0.0.1:4318"},
	{envProtocol, func(p string) bool { return p == "http/protobuf" }, "must be http/protobuf, the one protocol that traces are sent by"},
	{envHeaders, arePairs, "must be pairs such as key=value, separated by commas"},
}

// check reports whether traces are wanted, and what is wrong with the
// variables. It quotes no values, since endpoints and headers may contain keys.
func check(getenv func(string) string) (wanted bool, err error) {
	set := func(name string) bool { return getenv(name) != "" }
	if strings.EqualFold(getenv(envDisabled), "true") || !slices.ContainsFunc(both(envEndpoint), set) {
		return false, nil
	}
	for _, one := range checked {
		for _, name := range both(one.variable) {
			if value := getenv(name); value != "" && !one.right(value) {
				return false, fmt.Errorf("%s %s", name, one.must)
			}
		}
	}
	return true, nil
}

func isEndpoint(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func arePairs(value string) bool {
	for pair := range strings.SplitSeq(value, ",") {
		if key, _, ok := strings.Cut(pair, "="); pair != "" && (!ok || key == "") {
			return false
		}
	}
	return true
}

// both are the variable of the exporter for everything, and the one for traces.
func both(name string) []string {
	return []string{name, strings.Replace(name, "OTLP_", "OTLP_TRACES_", 1)}
}
