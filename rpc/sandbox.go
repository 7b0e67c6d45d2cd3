package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"

	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// SandboxService serves sandbox.v1.SandboxService.
type SandboxService struct {
	advance func(ctx context.Context, seconds int64) (time.Time, error)
}

var _ sandboxv1connect.SandboxServiceHandler = (*SandboxService)(nil)

// NewSandboxService makes the handler of a sandbox whose clock advance moves.
func NewSandboxService(advance func(ctx context.Context, seconds int64) (time.Time, error)) *SandboxService {
	return &SandboxService{advance: advance}
}

// AdvanceClock implements the service.
func (s *SandboxService) AdvanceClock(
	ctx context.Context, req *connect.Request[sandboxv1.AdvanceClockRequest],
) (*connect.Response[sandboxv1.AdvanceClockResponse], error) {
	now, err := s.advance(ctx, req.Msg.GetSeconds())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.AdvanceClockResponse{Now: timestamp(now)}), nil
}
