// Package docs has the manuals that the program shows to those who use it.
package docs

import _ "embed" // a manual is a file

// Operate is the operators' manual, in Markdown.
//
//go:embed operate.md
var Operate []byte

// Integrate is the manual of merchants' developers, in Markdown.
//
//go:embed integrate.md
var Integrate []byte
