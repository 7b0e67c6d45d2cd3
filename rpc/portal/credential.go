package portal

import (
	"context"
	"net/http"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/optional"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type CredentialService struct{ Keys *auth.MerchantKeys }

func (s *CredentialService) ListCredentials(
	ctx context.Context, req *portalv1.ListCredentialsRequest,
) (*portalv1.ListCredentialsResponse, error) {
	list, legacy, err := s.Keys.List(ctx, caller.From(ctx), req.GetMerchantCashboxId())
	out := &portalv1.ListCredentialsResponse{Data: rpc.Views(list, credentialView), Legacy: &portalv1.LegacyCredential{
		Exists: legacy.Exists, HasActiveNewCredential: legacy.HasActiveNewCredential,
		FallbackEnabled: legacy.FallbackEnabled, CanBeRemoved: legacy.CanBeRemoved,
	}}
	if legacy.Exists {
		out.Legacy.Source = new("merchant")
	}
	return out, err
}

func (s *CredentialService) CreateCredential(
	ctx context.Context, req *portalv1.CreateCredentialRequest,
) (*portalv1.CreateCredentialResponse, error) {
	key, secret, err := s.Keys.Create(ctx, caller.From(ctx), auth.NewCredential{
		CashboxID: req.GetMerchantCashboxId(), Name: req.GetName(), Scopes: req.GetScopes(),
		Limits: limitsOf(req),
	})
	return &portalv1.CreateCredentialResponse{Data: credentialView(key), Secret: secret}, err
}

type limited interface {
	GetExpiresAt() *timestamppb.Timestamp
	GetAllowedNetworks() string
	GetPayoutDailyLimit() string
}

func limitsOf(m limited) auth.Limits {
	return auth.Limits{
		ExpiresAt: rpc.Instant(m.GetExpiresAt()), Networks: m.GetAllowedNetworks(),
		PayoutDailyLimit: m.GetPayoutDailyLimit(),
	}
}

func (s *CredentialService) SetCredentialLimits(
	ctx context.Context, req *portalv1.SetCredentialLimitsRequest,
) (*portalv1.SetCredentialLimitsResponse, error) {
	key, err := s.Keys.SetLimits(ctx, caller.From(ctx), req.GetMerchantCashboxId(), req.GetCredentialId(),
		limitsOf(req))
	return &portalv1.SetCredentialLimitsResponse{Data: credentialView(key)}, err
}

func (s *CredentialService) RevokeCredential(
	ctx context.Context, req *portalv1.RevokeCredentialRequest,
) (*portalv1.RevokeCredentialResponse, error) {
	key, err := s.Keys.Revoke(ctx, caller.From(ctx), req.GetMerchantCashboxId(), req.GetCredentialId())
	return &portalv1.RevokeCredentialResponse{Data: credentialView(key)}, err
}

// credentialView is a key without its secret, which only the answer that
// creates the key has. A key that was revoked stays revoked, even if its time
// has run out since.
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
		ExpiresAt:         rpc.OptionalTime(key.ExpiresAt),
		AllowedNetworks:   optional.Of(strings.Join(key.Networks, ",")),
		PayoutDailyLimit:  rpc.OptionalFiat(key.PayoutDailyLimit),
	}
	switch {
	case key.RevokedAt != nil:
		out.Status = "revoked"
	case !key.Active():
		out.Status = "expired"
	}
	return out
}

func (s *CredentialService) DiagnoseSignature(
	ctx context.Context, m *portalv1.DiagnoseSignatureRequest,
) (*portalv1.DiagnoseSignatureResponse, error) {
	header := http.Header{}
	for _, one := range m.GetHeaders() {
		header.Add(one.GetName(), one.GetValue())
	}
	_, found, err := s.Keys.Diagnose(ctx, caller.From(ctx), auth.Sample{
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
	return out, nil
}
