package portal

import (
	"context"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/optional"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// CredentialService serves portal.v1.CredentialService.
type CredentialService struct{ keys *auth.MerchantKeys }

var _ portalv1connect.CredentialServiceHandler = (*CredentialService)(nil)

// NewCredentialService makes the handler.
func NewCredentialService(keys *auth.MerchantKeys) *CredentialService {
	return &CredentialService{keys: keys}
}

// ListCredentials implements the service.
func (s *CredentialService) ListCredentials(
	ctx context.Context, req *connect.Request[portalv1.ListCredentialsRequest],
) (*connect.Response[portalv1.ListCredentialsResponse], error) {
	list, legacy, err := s.keys.List(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListCredentialsResponse{Legacy: &portalv1.LegacyCredential{
		Exists: legacy.Exists, HasActiveNewCredential: legacy.HasActiveNewCredential,
		FallbackEnabled: legacy.FallbackEnabled, CanBeRemoved: legacy.CanBeRemoved,
	}}
	if legacy.Exists {
		out.Legacy.Source = new("merchant")
	}
	for _, key := range list {
		out.Data = append(out.Data, credentialView(key))
	}
	return connect.NewResponse(out), nil
}

// CreateCredential implements the service.
func (s *CredentialService) CreateCredential(
	ctx context.Context, req *connect.Request[portalv1.CreateCredentialRequest],
) (*connect.Response[portalv1.CreateCredentialResponse], error) {
	key, secret, err := s.keys.Create(ctx, caller.From(ctx), auth.NewCredential{
		CashboxID: req.Msg.GetMerchantCashboxId(), Name: req.Msg.GetName(), Scopes: req.Msg.GetScopes(),
		Limits: limitsOf(req.Msg),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CreateCredentialResponse{Data: credentialView(key), Secret: secret}), nil
}

// limited is a request with the limits of a key.
type limited interface {
	GetExpiresAt() *timestamppb.Timestamp
	GetAllowedNetworks() string
	GetPayoutDailyLimit() string
}

func limitsOf(m limited) auth.Limits {
	return auth.Limits{
		ExpiresAt: optionalMoment(m.GetExpiresAt()), Networks: m.GetAllowedNetworks(),
		PayoutDailyLimit: m.GetPayoutDailyLimit(),
	}
}

// SetCredentialLimits implements the service.
func (s *CredentialService) SetCredentialLimits(
	ctx context.Context, req *connect.Request[portalv1.SetCredentialLimitsRequest],
) (*connect.Response[portalv1.SetCredentialLimitsResponse], error) {
	key, err := s.keys.SetLimits(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId(), req.Msg.GetCredentialId(),
		limitsOf(req.Msg))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SetCredentialLimitsResponse{Data: credentialView(key)}), nil
}

// RevokeCredential implements the service.
func (s *CredentialService) RevokeCredential(
	ctx context.Context, req *connect.Request[portalv1.RevokeCredentialRequest],
) (*connect.Response[portalv1.RevokeCredentialResponse], error) {
	key, err := s.keys.Revoke(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId(), req.Msg.GetCredentialId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RevokeCredentialResponse{Data: credentialView(key)}), nil
}

func credentialView(key auth.Credential) *portalv1.Credential {
	out := &portalv1.Credential{
		Id:                key.ID,
		KeyId:             key.KeyID,
		Name:              key.Name,
		MerchantCashboxId: key.CashboxID,
		Scopes:            key.Scopes,
		Status:            "active",
		CreatedAt:         rpc.Timestamp(key.CreatedAt),
		LastUsedAt:        rpc.OptionalTime(key.LastUsedAt),
		RevokedAt:         rpc.OptionalTime(key.RevokedAt),
	}
	out.ExpiresAt = rpc.OptionalTime(key.ExpiresAt)
	if len(key.Networks) > 0 {
		out.AllowedNetworks = new(strings.Join(key.Networks, ","))
	}
	out.PayoutDailyLimit = rpc.OptionalFiat(key.PayoutDailyLimit)
	switch {
	case key.RevokedAt != nil:
		out.Status = "revoked"
	case !key.Active():
		out.Status = "expired"
	}
	return out
}

// optionalMoment is a time that may not be set.
func optionalMoment(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.AsTime())
}

// DiagnoseSignature implements the service.
func (s *CredentialService) DiagnoseSignature(
	ctx context.Context, req *connect.Request[portalv1.DiagnoseSignatureRequest],
) (*connect.Response[portalv1.DiagnoseSignatureResponse], error) {
	m, header := req.Msg, http.Header{}
	for _, one := range m.GetHeaders() {
		header.Add(one.GetName(), one.GetValue())
	}
	_, found, err := s.keys.Diagnose(ctx, caller.From(ctx), auth.Sample{
		Request: m.GetRequest(), Method: m.GetMethod(), Path: m.GetPath(), Header: header, Body: m.Body,
		Secret: m.GetSecret(),
	})
	if err != nil {
		return nil, err
	}
	out := &portalv1.DiagnoseSignatureResponse{
		Mistake: string(found.Mistake), Hint: found.Mistake.Hint(), Header: optional.Of(found.Header),
	}
	if found.Offset >= 0 {
		out.Offset = new(int64(found.Offset))
	}
	return connect.NewResponse(out), nil
}
