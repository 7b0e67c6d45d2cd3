package withdrawal

import (
	"context"
	"fmt"

	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// checkNetwork refuses a network that is not known.
func checkNetwork(f fault.Fields, network string) bool {
	_, known := chain.Find(network)
	if f.Required("network", network) {
		f.Check(known, "network", "%s", fault.OneOf(network, chain.Names()))
	}
	return known
}

// checkAddress refuses an address that cannot be meant: one of another
// network's form or with a wrong checksum, a contract of the token, and the
// platform's own. It returns the address in the network's notation.
func (s *Service) checkAddress(ctx context.Context, f fault.Fields, network, address string) (string, error) {
	known := checkNetwork(f, network)
	if !f.Required("address", address) || !known {
		return address, nil
	}
	if err := chain.CheckAddress(network, address); err != nil {
		f.Add("address", "%s", err)
		return address, nil
	}
	raw, err := chain.Read(network, address)
	if err != nil {
		return address, fmt.Errorf("read an address: %w", err)
	}
	for _, on := range chain.Networks() { // a key has the same address on all networks
		ours, err := s.q.ReceivingKnown(ctx, db.ReceivingKnownParams{Network: on.Name, Address: on.Write(raw)})
		if err != nil {
			return address, fmt.Errorf("look for a receiving address: %w", err)
		}
		if ours.Known {
			f.Add("address", "is the platform's own address")
			break
		}
	}
	return written(network, address), nil
}

// written is a valid address in its network's notation, and any other text
// unchanged.
func written(network, address string) string {
	n, _ := chain.Find(network)
	raw, err := chain.Read(network, address)
	if err != nil {
		return address
	}
	return n.Write(raw)
}
