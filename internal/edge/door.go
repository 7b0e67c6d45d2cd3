package edge

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
)

// Fail writes an error in the form of its transport.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Access says which kinds of callers may call a procedure, or all procedures of
// a service without a row of their own. The error for missing credentials asks
// for those of the first kind.
type Access map[string][]caller.Kind

// Of says which kinds of callers may call a procedure.
func (a Access) Of(procedure string) []caller.Kind {
	if kinds, own := a[procedure]; own {
		return kinds
	}
	service, _, _ := strings.Cut(strings.TrimPrefix(procedure, "/"), "/")
	return a[service]
}

// Uploads are the procedures whose body brings a file, with the scope that each
// needs, or ByUsers. Their bodies may be larger, and the signature covers
// fields instead of bytes. The door checks the caller before the body is read,
// and the handler checks the signature, with auth.ProveUpload.
type Uploads map[string]string

// ByUsers is in the place of the scope where users send the file, who sign
// nothing.
const ByUsers = ""

// Unfinished are the procedures that finish a sign-in. They accept a session
// that still lacks its second factor; their handlers get it with session.From.
type Unfinished map[string]bool

// Has reports whether a procedure is an upload.
func (u Uploads) Has(procedure string) bool {
	_, ok := u[procedure]
	return ok
}

// MaxBody is how many bytes the body of a procedure may have.
func (u Uploads) MaxBody(procedure string) int64 {
	if u.Has(procedure) {
		return MaxUpload
	}
	return MaxBody
}

// Door authenticates callers and limits their calls before anything else sees
// the request.
type Door struct {
	keys    *auth.Keys
	users   *session.Service
	limits  *limit.Limits
	access  Access
	uploads Uploads
	// unfinished accept sessions that lack the second factor.
	unfinished Unfinished
	// keyUploads and merchantUploads limit the uploads under way.
	keyUploads, merchantUploads *Turnstile
	userUploads                 *Files
	// CallbackPayment returns the id or the uuid of the payment that a call
	// of the application is about.
	CallbackPayment func(r *http.Request, body []byte) (id int64, uuid string)
	// Device authenticates a trader's phone.
	Device func(ctx context.Context, header http.Header, body auth.ReadBody) (caller.Caller, error)
	// OperatorNeeds are the capabilities that procedures need of an
	// operator. Other procedures check that themselves.
	OperatorNeeds map[string]caller.Capability
	// Turns limits the calls at the same time; nil does not.
	Turns *limit.Turns
	// WarnIgnored tells merchants in a header which of their fields were
	// ignored.
	WarnIgnored bool
}

// NewDoor makes the door of some procedures. It fails for one without a row in
// access.
func NewDoor(
	keys *auth.Keys,
	users *session.Service,
	limits *limit.Limits,
	access Access,
	uploads Uploads,
	unfinished Unfinished,
	procedures []string,
) (*Door, error) {
	for _, procedure := range procedures {
		if len(access.Of(procedure)) == 0 {
			return nil, fmt.Errorf("procedure %s: nobody is said to have access", procedure)
		}
	}
	return &Door{
		keys: keys, users: users, limits: limits, access: access, uploads: uploads, unfinished: unfinished,
		keyUploads: NewTurnstile(keyUploads), merchantUploads: NewTurnstile(merchantUploads),
		userUploads: NewFiles(merchantUploads),
	}, nil
}

