package say

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/setting"
	"gateway.example/internal/testenv"
	"gateway.example/internal/tongue"
	"gateway.example/web/words"
)

// features are the packages in which traders read, and shared is what every
// portal is made of. Of both others is what operators and merchants alone come
// through: what a trader has of it after all, the walk through their pages
// finds.
var (
	features = []string{
		"account", "appeals", "arrivals", "bankstatement", "desk", "messages", "notices", "payments", "requisites", "search",
		"statement", "withdrawals",
	}
	shared = []string{".", "view"}
	others = []string{
		"navigation.go", "cashbox.go", "change.go", "curl.go", "income.go", "job.go",
		"messages/operator.go", "messages/operator_templ.go", "payments/export_signed.go", "payments/signed_templ.go", "payments/proof.go",
		"payments/merchant_templ.go", "withdrawals/operator.go", "appeals/appeal.go", "appeals/merchant_templ.go", "account/viewas.go",
		"statement/accounts.go", "search/directory.go", "view/log.go", "view/log_templ.go",
	}
)

// apart are names of this package that packages of traders use, and that have
// texts for others, too: what of it is theirs is found in other ways.
var apart = []string{"Flashes", "Wrong", "Refused", "Field"}

// directoryFields are what a trader meets of what is said of fields in the
// directory.
var directoryFields = []string{
	"must be a whole number", "must be in the future", "must be a date", "is not one of ours", "is taken",
	"must be empty: a payer of this method enters a card", "must be a phone number in E.164 form, such as +79001234567",
	"must be a card number of 13 to 19 digits with a valid check digit", "must be an IBAN with valid check digits, without spaces",
}

// othersRefusals begin the codes of what no trader does.
var othersRefusals = []string{
	"look_", "proposal_", "payout_file_", "checkout_", "cashbox_", "no_free_trader", "insufficient_cashbox", "withdrawal_h",
	"withdrawal_n", "withdrawal_paid", "withdrawal_without_hash", "work_taken", "transfer_",
}

// parsed are the files of a directory beside this one, without tests.
func parsed(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	names := testenv.Must(filepath.Glob(filepath.Join("..", dir, "*.go")))(t)
	files := map[string]*ast.File{}
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file := testenv.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
			files[strings.TrimPrefix(filepath.ToSlash(name), "../")] = file
		}
	}
	testenv.Check(t, len(files) > 0, "%s has no files", dir)
	return files
}

// literal is the text of a constant expression, "" if it is none.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}

// phrasesIn are the English texts of all phrases in a tree: pairs of texts of
// which the second is Russian.
func phrasesIn(node ast.Node, add func(string)) {
	ast.Inspect(node, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			list = n.Args
		case *ast.CompositeLit:
			list = n.Elts
		default:
			return true
		}
		if len(list) == 2 {
			english, russian := literal(list[0]), literal(list[1])
			forms, count := list[0].(*ast.CompositeLit)
			if count && len(forms.Elts) == 2 { // a Count: its plural is the key
				english, russian = literal(forms.Elts[1]), "я"
				if _, array := forms.Type.(*ast.ArrayType); !array {
					english = ""
				}
			}
			if english != "" && english != russian && strings.ContainsFunc(russian, func(r rune) bool { return r >= 'Ё' && r <= 'ё' }) {
				add(english)
			}
		}
		return true
	})
}

// traders are the English texts that a trader reads, as far as the code tells:
// the phrases of their packages, and those of this package that these name.
func traders(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	add := func(text string) { found[text] = true }
	said := follower(parsed(t, "say"), apart, add)
	for _, dir := range slices.Concat(features, shared) {
		files := parsed(t, dir)
		phrases := map[string]*ast.File{}
		for name, file := range files {
			if strings.HasPrefix(filepath.Base(name), "phrases") {
				phrases[name] = file
			}
		}
		own := follower(phrases, nil, add)
		for name, file := range files {
			if phrases[name] != nil || slices.Contains(others, name) {
				continue
			}
			phrasesIn(file, add)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if of, ok := n.X.(*ast.Ident); ok && of.Name == "say" {
						said(n.Sel.Name)
					}
				case *ast.Ident:
					own(n.Name)
				case *ast.BasicLit:
					if flash, known := Flashes[literal(n)]; known {
						add(flash.Text.en)
					}
				}
				return true
			})
		}
		for _, file := range phrases { // what a room's phrases name of this package
			ast.Inspect(file, func(n ast.Node) bool {
				if selected, ok := n.(*ast.SelectorExpr); ok {
					said(selected.Sel.Name)
				}
				return true
			})
		}
	}
	for _, file := range parsed(t, "../../internal/notify") {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) >= 2 {
				if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "say" {
					add(literal(call.Args[len(call.Args)-2]))
				}
			}
			return true
		})
	}
	trial, _ := notify.AboutOf(notify.Trial)
	for _, about := range append(slices.Clone(notify.Kinds), trial) {
		if about.Needs == "" || strings.HasPrefix(about.All, "/trader") {
			add(about.English.One)
			add(about.English.Many)
			add(about.English.Label)
		}
	}
	for _, one := range setting.Requisite.Settings {
		add(one.Label.En)
		add(one.Hint.En)
	}
	for _, code := range fault.Codes {
		other := slices.ContainsFunc(othersRefusals, func(prefix string) bool { return strings.HasPrefix(code.Name, prefix) })
		if refusals[code.Name] != "" && !other {
			add(code.Meaning)
		}
	}
	for text := range wrongs {
		if plain := plainer[text]; plain != "" {
			text = plain
		}
		if !slices.ContainsFunc(wrongPatterns, func(p wrongPattern) bool { return p.text.MatchString(text) }) {
			add(text)
		}
	}
	for _, text := range directoryFields {
		testenv.Check(t, othersWrongs[text] != "", "nobody says %q of a field", text)
		add(text)
	}
	for _, pattern := range wrongPatterns {
		add(pattern.english)
	}
	delete(found, "")
	return found
}

