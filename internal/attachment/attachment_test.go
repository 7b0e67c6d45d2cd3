package attachment

import "testing"

func TestKeptName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, media, want string }{
		{"receipt.pdf", "application/pdf", "receipt.pdf"},
		{"Receipt.PDF", "application/pdf", "Receipt.PDF"},
		{"photo.JPEG", "image/jpeg", "photo.JPEG"},
		{"film.m4v", "video/mp4", "film.m4v"},
		{"чек №1 v2.0", "image/png", "чек №1 v2.0.png"},
		{"proof.hta", "application/pdf", "proof.hta.pdf"},
		{"proof.pdf.html", "application/pdf", "proof.pdf.html.pdf"},
		{"proof.pdf", "image/png", "proof.pdf.png"},
		{"proof.hta. . ", "application/pdf", "proof.hta.pdf"},
		{"proof\u202efdp.hta", "application/pdf", "prooffdp.hta.pdf"},
		{"\u2066a\u200f.pdf\u2028", "application/pdf", "a.pdf"},
		{"a\r\nb\x00.pdf", "application/pdf", "ab.pdf"},
		{"../../etc/passwd", "image/webp", ".._.._etc_passwd.webp"},
		{`C:\a.hta:b.pdf`, "application/pdf", "C__a.hta_b.pdf"},
		{"...", "application/pdf", ".pdf"},
		{"👩‍👧.png", "image/png", "👩‍👧.png"},
	} {
		if got := KeptName(test.name, test.media); got != test.want {
			t.Errorf("%q of %s: %q; want %q", test.name, test.media, got, test.want)
		}
	}
}