// Guard lets authenticated callers through to the handler, with the caller in
// the context and the body put back.
func (d *Door) Guard(
	procedure string,
	fail func(http.ResponseWriter, *http.Request, error),
	next http.Handler,
) http.Handler {
	if d.uploads.Has(procedure) {
		return d.guardUpload(procedure, fail, next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteProcedure(r, procedure)
		defer Recovered(w, r, fail)
		if d.WarnIgnored {
			r = warned(r)
		}
		body, began := onceBody(r), time.Now()
		ctx, who, err := d.admit(r, procedure, body, d.countKey)
		if err == nil {
			err = d.count(r.WithContext(ctx), who)
		} else {
			err = d.countStranger(r, err)
		}
		if err == nil {
			err = d.needs(procedure, who)
		}
		if err == nil {
			_, err = body()
		}
		if err == nil && d.Turns != nil {
			var leave func()
			if leave, err = d.Turns.Enter(r.Context(), owner(r, who)); err != nil {
				noted(r.Context()).bounded = true // of an overload's calls few are kept
			} else {
				defer leave()
			}
		}
		if err == nil && Late(began) {
			if ctx, who, err = d.admit(r, procedure, body, uncounted); err == nil {
				err = d.needs(procedure, who)
			}
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		who.RequestID, who.Address = KeptRequestID(r.Context()), limit.Address(r.RemoteAddr)
		next.ServeHTTP(w, r.WithContext(caller.With(ctx, who)))
	})
}

// letIn is how long it counts that a caller was let in. Whoever holds their
// body back longer, or waits longer for a turn, has to be let in again: their
// key, phone or session may be gone by then.
const letIn = 500 * time.Millisecond

// Late reports whether whoever was let in at that time has to be let in again.
func Late(began time.Time) bool { return time.Since(began) > letIn }

// needs checks what a procedure takes of an operator.
func (d *Door) needs(procedure string, who caller.Caller) error {
	if needed := d.OperatorNeeds[procedure]; needed != "" && who.Kind == caller.Operator {
		return who.Need(needed)
	}
	return nil
}

// owner is the name under which a call waits for its turn: all keys and users
// of a merchant share one, and all users of a trader share one.
func owner(r *http.Request, who caller.Caller) string {
	switch {
	case who.MerchantID != 0:
		return "merchant " + strconv.FormatInt(who.MerchantID, 10)
	case who.TraderID != 0:
		return "trader " + strconv.FormatInt(who.TraderID, 10)
	case who.Kind == caller.Anyone:
		return limit.Address(r.RemoteAddr)
	}
	return who.Actor()
}

// admit authenticates the caller. It also returns the request's context, with
// the session if there is one.
func (d *Door) admit(
	r *http.Request, procedure string, body auth.ReadBody, count func(*auth.Proof) error,
) (ctx context.Context, who caller.Caller, err error) {
	ctx = r.Context()
	kinds := d.access.Of(procedure)
	switch {
	case slices.Contains(kinds, caller.Anyone):
		return ctx, caller.Caller{Kind: caller.Anyone}, nil
	case slices.Contains(kinds, caller.Application):
		who, err = d.keys.Application(ctx, r.Header, body, func(content []byte) (int64, string) {
			return d.CallbackPayment(r, content)
		})
		return ctx, who, err
	case slices.Contains(kinds, caller.Device):
		who, err = d.Device(ctx, r.Header, body)
		return ctx, who, err
	case slices.Contains(kinds, caller.MerchantKey) && (len(kinds) == 1 || d.signs(r.Header, kinds)):
		who, err = d.signed(r, body, count)
		noteSigned(r, who.MerchantID)
		return ctx, who, err
	}
	if err := auth.Once(r.Header, fault.ErrUnauthenticated, "Authorization"); err != nil {
		return ctx, caller.Caller{}, err
	}
	found, err := d.users.FindBearer(ctx, r.Header.Get("Authorization"))
	if err == nil && !d.unfinished[procedure] {
		err = found.NeedComplete()
	}
	switch {
	case err != nil:
		return ctx, caller.Caller{}, err
	case slices.Contains(kinds, found.Caller.Kind):
		return session.With(ctx, found), found.Caller, nil
	case len(kinds) == 1 && kinds[0] == caller.MerchantPortal:
		return ctx, caller.Caller{}, fault.ErrPortalTokenRequired
	}
	return ctx, caller.Caller{}, fault.ErrTokenKindNotAllowed
}

// signed authenticates a merchant's request. The call counts against the key's
// limit before the signature is checked, because explaining a wrong signature
// costs more than answering a call.
func (d *Door) signed(r *http.Request, body auth.ReadBody, count func(*auth.Proof) error) (caller.Caller, error) {
	proof, err := d.keys.Begin(r)
	if err != nil {
		return caller.Caller{}, err
	}
	if err := count(proof); err != nil {
		return caller.Caller{}, err
	}
	content, err := body()
	if err != nil {
		return caller.Caller{}, err
	}
	return proof.Check(r.Context(), content)
}

// countKey counts a call against the limit of its key.
func (d *Door) countKey(proof *auth.Proof) error {
	_, err := d.limits.Count(limit.Key, strconv.FormatInt(proof.Key(), 10))
	return err
}

// uncounted is for a call that was counted when it came.
func uncounted(*auth.Proof) error { return nil }

// signs reports whether a caller uses a key, for a procedure that is open to
// keys and tokens. A caller without credentials counts as the first kind of the
// row.
func (d *Door) signs(header http.Header, kinds []caller.Kind) bool {
	return !session.HasBearer(header.Get("Authorization")) && (kinds[0] == caller.MerchantKey || d.keys.Signed(header))
}

// count limits the calls of a user, whose session is in the request's context,
// and the writes of an address without user or key.
func (d *Door) count(r *http.Request, who caller.Caller) error {
	var err error
	switch {
	case who.Kind == caller.Device:
		_, err = d.limits.Count(limit.Device, strconv.FormatInt(who.ID, 10))
	case who.Kind != caller.Anyone && who.Kind != caller.Application && who.Kind != caller.MerchantKey:
		_, err = d.limits.Count(limit.User, session.From(r.Context()).CountedAs())
	case who.Kind == caller.Anyone && r.Method == http.MethodPost:
		_, err = d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr))
	}
	return err
}

// countStranger limits the writes of an address whose caller has not been
// authenticated.
func (d *Door) countStranger(r *http.Request, refused error) error {
	f := fault.As(refused)
	if r.Method == http.MethodPost && f != nil && (f.Kind == fault.Unauthenticated || f.Kind == fault.Forbidden) {
		if _, err := d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr)); err != nil {
			return err
		}
	}
	return refused
}
