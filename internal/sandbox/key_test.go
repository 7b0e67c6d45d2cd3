package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func loadKey(t testing.TB, dir string) Key {
	t.Helper()
	key := testenv.Must(LoadKey(dir))(t)
	return key
}

// The same data directory gives the same secrets at every start, another directory others.
func TestKeyIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, again, other := loadKey(t, dir), loadKey(t, dir), loadKey(t, t.TempDir())
	if first.ExternalPaymentsSecret() != again.ExternalPaymentsSecret() ||
		first.token("operator") != again.token("operator") {
		t.Error("a second start has other secrets")
	}
	if first.ExternalPaymentsSecret() == other.ExternalPaymentsSecret() || first.fingerprint() == other.fingerprint() {
		t.Error("two sandboxes share secrets")
	}
	info := testenv.Must(os.Stat(filepath.Join(dir, keyFile)))(t)
	testenv.Want(t, info.Mode().Perm(), 0o600, "mode")
	noKeyLeftBehind(t, dir)
}

func noKeyLeftBehind(t *testing.T, dir string) {
	t.Helper()
	files := testenv.Must(os.ReadDir(dir))(t)
	testenv.Want(t, len(files), 1, "files, a half-made key among them")
}

// Each purpose has a secret of its own: none may give away another.
func TestPurposesDiffer(t *testing.T) {
	t.Parallel()
	key := loadKey(t, t.TempDir())
	seen := map[string]bool{string(key.root): true}
	for _, secret := range []string{
		key.ExternalPaymentsSecret(), key.merchantSecret("a"), key.merchantSecret("b"), key.webhookSecret("a"), key.password("a"),
		key.token("a"), string(key.Bytes("vault")), string(key.Bytes("links")), key.fingerprint(),
	} {
		if seen[secret] || len(secret) < 16 {
			t.Errorf("%q is used twice or too short", secret)
		}
		seen[secret] = true
	}
	if !strings.HasPrefix(key.webhookSecret("a"), "whsec_") {
		t.Error("a webhook secret must have the form merchants are given")
	}
}

// Replicas that start together on a new directory must agree.
func TestKeyRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]Key, 20)
	noError(t, testenv.AtOnce(len(keys), func(i int) (err error) {
		keys[i], err = LoadKey(dir)
		return err
	})...)
	for _, key := range keys {
		if len(key.root) != keySize || !bytes.Equal(key.root, keys[0].root) {
			t.Fatal("two keys were made")
		}
	}
	noKeyLeftBehind(t, dir)
}

// A damaged key must not quietly become another sandbox's.
func TestDamagedKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600))
	_, err := LoadKey(dir)
	if err == nil || strings.Contains(err.Error(), "short") || !strings.Contains(err.Error(), keyFile) {
		t.Errorf("error %v", err)
	}
	if _, err := LoadKey(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that does not exist has a key")
	}
}

var noError = testenv.NoError
