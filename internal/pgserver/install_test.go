//go:build !windows

package pgserver

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/testenv"
)

// gatewayDirEnv turns the test binary into a gateway that runs a server there
// until it is killed.
const gatewayDirEnv = "PGSERVER_TEST_GATEWAY_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(gatewayDirEnv); dir != "" {
		os.Exit(playGateway(dir))
	}
	os.Exit(inOwnTemp(m.Run))
}

// inOwnTemp gives the tests a temporary directory of their own. Other accounts
// may pass through.
func inOwnTemp(run func() int) int {
	testenv.InMemory()
	dir, err := os.MkdirTemp("", "pgserver-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := errors.Join(os.Chmod(dir, 0o711), os.Setenv("TMPDIR", dir)); err != nil {
		panic(err)
	}
	return run()
}

func playGateway(dir string) int {
	srv, err := Start(context.Background(), Options{Dir: dir, Ephemeral: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(srv.proc.cmd.Process.Pid)
	<-srv.Done()
	return 0
}

// gatewayProcess starts such a gateway and returns it with its server's pid.
func gatewayProcess(t *testing.T, dir string) (*exec.Cmd, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), gatewayDirEnv+"="+dir)
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line := testenv.Must(bufio.NewReader(out).ReadString('\n'))(t)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	testenv.Need(t, err == nil, "gateway says: %s", line)
	return cmd, pid
}

// tempDir lies directly under the temporary directory: the parents of t.TempDir
// let no other account through, and the server may have to run as one.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "t-"))(t)
	testenv.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// cluster is the directory of a server that has been stopped.
var cluster = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return "", err
	}
	srv, err := Start(context.Background(), Options{Dir: dir, Ephemeral: true})
	if err != nil {
		return "", err
	}
	return dir, srv.Stop(context.Background())
})

// made is a directory, or one below it, whose server need not make its data any
// more: that takes longer than all else that most tests do.
func made(t *testing.T, below ...string) string {
	t.Helper()
	dir := filepath.Join(append([]string{tempDir(t)}, below...)...)
	data := theData(t, testenv.Must(cluster())(t))
	copied := filepath.Join(dir, filepath.Base(data))
	testenv.NoError(t, os.CopyFS(copied, os.DirFS(data)))
	testenv.NoError(t, os.Chmod(copied, 0o700))
	return dir
}

// testContext bounds a step generously: the machine may be busy with other
// packages' tests.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	srv := testenv.Must(Start(testContext(t), opts))(t)
	t.Cleanup(func() { _ = srv.Stop(testContext(t)) })
	return srv
}

// started is an ephemeral server in dir.
func started(t *testing.T, dir string) *Server {
	t.Helper()
	return start(t, Options{Dir: dir, Ephemeral: true})
}

func stop(t *testing.T, srv *Server) {
	t.Helper()
	testenv.NoError(t, srv.Stop(testContext(t)))
}

// ask runs statements over one connection and returns the last one's single
// value as text.
func ask(t *testing.T, srv *Server, statements ...string) string {
	t.Helper()
	conn := testenv.Must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	last := len(statements) - 1
	for _, sql := range statements[:last] {
		testenv.Must(conn.Exec(testContext(t), sql))(t)
	}
	var answer string
	testenv.NoError(t, conn.QueryRow(testContext(t), statements[last]).Scan(&answer))
	return answer
}

// wantError checks the kind, when given, and that the text has every part.
func wantError(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	testenv.Need(t, err != nil, "no error")
	testenv.Check(t, kind == nil || errors.Is(err, kind), "error is not %q: %v", kind, err)
	for _, part := range parts {
		testenv.Check(t, strings.Contains(err.Error(), part), "error lacks %q: %v", part, err)
	}
}

// gone reports whether a process has ended; one that init has not reaped yet
// counts.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// theData is the one data directory under dir.
func theData(t *testing.T, dir string) string {
	t.Helper()
	files := testenv.Must(filepath.Glob(filepath.Join(dir, "pg*", "PG_VERSION")))(t)
	testenv.Need(t, len(files) == 1, "data directories: %v", files)
	return filepath.Dir(files[0])
}

