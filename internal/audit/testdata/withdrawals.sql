-- Withdrawals of a cashbox: 1 requested, 2 handed over, 3 completed, 4 rejected. Each is of 10 for a fee of 1.
insert into merchant (id, name, created_at) overriding system value values (1, 'Merchant', '2026-11-20 12:00Z');
insert into cashbox (id, merchant_id, name, currency, webhook_secret, created_at)
overriding system value values (1, 1, 'Shop', 'RUB', '', '2026-11-20 12:00Z');
insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount) values ('TRC20', true, 1, 1, 1000);
insert into withdrawal_address (id, owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
overriding system value values (1, 'merchant', 1, 'TRC20', 'T1', 'Ours', 'somebody', '2026-11-19 12:00Z', '2026-11-20 12:00Z');
insert into withdrawal_hand_over (id, created_at, created_by, count, amount, document) values (1, '2026-11-20 12:00Z', 'somebody', 2, 20,
	'{"lines": [{"id": 2, "network": "TRC20", "address": "T1", "amount": "10.00000000"},
	{"id": 3, "network": "TRC20", "address": "T1", "amount": "10.00000000"}]}');
insert into withdrawal (id, owner_kind, owner_id, cashbox_id, order_id, amount, fee, network, address_id, address, callback_uri,
	status, created_at, status_at, event_sequence, hand_over_id, transaction_hash)
overriding system value
select id, 'merchant', 1, 1, 'order-' || id, 10, 1, 'TRC20', 1, 'T1', '', status, '2026-11-20 12:00Z', '2026-11-20 12:00Z',
	sequence, list, hash
from (values (1, 'requested', 0, null, null), (2, 'handed_over', 2, 1, null), (3, 'completed', 3, 1, 'ab'),
	(4, 'rejected', 1, null, null)) as w (id, status, sequence, list, hash);
insert into withdrawal_history (withdrawal_id, at, actor, from_status, to_status)
select id, '2026-11-20 12:00Z', 'somebody', from_status, to_status from (values
	(1, null, 'requested'), (2, null, 'requested'), (3, null, 'requested'), (4, null, 'requested'),
	(2, 'requested', 'approved'), (3, 'requested', 'approved'), (2, 'approved', 'handed_over'), (3, 'approved', 'handed_over'),
	(3, 'handed_over', 'completed'), (4, 'requested', 'rejected')) as move (id, from_status, to_status);
insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
select 1, gen_random_uuid(), 1, 'withdrawal.status.updated', 'withdrawal', id, sequence, callback_uri, '{}', created_at
from withdrawal, generate_series(1, event_sequence) as sequence;
