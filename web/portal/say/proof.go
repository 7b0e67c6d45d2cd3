package say

// Proofs that what was moved is in the ledger as it was sealed.
var (
	LedgerProof     = Phrase{"Proof", "Подтверждение"}
	LedgerProofFile = Phrase{"File from the sealed ledger", "Файл из запечатанной книги учёта"}
	NotSealedTitle  = Phrase{"There is no proof yet", "Подтверждения пока нет"}
	NotSealedText   = Phrase{
		"The day's page of the ledger will be sealed on %s. The proof can be downloaded soon after that.",
		"Страница книги учёта за этот день будет запечатана %s. Вскоре после этого подтверждение можно будет скачать.",
	}
	NothingToProve = Phrase{
		"No USDT were moved to or from your balance here, so there is nothing to prove.",
		"Здесь не было движения USDT по вашему балансу, подтверждать нечего.",
	}
)