// fakeInstall writes scripts that say they are PostgreSQL of a version.
func fakeInstall(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

// noFetch stands for a machine that is offline.
func noFetch(context.Context, string) (string, error) {
	return "", errors.New("no\nnetwork")
}

func TestNoBinaries(t *testing.T) {
	t.Parallel()
	opts := Options{Dir: filepath.Join(tempDir(t), "data"), searchDirs: []string{t.TempDir()}, fetch: noFetch}
	_, err := Start(testContext(t), opts)
	wantError(t, err, ErrNoBinary, "15 or newer", "no network", "apt-get install postgresql", binaryEnv, "DATABASE_URL")
	testenv.Check(t, !strings.Contains(err.Error(), "\n"), "more than one line: %v", err)
	testenv.Check(t, testenv.ErrOf(os.Stat(opts.Dir)) != nil, "a directory was made for nothing")
}

func TestTooOldIsIgnored(t *testing.T) {
	t.Parallel()
	old := fakeInstall(t, "14.9 (Debian 14.9-1)")
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: tempDir(t), searchDirs: []string{old}, fetch: noFetch})), ErrNoBinary, old, "version 14")

	start(t, Options{Dir: tempDir(t), Ephemeral: true, searchDirs: append([]string{old}, defaultSearchDirs()...)})
}

func TestHighestMajorUnlessThereIsData(t *testing.T) {
	t.Parallel()
	v15, v16, v17 := fakeInstall(t, "15.1"), fakeInstall(t, "16beta1"), fakeInstall(t, "17.0")
	search := []string{v15, filepath.Join(t.TempDir(), "missing"), v17, v16, fakeInstall(t, "9.6.24"), v15}
	for _, c := range []struct {
		data []string
		want int
	}{{nil, 17}, {[]string{"pg15"}, 15}, {[]string{"pg15", "pg16", "pg14"}, 16}, {[]string{"pg14", "pg17.init"}, 17}} {
		dir := t.TempDir()
		for _, name := range c.data {
			testenv.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
			testenv.NoError(t, os.WriteFile(filepath.Join(dir, name, "PG_VERSION"), nil, 0o600))
		}
		inst := testenv.Must(chooseInstall(testContext(t), Options{Dir: dir, searchDirs: search}, identity{}))(t)
		testenv.Want(t, inst.major, c.want, "with data %v: major", c.data)
	}
}

func TestLinksAreResolved(t *testing.T) {
	t.Parallel()
	home, links := fakeInstall(t, "16.2"), t.TempDir()
	testenv.NoError(t, os.Symlink(filepath.Join(home, "postgres"), filepath.Join(links, "postgres")))
	inst := testenv.Must(inspect(testContext(t), links))(t)
	want, _ := filepath.EvalSymlinks(home)
	testenv.Check(t, inst.bin == want, "bin = %s, want %s", inst.bin, want)
}

func TestOverride(t *testing.T) {
	for _, c := range []struct {
		version, want string
	}{{"18.0", ""}, {"14.0", "15 or newer is needed"}, {"of sorts", "says"}} {
		t.Setenv(binaryEnv, fakeInstall(t, c.version))
		_, err := chooseInstall(testContext(t), Options{Dir: t.TempDir()}, identity{})
		if c.want == "" {
			testenv.NoError(t, err)
		} else {
			wantError(t, err, nil, c.want, binaryEnv)
		}
	}
	t.Setenv(binaryEnv, "/nowhere")
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: t.TempDir()})), ErrNoBinary, "/nowhere")
}

// repository serves a tiny PostgreSQL of scripts as the Maven repository does,
// with a checksum beside it.
func repository(t *testing.T, checksum func(jar []byte) string) string {
	t.Helper()
	archive := testenv.Must(os.ReadFile("testdata/fake-postgres.txz"))(t)
	var jar bytes.Buffer
	zipped := zip.NewWriter(&jar)
	file := testenv.Must(zipped.Create("postgres.txz"))(t)
	testenv.Must(file.Write(archive))(t)
	testenv.NoError(t, zipped.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".jar") {
			_, _ = w.Write(jar.Bytes())
			return
		}
		_, _ = io.WriteString(w, checksum(jar.Bytes()))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestFetch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := repository(t, func(jar []byte) string { return fmt.Sprintf("%x", sha256.Sum256(jar)) })
	for range 2 { // the second time it is there already
		bin := testenv.Must(fetchFromRepository(url)(testContext(t), dir))(t)
		inst := testenv.Must(inspect(testContext(t), bin))(t)
		testenv.Want(t, inst.major, 17, "major")
		url = "http://127.0.0.1:1"
	}
	left := testenv.Must(filepath.Glob(filepath.Join(dir, "fetch-*")))(t)
	testenv.Check(t, len(left) == 0, "left behind: %v", left)
}

