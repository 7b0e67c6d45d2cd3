package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/otelconnect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/proposal"
	"gateway.example/internal/tracing"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// Services are the handlers of all services. Sandbox is nil outside a sandbox.
type Services struct {
	Payment    gatewayv1connect.PaymentServiceHandler
	Payin      gatewayv1connect.PayinServiceHandler
	Deposit    gatewayv1connect.DepositServiceHandler
	Cashbox    gatewayv1connect.CashboxServiceHandler
	Auth       portalv1connect.AuthServiceHandler
	Trader     portalv1connect.TraderServiceHandler
	Operator   portalv1connect.OperatorServiceHandler
	Merchant   portalv1connect.MerchantServiceHandler
	Receipt    portalv1connect.ReceiptServiceHandler
	Report     portalv1connect.ReportServiceHandler
	Proof      portalv1connect.ProofServiceHandler
	Credential portalv1connect.CredentialServiceHandler
	Team       portalv1connect.TeamServiceHandler
	Requests   portalv1connect.RequestLogServiceHandler
	Looks      portalv1connect.LookServiceHandler
	Notices    portalv1connect.NotificationServiceHandler
	Trust      portalv1connect.TrustServiceHandler
	Blocks     portalv1connect.BlockServiceHandler
	PayLinks   portalv1connect.LinkServiceHandler
	Files      portalv1connect.PayoutFileServiceHandler
	Arrivals   portalv1connect.ArrivalServiceHandler
	// Withdrawals are for merchants' programs, OwnWithdrawals for users of
	// the portals.
	Withdrawals    gatewayv1connect.WithdrawalServiceHandler
	OwnWithdrawals portalv1connect.WithdrawalServiceHandler
	Sandbox        sandboxv1connect.SandboxServiceHandler
	Checkout       gatewayv1connect.CheckoutServiceHandler
	Events         gatewayv1connect.EventServiceHandler
	Messages       gatewayv1connect.MessageServiceHandler
	// Proposals stores what takes a second operator.
	Proposals *proposal.Service
}

// mounted are the services' names and handlers. They accept Connect by POST
// only, on bodies as they were sent, because a signature covers bytes.
func (s Services) mounted() map[string]http.Handler {
	options := connect.WithHandlerOptions(
		codecs(),
		connect.WithInterceptors(append(traced(), connect.UnaryInterceptorFunc(s.answer))...),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			return []connect.HandlerOption{connect.WithReadMaxBytes(int(uploads.MaxBody(spec.Procedure)))}
		}),
	)
	handlers := map[string]http.Handler{}
	add := func(path string, handler http.Handler) { handlers[strings.Trim(path, "/")] = handler }
	add(gatewayv1connect.NewPaymentServiceHandler(s.Payment, options))
	add(gatewayv1connect.NewPayinServiceHandler(s.Payin, options))
	add(gatewayv1connect.NewDepositServiceHandler(s.Deposit, options))
	add(gatewayv1connect.NewCashboxServiceHandler(s.Cashbox, options))
	add(gatewayv1connect.NewEventServiceHandler(s.Events, options))
	add(gatewayv1connect.NewMessageServiceHandler(s.Messages, options))
	add(portalv1connect.NewAuthServiceHandler(s.Auth, options))
	add(portalv1connect.NewTraderServiceHandler(s.Trader, options))
	add(portalv1connect.NewOperatorServiceHandler(s.Operator, options))
	add(portalv1connect.NewMerchantServiceHandler(s.Merchant, options))
	add(portalv1connect.NewReceiptServiceHandler(s.Receipt, options))
	add(portalv1connect.NewReportServiceHandler(s.Report, options))
	add(portalv1connect.NewProofServiceHandler(s.Proof, options))
	add(gatewayv1connect.NewCheckoutServiceHandler(s.Checkout, options))
	add(portalv1connect.NewCredentialServiceHandler(s.Credential, options))
	add(portalv1connect.NewTeamServiceHandler(s.Team, options))
	add(portalv1connect.NewRequestLogServiceHandler(s.Requests, options))
	add(portalv1connect.NewLookServiceHandler(s.Looks, options))
	add(portalv1connect.NewNotificationServiceHandler(s.Notices, options))
	add(portalv1connect.NewTrustServiceHandler(s.Trust, options))
	add(portalv1connect.NewBlockServiceHandler(s.Blocks, options))
	add(portalv1connect.NewLinkServiceHandler(s.PayLinks, options))
	add(portalv1connect.NewPayoutFileServiceHandler(s.Files, options))
	add(portalv1connect.NewArrivalServiceHandler(s.Arrivals, options))
	add(gatewayv1connect.NewWithdrawalServiceHandler(s.Withdrawals, options))
	add(portalv1connect.NewWithdrawalServiceHandler(s.OwnWithdrawals, options))
	if s.Sandbox != nil {
		add(sandboxv1connect.NewSandboxServiceHandler(s.Sandbox, options))
	}
	return handlers
}

// traced are the interceptors that make a procedure's span; none if tracing is
// off.
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

func (s Services) Procedures() ([]string, error) {
	var procedures []string
	for name := range s.mounted() {
		found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
		if err != nil {
			return nil, fmt.Errorf("service %s: %w", name, err)
		}
		methods := found.(protoreflect.ServiceDescriptor).Methods() //nolint:forcetypeassert // a service's name
		for i := range methods.Len() {
			procedures = append(procedures, fmt.Sprintf("/%s/%s", name, methods.Get(i).Name()))
		}
	}
	return procedures, nil
}

// Mount adds every procedure to the mux, behind the door.
func (s Services) Mount(mux *http.ServeMux, door *edge.Door) error {
	procedures, err := s.Procedures()
	if err != nil {
		return err
	}
	handlers := s.mounted()
	for _, procedure := range procedures {
		service, _, _ := strings.Cut(procedure[1:], "/")
		handler, err := checkBody(procedure, handlers[service])
		if err != nil {
			return err
		}
		if uploads.Has(procedure) {
			handler = takeMessage(handler)
		}
		mux.Handle(procedure, connectOnly(door.Guard(procedure, failConnect, handler)))
	}
	return nil
}

// connectOnly refuses other protocols, GET and compressed bodies before the
// door reads them.
func connectOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encoding := r.Header.Get("Content-Encoding")
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // in lower case
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Connect calls are POSTs.", http.StatusMethodNotAllowed)
		case media != mediaJSON && media != mediaProto:
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

// answer is the interceptor that turns faults into Connect errors, makes
// proposals, and reports text that cannot be stored.
func (s Services) answer(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		found := fault.Decoded(ctx)
		if m, ok := req.Any().(proto.Message); ok {
			checkText(found, m.ProtoReflect())
		}
		res, err := next(fault.WithDecoded(ctx, found), req)
		if wanted := new(foureyes.SecondOperatorError); errors.As(err, &wanted) {
			err = s.propose(ctx, err)
		}
		if err != nil {
			return nil, ConnectError(ctx, err)
		}
		return res, nil
	}
}

// propose makes a proposal of what takes a second operator, and returns the
// error that names it.
func (s Services) propose(ctx context.Context, wanted error) error {
	p, err := s.Proposals.Propose(ctx, caller.From(ctx), wanted)
	if err != nil {
		return err
	}
	return foureyes.Proposed(p.ID)
}
