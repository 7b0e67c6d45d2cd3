package say

// Withdrawals of USDT.
var (
	Withdrawals      = Phrase{"Withdrawals", "Выводы"}
	WithdrawalTitle  = Phrase{"Withdrawal № %d", "Вывод № %d"}
	WithdrawalsTerms = Phrase{"Terms of withdrawals", "Условия выводов"}
)

var withdrawalStatuses = map[string]Phrase{
	"requested":   {"Requested", "Запрошен"},
	"approved":    {"Approved", "Одобрен"},
	"handed_over": {"Handed over", "На подписи"},
	"completed":   {"Completed", "Завершён"},
	"rejected":    {"Rejected", "Отклонён"},
	"failed":      {"Failed", "Не удался"},
	"cancelled":   {"Cancelled", "Отменён"},
}

// WithdrawalStatus is the name of a withdrawal's status.
func WithdrawalStatus(name string) Phrase { return Named(withdrawalStatuses, name) }

// withdrawalFlashes are what pages of withdrawals say once.
var withdrawalFlashes = map[string]Flash{
	"withdrawal-requested": {Phrase{"The withdrawal is requested.", "Вывод запрошен."}, ""},
	"withdrawal-cancelled": {Phrase{"The withdrawal is taken back.", "Вывод отменён."}, "late"},
	"withdrawal-approved":  {Phrase{"The withdrawal is approved.", "Вывод одобрен."}, ""},
	"withdrawal-rejected":  {Phrase{"The withdrawal is rejected.", "Вывод отклонён."}, "late"},
	"withdrawal-reported":  {Phrase{"The transaction is noted.", "Транзакция записана."}, ""},
	"withdrawal-completed": {Phrase{"The withdrawal is completed.", "Вывод завершён."}, ""},
	"withdrawal-failed":    {Phrase{"The withdrawal is given back.", "Вывод возвращён."}, "late"},
	"withdrawals-listed":   {Phrase{"The list is made.", "Список составлен."}, ""},
	"address-added": {
		Phrase{"The address is added. It can be used in 24 hours.", "Адрес добавлен. Им можно пользоваться через 24 часа."}, "",
	},
	"payouts-made": {Phrase{"The payouts are made.", "Выплаты созданы."}, ""},
	"payout-file-before": {
		Phrase{"This file was sent before. Nothing new was made.", "Этот файл уже отправляли. Ничего нового не создано."}, "late",
	},
	"payout-file-costs": {
		Phrase{"The rate has changed: look at what it costs now. Nothing was made.", "Курс изменился: посмотрите новую стоимость. Ничего не создано."},
		"late",
	},
	"payout-file-refused": {Phrase{"Nothing was made; the page says why.", "Ничего не создано; причина на странице."}, "bad"},
	"address-removed":     {Phrase{"The address is removed.", "Адрес удалён."}, "late"},
}
