package chain

// State is the state of a transfer.
type State string

// A transfer is seen once it is in a block, and final once there are as many
// blocks above it as its network requires. If it vanishes from its block, it is
// gone, or lost if it was already final.
const (
	Seen  State = "seen"
	Final State = "final"
	Gone  State = "gone"
	Lost  State = "lost"
)
