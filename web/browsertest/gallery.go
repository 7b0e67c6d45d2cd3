package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// galleryEnv names the directory that pictures of all pages are put into.
const galleryEnv = "GATEWAY_TEST_GALLERY"

// Gallery is the directory of a part of the pictures. Without the variable the
// test ends: nobody wants pictures.
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

// Pictures takes pictures of a whole page, on a phone and at a desk, in light
// and dark, in each language.
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

// InLanguage is an address that asks for a language.
func InLanguage(address, language string) string {
	if strings.Contains(address, "?") {
		return address + "&lang=" + language
	}
	return address + "?lang=" + language
}
