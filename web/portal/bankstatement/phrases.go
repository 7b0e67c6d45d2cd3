package bankstatement

import "gateway.example/web/portal/say"

var (
	sayCompareText = say.Both(
		"Export the statement from your bank's app or site as CSV, Excel (XLSX) or for 1C, and choose the file here. Nothing of it is kept.",
		"Выгрузите выписку из приложения или с сайта банка в CSV, Excel (XLSX) или для 1С и выберите файл. Он не сохраняется.",
	)
	sayFile     = say.Both("Statement", "Выписка")
	sayFileHint = say.Both("Up to 4 MB and 100 days", "До 4 МБ и 100 дней")
	sayAnother  = say.Both("Another statement", "Другая выписка")
	sayCompares = say.Both("Compare", "Сверить")
	saySpan     = say.Both("%s – %s: %d incoming, %d outgoing", "%s – %s: поступлений %d, списаний %d")
	sayPayment  = say.Both("Payment", "Платёж")
	sayBankSays = say.Both("The bank says", "По данным банка")

	sayUnpaid      = say.Both("Came, but the payment is not completed", "Деньги пришли, а платёж не завершён")
	sayUnpaidNone  = say.Both("Nothing: every payment that was paid is completed.", "Таких нет: всё оплаченное завершено.")
	sayUnknown     = say.Both("Came, and belongs to no payment", "Пришли и не относятся ни к одному платежу")
	sayUnknownNone = say.Both("Nothing: each incoming amount has its payment.", "Таких нет: у каждого поступления есть платёж.")
	sayMissing     = say.Both("Completed, but not on the statement", "Завершены, но в выписке их нет")
	sayMissingNone = say.Both("Nothing: the bank knows each completed payment.", "Таких нет: банк видит каждый завершённый платёж.")
	sayMatched     = say.Both("Matched", "Совпали")
	sayMatchedNone = say.Both("Nothing yet.", "Пока ничего.")
)
