package say

// roles are the names of roles.
var roles = map[string]Phrase{
	"owner":     {"Owner", "Владелец"},
	"finance":   {"Finance", "Финансы"},
	"developer": {"Developer", "Разработчик"},
	"support":   {"Support", "Поддержка"},
	"desk":      {"Desk", "Оператор стола"},
	"admin":     {"Administrator", "Администратор"},
	"treasury":  {"Treasury", "Казначейство"},
	"auditor":   {"Auditor", "Аудитор"},
}

// Role is the name of a role.
func Role(name string) Phrase { return roles[name] }
