package acceptance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// disk is a small file system in memory. Where none may be mounted it is a
// directory, which never gets full.
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
		noError(t, d.remount(size))
	}
}

func (d *disk) remount(size string) error {
	return exec.Command("mount", "-o", "remount,size="+size, d.path).Run()
}

// data is the directory of PostgreSQL's data.
func (m *mortal) data(t *testing.T) string {
	t.Helper()
	return testenv.Must(filepath.Glob(filepath.Join(m.dir, "pg*")))(t)[0]
}

// give makes a directory PostgreSQL's own.
func (m *mortal) give(t *testing.T, dir string) {
	t.Helper()
	owner := testenv.Must(os.Stat(m.data(t)))(t)
	who := owner.Sys().(*syscall.Stat_t)
	noError(t, os.Chown(dir, int(who.Uid), int(who.Gid)))
}

// moveLog gives PostgreSQL's log a disk of its own.
func (s *stage) moveLog(t *testing.T) {
	if s.log = newDisk(t, logSize); !s.log.mounted {
		return
	}
	noError(t, s.Stop(t.Context()))
	is, to := filepath.Join(s.data(t), "pg_wal"), filepath.Join(s.log.path, "wal")
	out, err := exec.Command("cp", "-a", is, to).CombinedOutput()
	testenv.Check(t, err == nil, "%s", out)
	noError(t, errors.Join(os.RemoveAll(is), os.Symlink(to, is)))
	s.start(t)
}

const logSize = "2g"

// slotFillsDisk has a slot that nobody reads keep the log, until there is no
// room for more and PostgreSQL stops. It goes on as soon as there is room.
func (s *stage) slotFillsDisk(t *testing.T) {
	if !s.log.mounted {
		return
	}
	testenv.Must(s.pool.Exec(t.Context(), "select pg_create_physical_replication_slot('forgotten', true)"))(t)
	noError(t, testenv.Eventually(func() error { // more may be written before there is no room
		used, err := exec.Command("du", "-sk", s.log.path).Output()
		kilobytes, _, _ := strings.Cut(string(used), "\t")
		return errors.Join(err, s.log.remount(kilobytes+"k"))
	}))
	noError(t, testenv.Eventually(func() error {
		select {
		case <-s.Done():
			return nil
		default:
		}
		_, _ = s.pool.Exec(t.Context(), "select pg_switch_wal()")
		return errors.New("PostgreSQL has room")
	}))
	time.Sleep(2 * time.Second)
	s.log.resize(t, logSize)
	s.start(t)
	testenv.Must(s.pool.Exec(t.Context(), "select pg_drop_replication_slot('forgotten')"))(t)
}

// syncStalls has a process of PostgreSQL stop before it syncs the log, as it
// would at a disk that does not answer. It holds the lock that all commits
// need, for long enough to be found there: a sync of memory takes no time.
func (s *stage) syncStalls(t *testing.T) {
	conn := testenv.Must(db.Driver(s.pool).Acquire(t.Context()))(t)
	defer conn.Release()
	delay := func(microseconds int) {
		testenv.Must(conn.Exec(t.Context(), fmt.Sprintf("alter system set commit_delay = %d", microseconds)))(t)
		testenv.Must(conn.Exec(t.Context(), "select pg_reload_conf()"))(t)
	}
	testenv.Must(conn.Exec(t.Context(), "alter system set commit_siblings = 0"))(t)
	delay(100_000)
	stopped := 0
	noError(t, testenv.Eventually(func() error {
		rows := testenv.Must(conn.Query(t.Context(), `select pid from pg_stat_activity
			where application_name = 'gateway' and state = 'active' and wait_event is null`))(t)
		for _, pid := range testenv.Must(pgx.CollectRows(rows, pgx.RowTo[int]))(t) {
			if syscall.Kill(pid, syscall.SIGSTOP) != nil {
				continue
			}
			// Whoever looks would wait for what it holds, if that
			// is not the log.
			resume := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			before, _ := s.flushed(t, conn)
			time.Sleep(300 * time.Millisecond) // three commits
			after, waits := s.flushed(t, conn)
			if resume.Stop() && after == before && waits {
				stopped = pid
				return nil
			}
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
		return errors.New("no process of PostgreSQL was stopped with its log")
	}))
	delay(0)
	time.Sleep(6 * time.Second)
	noError(t, syscall.Kill(stopped, syscall.SIGCONT))
}

// flushed is how far PostgreSQL's log is on its disk, and whether somebody
// waits for more of it.
func (s *stage) flushed(t *testing.T, conn *pgxpool.Conn) (position string, waits bool) {
	t.Helper()
	noError(t, conn.QueryRow(t.Context(), `select pg_current_wal_flush_lsn()::text, exists (
		select from pg_stat_activity where wait_event_type = 'LWLock' and wait_event = 'WALWrite')`).Scan(&position, &waits))
	return position, waits
}

// databaseDiskIsFull has appeals' files on a disk of PostgreSQL's that is too
// small for them.
func (s *stage) databaseDiskIsFull(t *testing.T) {
	d := newDisk(t, "4m")
	space := filepath.Join(d.path, "space")
	noError(t, os.Mkdir(space, 0o700))
	s.give(t, space)
	testenv.Must(s.pool.Exec(t.Context(), fmt.Sprintf("create tablespace small location '%s'", space)))(t)
	testenv.Must(s.pool.Exec(t.Context(), "alter table appeal_chunk set tablespace small"))(t)
	s.appealAll(t, d.mounted, "503 unavailable", func() { d.resize(t, "64m") })
	testenv.Must(s.pool.Exec(t.Context(), "alter table appeal_chunk set tablespace pg_default"))(t)
	testenv.Must(s.pool.Exec(t.Context(), "drop tablespace small"))(t)
}

// gatewayDiskIsFull has the files arrive on a disk of the gateway's without
// room.
func (s *stage) gatewayDiskIsFull(t *testing.T) {
	s.uploads.resize(t, "512k")
	s.appealAll(t, s.uploads.mounted, "503 unavailable", func() { s.uploads.resize(t, "64m") })
}

// appealAll opens appeals while there is no room for their files, and until all
// are there once there is. Clients must have met this answer meanwhile, where a
// disk can get full.
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
	testenv.Until(t, "somebody is answered "+want, func() bool {
		s.load.mu.Lock()
		defer s.load.mu.Unlock()
		return !gets || s.load.current.answers[want] != 0
	})
	makeRoom()
	appealing.Wait()
	var whole int
	noError(t, s.pool.QueryRow(t.Context(), `select count(*) from appeal a where payment_id = any($1) and file_size = $2
		and file_size = (select sum(length(content)) from appeal_chunk c where c.payment_id = a.payment_id)`,
		ids, len(content)).Scan(&whole))
	testenv.Check(t, whole == clients*each, "%d of %d appeals are there and whole", whole, clients*each)
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
