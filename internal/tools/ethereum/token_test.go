package ethereum

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
)

// supply is what who deploys the token has of it, in its smallest units.
var supply = new(big.Int).Mul(big.NewInt(1_000_000_000), big.NewInt(1_000_000))

var (
	transferEvent  = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	approvalEvent  = crypto.Keccak256Hash([]byte("Approval(address,address,uint256)"))
	transferMethod = crypto.Keccak256([]byte("transfer(address,uint256)"))[:4]
)

// tokenCode makes a token of one method: transfer(address,uint256). It ends with an error where the caller has too little,
// and tells of an approval before it tells of the transfer, so that a transfer is not the first event of its transaction.
func tokenCode() []byte {
	assemble := func(refused int) *program.Program {
		p := program.New()
		p.Op(vm.CALLER, vm.SLOAD)                 // balance: kept under the address of who has it
		p.Push(36).Op(vm.CALLDATALOAD)            // balance, amount
		p.Op(vm.DUP2, vm.DUP2, vm.GT)             // balance, amount, amount > balance
		p.Push([]byte{0, byte(refused)})          // of two bytes, whatever it is
		p.Op(vm.JUMPI)                            // balance, amount
		p.Op(vm.SWAP1, vm.DUP2, vm.SWAP1, vm.SUB) // amount, balance - amount
		p.Op(vm.CALLER, vm.SSTORE)                // amount
		p.Push(4).Op(vm.CALLDATALOAD)             // amount, to
		p.Op(vm.DUP1, vm.SLOAD, vm.DUP3, vm.ADD)  // amount, to, balance of to + amount
		p.Op(vm.DUP2, vm.SSTORE)                  // amount, to
		p.Op(vm.SWAP1).Push0().Op(vm.MSTORE)      // to; the amount is in memory
		for _, event := range []common.Hash{approvalEvent, transferEvent} {
			p.Op(vm.DUP1, vm.CALLER).Push(event.Bytes()).Push(32).Push0().Op(vm.LOG3) // to
		}
		p.Push(1).Push0().Op(vm.MSTORE).Return(0, 32)
		return p
	}
	_, refused := assemble(0).Jumpdest()
	runtime := assemble(int(refused))
	runtime.Jumpdest()
	runtime.Push0().Push0().Op(vm.REVERT)
	return program.New().Push(supply).Op(vm.CALLER, vm.SSTORE).ReturnViaCodeCopy(runtime.Bytes()).Bytes()
}

// transferCall asks the token to move an amount.
func transferCall(to common.Address, amount int64) []byte {
	data := append([]byte(nil), transferMethod...)
	data = append(data, common.LeftPadBytes(to.Bytes(), 32)...)
	return append(data, common.LeftPadBytes(big.NewInt(amount).Bytes(), 32)...)
}
