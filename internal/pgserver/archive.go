//go:build !windows

package pgserver

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/xi2/xz"
)

// mostFetched and mostUnpacked limit what a repository can make the program
// store.
const mostFetched, mostUnpacked = 256 << 20, 2 << 30

// downloadChecked fetches a file and compares it with the checksum beside it,
// if there is one.
func downloadChecked(ctx context.Context, address string) ([]byte, error) {
	content, err := download(ctx, address)
	if err != nil {
		return nil, err
	}
	wanted, err := download(ctx, address+".sha256")
	if errors.Is(err, errNotThere) {
		return content, nil
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); strings.TrimSpace(string(wanted)) != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("fetch %s: the checksum is another", address)
	}
	return content, nil
}

var errNotThere = errors.New("it is not there")

// download fetches a file. What goes beyond mostFetched is cut off, which only
// the checksum tells. A file that does not exist is errNotThere.
func download(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", address, errors.Unwrap(err))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("fetch %s: %w", address, errNotThere)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch %s: %s", address, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, mostFetched))
}

// unpack extracts the files of the compressed archive inside a jar.
func unpack(ctx context.Context, jar []byte, into string) error {
	zipped, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return err
	}
	for _, file := range zipped.File {
		if path.Ext(file.Name) != ".txz" {
			continue
		}
		packed, err := file.Open()
		if err != nil {
			return err
		}
		defer func() { _ = packed.Close() }()
		files, err := xz.NewReader(packed, 0)
		if err != nil {
			return err
		}
		return writeFiles(ctx, tar.NewReader(io.LimitReader(files, mostUnpacked)), into)
	}
	return errors.New("there is no archive in the jar")
}

// writeFiles writes an archive's files, and none outside the directory.
func writeFiles(ctx context.Context, files *tar.Reader, into string) error {
	if err := os.Mkdir(into, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = writeFile(root, header, files)
		}
		if err != nil {
			return err
		}
	}
}

// writeFile writes an entry of an archive; what is no file, directory or link
// it leaves out. A link may point anywhere, but the root lets nothing be
// written through one that leads out of the directory.
func writeFile(root *os.Root, header *tar.Header, content io.Reader) error {
	name := path.Clean(header.Name)
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
		file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, header.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		return errors.Join(err, file.Close())
	}
	return nil
}
