package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"
	"github.com/google/uuid"

	"gateway.example/internal/simulator"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// SandboxRooms are the services behind the sandbox's RPCs.
type SandboxRooms struct {
	// Advance moves the clock.
	Advance   func(ctx context.Context, seconds int64) (time.Time, error)
	Simulator *simulator.Service
	// Trigger makes an event happen to the payment or payout with the uuid, or to a new one if id is
	// "".
	Trigger func(ctx context.Context, event, id string) (Triggered, error)
}

// Triggered is what was done.
type Triggered struct {
	Event string
	// ID is the uuid of the payment or payout.
	ID uuid.UUID
	// PaymentID is the payment's integer id; 0 for a payout.
	PaymentID int64
	OrderID   string
	Status    string
}

// SandboxService serves sandbox.v1.SandboxService.
type SandboxService struct{ rooms SandboxRooms }

var _ sandboxv1connect.SandboxServiceHandler = (*SandboxService)(nil)

// NewSandboxService makes the handler.
func NewSandboxService(rooms SandboxRooms) *SandboxService { return &SandboxService{rooms: rooms} }

// AdvanceClock implements the service.
func (s *SandboxService) AdvanceClock(
	ctx context.Context, req *connect.Request[sandboxv1.AdvanceClockRequest],
) (*connect.Response[sandboxv1.AdvanceClockResponse], error) {
	now, err := s.rooms.Advance(ctx, req.Msg.GetSeconds())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.AdvanceClockResponse{Now: Timestamp(now)}), nil
}

// GetSimulation implements the service.
func (s *SandboxService) GetSimulation(
	ctx context.Context, _ *connect.Request[sandboxv1.GetSimulationRequest],
) (*connect.Response[sandboxv1.GetSimulationResponse], error) {
	state, err := s.rooms.Simulator.Get(ctx)
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
	state, err := s.rooms.Simulator.Start(ctx, plays)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.StartSimulationResponse{Simulation: simulation(state)}), nil
}

// StopSimulation implements the service.
func (s *SandboxService) StopSimulation(
	ctx context.Context, _ *connect.Request[sandboxv1.StopSimulationRequest],
) (*connect.Response[sandboxv1.StopSimulationResponse], error) {
	state, err := s.rooms.Simulator.Stop(ctx)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&sandboxv1.StopSimulationResponse{Simulation: simulation(state)}), nil
}

// Trigger implements the service.
func (s *SandboxService) Trigger(
	ctx context.Context, req *connect.Request[sandboxv1.TriggerRequest],
) (*connect.Response[sandboxv1.TriggerResponse], error) {
	done, err := s.rooms.Trigger(ctx, req.Msg.GetEvent(), req.Msg.GetId())
	if err != nil {
		return nil, err
	}
	out := &sandboxv1.TriggerResponse{
		Event: done.Event, Id: done.ID.String(), OrderId: done.OrderID, Status: done.Status,
	}
	if done.PaymentID != 0 {
		out.PaymentId = &done.PaymentID
	}
	return connect.NewResponse(out), nil
}

func simulation(s simulator.State) *sandboxv1.Simulation {
	out := &sandboxv1.Simulation{
		Running: s.Running, Confirmed: s.Confirmed, WrongAmount: s.WrongAmount, Cancelled: s.Cancelled,
	}
	if s.Since != nil {
		out.Since = Timestamp(*s.Since)
	}
	for _, p := range s.Plays {
		out.Plays = append(out.Plays, &sandboxv1.SimulationPlay{
			Method: p.Method, ConfirmedPercent: p.Confirmed, WrongAmountPercent: p.WrongAmount,
			CancelledPercent: p.Cancelled, DelayFromSeconds: p.From, DelayToSeconds: p.To,
		})
	}
	return out
}
