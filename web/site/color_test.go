package site

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/static"
)

// Whatever colour a shop chooses, text in it and on it can be read in both
// themes.
func TestEveryColorIsReadable(t *testing.T) {
	t.Parallel()
	style := styles(t)
	light, dark := style[0], style[1]
	for red := 0; red < 256; red += 51 {
		for green := 0; green < 256; green += 51 {
			for blue := 0; blue < 256; blue += 51 {
				name := fmt.Sprintf("%02x%02x%02x", red, green, blue)
				found := regexp.MustCompile(`--accent:#([0-9a-f]{6})`).FindAllStringSubmatch(accent("#"+name), -1)
				testenv.Need(t, len(found) == 2, "%s: %v", name, found)
				for i, theme := range []map[string]rgb{light, dark} {
					for _, beside := range []string{"ground", "card", "on"} {
						if ratio := contrast(parseRGB(found[i][1]), theme[beside]); ratio < 4.5 {
							t.Errorf("#%s becomes #%s: %.2f against --%s", name, found[i][1], ratio, beside)
						}
					}
				}
			}
		}
	}
}

// Browsers drop a rule that begins in the middle of another one's selectors,
// and say nothing.
func TestRulesAreWhole(t *testing.T) {
	t.Parallel()
	comment, broken := regexp.MustCompile(`(?s)/\*.*?\*/`), regexp.MustCompile(`[^;{}\s][ \t]*@[a-z-]+[^{;]*\{`)
	for _, name := range []string{"tokens.css", "pay.css", "link.css", "portal.css", "reference.css"} {
		sheet := comment.ReplaceAllString(string(static.Read(name)), "")
		testenv.Want(t, broken.FindString(sheet), "", "broken in %s", name)
		testenv.Want(t, strings.Count(sheet, "{"), strings.Count(sheet, "}"), "braces of %s", name)
	}
}

// A colour that can be read as it is stays as it is.
func TestReadableColorStays(t *testing.T) {
	t.Parallel()
	if sheet := accent("#0b6650"); !strings.HasPrefix(sheet, ":root{--accent:#0b6650}") {
		t.Error(sheet)
	}
	if sheet := accent("#ffd400"); !strings.HasSuffix(sheet, "{:root{--accent:#ffd400}}\n") {
		t.Error(sheet)
	}
}

// What is said of a colour is what is drawn: yellow is darker in light, and
// stays in dark.
func TestLegible(t *testing.T) {
	t.Parallel()
	got := Legible("#ffd400")
	testenv.Check(t, got.OnLight <= 1.4 && got.OnDark >= 11 && got.Light != "#ffd400" && got.Dark == "#ffd400", "yellow is %+v", got)
	sheet := accent("#ffd400")
	testenv.Check(t, strings.Contains(sheet, got.Light), "%s is not in %s", got.Light, sheet)
	if got = Legible("#0b6650"); got.OnLight < Readable || got.Light != "#0b6650" || got.Dark == "#0b6650" {
		t.Errorf("green is %+v", got)
	}
}

// WCAG's own examples of contrast: black on white is 21, and #767676 on white
// is just enough.
func TestContrast(t *testing.T) {
	t.Parallel()
	white := rgb{255, 255, 255}
	testenv.Want(t, contrast(white, rgb{}), 21, "black on white")
	got := contrast(rgb{0x76, 0x76, 0x76}, white)
	testenv.Check(t, got >= 4.54 && got <= 4.55, "#767676 on white is %f", got)
}

// A page's stylesheet is named by its hash in the page's policy, so it must be
// made the same each time.
func TestSheets(t *testing.T) {
	t.Parallel()
	made := &PaySheets{}
	plain, colored := made.Of(""), made.Of("#ffd400")
	testenv.Check(t, plain != colored && made.Of("#ffd400") == colored && strings.HasPrefix(colored.Text, plain.Text),
		"a colour is put behind the stylesheet of every page, always in the same way")
	for _, comment := range []string{"/*", "*/", "\n"} {
		testenv.Check(t, !strings.Contains(plain.Text, comment), "the stylesheet has %q in it", comment)
	}
}

// styles are the tokens of the stylesheet: light, and dark.
func styles(t *testing.T) [2]map[string]rgb {
	t.Helper()
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(static.Read("tokens.css")), -1)
	testenv.Need(t, len(blocks) == 2, "%d blocks of tokens", len(blocks))
	var themes [2]map[string]rgb
	for i, block := range blocks {
		themes[i] = map[string]rgb{}
		for _, token := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(block[1], -1) {
			themes[i][token[1]] = parseRGB(token[2])
		}
	}
	return themes
}

// Every pair of tokens that text is set in can be read.
func TestTokensAreReadable(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{
		{"ink", "ground"},
		{"ink", "card"},
		{"quiet", "ground"},
		{"quiet", "card"},
		{"accent", "ground"},
		{"accent", "card"},
		{"on", "accent"},
		{"good", "good-tint"},
		{"late", "late-tint"},
		{"bad", "bad-tint"},
		{"busy", "busy-tint"},
		{"bad", "card"},
		{"quiet", "line"},
		{"ink", "line"},
	}
	for i, theme := range styles(t) {
		for _, pair := range pairs {
			ratio := contrast(theme[pair[0]], theme[pair[1]])
			testenv.Check(t, ratio >= 4.5, "theme %d: --%s on --%s is %.2f", i, pair[0], pair[1], ratio)
		}
		// The border of a control needs 3.
		ratio := contrast(theme["edge"], theme["card"])
		testenv.Check(t, ratio >= 3, "theme %d: --edge on --card is %.2f", i, ratio)
	}
}
