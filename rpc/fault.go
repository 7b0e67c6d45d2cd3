package rpc

import (
	"cmp"
	"context"
	"errors"

	"connectrpc.com/connect"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// connectCodes are the codes that the kinds of faults become over Connect.
var connectCodes = map[fault.Kind]connect.Code{
	fault.Unauthenticated:  connect.CodeUnauthenticated,
	fault.Forbidden:        connect.CodePermissionDenied,
	fault.NotFound:         connect.CodeNotFound,
	fault.MethodNotAllowed: connect.CodeInvalidArgument,
	fault.Conflict:         connect.CodeAlreadyExists,
	fault.TooLarge:         connect.CodeResourceExhausted,
	fault.UnsupportedMedia: connect.CodeInvalidArgument,
	fault.Invalid:          connect.CodeInvalidArgument,
	fault.Refused:          connect.CodeFailedPrecondition,
	fault.TooManyRequests:  connect.CodeResourceExhausted,
	fault.Unavailable:      connect.CodeUnavailable,
}

// ConnectError turns any error into a Connect error with the same code and
// fields as the REST body.
func ConnectError(ctx context.Context, err error) *connect.Error {
	if already := new(connect.Error); errors.As(err, &already) && edge.Fault(err) == nil {
		return already
	}
	public := edge.Public(ctx, err)
	out := connect.NewError(cmp.Or(connectCodes[public.Kind], connect.CodeInternal), errors.New(public.Message))
	detail := &gatewayv1.ErrorDetail{Code: public.Code, RequestId: edge.RequestID(ctx)}
	for field, messages := range public.Fields {
		if detail.Errors == nil {
			detail.Errors = map[string]*gatewayv1.FieldErrors{}
		}
		detail.Errors[field] = &gatewayv1.FieldErrors{Messages: messages}
	}
	if public.NextAllowedAt != nil {
		detail.NextAllowedAt = Timestamp(*public.NextAllowedAt)
	}
	if public.ProposalID != 0 {
		detail.ProposalId = &public.ProposalID
	}
	if s := public.Signature; s != nil {
		detail.Details = &gatewayv1.SignatureDetails{
			ReceivedBytes: int32(s.ReceivedBytes),
			BodySha256:    s.BodySHA256,
			Expected:      fault.ExpectedSignature,
			Hint:          s.Hint,
		}
	}
	if d, err := connect.NewErrorDetail(detail); err == nil {
		out.AddDetail(d)
	}
	edge.SetRetryAfter(out.Meta(), public)
	return out
}
