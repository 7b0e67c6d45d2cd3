package seal

import (
	"crypto/sha256"
	"math/bits"
)

// The tree is that of RFC 6962. Leaves and nodes are hashed with different
// first bytes, so that neither can be taken for the other.
const leafPrefix, nodePrefix = 0x00, 0x01

// Hash is a SHA-256.
type Hash [sha256.Size]byte

func leafHash(leaf []byte) Hash { return sha256.Sum256(append([]byte{leafPrefix}, leaf...)) }

func nodeHash(left, right Hash) Hash {
	both := append([]byte{nodePrefix}, left[:]...)
	return sha256.Sum256(append(both, right[:]...))
}

// tree adds leaves one after the other, and keeps only the roots of its
// complete subtrees, the largest first.
type tree struct {
	size  int64
	roots []Hash
}

func (t *tree) add(leaf Hash) {
	for size := t.size; size&1 == 1; size >>= 1 {
		last := len(t.roots) - 1
		leaf = nodeHash(t.roots[last], leaf)
		t.roots = t.roots[:last]
	}
	t.roots = append(t.roots, leaf)
	t.size++
}

func (t *tree) root() Hash {
	if len(t.roots) == 0 {
		return sha256.Sum256(nil)
	}
	root := t.roots[len(t.roots)-1]
	for i := len(t.roots) - 2; i >= 0; i-- {
		root = nodeHash(t.roots[i], root)
	}
	return root
}

// rootOf is the root over hashes of leaves, or of subtrees of which all but the
// last are complete.
func rootOf(hashes []Hash) Hash {
	var t tree
	for _, hash := range hashes {
		t.add(hash)
	}
	return t.root()
}

// pathOf returns the hashes next to the way from a leaf to the root, from the
// bottom up.
func pathOf(hashes []Hash, index int) []Hash {
	if len(hashes) <= 1 {
		return nil
	}
	split := 1 << (bits.Len(uint(len(hashes)-1)) - 1)
	if index < split {
		return append(pathOf(hashes[:split], index), rootOf(hashes[split:]))
	}
	return append(pathOf(hashes[split:], index-split), rootOf(hashes[:split]))
}

// climb returns the root to which a path leads from a leaf, in a tree with size
// leaves. A path with too few or too many hashes leads to none.
func climb(leaf Hash, index, size int64, path []Hash) (Hash, bool) {
	if index < 0 || index >= size {
		return Hash{}, false
	}
	for last := size - 1; last > 0; index, last = index>>1, last>>1 {
		if index&1 == 0 && index == last { // it has no neighbour, and moves up unchanged
			continue
		}
		if len(path) == 0 {
			return Hash{}, false
		}
		if index&1 == 1 {
			leaf = nodeHash(path[0], leaf)
		} else {
			leaf = nodeHash(leaf, path[0])
		}
		path = path[1:]
	}
	return leaf, len(path) == 0
}
