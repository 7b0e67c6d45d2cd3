package say

// Withdrawals of USDT.
var (
	Withdrawals      = Phrase{"Withdrawals", "Выводы"}
	WithdrawalTitle  = Phrase{"Withdrawal № %d", "Вывод № %d"}
	WithdrawalsTerms = Phrase{"Terms of withdrawals", "Условия выводов"}
)

// WithdrawalStatus is the name of a withdrawal's status.
var WithdrawalStatus = Names{
	"requested":   {"Requested", "Запрошен"},
	"approved":    {"Approved", "Одобрен"},
	"handed_over": {"Handed over", "На подписи"},
	"completed":   {"Completed", "Завершён"},
	"rejected":    {"Rejected", "Отклонён"},
	"failed":      {"Failed", "Не удался"},
	"cancelled":   {"Cancelled", "Отменён"},
}.Of
