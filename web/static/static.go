// Package static holds the files that pages load, and the stylesheets that go
// with them.
package static

import "embed"

//go:embed *.css *.js *.svg *.png *.webmanifest
var files embed.FS

// Read returns a file. It panics where there is none of that name, which only a
// mistake of ours can cause.
func Read(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return content
}
