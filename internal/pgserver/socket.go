//go:build !windows

package pgserver

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxSocketPath is the smaller limit of Linux's 107 and macOS's 103 bytes.
// PostgreSQL does not start with a longer path.
const maxSocketPath = 103

// socketDir is the directory of the server's unix socket.
type socketDir struct {
	path string
	// temporary directories are outside the server's directory and are
	// removed with the server.
	temporary bool
}

// makeSocketDir makes the directory anew, under the server's lock: what was
// there belongs to a dead server, and its lock file would block the start if
// another process had the pid in it. In a shared temporary directory it cannot
// remove what others put there, so that Mkdir fails: whoever controls the
// directory controls who connects.
func makeSocketDir(dir string, who identity) (socketDir, error) {
	sock := placeSocket(dir)
	return sock, emptyDir(sock.path, who)
}

// placeSocket uses the directory itself, or a short one named after it if the
// path is too long or has a comma, which separates hosts in a connection
// string.
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

// remove removes a temporary directory. The server has already removed its
// socket.
func (s socketDir) remove() {
	if s.temporary {
		_ = os.RemoveAll(s.path)
	}
}
