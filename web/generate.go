package web

//go:generate go tool -modfile=../internal/tools/go.mod templ generate -lazy=false
