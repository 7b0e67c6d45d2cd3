package main

import (
	"errors"
	"fmt"
	"os"

	"gateway.example/internal/sandbox"
)

// readSandbox reads what a sandbox has written about itself into its data directory.
func readSandbox(dir string) (sandbox.Info, error) {
	info, err := sandbox.Read(dir)
	if errors.Is(err, os.ErrNotExist) {
		return info, fmt.Errorf(
			"there is no sandbox in %s: start one with gateway serve, or name its directory with -data-dir (GATEWAY_DATA_DIR)",
			dir,
		)
	}
	return info, err
}
