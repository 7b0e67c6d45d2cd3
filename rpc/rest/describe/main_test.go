package main

import (
	"bytes"
	"os"
	"testing"

	"gateway.example/internal/testenv"
)

// The committed description is the one that the code makes. go generate ./rpc/... writes it anew.
func TestDescriptionIsUpToDate(t *testing.T) {
	t.Parallel()
	now, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := describe()
	if err != nil {
		t.Fatal(err)
	}
	testenv.Check(t, bytes.Equal(now, want), "docs/openapi.json is not up to date: run go generate ./rpc/rest/describe")
}
