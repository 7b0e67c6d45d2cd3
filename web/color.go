package web

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
)

// Surfaces of page.css that a shop's colour must stand out from: the ground is the less contrasting
// in light, the card in dark.
var (
	lightGround = rgb{0xf2, 0xf4, 0xf3}
	darkCard    = rgb{0x19, 0x1f, 0x1d}
)

// What WCAG 2.2 AA asks of text is a contrast of 4.5. In the dark more is asked: a black that was
// only lightened so far would look switched off.
const (
	readable       = 4.5
	readableInDark = 7
)

// rgb is a colour in sRGB, each part 0 to 255.
type rgb [3]float64

var colorFile = regexp.MustCompile(`^([0-9a-f]{6})\.css$`)

// colorAddress is where the stylesheet of a shop's colour is: it depends on the colour alone.
func colorAddress(color string) string {
	if color == "" {
		return ""
	}
	return staticPath + "color/" + color[1:] + ".css"
}

// serveColor answers with a stylesheet that puts a shop's colour in place of ours, darker or
// lighter where it could not be read as it is. A stylesheet of our own origin, since the pages take
// no inline styles.
func serveColor(w http.ResponseWriter, r *http.Request) bool {
	match := colorFile.FindStringSubmatch(r.PathValue("name"))
	if match == nil {
		return false
	}
	color := parseRGB(match[1])
	light, dark := color.until(rgb{}, lightGround, readable), color.until(rgb{255, 255, 255}, darkCard, readableInDark)
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=86400")
	h.Set("Content-Type", "text/css; charset=utf-8")
	_, _ = fmt.Fprintf(w, ":root{--accent:%s}@media(prefers-color-scheme:dark){:root{--accent:%s}}\n", light, dark)
	return true
}

func parseRGB(hex string) rgb {
	number, _ := strconv.ParseUint(hex, 16, 32) // six hexadecimal digits by the pattern
	return rgb{float64(number >> 16), float64(number >> 8 & 0xff), float64(number & 0xff)}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(c[0]), int(c[1]), int(c[2]))
}

// until mixes towards another colour, as little as makes it readable on a surface.
func (c rgb) until(towards, surface rgb, enough float64) rgb {
	const steps = 50
	mixed := c
	for step := 1; contrast(mixed, surface) < enough && step <= steps; step++ {
		share := float64(step) / steps
		for part := range mixed {
			mixed[part] = math.Round(c[part]*(1-share) + towards[part]*share)
		}
	}
	return mixed
}

// contrast is WCAG's ratio of two colours, 1 to 21.
func contrast(a, b rgb) float64 {
	lighter, darker := a.luminance(), b.luminance()
	if lighter < darker {
		lighter, darker = darker, lighter
	}
	return (lighter + 0.05) / (darker + 0.05)
}

func (c rgb) luminance() float64 {
	weights := rgb{0.2126, 0.7152, 0.0722}
	sum := 0.0
	for part, value := range c {
		linear := value / 255 / 12.92
		if value/255 > 0.04045 {
			linear = math.Pow((value/255+0.055)/1.055, 2.4)
		}
		sum += weights[part] * linear
	}
	return sum
}
