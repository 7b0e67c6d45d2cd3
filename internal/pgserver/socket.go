//go:build !windows

package pgserver

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxSocketPath is the shorter of Linux's 107 and macOS's 103 bytes; PostgreSQL does not start
// beyond it.
const maxSocketPath = 103

// socketDir is the directory of the server's unix socket.
type socketDir struct {
	path string
	// temporary directories lie outside the server's directory and are removed with the server.
	temporary bool
}

// makeSocketDir makes the directory anew, under the server's lock, so that whatever was there is a
// dead server's; its lock file would block the start if a stranger had the pid in it. What others
// put in a shared temporary directory cannot be removed, and then Mkdir fails: whoever controls the
// directory controls who connects.
func makeSocketDir(dir string, who identity) (socketDir, error) {
	sock := placeSocket(dir)
	return sock, emptyDir(sock.path, who)
}

// placeSocket chooses between the directory itself and, where its path does not suit, a short one
// named after it. A comma separates hosts in a connection string.
func placeSocket(dir string) socketDir {
	path := filepath.Join(dir, "run")
	if fits(path) {
		return socketDir{path: path}
	}
	name := fmt.Sprintf("gateway-pg-%d-%x", os.Geteuid(), sha256.Sum256([]byte(dir)))[:40]
	path = filepath.Join(os.TempDir(), name)
	if !fits(path) {
		path = filepath.Join("/tmp", name)
	}
	return socketDir{path: path, temporary: true}
}

func fits(dir string) bool {
	return len(socketFile(dir)) <= maxSocketPath && !strings.ContainsRune(dir, ',')
}

func socketFile(dir string) string {
	return filepath.Join(dir, ".s.PGSQL."+port)
}

// remove takes a temporary directory away; the server has removed its socket by then.
func (s socketDir) remove() {
	if s.temporary {
		_ = os.RemoveAll(s.path)
	}
}
