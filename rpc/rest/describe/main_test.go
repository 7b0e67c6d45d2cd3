package main

import (
	"bytes"
	"os"
	"testing"
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
	if !bytes.Equal(now, want) {
		t.Error("docs/openapi.json is not up to date: run go generate ./rpc/rest/describe")
	}
}
