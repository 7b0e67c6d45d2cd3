package rpc

import (
	"context"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/optional"
	"gateway.example/internal/simulator"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
)

type SandboxService struct {
	Advance   func(ctx context.Context, seconds int64) (time.Time, error)
	Simulator *simulator.Service
	// Happen makes an event happen to the payment or payout with the uuid,
	// or to a new one if id is "".
	Happen func(ctx context.Context, event, id string) (Triggered, error)
}

type Triggered struct {
	Event string
	// ID is the uuid of the payment or payout.
	ID uuid.UUID
	// PaymentID is the payment's integer id; 0 for a payout.
	PaymentID int64
	OrderID   string
	Status    string
}

func (s *SandboxService) AdvanceClock(
	ctx context.Context, req *sandboxv1.AdvanceClockRequest,
) (*sandboxv1.AdvanceClockResponse, error) {
	now, err := s.Advance(ctx, req.GetSeconds())
	return &sandboxv1.AdvanceClockResponse{Now: Timestamp(now)}, err
}

func (s *SandboxService) GetSimulation(
	ctx context.Context, _ *sandboxv1.GetSimulationRequest,
) (*sandboxv1.GetSimulationResponse, error) {
	state, err := s.Simulator.Get(ctx)
	return &sandboxv1.GetSimulationResponse{Simulation: simulation(state)}, err
}

func (s *SandboxService) StartSimulation(
	ctx context.Context, req *sandboxv1.StartSimulationRequest,
) (*sandboxv1.StartSimulationResponse, error) {
	var plays []simulator.Play
	for _, p := range req.GetPlays() {
		plays = append(plays, simulator.Play{
			Method: p.GetMethod(), Confirmed: p.GetConfirmedPercent(), WrongAmount: p.GetWrongAmountPercent(),
			Cancelled: p.GetCancelledPercent(), From: p.GetDelayFromSeconds(), To: p.GetDelayToSeconds(),
		})
	}
	state, err := s.Simulator.Start(ctx, plays)
	return &sandboxv1.StartSimulationResponse{Simulation: simulation(state)}, err
}

func (s *SandboxService) StopSimulation(
	ctx context.Context, _ *sandboxv1.StopSimulationRequest,
) (*sandboxv1.StopSimulationResponse, error) {
	state, err := s.Simulator.Stop(ctx)
	return &sandboxv1.StopSimulationResponse{Simulation: simulation(state)}, err
}

func (s *SandboxService) Trigger(
	ctx context.Context, req *sandboxv1.TriggerRequest,
) (*sandboxv1.TriggerResponse, error) {
	done, err := s.Happen(ctx, req.GetEvent(), req.GetId())
	return &sandboxv1.TriggerResponse{
		Event: done.Event, Id: done.ID.String(), OrderId: done.OrderID, Status: done.Status,
		PaymentId: optional.Of(done.PaymentID),
	}, err
}

// simulation is the state of the simulator, running or not. The counts are
// those since it was last started.
func simulation(s simulator.State) *sandboxv1.Simulation {
	out := &sandboxv1.Simulation{
		Running: s.Running, Confirmed: s.Confirmed, WrongAmount: s.WrongAmount, Cancelled: s.Cancelled,
		Since: OptionalTime(s.Since),
	}
	for _, p := range s.Plays {
		out.Plays = append(out.Plays, &sandboxv1.SimulationPlay{
			Method: p.Method, ConfirmedPercent: p.Confirmed, WrongAmountPercent: p.WrongAmount,
			CancelledPercent: p.Cancelled, DelayFromSeconds: p.From, DelayToSeconds: p.To,
		})
	}
	return out
}
