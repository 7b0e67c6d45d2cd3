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

// access says which kinds of callers each procedure lets in, over Connect and REST alike; one who proves nothing at all
// is told of the first. What such a caller may do with which record is the service's to decide.
var access = map[string][]auth.Kind{
	gatewayv1connect.PaymentServiceCreatePaymentProcedure: {auth.MerchantKey},
	gatewayv1connect.PaymentServiceGetPaymentProcedure: {
		auth.MerchantKey, auth.Cabinet, auth.MerchantPortal, auth.Trader, auth.Operator,
	},
	gatewayv1connect.PaymentServiceUpdatePaymentStatusProcedure: {auth.Application},
	gatewayv1connect.PaymentServiceListPaymentsProcedure:        {auth.Cabinet, auth.MerchantKey},
	gatewayv1connect.PaymentServiceCreateAppealProcedure:        {auth.MerchantKey},
	portalv1connect.AuthServiceLoginProcedure:                   {auth.Anyone},
	portalv1connect.TraderServiceListPaymentsProcedure:          {auth.Trader},
	portalv1connect.TraderServiceConfirmReceivedProcedure:       {auth.Trader},
	portalv1connect.TraderServiceCancelPaymentProcedure:         {auth.Trader},
	portalv1connect.MerchantServiceListEventsProcedure:          {auth.MerchantPortal},
	portalv1connect.MerchantServiceReplayEventsProcedure:        {auth.MerchantPortal},
	portalv1connect.MerchantServiceGetReplayProcedure:           {auth.MerchantPortal},
	portalv1connect.MerchantServiceStopReplayProcedure:          {auth.MerchantPortal},
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
	portalv1connect.OperatorServiceGetReplayProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceStopReplayProcedure:          {auth.Operator},
	portalv1connect.OperatorServiceListAppealsProcedure:         {auth.Operator},
	portalv1connect.OperatorServiceGetAppealFileProcedure:       {auth.Operator},
	portalv1connect.OperatorServiceReviewAppealProcedure:        {auth.Operator},
	portalv1connect.OperatorServiceResolveAppealProcedure:       {auth.Operator},
	portalv1connect.CredentialServiceListCredentialsProcedure:   {auth.MerchantPortal},
	portalv1connect.CredentialServiceCreateCredentialProcedure:  {auth.MerchantPortal},
	portalv1connect.CredentialServiceRevokeCredentialProcedure:  {auth.MerchantPortal},
	sandboxv1connect.SandboxServiceAdvanceClockProcedure:        {auth.Anyone},

	gatewayv1connect.PaymentServiceResendCodeProcedure:             {auth.MerchantKey},
	gatewayv1connect.CheckoutServiceGetCheckoutProcedure:           {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerDetailsProcedure:    {auth.Anyone},
	gatewayv1connect.CheckoutServiceSubmitPayerOtpProcedure:        {auth.Anyone},
	gatewayv1connect.CheckoutServiceCancelCheckoutProcedure:        {auth.Anyone},
	portalv1connect.TraderServiceRequestCodeProcedure:              {auth.Trader},
	portalv1connect.TraderServiceRequestCodeResendProcedure:        {auth.Trader},
	portalv1connect.TraderServiceMarkCodeNotNeededProcedure:        {auth.Trader},
	portalv1connect.OperatorServiceSetTraderAcquirerProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceListCardConflictsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceCloseCardConflictProcedure:      {auth.Operator},
	gatewayv1connect.PayinServiceCreatePayinProcedure:              {auth.MerchantKey},
	gatewayv1connect.PayinServiceGetPayinProcedure:                 {auth.MerchantKey},
	gatewayv1connect.PayinServiceCancelPayinProcedure:              {auth.MerchantKey},
	portalv1connect.TraderServiceListPayinsProcedure:               {auth.Trader},
	portalv1connect.TraderServiceTakePayinProcedure:                {auth.Trader},
	portalv1connect.TraderServiceGiveBackPayinProcedure:            {auth.Trader},
	portalv1connect.TraderServiceCompletePayinProcedure:            {auth.Trader},
	portalv1connect.TraderServiceFailPayinProcedure:                {auth.Trader},
	portalv1connect.MerchantServiceListPayinsProcedure:             {auth.MerchantPortal},
	portalv1connect.MerchantServiceCancelPayinProcedure:            {auth.MerchantPortal},
	portalv1connect.OperatorServiceListOverduePayinsProcedure:      {auth.Operator},
	portalv1connect.OperatorServiceResolvePayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceReclaimPayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceReversePayinProcedure:           {auth.Operator},
	portalv1connect.OperatorServiceSetCashboxPayoutMethodProcedure: {auth.Operator},
	portalv1connect.OperatorServiceSetTraderPayoutMethodProcedure:  {auth.Operator},

	gatewayv1connect.DepositServiceCreateDepositProcedure:  {auth.MerchantKey},
	gatewayv1connect.DepositServiceGetDepositProcedure:     {auth.MerchantKey},
	gatewayv1connect.CashboxServiceGetBalanceProcedure:     {auth.MerchantKey},
	portalv1connect.OperatorServiceListDepositsProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceConfirmDepositProcedure: {auth.Operator},
	portalv1connect.OperatorServiceRejectDepositProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceSetInsuranceProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceCreateMerchantProcedure: {auth.Operator},
	portalv1connect.OperatorServiceCreateTraderProcedure:   {auth.Operator},
	portalv1connect.OperatorServiceCreateCashboxProcedure:  {auth.Operator},
	portalv1connect.OperatorServiceFundTraderProcedure:     {auth.Operator},
	portalv1connect.OperatorServiceWithdrawTraderProcedure: {auth.Operator},
}

// Access says which kinds of callers a procedure lets in.
func Access(procedure string) []auth.Kind { return access[procedure] }

// MaxBody bounds every body but an upload's.
const MaxBody = 64 << 10

// Fail writes an error in the shape of the transport it belongs to.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Door authenticates the callers of both transports.
type Door struct {
	keys   *auth.Keys
	users  *auth.Users
	limits *limit.Limits
	// keyUploads and merchantUploads bound the uploads under way.
	keyUploads, merchantUploads *turnstile
	// Turns let calls in; nil lets in all.
	Turns *limit.Turns
	// WarnIgnored has merchants told, in a header, of the fields of theirs that are ignored.
	WarnIgnored bool
}

// NewDoor makes the door. It refuses a procedure that access does not list.
func NewDoor(keys *auth.Keys, users *auth.Users, limits *limit.Limits, procedures []string) (*Door, error) {
	for _, procedure := range procedures {
		if len(access[procedure]) == 0 {
			return nil, fmt.Errorf("procedure %s: nobody is said to have access", procedure)
		}
	}
	return &Door{
		keys: keys, users: users, limits: limits,
		keyUploads: newTurnstile(keyUploads, uploadWait), merchantUploads: newTurnstile(merchantUploads, uploadWait),
	}, nil
}

// Guard lets a caller through to the procedure's handler once it has proved who it is, with its body read and put back
// and itself in the request's context.
func (d *Door) Guard(procedure string, fail func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler {
	if isUpload(procedure) {
		return d.guardUpload(procedure, fail, next)
	}
	kinds := access[procedure]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nameCall(r.Context(), procedure)
		defer recovered(w, r, fail)
		if d.WarnIgnored {
			r = warned(r)
		}
		body := onceBody(r)
		caller, err := d.admit(r, kinds, body)
		if err == nil {
			err = d.count(r, caller)
		} else {
			err = d.countStranger(r, err)
		}
		if err == nil {
			_, err = body()
		}
		leave := func() {}
		if err == nil && d.Turns != nil {
			leave, err = d.Turns.Enter(r.Context(), owner(r, caller))
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		defer leave()
		next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	})
}

// owner is whom a call's turn is counted for: a merchant, however many keys and users it has.
func owner(r *http.Request, caller auth.Caller) string {
	switch {
	case caller.MerchantID != 0:
		return "merchant " + strconv.FormatInt(caller.MerchantID, 10)
	case caller.TraderID != 0:
		return "trader " + strconv.FormatInt(caller.TraderID, 10)
	case caller.Kind == auth.Anyone:
		return limit.Address(r.RemoteAddr)
	}
	return caller.Actor()
}

func (d *Door) admit(r *http.Request, kinds []auth.Kind, body auth.ReadBody) (auth.Caller, error) {
	authorization := r.Header.Get("Authorization")
	switch {
	case slices.Contains(kinds, auth.Anyone):
		return auth.Caller{Kind: auth.Anyone}, nil
	case slices.Contains(kinds, auth.Application):
		return d.keys.Application(r.Header, body)
	case slices.Contains(kinds, auth.MerchantKey) && (len(kinds) == 1 || d.signs(r.Header, kinds)):
		return d.keys.Merchant(r.Context(), r.Header, body)
	}
	caller, err := d.users.Bearer(r.Context(), authorization)
	switch {
	case err != nil:
		return auth.Caller{}, err
	case slices.Contains(kinds, caller.Kind):
		return caller, nil
	case len(kinds) == 1 && kinds[0] == auth.MerchantPortal:
		return auth.Caller{}, fault.ErrPortalTokenRequired
	}
	return auth.Caller{}, fault.ErrTokenKindNotAllowed
}

// signs reports whether a caller of a procedure that is open to keys and tokens goes by a key: by what it sent, and
// where it sent nothing, by the first kind of the row.
func (d *Door) signs(header http.Header, kinds []auth.Kind) bool {
	return !auth.HasBearer(header.Get("Authorization")) && (kinds[0] == auth.MerchantKey || d.keys.Signed(header))
}

// count bounds how often a key or a user may call and, of callers who are neither, an address may write.
func (d *Door) count(r *http.Request, caller auth.Caller) error {
	var err error
	switch {
	case caller.Kind == auth.MerchantKey:
		_, err = d.limits.Count(limit.Key, strconv.FormatInt(caller.ID, 10))
	case caller.Kind != auth.Anyone && caller.Kind != auth.Application:
		_, err = d.limits.Count(limit.User, strconv.FormatInt(caller.ID, 10))
	case caller.Kind == auth.Anyone && r.Method == http.MethodPost:
		_, err = d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr))
	}
	return err
}

