package rpc

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// connectCode is the code a kind of fault becomes over Connect.
func connectCode(kind fault.Kind) connect.Code {
	switch kind {
	case fault.Unauthenticated:
		return connect.CodeUnauthenticated
	case fault.Forbidden:
		return connect.CodePermissionDenied
	case fault.NotFound:
		return connect.CodeNotFound
	case fault.Conflict:
		return connect.CodeAlreadyExists
	case fault.TooLarge, fault.TooManyRequests:
		return connect.CodeResourceExhausted
	case fault.Invalid, fault.MethodNotAllowed, fault.UnsupportedMedia:
		return connect.CodeInvalidArgument
	case fault.Refused:
		return connect.CodeFailedPrecondition
	case fault.Unavailable:
		return connect.CodeUnavailable
	default:
		return connect.CodeInternal
	}
}

// ConnectError turns any error into the Connect error that carries the same code and fields as the
// REST body.
func ConnectError(ctx context.Context, err error) *connect.Error {
	if already := new(connect.Error); errors.As(err, &already) && edge.Fault(err) == nil {
		return already
	}
	public := edge.Public(ctx, err)
	out := connect.NewError(connectCode(public.Kind), errors.New(public.Message))
	detail := &gatewayv1.ErrorDetail{Code: public.Code, RequestId: edge.RequestID(ctx)}
	for field, messages := range public.Fields {
		if detail.Errors == nil {
			detail.Errors = map[string]*gatewayv1.FieldErrors{}
		}
		detail.Errors[field] = &gatewayv1.FieldErrors{Messages: messages}
	}
	if public.NextAllowedAt != nil {
		detail.NextAllowedAt = timestamp(*public.NextAllowedAt)
	}
	if public.ProposalID != 0 {
		detail.ProposalId = &public.ProposalID
	}
	if s := public.Signature; s != nil {
		detail.Details = &gatewayv1.SignatureDetails{
			ReceivedBytes: int32(
				s.ReceivedBytes,
			),
			BodySha256: s.BodySHA256,
			Expected:   fault.ExpectedSignature,
			Hint:       s.Hint,
		}
	}
	if d, err := connect.NewErrorDetail(detail); err == nil {
		out.AddDetail(d)
	}
	edge.SetRetryAfter(out.Meta(), public)
	return out
}
