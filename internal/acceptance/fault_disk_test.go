package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// disk is a small file system in memory. Where none may be mounted it is a directory, which never
// gets full.
type disk struct {
	path    string
	mounted bool
}

func newDisk(t *testing.T, size string) *disk {
	t.Helper()
	path := testenv.Must(os.MkdirTemp("", "gateway-disk-"))(t)
	d := &disk{path: path}
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0711,size="+size, "gateway-disk", path).
		CombinedOutput()
	if d.mounted = err == nil; !d.mounted {
		t.Logf("no file system may be mounted, so no disk gets full: %s", out)
	}
	t.Cleanup(func() {
		if d.mounted {
			_ = exec.Command("umount", "-l", path).Run()
		}
		_ = os.RemoveAll(path)
	})
	return d
}

func (d *disk) resize(t *testing.T, size string) {
	t.Helper()
	if d.mounted {
		noError(t, exec.Command("mount", "-o", "remount,size="+size, d.path).Run())
	}
}

// databaseDiskIsFull has appeals' files on a disk of PostgreSQL's that is too small for them.
func (s *stage) databaseDiskIsFull(t *testing.T) {
	d := newDisk(t, "4m")
	space := filepath.Join(d.path, "space")
	noError(t, os.Mkdir(space, 0o700))
	data := testenv.Must(filepath.Glob(filepath.Join(s.dir, "pg*")))(t)
	owner, err := os.Stat(data[0])
	noError(t, err)
	who := owner.Sys().(*syscall.Stat_t)
	noError(t, os.Chown(space, int(who.Uid), int(who.Gid)))
	testenv.Must(s.pool.Exec(t.Context(), fmt.Sprintf("create tablespace small location '%s'", space)))(t)
	testenv.Must(s.pool.Exec(t.Context(), "alter table appeal_chunk set tablespace small"))(t)
	s.appealAll(t, d.mounted, "503 unavailable", func() { d.resize(t, "64m") })
	testenv.Must(s.pool.Exec(t.Context(), "alter table appeal_chunk set tablespace pg_default"))(t)
	testenv.Must(s.pool.Exec(t.Context(), "drop tablespace small"))(t)
}

// gatewayDiskIsFull has the files arrive on a disk of the gateway's without room.
func (s *stage) gatewayDiskIsFull(t *testing.T) {
	s.uploads.resize(t, "512k")
	s.appealAll(t, s.uploads.mounted, "503 unavailable", func() { s.uploads.resize(t, "64m") })
}

// appealAll opens appeals while there is no room for their files, and until all are there once there
// is. Clients must have met this answer meanwhile, where a disk can get full.
func (s *stage) appealAll(t *testing.T, gets bool, want string, makeRoom func()) {
	t.Helper()
	const clients, each = 3, 3
	content := pdf + strings.Repeat("x", 1<<20)
	var appealing sync.WaitGroup
	var mu sync.Mutex
	var ids []int64
	for range clients {
		appealing.Go(func() {
			for range each {
				id, ok := s.appealOne(content)
				if !ok {
					return // the round tells why
				}
				mu.Lock()
				ids = append(ids, id)
				mu.Unlock()
			}
		})
	}
	time.Sleep(4 * time.Second)
	s.load.mu.Lock()
	met := s.load.current.answers[want]
	s.load.mu.Unlock()
	if gets && met == 0 {
		t.Errorf("nobody was answered %s", want)
	}
	makeRoom()
	began := time.Now()
	appealing.Wait()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the appeals were there %s after there was room", took)
	}
	var whole int
	noError(
		t,
		s.pool.QueryRow(t.Context(), `select count(*) from appeal a where payment_id = any($1) and file_size = $2 and file_size =
		(select sum(length(content)) from appeal_chunk c where c.payment_id = a.payment_id)`, ids, len(content)).
			Scan(&whole),
	)
	if whole != clients*each {
		t.Errorf("%d of %d appeals are there and whole", whole, clients*each)
	}
}

func (s *stage) appealOne(content string) (id int64, ok bool) {
	box, hook := s.load.boxes[1], s.load.hooks[1]()
	body := order(object{"callbackUri": hook.URL})
	created, ok := s.load.insist(payments, body, signed(box, body))
	if !ok {
		return 0, false
	}
	path := payments + "/" + created.text("data.id")
	failed := `{"status":"failed"}`
	if _, ok = s.load.insist(path+"/callback", failed, s.a.application(failed)); !ok {
		return 0, false
	}
	_, ok = s.load.insist(path+"/appeal",
		form(reasonPart("paid"), filePart("receipt.pdf", content)),
		appealHeaders(box, "paid", "receipt.pdf", len(content)))
	return number(created.text("data.id")), ok
}
