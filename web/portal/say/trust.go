package say

// The log of what was done.
var (
	AuditTitle   = Phrase{"Audit log", "Журнал действий"}
	AuditKind    = Phrase{"Kind", "Вид"}
	AuditSubject = Phrase{"Subject, such as cashbox", "Предмет, например cashbox"}
	AuditKey     = Phrase{"Its id", "Его id"}
	AuditOnlyKey = Phrase{"An id needs a subject.", "К id нужен предмет."}
)

// AuditSubjectName is the name of what was changed. A subject without a name is
// shown as the API names it.
var AuditSubjectName = Read(files, "subject.txt").Of

// Whether the ledger holds.
var (
	ReconTitle = Phrase{"Reconciliation", "Сверка"}
)

// What needs somebody now.
var (
	AlarmsTitle = Phrase{"Alarms", "Тревоги"}
	ManualTitle = Phrase{"Manual", "Руководство"}
)
