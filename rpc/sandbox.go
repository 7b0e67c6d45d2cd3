package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/simulator"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// SandboxService serves sandbox.v1.SandboxService.
type SandboxService struct {
	advance   func(ctx context.Context, seconds int64) (time.Time, error)
	simulator *simulator.Service
}

var _ sandboxv1connect.SandboxServiceHandler = (*SandboxService)(nil)

// NewSandboxService makes the handler of a sandbox whose clock advance moves.
func NewSandboxService(
	advance func(ctx context.Context, seconds int64) (time.Time, error), traders *simulator.Service,
) *SandboxService {
	return &SandboxService{advance: advance, simulator: traders}
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

// GetSimulation implements the service.
func (s *SandboxService) GetSimulation(
	ctx context.Context, _ *connect.Request[sandboxv1.GetSimulationRequest],
) (*connect.Response[sandboxv1.GetSimulationResponse], error) {
	state, err := s.simulator.Get(ctx)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.GetSimulationResponse{Simulation: simulation(state)}), nil
}

// StartSimulation implements the service.
func (s *SandboxService) StartSimulation(
	ctx context.Context, req *connect.Request[sandboxv1.StartSimulationRequest],
) (*connect.Response[sandboxv1.StartSimulationResponse], error) {
	var plays []simulator.Play
	for _, p := range req.Msg.GetPlays() {
		plays = append(plays, simulator.Play{
			Method: p.GetMethod(), Confirmed: p.GetConfirmedPercent(), WrongAmount: p.GetWrongAmountPercent(),
			Cancelled: p.GetCancelledPercent(), From: p.GetDelayFromSeconds(), To: p.GetDelayToSeconds(),
		})
	}
	state, err := s.simulator.Start(ctx, plays)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.StartSimulationResponse{Simulation: simulation(state)}), nil
}

// StopSimulation implements the service.
func (s *SandboxService) StopSimulation(
	ctx context.Context, _ *connect.Request[sandboxv1.StopSimulationRequest],
) (*connect.Response[sandboxv1.StopSimulationResponse], error) {
	state, err := s.simulator.Stop(ctx)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.StopSimulationResponse{Simulation: simulation(state)}), nil
}

func simulation(s simulator.State) *sandboxv1.Simulation {
	out := &sandboxv1.Simulation{
		Running: s.Running, Confirmed: s.Confirmed, WrongAmount: s.WrongAmount, Cancelled: s.Cancelled,
	}
	if s.Since != nil {
		out.Since = timestamp(*s.Since)
	}
	for _, p := range s.Plays {
		out.Plays = append(out.Plays, &sandboxv1.SimulationPlay{
			Method: p.Method, ConfirmedPercent: p.Confirmed, WrongAmountPercent: p.WrongAmount,
			CancelledPercent: p.Cancelled, DelayFromSeconds: p.From, DelayToSeconds: p.To,
		})
	}
	return out
}
