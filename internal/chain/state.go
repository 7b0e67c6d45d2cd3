package chain

// State is what has become of a transfer.
type State string

// A transfer is seen in a block, and final with as many blocks above it as its network needs. One that vanishes from its
// block is gone, or lost if it was final already.
const (
	Seen  State = "seen"
	Final State = "final"
	Gone  State = "gone"
	Lost  State = "lost"
)
