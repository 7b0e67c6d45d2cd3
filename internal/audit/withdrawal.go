package audit

// withdrawalRules are the invariants of withdrawals.
var withdrawalRules = []rule{
	{name: "a withdrawal's money stands where its status says", of: "withdrawal", query: `
		with w as (
			select * from withdrawal
			where id in ` + touched("withdrawal") + `
		), expected as (
			select w.id, a.id as account_id, x.amount
			from w cross join lateral (values
				(case when w.cashbox_id is null then 'trader' else 'cashbox' end, coalesce(w.cashbox_id, w.owner_id), 'available',
					case when w.status in ('rejected', 'failed', 'cancelled') then 0 else -w.amount - w.fee end),
				(case when w.cashbox_id is null then 'trader' else 'cashbox' end, coalesce(w.cashbox_id, w.owner_id), 'reserved',
					case when w.status in ('requested', 'approved', 'handed_over') then w.amount + w.fee else 0 end),
				('external', 0, 'available', case when w.status = 'completed' then w.amount else 0 end),
				('platform', 0, 'available', case when w.status = 'completed' then w.fee else 0 end)
			` + unlikeMoved(transfersOf("withdrawal"), "withdrawal %s, account %s: has %s, should have %s")},
	{name: "a withdrawal's events and history run without gaps", of: "withdrawal", query: `
		with w as (
			select * from withdrawal
			where id in ` + touched("withdrawal") + `
		), e as (
			select w.id, count(e.id) as events, coalesce(max(e.sequence), 0) as last
			from w left join webhook_event e
				on e.merchant_id = w.owner_id and w.cashbox_id is not null and e.subject = 'withdrawal' and e.subject_id = w.id
			group by w.id
		), h as (
			select w.id, string_agg(coalesce(h.from_status, '') || '>' || h.to_status, ' ' order by h.id) as moves, count(h.id) - 1 as moved
			from w left join withdrawal_history h on h.withdrawal_id = w.id
			group by w.id
		)
		select format('withdrawal %s: sequence %s, %s events up to %s, moves %s (is %s)', w.id, w.event_sequence,
			e.events, e.last, h.moves, w.status)
		from w join e using (id) join h using (id)
		where w.event_sequence <> case when w.cashbox_id is null then 0 else h.moved end
			or e.events <> w.event_sequence or e.last <> w.event_sequence
			or coalesce(h.moves, '') !~ ('^>requested' || case w.status
				when 'requested' then ''
				when 'approved' then ' requested>approved'
				when 'cancelled' then ' requested>cancelled'
				when 'rejected' then '( requested>approved approved>rejected| requested>rejected)'
				when 'handed_over' then ' requested>approved approved>handed_over'
				else ' requested>approved approved>handed_over handed_over>' || w.status end || '$')`},
	{name: "what a network alone says is paid left by it", of: "withdrawal", query: `
		with w as (
			select w.id, w.network, w.address, w.amount, w.transaction_hash from withdrawal w
			join withdrawal_history h on h.withdrawal_id = w.id
			where h.to_status = 'completed' and h.actor = 'system' and w.id in ` + touched("withdrawal") + `
		)
		select format('withdrawal %s: %s USDT to %s on %s, by no transfer', w.id, w.amount, w.address, w.network)
		from w left join chain_transfer t on t.network = w.network and t.transaction_hash = w.transaction_hash
			and t.direction <> 'in' and lower(t.to_address) = lower(w.address) and t.amount = w.amount
		where t.id is null`},
	{name: "what was handed over is what is said to be paid", query: `
		with listed as (
			select h.id as list, (line->>'id')::bigint as id, line->>'network' as network, line->>'address' as address,
				(line->>'amount')::numeric as amount
			from withdrawal_hand_over h cross join lateral json_array_elements(h.document::json->'lines') line
		), paid as (
			select hand_over_id as list, id, network, address, amount from withdrawal where hand_over_id is not null
		)
		select format('withdrawal %s: list %s says %s to %s by %s', id, list, amount, address, network)
		from ((table listed except all table paid) union all (table paid except all table listed)) differ`},
}
