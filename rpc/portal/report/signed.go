package report

import (
	"context"

	"gateway.example/internal/caller"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) GetSignedTimeline(
	ctx context.Context, req *portalv1.GetSignedTimelineRequest,
) (*portalv1.SignedDocumentResponse, error) {
	file, err := s.Timelines.Signed(ctx, caller.From(ctx), req.GetPaymentId(), s.Signer)
	return signedDocument(file, err)
}

// GetSigningKeys gives the public keys, so that whoever has a signed file can
// prove it.
func (s *service) GetSigningKeys(
	ctx context.Context, _ *portalv1.GetSigningKeysRequest,
) (*portalv1.SignedDocumentResponse, error) {
	file, err := s.Signer.Published(ctx)
	return signedDocument(file, err)
}

func signedDocument(file []byte, err error) (*portalv1.SignedDocumentResponse, error) {
	return &portalv1.SignedDocumentResponse{Document: string(file)}, err
}
