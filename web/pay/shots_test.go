package pay_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

func TestShots(t *testing.T) {
	want := os.Getenv("SHOTS")
	if want == "" {
		t.Skip()
	}
	b := setup(t, true)
	pages := states(t, b)
	p := newTab(t)
	_ = os.RemoveAll("/tmp/shots")
	_ = os.MkdirAll("/tmp/shots", 0o755)
	var sheet strings.Builder
	sheet.WriteString("<body style='margin:0;background:#888;display:flex;flex-wrap:wrap;gap:8px;align-items:start'>")
	for _, name := range strings.Split(want, ",") {
		path := pages[name]
		for _, theme := range strings.Split(os.Getenv("THEMES"), ",") {
			p.Theme(theme)
			for _, w := range []int64{360, 1280} {
				for _, lang := range strings.Split(os.Getenv("LANGS"), ",") {
					p.Do(chromedp.EmulateViewport(w, 800))
					p.Open(b.server.URL + withLanguage(path, lang))
					img, err := chromedp.Run(p.Ctx, func(ctx context.Context, target *chromedp.Target) ([]byte, error) {
						r, err := cdp.Call(
							ctx,
							target,
							page.CaptureScreenshot,
							page.CaptureScreenshotParams{Format: "png", CaptureBeyondViewport: ptr(true)},
						)
						if err != nil {
							return nil, err
						}
						return r.Data, nil
					})
					noError(t, err)
					file := fmt.Sprintf("%s-%s-%d-%s.png", strings.ReplaceAll(name, " ", "_"), theme, w, lang)
					noError(t, os.WriteFile("/tmp/shots/"+file, img, 0o644))
					show := w
					if w > 1000 {
						show = 800
					}
					fmt.Fprintf(&sheet, "<img src=%q width=%d>", file, show)
				}
			}
		}
	}
	noError(t, os.WriteFile("/tmp/shots/sheet.html", []byte(sheet.String()), 0o644))
}
