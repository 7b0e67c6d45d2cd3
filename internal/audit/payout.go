package audit

// marked is a payout's amount with its markup, in hundredths.
const marked = "p.amount * (100 + p.markup_percent)"

// payoutRules are the invariants of payouts and of what cashboxes have
// reserved.
var payoutRules = []rule{
	{name: "a payout's money stands where its status says", of: "payin", query: `
		with p as (
			select * from payin
			where id in ` + touched("payin") + `
		), expected as (
			select p.id, a.id as account_id, x.amount
			from p cross join lateral (values
				('cashbox', p.cashbox_id, 'available', case
					when p.return_of is not null then case when p.status = 'failed' then p.frozen_usdt else 0 end
					when p.status in ('waiting', 'processing', 'completed') then -p.frozen_usdt else 0 end),
				('cashbox', p.cashbox_id, 'reserved', case
					when p.return_of is null and p.status in ('waiting', 'processing') then p.frozen_usdt else 0 end),
				('trader', p.trader_id, 'available', case
					when p.return_of is not null then case when p.status in ('processing', 'failed') then -p.frozen_usdt else 0 end
					when p.status = 'completed' then p.trader_usdt else 0 end),
				('trader', p.trader_id, 'reserved', case
					when p.return_of is not null and p.status = 'processing' then p.frozen_usdt else 0 end),
				('platform', 0, 'available', case
					when p.return_of is null and p.status = 'completed' then p.frozen_usdt - p.trader_usdt else 0 end)
			` + unlikeMoved(transfersOf("payin"), "payout %s, account %s: has %s, should have %s")},
	{name: "what goes back to a payer is what came, once, and no more", of: "payin", query: `
		with came as materialized (
			select payin_uuid, payment_id, currency, sum(amount) as amount from arrival
			where state = 'returned' and payment_id in (
				select return_of from payin where return_of is not null and id in ` + touched("payin") + `)
			group by payin_uuid, payment_id, currency
		)
		select format('payout %s: returns %s of payment %s, came %s', p.id, p.amount, p.return_of, coalesce(a.amount, 0))
		from payin p left join came a on a.payin_uuid = p.uuid and a.payment_id = p.return_of and a.currency = p.currency
		where p.return_of is not null and p.id in ` + touched("payin") + ` and (
			p.amount <> coalesce(a.amount, 0) or p.status not in ('processing', 'completed', 'failed'))`},
	{name: "a payout costs what its amount is worth at its own rate", of: "payin", query: `
		with p as materialized (
			select * from payin where id in ` + touched("payin") + `
		)
		select format('payout %s: %s is %s USDT, frozen %s, trader %s, platform %s', p.id, p.amount, p.spot_usdt, p.frozen_usdt,
			p.trader_usdt, p.platform_usdt)
		from p
		where p.spot_usdt is distinct from ` + quotient("p.amount", "p.base_rate") + `
			-- The markup is rounded up. What goes back to a payer has none.
			or p.frozen_usdt is distinct from case when p.return_of is not null then p.spot_usdt
				else ` + quotient(marked, "p.base_rate * 100") + `
					+ sign(mod(` + marked + ` * 1e8, nullif(p.base_rate * 100, 0))) * 0.00000001 end
			or p.trader_usdt <> p.spot_usdt
				+ least(p.frozen_usdt - p.spot_usdt, trunc(p.spot_usdt * p.trader_share_percent * 0.01, 8))
			or p.platform_usdt <> p.frozen_usdt - p.trader_usdt`},
	{name: "a payout's events and history run without gaps", of: "payin", query: `
		with p as (
			select merchant_id, id, status, event_sequence from payin
			where id in ` + touched("payin") + `
		), e as (
			select p.id, count(w.id) as events, coalesce(max(w.sequence), 0) as last
			from p left join webhook_event w
				on w.merchant_id = p.merchant_id and w.subject = 'payin' and w.subject_id = p.id
			group by p.id
		), h as (
			select p.id, string_agg(coalesce(h.from_status, '') || '>' || h.to_status, ' ' order by h.id) as moves,
				count(*) filter (where h.to_status in ('completed', 'failed', 'cancelled', 'expired')) as ends
			from p left join payin_history h on h.merchant_id = p.merchant_id and h.payin_id = p.id
			group by p.id
		)
		select format('payout %s: sequence %s, %s events up to %s, moves %s (is %s)', p.id, p.event_sequence,
			e.events, e.last, h.moves, p.status)
		from p join e using (id) join h using (id)
		where p.event_sequence <> h.ends or e.events <> p.event_sequence or e.last <> p.event_sequence
			-- It may have been taken and given back any number of times before it got where it is.
			or coalesce(h.moves, '') !~ ('^>waiting( waiting>processing processing>waiting)*' || case p.status
				when 'waiting' then ''
				when 'cancelled' then ' waiting>cancelled'
				when 'expired' then ' waiting>expired'
				when 'processing' then ' waiting>processing'
				when 'failed' then ' waiting>processing processing>(failed|completed completed>failed)'
				else ' waiting>processing processing>' || p.status end || '$')`},
	{name: "a cashbox's reserved money is its open payouts and withdrawals, and its insurance", query: `
		with frozen as (
			select cashbox_id, sum(frozen_usdt) as amount from payin
			where status in ('waiting', 'processing') and return_of is null group by cashbox_id
		), leaving as (
			select cashbox_id, sum(amount + fee) as amount from withdrawal
			where status in ('requested', 'approved', 'handed_over') and cashbox_id is not null group by cashbox_id
		)
		select format('cashbox %s: reserved %s, frozen %s, leaving %s, insurance %s', a.owner_id, b.amount,
			coalesce(frozen.amount, 0), coalesce(leaving.amount, 0), coalesce(c.insurance_usdt, 0))
		from account a
		join account_balance s on s.account_id = a.id
		left join frozen on frozen.cashbox_id = a.owner_id
		left join leaving on leaving.cashbox_id = a.owner_id
		left join cashbox c on c.id = a.owner_id
		cross join lateral (select s.balance + coalesce((select sum(w.amount) from account_pending w
			where w.account_id = a.id), 0) as amount) b
		where a.owner_kind = 'cashbox' and a.purpose = 'reserved'
			and b.amount <> coalesce(frozen.amount, 0) + coalesce(leaving.amount, 0) + coalesce(c.insurance_usdt, 0)`},
	{name: "a cashbox's insurance is what was moved for it", query: `
		with moved as (
			select t.subject_id, m.account_id, sum(m.amount) as amount from ` + sides + `
			where t.subject = 'insurance' and t.subject_id in (select owner_id from account where owner_kind = 'cashbox')
			group by t.subject_id, m.account_id
		)
		select format('cashbox %s: insurance %s, moved %s', a.owner_id, coalesce(c.insurance_usdt, 0), coalesce(moved.amount, 0))
		from account a
		left join cashbox c on c.id = a.owner_id
		left join moved on moved.subject_id = a.owner_id and moved.account_id = a.id
		where a.owner_kind = 'cashbox' and a.purpose = 'reserved' and coalesce(c.insurance_usdt, 0) <> coalesce(moved.amount, 0)`},
}

