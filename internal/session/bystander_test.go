package session_test

import (
	"testing"

	"gateway.example/internal/dbtest"
)

// bystander is a user of a merchant with all that users have, and a player of
// the same merchant, whom no test is about: they stay as they are.
func (p people) bystander(t testing.TB) {
	t.Helper()
	p.NewMerchant(t, dbtest.MerchantOpts{})
	p.Exec(t, `with u as (
			insert into app_user (kind, login, password_hash, totp_secret, totp_step, created_at, role, merchant_id, factor_failures, set_up_at, set_up_by, awaits_until)
			select 'merchant_portal', 'bystander', 'theirs', '\x01', 1, now(), 'owner', min(id), 3, now(), null, now() + interval '1 year' from merchant
			returning id),
		s as (insert into session (hash, user_id, created_at, expires_at, door, state, seen_at)
			select '\x02', id, now(), now() + interval '1 year', 'web', 'whole', now() from u),
		k as (insert into passkey (id, user_id, name, credential, created_at) select '\x03', id, 'theirs', '{}', now() from u),
		r as (insert into recovery_code (user_id, hash) select id, '\x04' from u)
		insert into invitation (hash, user_id, created_at, expires_at) select '\x05', id, now(), now() + interval '1 year' from u`)
	p.Exec(t, `with u as (insert into app_user (kind, login, created_at) values ('cabinet', 'player', now()) returning id)
		insert into cabinet_merchant (user_id, merchant_id) select u.id, m.id from u, merchant m`)
	p.Exec(t, `insert into setting_change (at, actor, subject, subject_key, after)
		select now(), 'merchant_portal:' || id, 'app_user', id::text, '{}' from app_user where login = 'bystander'`)
	p.Stays(t, `select concat(u, (select s from session s where s.user_id = u.id), (select k from passkey k where k.user_id = u.id),
		(select r from recovery_code r where r.user_id = u.id), (select i from invitation i where i.user_id = u.id))
		from app_user u where login = 'bystander'`)
}
