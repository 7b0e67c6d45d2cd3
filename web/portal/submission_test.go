package portal_test

import (
	"net/http"
	"strings"
	"testing"
)

// A form whose first sending died half way says that its outcome is not known, and does not act.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	fields := hidden(p.page(t, "/trader/payments/1/confirm"))
	b.Exec(t, `insert into submission (token, user_id, created_at)
		select $1::uuid, id, now() from app_user where login = 'owner-1'`, fields[1])
	a := p.post(t, "/trader/payments/1/confirm", fields...)
	if a.code != http.StatusConflict || !strings.Contains(a.text(), "not known yet") || b.status(t, pay) != "pending" {
		t.Errorf("%d %s; the payment is %s", a.code, a.text(), b.status(t, pay))
	}
}
