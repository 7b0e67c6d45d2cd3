// Package web has the packages of everything that people see in a browser.
package web

//go:generate go run -C ../internal/tools/generate ./templates ../../../web
