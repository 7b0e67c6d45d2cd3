-- CashboxBalance reads what a cashbox has, pending credits included, in one snapshot.
-- name: CashboxBalance :one
select c.merchant_id, c.trader_cashbox_id, c.insurance_usdt,
    (coalesce((select b.balance from account_balance b where b.account_id = @available order by b.version desc limit 1), 0)
        + coalesce((select sum(p.amount) from account_pending p where p.account_id = @available), 0))::numeric as available,
    (coalesce((select b.balance from account_balance b where b.account_id = @reserved order by b.version desc limit 1), 0)
        + coalesce((select sum(p.amount) from account_pending p where p.account_id = @reserved), 0))::numeric as reserved
from cashbox c where c.id = @id;

-- CashboxInsurance locks a cashbox and reads its insurance.
-- name: CashboxInsurance :one
select insurance_usdt from cashbox where id = @id for no key update;

-- name: CashboxSetInsurance :exec
update cashbox set insurance_usdt = @insurance_usdt where id = @id;
