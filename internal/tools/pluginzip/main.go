// Command pluginzip writes the WooCommerce plug-in as the zip that a shop's
// owner uploads: its files, the PHP client, the core of shop modules, the
// licence, and the translations as WordPress reads them. The same sources make
// the same bytes.
//
//	go run ./internal/tools/pluginzip payment-gateway.zip
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// folder is the plug-in's name in WordPress, and the only folder of the zip.
const folder = "payment-gateway"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage, in the repository's directory: go run ./internal/tools/pluginzip ZIP")
		os.Exit(2)
	}
	content, err := build(os.DirFS("."))
	if err == nil {
		err = os.WriteFile(os.Args[1], content, 0o644) //nolint:gosec // whoever runs it says where the zip goes, and nothing in it is secret
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build makes the zip from a checkout.
func build(root fs.FS) ([]byte, error) {
	files, err := gather(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: path.Join(folder, name), Method: zip.Deflate}
		header.SetMode(0o644)
		header.Modified = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // that of the files would differ between checkouts
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// gather reads the plug-in's files, by their names in the plug-in.
func gather(root fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	for from, to := range map[string]string{
		"rpc/php/woocommerce": "", "rpc/php/shop": "lib/shop", "rpc/php/gateway.php": "lib/gateway.php", "LICENSE": "LICENSE",
	} {
		err := fs.WalkDir(root, from, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(name, ".md") {
				return err
			}
			content, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			name = path.Join(to, strings.TrimPrefix(strings.TrimPrefix(name, from), "/"))
			if language, found := strings.CutSuffix(name, ".po"); found {
				name = language + ".mo"
				if content, err = compile(content); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			files[name] = content
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
