package site

import (
	"fmt"
	"math"
	"strconv"
	"sync"
)

// Surfaces of tokens.css that a shop's colour must stand out from: the ground
// is the less contrasting in light, the card in dark.
var (
	lightGround = rgb{0xf2, 0xf4, 0xf3}
	darkCard    = rgb{0x19, 0x1f, 0x1d}
)

// What WCAG 2.2 AA asks of text is a contrast of 4.5. In the dark more is
// asked: a black that was only lightened so far would look switched off.
const (
	readable       = 4.5
	readableInDark = 7
)

// rgb is a colour in sRGB, each part 0 to 255.
type rgb [3]float64

// Sheet is the stylesheet of a hosted page, and its hash as the page's policy
// writes it.
type Sheet struct{ Text, Hash string }

// PaySheet is the stylesheet of the hosted pages with a shop's colour, or with
// ours when it is "".
func PaySheet(color string) Sheet {
	text := paySheet() + accent(color)
	return Sheet{text, Hash(text)}
}

var paySheet = sync.OnceValue(func() string { return Style("tokens.css", "pay.css") })

// PaySheets are those of all colours that shops have, each made once.
type PaySheets struct {
	// More is the name of a stylesheet that comes before the rest; "" is
	// none.
	More string
	made sync.Map
}

// Of is PaySheet, kept for the next time.
func (s *PaySheets) Of(color string) Sheet {
	if made, there := s.made.Load(color); there {
		return made.(Sheet) //nolint:forcetypeassert // only sheets are put in
	}
	made := PaySheet(color)
	if s.More != "" {
		text := Style(s.More) + made.Text
		made = Sheet{text, Hash(text)}
	}
	s.made.Store(color, made)
	return made
}

// Legibility is how a shop's colour is drawn on the hosted pages.
type Legibility struct {
	// Light and Dark are the colours that text has on light pages and on
	// dark ones: the shop's own, or one that can be read.
	Light, Dark string
	// OnLight and OnDark are the contrasts that the shop's own would have
	// there.
	OnLight, OnDark float64
}

// Readable is the contrast of text that WCAG 2.2 AA asks for.
const Readable = readable

// Legible tells how a colour, #rrggbb, is drawn.
func Legible(color string) Legibility {
	c := parseRGB(color[1:])
	light, dark := drawn(c)
	return Legibility{
		Light: light.String(), Dark: dark.String(), OnLight: contrast(c, lightGround), OnDark: contrast(c, darkCard),
	}
}

// drawn is a colour as it is on light pages and on dark ones.
func drawn(c rgb) (light, dark rgb) {
	return c.until(rgb{}, lightGround, readable), c.until(rgb{255, 255, 255}, darkCard, readableInDark)
}

// accent puts a shop's colour, #rrggbb, in place of ours, darker or lighter
// where it could not be read as it is.
func accent(color string) string {
	if color == "" {
		return ""
	}
	light, dark := drawn(parseRGB(color[1:]))
	return fmt.Sprintf(":root{--accent:%s}@media(prefers-color-scheme:dark){:root{--accent:%s}}\n", light, dark)
}

func parseRGB(hex string) rgb {
	number, _ := strconv.ParseUint(hex, 16, 32) // six hexadecimal digits by the pattern
	return rgb{float64(number >> 16), float64(number >> 8 & 0xff), float64(number & 0xff)}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(c[0]), int(c[1]), int(c[2]))
}

// until mixes towards another colour, as little as makes it readable on a
// surface.
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

// luminance is WCAG's relative luminance: 0 for black and 1 for white.
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
