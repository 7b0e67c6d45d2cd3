package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// How long a refused sign-in takes does not tell whether there is such a user, whether they are switched
// off, or whether they have a password yet: the same work is done for each. The samples are taken in turn,
// so that a busy machine slows all alike; without that work an answer takes a tenth of the time, and only
// then is the bound passed.
func TestSignInTellsNothingByTime(t *testing.T) {
	testenv.Long(t, "measures time")
	t.Parallel()
	g := freshSandbox(t)
	g.exec(t, `insert into app_user (kind, role, login, created_at, password_hash, enabled)
		select 'operator', 'admin', 'switched-off', now(), password_hash, false from app_user where login = 'operator'
		union all select 'operator', 'admin', 'invited', now(), null, true`)
	const rounds = 15
	took := map[string][]time.Duration{}
	answers := map[string]bool{}
	for range rounds {
		for _, login := range []string{"operator", "nobody-has-this-login", "switched-off", "invited"} {
			body := fmt.Sprintf(`{"login":%q,"password":"a wrong password"}`, login)
			began := time.Now()
			got, err := trySend(http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, nil)
			took[login] = append(took[login], time.Since(began))
			if noError(t, err); got.status != http.StatusUnauthorized {
				t.Fatalf("%s: %s", login, got)
			}
			answers[unstamped(got)] = true
		}
	}
	testenv.Check(t, len(answers) == 1, "%d answers: %v", len(answers), answers)
	usual := median(took["operator"])
	for login, all := range took {
		if is := median(all); is < usual/3 || is > usual*3 {
			t.Errorf("a sign-in as %s is refused after %s, as somebody there is after %s", login, is, usual)
		}
	}
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
