package say

import (
	"slices"

	"gateway.example/internal/fault"
	"gateway.example/internal/tongue"
)

// Refused is why something could not be done, in a language: what the services say, which is English, or what is said in
// Russian of its code. A language with a catalogue has what is documented of the code.
func Refused(language, code, message string) string {
	if russian := refusals[code]; language == Russian && russian != "" {
		return russian
	}
	if slices.Contains(tongue.Catalogues, language) {
		at := slices.IndexFunc(fault.Codes, func(c fault.Code) bool { return c.Name == code })
		if at >= 0 {
			if text, _ := tongue.In(language, fault.Codes[at].Meaning); text != fault.Codes[at].Meaning {
				return text
			}
		}
	}
	return message
}

// refusals are the codes of what services refuse although nothing is wrong with what was typed.
var refusals = map[string]string{
	"appeal_already_exists":                           "По этому платежу апелляция уже есть.",
	"appeal_not_in_review":                            "Апелляция не на рассмотрении.",
	"appeal_not_open":                                 "Апелляция уже не открыта.",
	"appeal_payment_not_failed":                       "Апелляцию можно подать только на неудавшийся платёж.",
	"appeal_thread_full":                              "Об апелляции уже написано 100 сообщений.",
	"appeal_trader_required":                          "У платежа нет трейдера, который мог бы проверить его.",
	"appeal_window_closed":                            "Платёж не удался больше 24 часов назад.",
	"cashbox_without_trader_bridge":                   "Касса не связана с кассой трейдера.",
	"checkout_closed":                                 "Платёж закончен, страница оплаты закрыта.",
	"checkout_wrong_step":                             "Страница оплаты на другом шаге.",
	"code_resend_exhausted":                           "Код уже запрашивали повторно столько раз, сколько можно.",
	"code_resend_wrong_step":                          "На этом шаге код нельзя запросить повторно.",
	"consent_open":                                    "Кто-то ждёт ответа этого владельца, а он единственный. Сначала отключите того, кто ждёт.",
	"consent_over":                                    "Этот пользователь не ждёт ответа владельца или уже не ждёт.",
	"transfer_differs":                                "Перевод другой сети или суммы, чем пополнение.",
	"deposit_names_full":                              "Хеш указан у стольких ожидающих пополнений, сколько можно.",
	"transfer_taken":                                  "У перевода или пополнения уже есть пара.",
	"deposit_not_pending":                             "Пополнение уже не ожидает.",
	"factor_last":                                     "Второй фактор обязателен, а этот последний.",
	"factor_missing":                                  "Второй фактор не настроен.",
	"factor_not_begun":                                "Начните заново: подтверждать нечего.",
	"factor_wrong":                                    "Второй фактор неверен или уже использован.",
	"insufficient_account_balance":                    "На счёте нет столько доступных средств.",
	"insufficient_cashbox_balance":                    "В кассе нет столько доступных средств.",
	"insufficient_trader_balance":                     "У трейдера нет столько доступных средств.",
	"look_changed":                                    "Вид страниц изменился с тех пор, как вы его открыли; ничего не изменено.",
	"no_free_trader":                                  "Ни один трейдер песочницы не может сейчас взять эту выплату.",
	"passkeys_unavailable":                            "По этому адресу ключи входа не работают.",
	"payin_not_completed":                             "Выплата не завершена.",
	"payin_not_processing":                            "Выплата не выполняется.",
	"payin_not_waiting":                               "Выплата уже не ждёт.",
	"payin_take_limit":                                "У вас столько открытых выплат, сколько можно: завершите одну или верните.",
	"message_amount_differs":                          "Сообщение о другой сумме или валюте.",
	"message_decided":                                 "По сообщению уже решено, или уже поздно.",
	"one_time_code":                                   "В сообщении одноразовый код. Ничего из него не сохранено.",
	"arrival_taken":                                   "Эти деньги уже относятся к платежу.",
	"payin_is_return":                                 "Это возврат пришедшего по платежу: отправить его может только получивший трейдер.",
	"payment_case_open":                               "Пришла другая сумма: решите, что с ней делать.",
	"payment_no_case":                                 "По этому платежу решать о другой сумме уже не нужно.",
	"payment_amount_taken":                            "На этом реквизите открыт другой платёж на эту сумму; либо пришла не та сумма, что запрошена, а у плательщика здесь есть ожидающий платёж.",
	"payment_part_came":                               "Часть этого платежа пришла, поэтому отменить его нельзя.",
	"payment_not_pending":                             "Платёж уже не ожидает.",
	"proposal_author":                                 "Автору предложения это больше не разрешено: откажите.",
	"proposal_decided":                                "По предложению уже решено.",
	"proposal_expired":                                "Предложение слишком старое, чтобы решать по нему.",
	"proposal_unreadable":                             "Предложение сделала другая версия программы: откажите и предложите снова.",
	"receipts_closed":                                 "Чеки сейчас не принимаются.",
	"receipts_full":                                   "Чеков у платежа столько, сколько может быть.",
	"requisite_off_by_operator":                       "Реквизит отключил оператор; включить его может только он.",
	"second_operator_required":                        "Для этого нужен второй оператор.",
	"withdrawal_address_alike":                        "Начинается и заканчивается как другой адрес вашей книги. Сверьте его целиком и подтвердите, что оба ваши.",
	"withdrawal_address_known":                        "Этот адрес уже есть в книге.",
	"withdrawal_address_resting":                      "Адрес новый и ещё выдерживается.",
	"withdrawal_addresses_full":                       "В книге столько адресов, сколько может быть.",
	"payout_file_costs_more":                          "Курс изменился, и выплаты стоят больше, чем было показано. Ничего не создано.",
	"payout_file_flawed":                              "В строках файла есть ошибки, поэтому ничего не создано.",
	"withdrawal_daily_limit":                          "Больше за день по этой сети вывести нельзя.",
	"withdrawal_network_closed":                       "По этой сети сейчас нет выводов.",
	"withdrawal_not_handed_over":                      "Вывод не передан на подпись или уже закончен.",
	"withdrawal_not_open":                             "Вывод уже передан на подпись или закончен.",
	"withdrawal_not_requested":                        "По выводу уже решено.",
	"withdrawal_nothing_approved":                     "Одобренных выводов нет.",
	"withdrawal_hash_changed":                         "После предложения указана другая транзакция. Проверьте её и предложите снова.",
	"withdrawal_paid":                                 "В сети виден перевод, которым он оплачен.",
	"withdrawal_without_hash":                         "Сначала укажите транзакцию, которой он оплачен.",
	"setting_changed":                                 "С тех пор как вы открыли страницу, настройку изменили. Ничего не перезаписано: откройте её снова.",
	"submission_unfinished":                           "Это уже отправлено, а результат пока неизвестен. Проверьте, прежде чем повторять.",
	"team_last_owner":                                 "Это последний владелец, который может войти: командой стало бы некому управлять.",
	"work_taken":                                      "Это взял другой оператор.",
	"idempotency_key_conflict":                        "Этот ключ идемпотентности уже использован для другого.",
	"collect_requisites_not_available":                "Для этого платежа сейчас нет реквизита.",
	"merchant_collect_amount_outside_platform_limits": "Сумма вне пределов платформы.",
}
