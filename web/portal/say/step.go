package say

// PatternsTitle is the title of the page of patterns.
var PatternsTitle = Phrase{"Patterns", "Закономерности"}

// The steps to the first payment.
var (
	FirstTitle     = Phrase{"Before the first payment", "Перед первым платежом"}
	StepDone       = Phrase{"Done", "Готово"}
	StepOpen       = Phrase{"To do", "Не сделано"}
	FirstBox       = Phrase{"Create the merchant’s cashbox", "Создать кассу мерчанта"}
	FirstMethod    = Phrase{"Switch on a method of the cashbox", "Включить метод кассы"}
	FirstShop      = Phrase{"Invite the merchant’s user", "Пригласить пользователя мерчанта"}
	FirstRequisite = Phrase{"Create the trader’s requisite", "Создать реквизит трейдера"}
	FirstDesk      = Phrase{"Invite the trader’s user", "Пригласить пользователя трейдера"}
	FirstFunds     = Phrase{"Give the trader USDT", "Пополнить счёт трейдера в USDT"}
)
