package main

import (
	"bytes"
	"os"
	"testing"

	"gateway.example/internal/testenv"
)

// The committed description is the one that the code makes. go generate
// ./rpc/... writes it anew.
func TestDescriptionIsUpToDate(t *testing.T) {
	t.Parallel()
	now := testenv.Must(os.ReadFile(file))(t)
	want := testenv.Must(describe())(t)
	testenv.Check(t, bytes.Equal(now, want), "docs/openapi.json is not up to date: run go generate ./rpc/rest/describe")
}
