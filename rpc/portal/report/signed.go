package report

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// GetSignedTimeline implements the service.
func (s *Service) GetSignedTimeline(
	ctx context.Context, req *connect.Request[portalv1.GetSignedTimelineRequest],
) (*connect.Response[portalv1.SignedDocumentResponse], error) {
	file, err := s.Timelines.Signed(ctx, caller.From(ctx), req.Msg.GetPaymentId(), s.Signer)
	return signedDocument(file, err)
}

// GetSigningKeys implements the service. The keys are public, so that whoever has a signed file can
// prove it.
func (s *Service) GetSigningKeys(
	ctx context.Context, _ *connect.Request[portalv1.GetSigningKeysRequest],
) (*connect.Response[portalv1.SignedDocumentResponse], error) {
	file, err := s.Signer.Published(ctx)
	return signedDocument(file, err)
}

func signedDocument(file []byte, err error) (*connect.Response[portalv1.SignedDocumentResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SignedDocumentResponse{Document: string(file)}), nil
}
