package acceptance

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
)

// pgTool runs one of PostgreSQL's programs to its end, or skips the test where
// it is not installed.
func pgTool(t *testing.T, name string, args ...string) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	program, err := exec.LookPath(name)
	switch {
	case os.Getenv("GATEWAY_POSTGRES_BIN") != "":
		program = filepath.Join(os.Getenv("GATEWAY_POSTGRES_BIN"), name)
	case len(found) > 0:
		program = slices.Max(found) // what the server of the tests is of
	case err != nil:
		testenv.Missing(t, name+" is not installed")
	}
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// ownServer starts a PostgreSQL of its own, on the data in the directory if
// there are any.
func ownServer(t *testing.T, dir string) *pgserver.Server {
	t.Helper()
	server := testenv.Must(pgserver.Start(t.Context(), pgserver.Options{Dir: dir, Ephemeral: true}))(t)
	t.Cleanup(func() { noError(t, server.Stop(t.Context())) })
	return server
}

// dump is a file with a dump of a database that is made now.
func dump(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dump")
	pgTool(t, "pg_dump", "-Fc", "-f", file, url)
	return file
}

// dumped is a database restored from a dump into a cluster of its own.
func dumped(t *testing.T, file string) string {
	t.Helper()
	server := ownServer(t, openDir(t))
	conn := testenv.Must(pgx.Connect(t.Context(), server.URL("postgres")))(t)
	testenv.Must(conn.Exec(t.Context(), "create database gateway"))(t)
	noError(t, conn.Close(t.Context()))
	pgTool(t, "pg_restore", "--no-owner", "--exit-on-error", "-d", server.URL("gateway"), file)
	return server.URL("gateway")
}

// baseBackup is a directory with a base backup of a database's whole cluster
// that is made now.
func baseBackup(t *testing.T, url string) string {
	t.Helper()
	var major string
	noError(t, poolOf(t, url).
		QueryRow(t.Context(), "select current_setting('server_version_num')::int / 10000 || ''").Scan(&major))
	dir := filepath.Join(openDir(t), "pg"+major)
	pgTool(t, "pg_basebackup", "-c", "fast", "-X", "stream", "-d", url, "-D", dir)
	return dir
}

// copied is a database in a base backup.
func copied(t *testing.T, url, backup string) string {
	t.Helper()
	return ownServer(t, filepath.Dir(backup)).URL(poolOf(t, url).Config().ConnConfig.Database)
}

// sealsToday seals the day of the first transfer as if it were over, and the
// next one were not.
func (o *original) sealsToday(t *testing.T, key []byte) {
	pool := poolOf(t, o.url)
	signer := testenv.Must(attest.New(pool, key))(t)
	noError(t, signer.Note(t.Context(), time.Now()))
	first := testenv.Must(db.New(pool).LedgerFirstMade(t.Context()))(t)
	ahead := new(clock.Offset)
	ahead.Raise(time.Until(first.UTC().Truncate(24*time.Hour)) + 25*time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- seal.NewSealer(pool, ahead, signer).Run(ctx) }()
	testenv.Until(t, "the day is sealed", func() bool { return o.count(t, "select count(*) from ledger_page") == 1 })
	cancel()
	<-ended
}

// rehearses has the program rehearse the restoring of a backup, beside the
// original.
func (o *original) rehearses(t *testing.T, backup string) {
	t.Helper()
	out, _, err := command(t, "", nil, "rehearse", backup, "-database-url", o.url)
	for _, want := range []string{"restored: ", "\nclean: ", "\ncompared: 1 sealed day ", "\nthe backup ends with a transfer of "} {
		testenv.Check(t, err == nil && strings.Contains(out, want), "rehearse %s: %s%v, want %q", backup, out, err, want)
	}
}

// recovered is a copy of a base backup that has nothing more to recover. What a
// backup has of a page may be written again from its log, and a byte of it that
// was damaged with it.
func recovered(t *testing.T, backup string) (dir, copied string) {
	t.Helper()
	dir = openDir(t)
	copied = filepath.Join(dir, filepath.Base(backup))
	noError(t, os.CopyFS(copied, os.DirFS(backup)))
	noError(t, os.Chmod(copied, 0o700))
	server := testenv.Must(pgserver.Start(t.Context(), pgserver.Options{Dir: dir, Ephemeral: true}))(t)
	pool := poolOf(t, server.URL("postgres"))
	testenv.Must(pool.Exec(t.Context(), "checkpoint"))(t)
	pool.Close()
	noError(t, server.Stop(t.Context()))
	return dir, copied
}