// What has another checksum than the repository says is not used.
func TestFetchChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wantError(t, testenv.ErrOf(fetchFromRepository(repository(t, func([]byte) string { return "another" }))(testContext(t), dir)), nil, "checksum")
	testenv.Check(t, !complete(fetchedBin(dir)), "it is there")
}

func TestFetchFails(t *testing.T) {
	t.Parallel()
	opts := Options{
		Dir:        tempDir(t),
		searchDirs: []string{},
		fetch: func(ctx context.Context, _ string) (string, error) {
			return fetchFromRepository("http://127.0.0.1:1")(ctx, t.TempDir())
		},
	}
	wantError(t, testenv.ErrOf(Start(testContext(t), opts)), ErrNoBinary, "fetch http://127.0.0.1:1/", "apt-get install")
}

func TestFetchCanBeCancelled(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	wantError(t, testenv.ErrOf(fetchFromRepository(server.URL)(ctx, tempDir(t))), context.DeadlineExceeded)
}

// Whoever only wants to read makes no cluster, and no directory for one.
func TestExisting(t *testing.T) {
	t.Parallel()
	dir := made(t)
	nowhere := filepath.Join(dir, "nowhere")
	_, err := Start(testContext(t), Options{Dir: nowhere, Existing: true})
	testenv.Check(t, errors.Is(err, ErrNoData), "nothing there: %v", err)
	testenv.Check(t, testenv.ErrOf(os.Stat(nowhere)) != nil, "a directory was made")
	// The data of another version is none that this server could open.
	other := filepath.Join(dir, "other")
	testenv.NoError(t, os.MkdirAll(filepath.Join(other, "pg9"), 0o700))
	testenv.NoError(t, os.WriteFile(filepath.Join(other, "pg9", "PG_VERSION"), []byte("9\n"), 0o600))
	_, err = Start(testContext(t), Options{Dir: other, Ephemeral: true, Existing: true})
	testenv.Check(t, errors.Is(err, ErrNoData), "another version's data: %v", err)
	start(t, Options{Dir: filepath.Join(dir, "own"), Ephemeral: true})
}

// asOtherAccount is root's way where user namespaces are forbidden.
func asOtherAccount(t *testing.T, dir string) Options {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return Options{Dir: dir, Ephemeral: true, forbidNamespace: true}
}

func TestOtherAccount(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	srv := start(t, asOtherAccount(t, dir))
	testenv.Check(t, !ownedBy(theData(t, dir), 0), "the data is root's")
	ask(t, srv, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('yes') RETURNING word")
	stop(t, srv)

	for _, opts := range []Options{{Dir: dir, Ephemeral: true}, asOtherAccount(t, dir)} {
		srv := start(t, opts)
		testenv.Want(t, ask(t, srv, "SELECT word FROM kept"), "yes", "kept")
		stop(t, srv)
	}
}

func TestOtherAccountCannotReach(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(tempDir(t), "closed")
	opts := asOtherAccount(t, filepath.Join(closed, "data"))
	testenv.NoError(t, os.Mkdir(closed, 0o700))
	wantError(t, testenv.ErrOf(Start(testContext(t), opts)), nil, "GATEWAY_DATA_DIR", closed)
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	t.Setenv("PGPORT", "1")
	t.Setenv("GATEWAY_SECRET", "secret")
	for _, entry := range environment() {
		testenv.Check(t, !strings.HasPrefix(entry, "PG") && !strings.Contains(entry, "secret"), "passed on: %s", entry)
	}
	started(t, made(t))
}
