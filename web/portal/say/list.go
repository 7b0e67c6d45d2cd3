package say

// Lists and what they list.
var (
	Payments       = Phrase{"Payments", "Платежи"}
	Payouts        = Phrase{"Payouts", "Выплаты"}
	Requisites     = Phrase{"Requisites", "Реквизиты"}
	StatementTitle = Phrase{"Statement", "Выписка"}
)
