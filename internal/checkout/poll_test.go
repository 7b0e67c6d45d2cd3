package checkout

import "testing"

// A trader whose processor hangs has sixteen questions on their way and no more; others are not kept waiting.
func TestCrowd(t *testing.T) {
	t.Parallel()
	c := crowd{out: map[int64]int{}}
	var leaves []func()
	for n := range 16 {
		leave, entered := c.enter(1)
		if !entered {
			t.Fatalf("question %d is not let through", n+1)
		}
		leaves = append(leaves, leave)
	}
	if _, entered := c.enter(1); entered {
		t.Error("a 17th is let through")
	}
	leave, entered := c.enter(2)
	if !entered {
		t.Fatal("another trader waits")
	}
	leave()
	leaves[0]()
	if _, entered = c.enter(1); !entered {
		t.Error("none is let through after one has come back")
	}
	if len(c.out) != 1 {
		t.Errorf("%d traders are remembered", len(c.out))
	}
}
