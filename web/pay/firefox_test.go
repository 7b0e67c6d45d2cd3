package pay_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// The main paths in another browser: a transfer, and a card whose bank asks for a code.
func TestFirefox(t *testing.T) {
	testenv.Long(t, "another browser takes long to start")
	b, page := setup(t, false), browsertest.NewFirefox(t)
	transfer := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(transfer) + "?lang=ru")
	page.Await(".ask .amount", "1 500 ₽")
	page.Click("form .button")
	page.Await("#live", "Перевод в пути. 1 500 ₽. Обычно он приходит за несколько минут. Результат появится здесь сам: "+
		"оставьте страницу открытой или вернитесь к ней позже. Пожалуйста, не переводите деньги ещё раз.")
	noError(t, b.confirm(t.Context(), transfer))
	page.Await("h1", "Оплата получена")

	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")) + "?lang=en")
	page.Type("#pan", codeCard)
	page.Type("#expiry", "1230")
	page.Type("#cvv", "123")
	page.Await(".brand", "Visa")
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.Await("h1", "Enter the code from your bank")
	page.Type("#otp", "123456")
	page.Click("form .button")
	page.Await("h1", "Payment received")
}
