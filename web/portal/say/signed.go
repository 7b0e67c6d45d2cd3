package say

// What happened to a payment, as a file that can be proven.
var (
	SignedFile = Phrase{"Signed file", "Подписанный файл"}
	SignedHint = Phrase{
		"The same as a file whose signature proves that nothing was changed:",
		"То же файлом, подпись которого доказывает, что ничего не изменено:",
	}
)
