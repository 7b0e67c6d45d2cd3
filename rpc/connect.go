package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/otelconnect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/tracing"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1handler"
	"gateway.example/rpc/gen/portal/v1/portalv1handler"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1handler"
)

// Services are the handlers of every service. Sandbox is nil outside a sandbox.
type Services struct {
	Payment    gatewayv1handler.PaymentServiceHandler
	Payin      gatewayv1handler.PayinServiceHandler
	Deposit    gatewayv1handler.DepositServiceHandler
	Cashbox    gatewayv1handler.CashboxServiceHandler
	Auth       portalv1handler.AuthServiceHandler
	Trader     portalv1handler.TraderServiceHandler
	Operator   portalv1handler.OperatorServiceHandler
	Merchant   portalv1handler.MerchantServiceHandler
	Receipt    portalv1handler.ReceiptServiceHandler
	Report     portalv1handler.ReportServiceHandler
	Proof      portalv1handler.ProofServiceHandler
	Credential portalv1handler.CredentialServiceHandler
	Team       portalv1handler.TeamServiceHandler
	Requests   portalv1handler.RequestLogServiceHandler
	Looks      portalv1handler.LookServiceHandler
	Trust      portalv1handler.TrustServiceHandler
	Sandbox    sandboxv1handler.SandboxServiceHandler
	Checkout   gatewayv1handler.CheckoutServiceHandler
	Events     gatewayv1handler.EventServiceHandler
}

// Call calls a procedure: it takes a request of the procedure's type and its header, and gives the
// response and its header.
type Call = func(context.Context, proto.Message, http.Header) (proto.Message, http.Header, error)

// calls are all procedures, by name.
func (s Services) calls() map[string]Call {
	all := map[string]Call{}
	for _, service := range []map[string]Call{
		gatewayv1handler.PaymentServiceCalls(s.Payment),
		gatewayv1handler.PayinServiceCalls(s.Payin),
		gatewayv1handler.DepositServiceCalls(s.Deposit),
		gatewayv1handler.CashboxServiceCalls(s.Cashbox),
		gatewayv1handler.EventServiceCalls(s.Events),
		portalv1handler.AuthServiceCalls(s.Auth),
		portalv1handler.TraderServiceCalls(s.Trader),
		portalv1handler.OperatorServiceCalls(s.Operator),
		portalv1handler.MerchantServiceCalls(s.Merchant),
		portalv1handler.ReceiptServiceCalls(s.Receipt),
		portalv1handler.ReportServiceCalls(s.Report),
		portalv1handler.ProofServiceCalls(s.Proof),
		gatewayv1handler.CheckoutServiceCalls(s.Checkout),
		portalv1handler.CredentialServiceCalls(s.Credential),
		portalv1handler.TeamServiceCalls(s.Team),
		portalv1handler.RequestLogServiceCalls(s.Requests),
		portalv1handler.LookServiceCalls(s.Looks),
		portalv1handler.TrustServiceCalls(s.Trust),
	} {
		maps.Copy(all, service)
	}
	if s.Sandbox != nil {
		maps.Copy(all, sandboxv1handler.SandboxServiceCalls(s.Sandbox))
	}
	return all
}

// options are those of every handler. Connect only, by POST, on bodies as they are: a signature covers
// bytes.
func options() connect.HandlerOption {
	return connect.WithHandlerOptions(
		codecs(),
		connect.WithInterceptors(append(traced(), connect.UnaryInterceptorFunc(answer))...),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			return []connect.HandlerOption{connect.WithReadMaxBytes(int(uploads.MaxBody(spec.Procedure)))}
		}),
	)
}

// message is a message of any type. Connect's generic code is compiled once for it, and not for each
// procedure.
type message struct{ proto.Message }

// newHandler has Connect serve a procedure.
func newHandler(procedure string, call Call, options connect.HandlerOption) (http.Handler, error) {
	name := protoreflect.FullName(strings.ReplaceAll(procedure[1:], "/", "."))
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return nil, fmt.Errorf("procedure %s: %w", procedure, err)
	}
	method := found.(protoreflect.MethodDescriptor) //nolint:forcetypeassert // a procedure's name
	request, err := protoregistry.GlobalTypes.FindMessageByName(method.Input().FullName())
	if err != nil {
		return nil, fmt.Errorf("procedure %s: %w", procedure, err)
	}
	return connect.NewUnaryHandler(
		procedure,
		func(ctx context.Context, req *connect.Request[message]) (*connect.Response[message], error) {
			answered, header, err := call(ctx, req.Msg.Message, req.Header())
			if err != nil {
				return nil, err
			}
			res := connect.NewResponse(&message{answered})
			maps.Copy(res.Header(), header)
			return res, nil
		},
		connect.WithSchema(method),
		connect.WithRequestInitializer(func(_ connect.Spec, empty any) error {
			empty.(*message).Message = request.New().Interface() //nolint:forcetypeassert // as above
			return nil
		}),
		options,
	), nil
}

// traced is what makes the span of a procedure, inside that of its request; nothing where tracing is off.
func traced() []connect.Interceptor {
	if !tracing.On() {
		return nil
	}
	spans, err := otelconnect.NewInterceptor(
		otelconnect.WithTracerProvider(tracing.Provider()),
		otelconnect.WithoutMetrics(), otelconnect.WithoutTraceEvents(), otelconnect.WithoutServerPeerAttributes(),
	)
	if err != nil {
		slog.Error("procedures are not traced", "error", err)
		return nil
	}
	return []connect.Interceptor{spans}
}

// Procedures lists every procedure of the services.
func (s Services) Procedures() []string { return slices.Sorted(maps.Keys(s.calls())) }

// Mount puts every procedure behind the door and onto the mux.
func (s Services) Mount(mux *http.ServeMux, door *edge.Door) error {
	options := options()
	for procedure, call := range s.calls() {
		handler, err := newHandler(procedure, call, options)
		if err != nil {
			return err
		}
		if handler, err = checkBody(procedure, handler); err != nil {
			return err
		}
		if uploads.Has(procedure) {
			handler = takeMessage(handler)
		}
		mux.Handle(procedure, connectOnly(door.Guard(procedure, failConnect, handler)))
	}
	return nil
}

// connectOnly turns away what the door must not let through unread: other protocols, GET and
// compressed bodies.
func connectOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encoding := r.Header.Get("Content-Encoding")
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Connect calls are POSTs.", http.StatusMethodNotAllowed)
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			http.Error(w, "Only the Connect protocol is spoken here.", http.StatusUnsupportedMediaType)
		case encoding != "" && encoding != "identity":
			http.Error(w, "Bodies must not be compressed.", http.StatusUnsupportedMediaType)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

var connectErrors = connect.NewErrorWriter()

func failConnect(w http.ResponseWriter, r *http.Request, err error) {
	if !connectErrors.IsSupported(r) {
		http.Error(w, "Only the Connect protocol is spoken here.", http.StatusUnsupportedMediaType)
		return
	}
	_ = connectErrors.Write(w, r, ConnectError(r.Context(), err))
}

// answer is the interceptor that turns faults into Connect errors and finds text that cannot be
// kept.
func answer(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		found := fault.Decoded(ctx)
		if m, ok := req.Any().(proto.Message); ok {
			checkText(found, m.ProtoReflect())
		}
		res, err := next(fault.WithDecoded(ctx, found), req)
		if err != nil {
			return nil, ConnectError(ctx, err)
		}
		return res, nil
	}
}