// noticesDamage has one byte of a backup of the transfers change, and the
// sealed day of the original.
func (o *original) noticesDamage(t *testing.T, backup string) {
	dir, damaged := recovered(t, backup)
	var file, table string
	noError(t, poolOf(t, o.url).QueryRow(t.Context(), `select pg_relation_filepath(tableoid), tableoid::regclass::text
		from transfer limit 1`).Scan(&file, &table))
	content := testenv.Must(os.ReadFile(filepath.Join(damaged, file)))(t)
	content[8000] ^= 1
	noError(t, os.WriteFile(filepath.Join(damaged, file), content, 0o600))
	o.refusesBackup(t, damaged, table+": page 0 cannot be read")
	broken := poolOf(t, ownServer(t, dir).URL("postgres"))
	_, err := broken.Exec(t.Context(), "select count(amount) from transfer")
	reads, failed := db.DamagedReads(t.Context(), broken)
	testenv.Check(t, db.IsDamaged(err) && reads != 0 && failed == nil,
		"reading the page: %v; %d damaged pages noticed (%v)", err, reads, failed)
	if found, err := audit.Since(t.Context(), broken, time.Time{}); err != nil || !audit.Damaged(found) {
		t.Errorf("the audit of each minute: %v, %v", found, err)
	}
	broken.Close()
	conn := testenv.Must(pgx.Connect(t.Context(), o.url))(t)
	testenv.Must(conn.Exec(t.Context(), "set session_replication_role = replica"))(t)
	testenv.Must(conn.Exec(t.Context(), "update ledger_page set hash = sha256(hash)"))(t)
	noError(t, conn.Close(t.Context()))
	o.refusesBackup(t, backup, "is another one than the original's")
}

func (o *original) refusesBackup(t *testing.T, backup, why string) {
	t.Helper()
	out, _, err := command(t, "", nil, "rehearse", backup, "-database-url", o.url)
	testenv.Check(t, err != nil && strings.HasPrefix(err.Error(), "exit status 1: ") && strings.Contains(out, why),
		"rehearse: %s%v, want %q", out, err, why)
}

// original is a sandbox whose database is backed up while it works.
type original struct {
	*rotation
	// link is the token of a page of a payment, cursor is where its
	// merchant has read the feed before the backup.
	link, cursor string
}

// Restored from a dump or a base backup that was made under load, a gateway is
// whole: the audit is clean, links and sealed secrets open, and the feed goes
// on from cursors of before. A cursor of what was lost is refused, and after
// the adoption shows all that comes.
func TestRestore(t *testing.T) {
	testenv.Long(t, "makes and restores backups")
	t.Parallel()
	keys, text := testKey(1)
	keepSecret(text)
	o := &original{rotation: &rotation{url: ownServer(t, openDir(t)).URL("postgres"), payer: newOrder()}}
	variables := map[string]string{"GATEWAY_VAULT_KEYS": text}
	o.instance = setup{database: o.url, variables: variables}.start(t)
	o.sealOne(t, keys)
	o.told(t)
	created := o.create(t, o.first(), nil)
	o.link = path.Base(created.text("data.paymentPageUrl"))
	_, o.cursor = o.feed(t, "")
	var load sync.WaitGroup
	var stopped atomic.Bool
	for range 3 {
		load.Go(func() {
			for !stopped.Load() && !t.Failed() {
				o.told(t)
			}
		})
	}
	o.sealsToday(t, keys)
	o.told(t) // is in both backups, however little the load has done
	file, base := dump(t, o.url), baseBackup(t, o.url)
	o.told(t) // is in no backup
	stopped.Store(true)
	load.Wait()
	o.rehearses(t, file)
	signal := filepath.Join(base, "standby.signal")
	noError(t, os.WriteFile(signal, nil, 0o600)) // as pg_basebackup -R leaves it
	o.rehearses(t, base)
	noError(t, os.Remove(signal))
	o.noticesDamage(t, base)
	copies := []string{dumped(t, file), copied(t, o.url, base)}
	ids, end := o.feed(t, "")
	testenv.Check(t, len(ids) != 0, "there are no events")
	noError(t, o.stop())
	for _, url := range copies {
		o.url = url
		out, _, err := command(t, "", nil, "audit", "-database-url", url)
		testenv.Check(t, err == nil && strings.HasPrefix(out, "clean: "), "audit: %s%v", out, err)
		o.instance = setup{dir: copyKey(t, o.dir), database: url, variables: variables}.start(t)
		o.isWhole(t, end)
		noError(t, o.stop())
	}
}

// feed reads the feed of the first merchant from a cursor on to its end, and
// returns the cursor of the end.
func (o *original) feed(t *testing.T, cursor string) (ids []string, end string) {
	t.Helper()
	from := object{}
	if cursor != "" {
		from["cursor"] = cursor
	}
	for {
		page := o.portal(t, o.user(t, "merchant").Token, "MerchantService/ListEvents", bodyOf(from, nil))
		list, _ := page.at("data").([]any)
		if from["cursor"] = page.text("nextCursor"); len(list) == 0 {
			return ids, page.text("nextCursor")
		}
		for _, event := range list {
			ids = append(ids, fmt.Sprint(event.(object)["eventId"]))
		}
	}
}

