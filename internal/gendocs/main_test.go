package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// The tables in the documentation are those that the code makes. go generate
// ./internal/gendocs writes them anew.
func TestPagesAreUpToDate(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	pages := testenv.Must(generate(root))(t)
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		p := pages[path]
		testenv.Check(t, p.now == p.generated, "%s is not up to date: run go generate ./internal/gendocs", path)
	}
}

// What stands between the marks is replaced, what stands outside is kept, and
// marks that do not fit are refused.
func TestFill(t *testing.T) {
	t.Parallel()
	tables := map[string]string{"one": "NEW\n"}
	used := map[string]bool{}
	got, err := fill("a\n<!-- generated: one -->\nold\n<!-- end -->\nb\n", tables, used)
	testenv.Check(t, err == nil && got == "a\n<!-- generated: one -->\nNEW\n<!-- end -->\nb\n" && used["one"], "%q %v", got, err)
	const inText = "text about `<!-- generated: two -->`\n"
	got, err = fill(inText, tables, used)
	testenv.Check(t, err == nil && got == inText, "%q %v", got, err)
	for _, wrong := range []string{"<!-- generated: two -->\n<!-- end -->\n", "<!-- generated: one -->\n"} {
		got, err := fill(wrong, tables, used)
		testenv.Check(t, err != nil, "%q became %q", wrong, got)
	}
}

// A client gets the fields that its mark names; a mark of what the description
// does not have is refused.
func TestClientFields(t *testing.T) {
	t.Parallel()
	described := testenv.Must(readDescription(root))(t)
	for message, without := range map[string][]string{"CreatePayinRequest": {"nobody"}, "Nothing": nil} {
		_, err := described.fieldsOf(message, "", without)
		testenv.Check(t, err != nil, "%s without %v is known", message, without)
	}
	fields := testenv.Must(described.fieldsOf("CreatePayinRequest", "optional", []string{"code"}))(t)
	const file = "x = 1\nBank = Literal[\"a\"]\nclass Payer(TypedDict):\nfinal class Payer extends Record"
	testenv.Check(t, len(fields) > 1 && fields[0].name == "bankName", "the first field is %v", fields)
	testenv.Want(t, pythonField(file, "CreatePayinRequest", fields[0], false), "bankName: Optional[str]", "in Python")
	testenv.Want(t, phpField(file, "CreatePayinRequest", fields[0], false), "?string $bankName = null,", "in PHP")
	bank := property{"bank", schema{Enum: []any{"a"}, Type: jsonTypes(`"string"`)}}
	testenv.Want(t, pythonField(file, "Payin", bank, true), "bank: Bank", "a closed list in Python")
	payer := property{"payer", schema{Ref: "#/components/schemas/Payer"}}
	testenv.Want(t, phpField(file, "Payin", payer, true), "public readonly Payer $payer,", "a message in PHP")
}

// Every call of operators, traders and merchants' users is on the page of those
// who need it.
func TestCallsAreDescribed(t *testing.T) {
	t.Parallel()
	procedure := regexp.MustCompile(`(?m)^  rpc (\w+)\(`)
	for proto, page := range map[string]string{
		"operator": "operate/calls", "merchant": "integrate/portal", "trader": "operate/traders",
	} {
		described := read(t, "docs/"+page+".md")
		calls := procedure.FindAllStringSubmatch(read(t, "rpc/proto/portal/v1/"+proto+".proto"), -1)
		testenv.Check(t, len(calls) != 0, "%s.proto has no calls", proto)
		for _, call := range calls {
			testenv.Check(t, regexp.MustCompile(`\b`+call[1]+`\b`).MatchString(described),
				"%s is not described on the page %s", call[1], page)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(testenv.Must(os.ReadFile(filepath.Join(root, path)))(t))
}

// A variable or a metric that nobody has described is told, and not left out.
func TestNothingIsLeftOut(t *testing.T) {
	t.Parallel()
	src := testenv.Must(parse(root))(t)
	for name, test := range map[string]struct {
		make func(source) (string, error)
		from map[string]string
	}{"secrets": {secretTable, describedVariables(src)}, "metrics": {metricTable, alerts}} {
		got := testenv.Must(test.make(src))(t)
		// A header and a line below it.
		lines := strings.Count(got, "\n") - 2
		testenv.Check(t, lines == len(test.from) && lines != 0, "%s: %d lines for %d descriptions", name, lines, len(test.from))
		for described := range test.from {
			testenv.Check(t, strings.Contains(got, code(described)), "%s: %s is missing", name, described)
		}
	}
}

// Fields come from the description: those of messages inside too, and with the
// values they may have.
func TestFieldTable(t *testing.T) {
	t.Parallel()
	described := testenv.Must(readDescription(root))(t)
	got := testenv.Must(described.fieldTable("CreatePaymentRequest"))(t)
	for _, want := range []string{
		"| `orderId` | yes |", "| `payer.payments.expired` | no |", "| `merchantName` | never |", "`quasi_ecom`",
	} {
		testenv.Check(t, strings.Contains(got, want), "%s is missing from\n%s", want, got)
	}
	_, err := described.fieldTable("NoSuchMessage")
	testenv.Check(t, err != nil, "a message that is not described has a table")
}

// A webhook that the code sends and nobody has described is told.
func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	src := testenv.Must(parse(root))(t)
	described := testenv.Must(readDescription(root))(t)
	delete(described.Webhooks, "payment.payer.claimed")
	_, err := eventTable(src, described)
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "payment.payer.claimed"), "%v", err)
}

var (
	namedTest  = regexp.MustCompile("`(Test\\w+)`")
	writtenAs  = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	attackFile = regexp.MustCompile(`^attack(_\w+)?_test\.go$`)
)

// docs/security.md and docs/track-record.md name tests that there are, the
// first every test that attacks the gateway.
func TestAttacksAreProven(t *testing.T) {
	t.Parallel()
	there, attacks := map[string]bool{}, map[string]bool{}
	testenv.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, found := range writtenAs.FindAllStringSubmatch(string(content), -1) {
			there[found[1]] = true
			if attackFile.MatchString(entry.Name()) {
				attacks[found[1]] = true
			}
		}
		return err
	}))
	named := map[string]bool{}
	for _, page := range []string{"docs/track-record.md", "docs/security.md"} {
		clear(named)
		for _, found := range namedTest.FindAllStringSubmatch(read(t, page), -1) {
			named[found[1]] = true
			testenv.Check(t, there[found[1]], "%s names %s, which is nowhere", page, found[1])
		}
	}
	for name := range attacks {
		testenv.Check(t, named[name], "%s is not in docs/security.md", name)
	}
	testenv.Check(t, len(attacks) >= 15, "only %d attacks were found", len(attacks))
}
