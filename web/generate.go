// Package web has the packages of everything that people see in a browser.
package web

//go:generate go tool -modfile=../internal/tools/generate/go.mod templ generate -lazy=false
//go:generate go run ./noinline
