package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"gateway/internal/auth"
	"gateway/internal/fault"
	"gateway/internal/limit"
	"gateway/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway/rpc/gen/portal/v1/portalv1connect"
	"gateway/rpc/gen/sandbox/v1/sandboxv1connect"
)

// access says which kinds of callers each procedure lets in, over Connect and REST alike. What such a caller may do
// with which record is the service's to decide.
var access = map[string][]auth.Kind{
	gatewayv1connect.PaymentServiceCreatePaymentProcedure: {auth.MerchantKey},
	gatewayv1connect.PaymentServiceGetPaymentProcedure: {
		auth.MerchantKey, auth.Cabinet, auth.MerchantPortal, auth.Trader, auth.Operator,
	},
	gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure: {auth.Application},
	portalv1connect.AuthServiceLoginProcedure:                   {auth.Anyone},
	portalv1connect.TraderServiceListPaymentsProcedure:          {auth.Trader},
	portalv1connect.TraderServiceConfirmReceivedProcedure:       {auth.Trader},
	portalv1connect.TraderServiceCancelPaymentProcedure:         {auth.Trader},
	portalv1connect.MerchantServiceListEventsProcedure:          {auth.MerchantPortal},
	portalv1connect.MerchantServiceReplayEventsProcedure:        {auth.MerchantPortal},
	portalv1connect.MerchantServiceRotateWebhookSecretProcedure: {auth.MerchantPortal},
	portalv1connect.OperatorServiceExplainRoutingProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceExplainRateProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceSetRateProcedure:             {auth.Operator},
	portalv1connect.OperatorServiceSetRateFeedProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceListRatesProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceUpdateMerchantProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceUpdateCashboxProcedure:       {auth.Operator},
	portalv1connect.OperatorServiceSetCashboxMethodProcedure:    {auth.Operator},
	portalv1connect.OperatorServiceSetPlatformLimitProcedure:    {auth.Operator},
	portalv1connect.OperatorServiceUpdateTraderProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceCreateRequisiteProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceUpdateRequisiteProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceCreateUserProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceUpdateUserProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceRevokeTokensProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceListSettingChangesProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceListDeadEventsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceReplayEventsProcedure:        {auth.Operator},
	sandboxv1connect.SandboxServiceAdvanceClockProcedure:        {auth.Anyone},

	gatewayv1connect.PaymentServiceResendCodeProcedure:          {auth.MerchantKey},
	gatewayv1connect.CheckoutServiceGetCheckoutProcedure:        {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure: {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure:     {auth.Anyone},
	gatewayv1connect.CheckoutServiceCancelCheckoutProcedure:     {auth.Anyone},
	portalv1connect.TraderServiceRequestCodeProcedure:           {auth.Trader},
	portalv1connect.TraderServiceRequestCodeResendProcedure:     {auth.Trader},
	portalv1connect.TraderServiceMarkCodeNotNeededProcedure:     {auth.Trader},
	portalv1connect.OperatorServiceSetTraderAcquirerProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceListCardConflictsProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceCloseCardConflictProcedure:   {auth.Operator},
}

// Access says which kinds of callers a procedure lets in.
func Access(procedure string) []auth.Kind { return access[procedure] }

// MaxBody bounds every body but an appeal's.
const MaxBody = 64 << 10

// Fail writes an error in the shape of the transport it belongs to.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Door authenticates the callers of both transports.
type Door struct {
	keys   *auth.Keys
	users  *auth.Users
	limits *limit.Limits
}

// NewDoor makes the door. It refuses a procedure that access does not list.
func NewDoor(keys *auth.Keys, users *auth.Users, limits *limit.Limits, procedures []string) (*Door, error) {
	for _, procedure := range procedures {
		if len(access[procedure]) == 0 {
			return nil, fmt.Errorf("procedure %s: nobody is said to have access", procedure)
		}
	}
	return &Door{keys: keys, users: users, limits: limits}, nil
}

// Guard lets a caller through to the procedure's handler once it has proved who it is, with its body read and put back
// and itself in the request's context.
func (d *Door) Guard(procedure string, fail func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler {
	kinds := access[procedure]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nameCall(r.Context(), procedure)
		defer recovered(w, r, fail)
		body := onceBody(r)
		caller, err := d.admit(r, kinds, body)
		if err == nil {
			err = d.count(r, caller)
		}
		if err == nil {
			_, err = body()
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	})
}

func (d *Door) admit(r *http.Request, kinds []auth.Kind, body auth.ReadBody) (auth.Caller, error) {
	authorization := r.Header.Get("Authorization")
	switch {
	case slices.Contains(kinds, auth.Anyone):
		return auth.Caller{Kind: auth.Anyone}, nil
	case slices.Contains(kinds, auth.Application):
		return d.keys.Application(r.Header, body)
	// A procedure open to keys and tokens goes by what the caller sent.
	case slices.Contains(kinds, auth.MerchantKey) && (len(kinds) == 1 || !auth.HasBearer(authorization)):
		return d.keys.Merchant(r.Context(), r.Header, body)
	}
	caller, err := d.users.Bearer(r.Context(), authorization)
	if err != nil {
		return auth.Caller{}, err
	}
	if !slices.Contains(kinds, caller.Kind) {
		return auth.Caller{}, fault.ErrTokenKindNotAllowed
	}
	return caller, nil
}

// count bounds how often a key may call and, of callers without one, an address may write.
func (d *Door) count(r *http.Request, caller auth.Caller) error {
	var err error
	switch {
	case caller.Kind == auth.MerchantKey:
		_, err = d.limits.Count(limit.Key, strconv.FormatInt(caller.ID, 10))
	case caller.Kind == auth.Anyone && r.Method == http.MethodPost:
		_, err = d.limits.Count(limit.AddressWrites, address(r))
	}
	return err
}

// errBodyTooLarge is answered after reading to the limit, so that the answer gets through.
var errBodyTooLarge = fault.Newf(fault.TooLarge, "body_too_large", "The body must be at most %d bytes.", MaxBody)

// onceBody reads the request's body when first asked for, up to the limit, and puts it back for the handler.
func onceBody(r *http.Request) auth.ReadBody {
	var content []byte
	var err error
	read := false
	return func() ([]byte, error) {
		if !read {
			read = true
			content, err = ReadBody(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(content))
		}
		return content, err
	}
}

// ReadBody reads a request's body, to its limit at most.
func ReadBody(body io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(body, MaxBody+1))
	tooLarge := new(http.MaxBytesError)
	switch {
	case len(content) > MaxBody, errors.As(err, &tooLarge):
		return nil, errBodyTooLarge
	case err != nil:
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	return content, nil
}
