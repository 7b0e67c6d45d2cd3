package say

// What is wrong with a signed request.
var (
	DoctorTitle = Phrase{"Signature check", "Проверка подписи"}
	DoctorText  = Phrase{
		"Paste a request that was refused. Of your keys only hashes of the secrets are stored, so the secret is asked for: it is compared in memory, and neither kept nor logged.",
		"Вставьте отклонённый запрос. От секретов хранятся только хеши, поэтому нужен сам секрет: он сравнивается в памяти, не хранится и не пишется в журнал.",
	}
	DoctorSignature = Phrase{"Signature header", "Заголовок Signature"}
	DoctorBody      = Phrase{"Body, byte for byte as it was sent", "Тело, байт в байт как отправлено"}
	DoctorCheck     = Phrase{"Check", "Проверить"}
)

// diagnoses are what is wrong, in words.
var diagnoses = map[string]Phrase{
	"right": {"The signature is right for this body.", "Подпись верна для этого тела."},
	"key": {
		"The key id is not one of yours, the key is revoked, or the secret is not its own.",
		"Ключ не ваш, отозван или секрет не от него.",
	},
	"base64": {
		"The signature is right but in Base64: send it as 64 hex characters.",
		"Подпись верна, но в Base64: отправьте её 64 шестнадцатеричными знаками.",
	},
	"prefix": {
		"The signature is right but has something before it: send the 64 hex characters alone.",
		"Подпись верна, но перед ней лишнее: отправьте только 64 шестнадцатеричных знака.",
	},
	"sha1": {
		"The signature has the length of SHA-1: use HMAC-SHA256.",
		"Подпись длины SHA-1: используйте HMAC-SHA256.",
	},
	"not_hex": {
		"The signature is not hex: send it as 64 hex characters.",
		"Подпись не шестнадцатеричная: отправьте 64 шестнадцатеричных знака.",
	},
	"line_break": {
		"A line break at the end differs between what was signed and this body.",
		"Подписанное и это тело отличаются переводом строки в конце.",
	},
	"line_endings": {
		"Line endings differ: one of what was signed and what was sent has CR LF, the other LF.",
		"Отличаются концы строк: в одном CR LF, в другом LF.",
	},
	"no_body": {"An empty body was signed.", "Подписано пустое тело."},
	"other": {
		"Something else than this body was signed, or with another secret: sign the very bytes that you send.",
		"Подписано не это тело или другим секретом: подписывайте ровно те байты, что отправляете.",
	},
}

// Diagnosis says what is wrong with a signature.
func Diagnosis(name string) Phrase { return named(diagnoses, name) }