// countStranger bounds how often an address may write without proving who it is.
func (d *Door) countStranger(r *http.Request, refused error) error {
	f := fault.As(refused)
	if r.Method == http.MethodPost && f != nil && (f.Kind == fault.Unauthenticated || f.Kind == fault.Forbidden) {
		if _, err := d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr)); err != nil {
			return err
		}
	}
	return refused
}

// tooLarge is answered after reading to the limit, so that the answer gets through.
func tooLarge(limit int64) error {
	return fault.Newf(fault.TooLarge, "body_too_large", "The body must be at most %d bytes.", limit)
}

// onceBody reads the request's body when first asked for, up to the limit, and puts it back for the handler.
func onceBody(r *http.Request) auth.ReadBody {
	var content []byte
	var err error
	read := false
	return func() ([]byte, error) {
		if !read {
			read = true
			content, err = ReadBody(r.Body, MaxBody)
			r.Body = received{bytes.NewReader(content), content}
		}
		return content, err
	}
}

// received is a body that the door has read.
type received struct {
	*bytes.Reader
	content []byte
}

// Close implements io.Closer.
func (received) Close() error { return nil }

// ReadBody reads a request's body, to its limit at most. One that the door has read it returns as it is.
func ReadBody(body io.Reader, limit int64) ([]byte, error) {
	if body, ok := body.(received); ok {
		return body.content, nil
	}
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	exceeded := new(http.MaxBytesError)
	switch {
	case int64(len(content)) > limit, errors.As(err, &exceeded):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	return content, nil
}
