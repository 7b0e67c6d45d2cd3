package site

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"rsc.io/qr"

	"gateway.example/internal/testenv"
)

var stroke = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)

// What is drawn is the code, square by square, with the white edge that a
// camera needs.
func TestDraw(t *testing.T) {
	t.Parallel()
	code := testenv.Must(qr.Encode("https://pay.example/r/token?lang=ru", qr.M))(t)
	drawn := map[string]bool{}
	for _, found := range stroke.FindAllStringSubmatch(string(draw(code)), -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(found[i+1])
		}
		for x := range n[2] {
			drawn[fmt.Sprint(n[0]+x-4, n[1]-4)] = true
		}
	}
	for y := -4; y < code.Size+4; y++ {
		for x := -4; x < code.Size+4; x++ {
			testenv.Need(t, drawn[fmt.Sprint(x, y)] == code.Black(x, y), "%d, %d is wrong", x, y)
		}
	}
}
