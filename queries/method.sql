-- name: MethodList :many
select method, currency, requisite_type, requisite_method from method order by currency, method;