// isWhole looks at everything of a restored sandbox; end is a cursor of the
// time after the backup.
func (o *original) isWhole(t *testing.T, end string) {
	fetched(t, http.MethodGet, o.PayURL+"/r/"+o.link, "", nil).want(t, "the link", http.StatusOK)
	// All that the backup has comes after the cursor of before it, each
	// once.
	testenv.Until(t, "the outbox is empty", func() bool { return o.count(t, "select count(*) from webhook_outbox") == 0 })
	o.feedHasAll(t, o.cursor)
	o.ids["end"] = end
	o.does(t, `user merchant | POST /portal.v1.MerchantService/ListEvents | {"cursor":"{end}"} | 400 validation_failed cursor`)
	out, _, err := command(t, "", nil, "adopt", "-database-url", o.url)
	testenv.Check(t, err == nil && strings.HasPrefix(out, "adopted: "), "adopt: %s%v", out, err)
	o.told(t)
	after, _ := o.feed(t, end)
	testenv.Want(t, len(after), 1, "events after the cursor of what was lost")
	o.payoutDone(t, o.payout)
	o.paysAgain(t)
	o.feedHasAll(t, o.cursor)
}

// feedHasAll compares the feed after a cursor with the events that the database
// has.
func (o *original) feedHasAll(t *testing.T, cursor string) {
	t.Helper()
	want := o.texts(t, `select e.id::text from webhook_event e join merchant m on m.id = e.merchant_id
		join app_user u on u.merchant_id = m.id and u.login = 'merchant' where e.number > $1::text::bigint order by e.number`, cursor)
	// What is numbered meanwhile comes after these.
	got, _ := o.feed(t, cursor)
	testenv.Check(t, len(want) != 0 && len(got) >= len(want) && slices.Equal(got[:len(want)], want),
		"the feed has %d events after the cursor, the database %d", len(got), len(want))
}

// A copy of a production database is not served: neither one in another
// cluster, nor a base backup, which has the same number, at another address. It
// can be looked at, and then calls nobody, and it can be adopted. A restart,
// and a server that does not tell its number, are no copies.
func TestCopyIsRefused(t *testing.T) {
	testenv.Long(t, "restores a copy of a whole server")
	t.Parallel()
	server := ownServer(t, openDir(t))
	url := server.URL("postgres")
	serve := func(url string, more map[string]string, args ...string) *instance {
		return setup{live: true, database: url, variables: more, flags: args}.prepare(t)
	}
	starts := func(name, url string, more map[string]string, args ...string) {
		t.Helper()
		g := serve(url, more, args...)
		if err := g.tryStart(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		noError(t, g.stop())
	}
	refused := func(name, want, url string, more map[string]string, args ...string) {
		t.Helper()
		err := serve(url, more, args...).tryStart()
		testenv.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v", name, err)
	}
	starts("the first start", url, nil)
	starts("a restart", url, nil)
	elsewhere := map[string]string{"GATEWAY_BASE_URL": "https://staging.example"}
	refused("another address", "it was served as https://api.example since ",
		copied(t, url, baseBackup(t, url)), elsewhere)
	dump := dumped(t, dump(t, url))
	refused("a dump", "it was served from another PostgreSQL cluster since ", dump, nil)
	refused("a sandbox on a dump", "the database is that of a production gateway, https://api.example", dump,
		map[string]string{"GATEWAY_VAULT_KEYS": ""}, "-sandbox")
	starts("a look", dump, nil, "-offline")
	refused("after a look", "run gateway adopt and start again", dump, nil)
	_, _, err := command(t, "", map[string]string{"DATABASE_URL": dump}, "adopt")
	noError(t, err)
	starts("adopted", dump, nil)
	starts("the original", url, nil)
	pool := poolOf(t, url)
	_, err = pool.Exec(t.Context(), "create role mute login superuser; alter role mute nosuperuser; "+
		"revoke execute on function pg_control_system() from public; alter database postgres owner to mute; "+
		"grant all on schema public to mute; grant all on all tables in schema public to mute; grant all on all sequences in schema public to mute")
	noError(t, err)
	starts("a server that does not tell", strings.Replace(url, "postgres@", "mute@", 1), nil)
}

// Offline, a gateway sends no webhook, charges no card and numbers no event.
func TestOffline(t *testing.T) {
	t.Parallel()
	plan := fresh(t, "-offline")
	g := plan.start(t)
	p := newCardProcessor(t, nil)
	g.setProcessor(t, p)
	s := newShop(t, g.first().WebhookSecret)
	created := g.create(t, g.first(), object{"callbackUri": s.URL})
	g.callback(t, created.text("data.id"), `{"status":"completed"}`).want(t, "callback", http.StatusOK)
	_, token := g.cardPayment(t, nil)
	got := g.checkout(t, token, "payer-details", typedCard(savedPAN, nil))
	testenv.Check(t, got.status >= 400, "a card is taken: %s", got)
	time.Sleep(2 * time.Second) // what comes round by itself comes every second
	testenv.Check(t, p.called("authorize") == 0 && len(s.events(created.text("data.orderId"))) == 0 &&
		g.count(t, "select count(*) from webhook_outbox") == 1, "somebody was called, or an event numbered")
	noError(t, g.stop())
	plan.flags = nil
	plan.start(t)
	s.await(t, created.text("data.orderId"))
}
