package words

// terms are the one word each language has for each thing the pages speak of, by its English name:
// a reader must not wonder whether a transfer and a remittance are two things. A word is written as
// the stem that all its forms share. They are regular expressions, which only Russian needs: it has
// платёж for the thing (е in most cases) and оплата for the act, and bends the first of two words.
var terms = map[string]map[string]string{
	"en": {
		"payment": "payment", "transfer": "transfer", "shop": "shop", "order": "order", "card": "card",
		"saved card": "saved card", "code": "code", "security code": "security code", "bank": "bank", "app": "app",
		"recipient": "recipient", "receipt": "receipt", "amount": "amount", "phone number": "phone number",
		"reference": "reference",
	},
	"ru": {
		"payment": "платёж|платеж|оплат", "transfer": "перевод", "shop": "магазин", "order": "заказ", "card": "карт",
		"saved card": "сохранённ.. карт", "code": "код", "security code": "код.? безопасности", "bank": "банк",
		"app": "приложени", "recipient": "получател", "receipt": "чек", "amount": "сумм",
		"phone number": "номер.? телефона", "reference": "номер платежа",
	},
	"az": {
		"payment": "ödəniş", "transfer": "köçürmə", "shop": "mağaza", "order": "sifariş", "card": "kart",
		"saved card": "yadda saxlanmış kart", "code": "kod", "security code": "təhlükəsizlik kod", "bank": "bank",
		"app": "tətbiq", "recipient": "alan şəxs", "receipt": "qəbz", "amount": "məbləğ",
		"phone number": "telefon nömrəsi", "reference": "ödəniş nömrəsi",
	},
	"tr": {
		"payment": "ödeme", "transfer": "transfer", "shop": "mağaza", "order": "sipariş", "card": "kart",
		"saved card": "kayıtlı kart", "code": "kod", "security code": "güvenlik kod", "bank": "banka",
		"app": "uygulama", "recipient": "alıcı", "receipt": "dekont", "amount": "tutar",
		"phone number": "telefon numarası", "reference": "referans numarası",
	},
	"kk": {
		"payment": "төлем", "transfer": "аударым", "shop": "дүкен", "order": "тапсырыс", "card": "карта",
		"saved card": "сақталған карта", "code": "код", "security code": "қауіпсіздік код", "bank": "банк",
		"app": "қосымша", "recipient": "алушы", "receipt": "түбірте", "amount": "сома",
		"phone number": "телефон нөмірі", "reference": "төлем нөмірі",
	},
	"uz": {
		"payment": "toʻlov", "transfer": "oʻtkazma", "shop": "doʻkon", "order": "buyurtma", "card": "karta",
		"saved card": "saqlangan karta", "code": "kod", "security code": "xavfsizlik kod", "bank": "bank",
		"app": "ilova", "recipient": "qabul qiluvchi", "receipt": "chek", "amount": "summa",
		"phone number": "telefon raqami", "reference": "toʻlov raqami",
	},
	"mn": {
		"payment": "төлбөр", "transfer": "шилжүүл", "shop": "дэлгүүр", "order": "захиалг", "card": "карт",
		"saved card": "хадгалсан карт", "code": "код", "security code": "аюулгүйн код", "bank": "банк", "app": "апп",
		"recipient": "хүлээн авагч", "receipt": "баримт", "amount": "дүн", "phone number": "утасны дугаар",
		"reference": "төлбөрийн дугаар",
	},
}

// Terms are a language's word for each thing, by its English name. Whatever else speaks the language keeps to them.
func Terms(code string) map[string]string { return terms[code] }
