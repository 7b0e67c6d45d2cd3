package seal

import "testing"

// The leaves "a" to "e", hashed by hand with sha256sum: printf '\0a' | sha256sum and so on.
func TestRoots(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		1: "022a6979e6dab7aa5ae4c3e5e45f7e977112a7e63593820dbec1ec738a24f93c",
		2: "b137985ff484fb600db93107c77b0365c80d78f5b429ded0fd97361d077999eb",
		3: "36642e73c2540ab121e3a6bf9545b0a24982cd830eb13d3cd19de3ce6c021ec1",
		5: "fe14a5426fbd70c0fa73f52342afed0da0bd23c4838662ccf6b88a3070ead97b",
	} {
		if got := rootOf(leaves(n)); got.String() != want {
			t.Errorf("%d leaves: %s, want %s", n, got, want)
		}
	}
}

func leaves(n int) []Hash {
	var hashes []Hash
	for i := range n {
		hashes = append(hashes, leafHash([]byte{'a' + byte(i)}))
	}
	return hashes
}

// From each leaf of each tree a path leads to the root, also through the roots of parts, and no other
// leaf, place, size or path does.
func TestPaths(t *testing.T) {
	t.Parallel()
	const part = 4
	for n := 1; n <= 19; n++ {
		all := leaves(n)
		root := rootOf(all)
		var parts []Hash
		for i := 0; i < n; i += part {
			parts = append(parts, rootOf(all[i:min(i+part, n)]))
		}
		for i, leaf := range all {
			path := pathOf(all, i)
			at := i / part * part
			inParts := append(append([]Hash{}, pathOf(all[at:min(at+part, n)], i-at)...), pathOf(parts, i/part)...)
			if len(path) != len(inParts) {
				t.Fatalf("leaf %d of %d: %d hashes, by parts %d", i, n, len(path), len(inParts))
			}
			leads := func(leaf Hash, index, size int, path []Hash) bool {
				got, whole := climb(leaf, int64(index), int64(size), path)
				return whole && got == root
			}
			if !leads(leaf, i, n, path) || !leads(leaf, i, n, inParts) {
				t.Errorf("leaf %d of %d does not lead to the root", i, n)
			}
			if leads(leafHash(nil), i, n, path) || leads(leaf, i, n, append(path, root)) ||
				n > 1 && (leads(leaf, (i+1)%n, n, path) || leads(leaf, i, n, path[1:])) || leads(leaf, i+n, n, path) {
				t.Errorf("leaf %d of %d: something else leads to the root", i, n)
			}
		}
	}
}
