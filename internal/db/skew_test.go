package db_test

import (
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
)

// A clock that differs from the database's is told of from two seconds on, and from a minute on nothing is judged by it,
// whichever way it is wrong. One that is set right is used again.
func TestSkew(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var ahead time.Duration
	skew := db.NewSkew(func() time.Time { return time.Now().Add(ahead) })
	for _, c := range []struct {
		ahead       time.Duration
		told, wrong bool
	}{
		{0, false, false}, {time.Hour, true, true}, {-time.Hour, true, true}, {30 * time.Second, true, false},
		{-30 * time.Second, true, false}, {time.Second, false, false},
	} {
		ahead = c.ahead
		noError(t, skew.Watch(t.Context(), d.Pool))
		if skew.Noticeable() != c.told || skew.Wrong() != c.wrong || c.ahead > 0 && skew.By() > c.ahead ||
			c.ahead < 0 && skew.By() < c.ahead {
			t.Errorf("%s ahead: found %s, told %t, wrong %t", c.ahead, skew.By(), skew.Noticeable(), skew.Wrong())
		}
	}
}
