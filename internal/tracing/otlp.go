package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The variables of the exporter, besides those in tracing.go.
const (
	envInsecure    = "OTEL_EXPORTER_OTLP_INSECURE"
	envCompression = "OTEL_EXPORTER_OTLP_COMPRESSION"
	envTimeout     = "OTEL_EXPORTER_OTLP_TIMEOUT"
	envCertificate = "OTEL_EXPORTER_OTLP_CERTIFICATE"
	envClientCert  = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"
	envClientKey   = "OTEL_EXPORTER_OTLP_CLIENT_KEY"
)

const (
	// requestTimeout is how long the collector may take to answer, unless a
	// variable sets another.
	requestTimeout = 10 * time.Second
	// What a busy collector refuses is sent again after firstWait, then
	// after longer pauses, until mostTime.
	firstWait, mostWait, mostTime = 5 * time.Second, 30 * time.Second, time.Minute
	// mostAnswer is how much of an answer is read.
	mostAnswer = 64 << 10
	tracesPath = "/v1/traces"
)

// collector sends spans by OTLP over HTTP. OpenTelemetry's own client would
// compile gRPC into the program, which needs it nowhere.
type collector struct {
	client  http.Client
	url     string
	headers http.Header
	gzip    bool
	// wait is the first pause after a busy collector's refusal.
	wait time.Duration
	// running ends with the client, and ends requests that are on their
	// way.
	running context.Context
	stop    context.CancelFunc
}

var _ otlptrace.Client = (*collector)(nil)

// newCollector makes the client from the variables. check has checked the
// endpoint.
func newCollector(getenv func(string) string) (*collector, error) {
	endpoint, err := endpointOf(getenv)
	if err != nil {
		return nil, err
	}
	secrets, err := tlsOf(getenv)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second,
	}
	if secrets != nil {
		if endpoint.Scheme == "http" {
			return nil, fmt.Errorf("%s: certificates are for https alone", envEndpoint)
		}
		transport.TLSClientConfig = secrets
	}
	c := &collector{
		client:  http.Client{Transport: transport, Timeout: requestTimeout},
		url:     endpoint.String(),
		headers: headersOf(value(getenv, envHeaders)),
		gzip:    value(getenv, envCompression) == "gzip",
		wait:    firstWait,
	}
	if ms, err := strconv.Atoi(value(getenv, envTimeout)); err == nil {
		c.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	c.running, c.stop = context.WithCancel(context.Background())
	return c, nil
}

// value is a variable's value: the one for traces, or the one for everything.
func value(getenv func(string) string, name string) string {
	names := both(name)
	for i := len(names) - 1; i >= 0; i-- {
		if found := strings.TrimSpace(getenv(names[i])); found != "" {
			return found
		}
	}
	return ""
}

// endpointOf is where traces are sent. The endpoint for everything is a base,
// to which the path is added; the one for traces is complete.
func endpointOf(getenv func(string) string) (*url.URL, error) {
	u, err := url.Parse(value(getenv, envEndpoint))
	if err != nil {
		return nil, fmt.Errorf("%s must be a URL", envEndpoint)
	}
	target := &url.URL{Scheme: strings.ToLower(u.Scheme), Host: u.Host, Path: u.Path}
	if getenv(both(envEndpoint)[1]) == "" {
		target.Path = path.Join("/", u.Path, tracesPath)
	} else if target.Path == "" {
		target.Path = "/"
	}
	switch insecure := value(getenv, envInsecure); {
	case strings.EqualFold(insecure, "true"):
		target.Scheme = "http"
	case insecure != "":
		target.Scheme = "https"
	}
	return target, nil
}

// headersOf parses pairs such as key=value; values are percent-encoded.
func headersOf(pairs string) http.Header {
	headers := http.Header{}
	for pair := range strings.SplitSeq(pairs, ",") {
		key, encoded, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(encoded)
		if ok && err == nil {
			headers.Set(strings.TrimSpace(key), strings.TrimSpace(plain))
		}
	}
	return headers
}

// tlsOf loads the certificates that the variables name; nil is the system's.
func tlsOf(getenv func(string) string) (*tls.Config, error) {
	authorities, cert, key := value(getenv, envCertificate), value(getenv, envClientCert), value(getenv, envClientKey)
	if authorities == "" && (cert == "" || key == "") {
		return nil, nil //nolint:nilnil // nothing is asked for
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authorities != "" {
		text, err := os.ReadFile(authorities)
		if err != nil {
			return nil, fmt.Errorf("%s: the file cannot be read", envCertificate)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: the file holds no certificate", envCertificate)
		}
	}
	if cert != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: the files hold no certificate and its key", envClientCert, envClientKey)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.stop()
	return nil
}

var errRefused = errors.New("the collector refused spans")

// UploadTraces implements otlptrace.Client. The request has only the spans, as
// TracesData does, so both have the same encoding.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.gzip {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		if _, err := writer.Write(body); err != nil {
			return err
		}
		if err := writer.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.running, cancel)()
	return c.send(ctx, body)
}

// send sends until the collector accepts the spans, refuses them for good, or
// it takes too long.
func (c *collector) send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	for wait := c.wait; ; wait = min(wait*3/2, mostWait) {
		again, after, err := c.post(ctx, body)
		if err == nil || !again {
			return err
		}
		pause := max(after, wait/2+rand.N(wait))
		if deadline, _ := ctx.Deadline(); time.Until(deadline) < pause {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// post sends once. It says whether and when it may be tried again: if the
// collector is busy or too slow.
func (c *collector) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	request.Header.Set("User-Agent", "gateway-otlp")
	maps.Copy(request.Header, c.headers)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.client.Do(request)
	if err != nil {
		var failed *url.Error
		return errors.As(err, &failed) && failed.Temporary(), 0, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, retryAfter(response.Header.Get("Retry-After")), errRefused
	}
	if response.StatusCode/100 != 2 || err == nil && rejected(answer) {
		return false, 0, errRefused
	}
	return false, 0, err
}

// maxRetryAfter limits the wait that the collector can ask for.
const maxRetryAfter = time.Hour

func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), int(maxRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(time.Until(at), maxRetryAfter)
}

// rejected reports whether an answer says that spans were not accepted: whether
// its first field, the partial success, has a count or a message.
func rejected(answer []byte) bool {
	success := field(answer, 1)
	if number, n := protowire.ConsumeVarint(field(success, 1)); n > 0 && number > 0 {
		return true
	}
	return len(field(success, 2)) > 0
}

// field reads a field of a message: the bytes of a number, or the content of
// anything else.
func field(message []byte, wanted protowire.Number) []byte {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		message = message[n:]
		length := protowire.ConsumeFieldValue(number, kind, message)
		if length < 0 {
			return nil
		}
		if number == wanted {
			if content, n := protowire.ConsumeBytes(message); kind == protowire.BytesType && n > 0 {
				return content
			}
			return message[:length]
		}
		message = message[length:]
	}
	return nil
}