// follower tells the phrases of a name that files declare, and of all names
// that its declaration leads to, each once.
func follower(files map[string]*ast.File, apart []string, add func(string)) func(name string) {
	declared := map[string]ast.Node{}
	for _, file := range files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					declared[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range value.Names {
							declared[name.Name] = value
						}
					}
				}
			}
		}
	}
	var follow func(name string)
	follow = func(name string) {
		node := declared[name]
		if node == nil || slices.Contains(apart, name) {
			return
		}
		delete(declared, name)
		phrasesIn(node, add)
		ast.Inspect(node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				follow(id.Name)
			}
			return true
		})
	}
	return follow
}

// Every catalogue says what there is to say, with the same places to fill, in
// the words that the payer's pages have; one of a complete language has all of
// it. What a language lacks is printed by: go test -v -run TestTranslations/az
// ./web/portal/say
func TestTranslations(t *testing.T) {
	wanted, spoken := traders(t), literals(t)
	for _, language := range tongue.Complete { // the walk through a trader's pages has found more
		for english := range tongue.Texts(language) {
			wanted[english] = true
		}
	}
	for _, language := range tongue.Catalogues {
		t.Run(language, func(t *testing.T) {
			missing, terms := maps.Clone(wanted), termsOf(language)
			for english, text := range tongue.Texts(language) {
				delete(missing, english)
				testenv.Check(t, spoken[english], "nothing says %q any more", english)
				for _, term := range terms {
					testenv.Check(t, !term.english.MatchString(english) || term.own.MatchString(text),
						"%q is not called %v: %q", english, term.own, text)
				}
				testenv.Check(t, !slices.Contains(tabs, english) || utf8.RuneCountInString(text) <= 10,
					"%q is too long for the foot of a phone: %q", english, text)
				from, to := places(english), places(text)
				testenv.Check(t, slices.Equal(from, to), "%q has places %v, and %q has %v", english, from, text, to)
			}
			lacking := slices.Sorted(maps.Keys(missing))
			if slices.Contains(tongue.Complete, language) {
				testenv.Check(t, len(lacking) == 0, "%s is offered and lacks %d texts:\n%s", language, len(lacking), strings.Join(lacking, "\n"))
			} else {
				t.Logf("%s lacks %d texts:\n%s", language, len(lacking), strings.Join(lacking, "\n"))
			}
		})
	}
}

// tabs are the pages at the foot of a trader's phone, which stand beside each
// other.
var tabs = []string{"Desk", "Payments", "Payouts", "Requisites", "Messages"}

// term is what a thing is called in English, and in a language.
type term struct{ english, own *regexp.Regexp }

// termsOf are those of the payer's pages.
func termsOf(language string) []term {
	var list []term
	for thing, name := range words.Terms(English) {
		list = append(list, term{
			english: regexp.MustCompile(`(?i)\b(?:` + name + `)s?\b`), own: regexp.MustCompile("(?i)" + words.Terms(language)[thing]),
		})
	}
	return list
}

// place is a place to fill: fmt's, or one of a pattern of fields.
var place = regexp.MustCompile(`%(?:\[\d+\])?[a-z%]|\$\d`)

// places are those of a text. Numbered ones may change their order.
func places(text string) []string {
	found := place.FindAllString(text, -1)
	if strings.Contains(text, "%[") || strings.Contains(text, "$") {
		slices.Sort(found)
	}
	return found
}

// literals are all texts in the code, and in the files beside it, of the
// portals and of what they say for others.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, flash := range Flashes {
		all[flash.Text.en] = true
	}
	for _, texts := range []map[string]string{wrongs, othersWrongs} {
		for text := range texts {
			all[text] = true
		}
	}
	dirs := slices.Concat(features, shared, []string{"say", "../../internal/notify", "../../internal/setting", "../../internal/fault"})
	for _, dir := range dirs {
		for _, file := range parsed(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					all[literal(e)] = true
				}
				return true
			})
		}
	}
	return all
}

// Whatever the services refuse is said in the reader's language.
func TestRefusalsAreSaid(t *testing.T) {
	known := map[string]bool{}
	for _, code := range fault.Codes {
		known[code.Name] = true
		testenv.Check(t, code.Kind != fault.Conflict && code.Kind != fault.Refused ||
			Refused(Russian, code.Name, "") != "", "%s is English in Russian: %s", code.Name, code.Meaning)
	}
	for code := range refusals {
		testenv.Check(t, known[code], "there is no code %s", code)
	}
}

// What is said of a logo is Russian by whatever number the program has.
func TestLogoLimitsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"must be at most 600 KB":                    "не больше 600 КБ",
		"must be at most 2400 pixels wide and high": "не больше 2400 точек в ширину и высоту",
	} {
		testenv.Want(t, Wrong(Russian, text), want, "%s", text)
	}
}