// depositRules are the invariants of money from outside: deposits, and the
// funding of traders.
var depositRules = []rule{
	{name: "a deposit is credited once, exactly if it is confirmed", of: "deposit", query: `
		with d as (
			select * from deposit
			where id in ` + touched("deposit") + `
		), expected as (
			select d.id, a.id as account_id, d.amount from d
			join account a on a.owner_kind = 'cashbox' and a.owner_id = d.cashbox_id and a.purpose = 'available'
			where d.status = 'confirmed'
		), actual as (
			select t.subject_id as id, m.account_id, sum(m.amount) as amount
			from ` + sides + `
			join account a on a.id = m.account_id and a.owner_kind <> 'external'
			where ` + transfersOf("deposit") + `
			group by t.subject_id, m.account_id having sum(m.amount) <> 0
		)` + unequal("deposit %s, account %s: credited %s, should be %s")},
	{name: "what was confirmed by a network alone came by it", of: "deposit", query: `
		with d as materialized (
			select d.id, d.network, d.amount from deposit d
			join deposit_history h on h.merchant_id = d.merchant_id and h.deposit_id = d.id
			where h.to_status = 'confirmed' and h.actor = 'chain' and d.id in ` + touched("deposit") + `
		), came as materialized (
			select m.deposit_id, t.network, m.credited from deposit_transfer m join chain_transfer t on t.id = m.transfer_id
			where m.deposit_id in (select id from d) and t.direction = 'in' and trunc(t.amount, 8) = m.credited
		)
		select format('deposit %s: %s USDT on %s, of no transfer', d.id, d.amount, d.network)
		from d left join came on came.deposit_id = d.id and came.network = d.network and came.credited = d.amount
		where came.deposit_id is null`},
	{name: "a deposit's history runs without gaps", of: "deposit", query: `
		with d as (
			select * from deposit
			where id in ` + touched("deposit") + `
		), h as (
			select d.id, string_agg(coalesce(h.from_status, '') || '>' || h.to_status, ' ' order by h.id) as moves
			from d left join deposit_history h on h.merchant_id = d.merchant_id and h.deposit_id = d.id
			group by d.id
		)
		select format('deposit %s: moves %s (is %s)', d.id, h.moves, d.status)
		from d join h using (id)
		where h.moves is distinct from case d.status
			when 'pending' then '>pending' else '>pending pending>' || d.status end`},
	{name: "a correction moves what it says, once", of: "correction", query: `
		with c as (
			select id, debit_account, credit_account, amount from correction
			where id in ` + touched("correction") + `
		), booked as (
			select t.subject_id as id, t.debit_account, t.credit_account, t.amount, t.kind from transfer t
			where ` + transfersOf("correction") + `
		)
		select format('correction %s: %s from %s to %s is booked as %s from %s to %s', id, c.amount, c.debit_account,
			c.credit_account, b.amount, b.debit_account, b.credit_account)
		from c full join booked b using (id)
		where (c.amount, c.debit_account, c.credit_account) is distinct from (b.amount, b.debit_account, b.credit_account)
			or b.kind <> 'correction'
		union all
		select format('correction %s: booked %s times', id, count(*)) from booked group by id having count(*) > 1`},
	{name: "a trader's funding is booked once", of: "trader_funding", query: `
		with f as (
			select id, trader_id, amount from trader_funding
			where id in ` + touched("trader_funding") + `
		), expected as (
			select f.id, a.id as account_id, f.amount from f
			join account a on a.owner_kind = 'trader' and a.owner_id = f.trader_id and a.purpose = 'available'
		), actual as (
			select t.subject_id as id, m.account_id, sum(m.amount) as amount
			from ` + sides + `
			join account a on a.id = m.account_id and a.owner_kind <> 'external'
			where ` + transfersOf("trader_funding") + `
			group by t.subject_id, m.account_id having sum(m.amount) <> 0
		)` + unequal("funding %s, account %s: booked %s, should be %s")},
}
