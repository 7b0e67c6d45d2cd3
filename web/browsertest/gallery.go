package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// galleryEnv names the variable with the directory for pictures of all pages.
const galleryEnv = "GATEWAY_TEST_GALLERY"

// Gallery returns the directory for a part of the pictures. If the variable is
// not set, the test is skipped.
func Gallery(t testing.TB, part string) string {
	t.Helper()
	dir := os.Getenv(galleryEnv)
	if dir == "" {
		t.Skip(galleryEnv + "=DIRECTORY has pictures of all pages taken")
	}
	dir = filepath.Join(dir, part)
	must(t, os.MkdirAll(dir, 0o755)) //nolint:gosec // pictures of made-up data, for anybody
	return dir
}

// Pictures takes pictures of a whole page in each language, at the sizes of a
// phone and a desktop, in light and dark.
func (b Tab) Pictures(dir, name, address string, languages ...string) {
	b.T.Helper()
	name = strings.NewReplacer("/", "_", "?", "_", "&", "_").Replace(strings.Trim(name, "/"))
	for _, language := range languages {
		for _, width := range []int64{390, 1440} {
			for _, theme := range []string{"light", "dark"} {
				b.Do(chromedp.EmulateViewport(width, 900))
				b.Theme(theme)
				b.Open(InLanguage(address, language))
				picture, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
				must(b.T, err)
				file := fmt.Sprintf("%s-%d-%s-%s.png", name, width, theme, language)
				must(b.T, os.WriteFile(filepath.Join(dir, file), picture, 0o644)) //nolint:gosec // as above
			}
		}
	}
}

// InLanguage returns an address with a choice of language.
func InLanguage(address, language string) string {
	if strings.Contains(address, "?") {
		return address + "&lang=" + language
	}
	return address + "?lang=" + language
}
