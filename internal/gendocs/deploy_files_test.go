package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"go.yaml.in/yaml/v3"
)

// deployFiles are the files of deploy by their paths in the repository.
func deployFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	testenv.NoError(t, fs.WalkDir(os.DirFS(root), "deploy", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "deploy/tls":
			return fs.SkipDir // it is ignored by git, as is the other
		case !entry.IsDir() && name != "deploy/production.env":
			files[name] = read(t, name)
		}
		return nil
	}))
	return files
}

// Every YAML and JSON file is one, in all its documents.
func TestDeployFilesParse(t *testing.T) {
	t.Parallel()
	parsed := 0
	for name, content := range deployFiles(t) {
		var err error
		switch path.Ext(name) {
		case ".json":
			err = json.Unmarshal([]byte(content), new(any))
		case ".yaml", ".yml":
			for decoder := yaml.NewDecoder(strings.NewReader(content)); err == nil; {
				err = decoder.Decode(new(any))
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
		default:
			continue
		}
		if parsed++; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	testenv.Check(t, parsed != 0, "no file is checked")
}

// What the files set is a setting that there is: a wrong name would do nothing.
func TestDeployNamesSettings(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	src := testenv.Must(parse(root))(t)
	_, known, err := settings(src)
	testenv.NoError(t, err)
	for name := range describedVariables(src) {
		known[name] = true
	}
	named, files := regexp.MustCompile(`\b(GATEWAY|DATABASE)_[A-Z_]+\b`), deployFiles(t)
	for file, content := range files {
		for _, name := range named.FindAllString(content, -1) {
			testenv.Check(t, known[name], "%s sets %s, which there is not", file, name)
		}
	}
	// What production needs is set by each way to run it.
	for way, content := range map[string]string{
		"compose":    files["deploy/compose.production.yaml"],
		"kubernetes": files["deploy/kubernetes/gateway.yaml"] + files["deploy/kubernetes/secret.example.yaml"],
		"systemd":    files["deploy/systemd/gateway.env"],
	} {
		for _, name := range []string{
			"DATABASE_URL", "GATEWAY_VAULT_KEYS", "GATEWAY_LINK_KEYS", "GATEWAY_EXTERNAL_PAYMENTS_SECRET",
			"GATEWAY_BASE_URL", "GATEWAY_PAY_URL", "GATEWAY_PORTAL_URL", "GATEWAY_TRUSTED_PROXIES",
		} {
			testenv.Check(t, regexp.MustCompile(`(?m)^ *`+name+`[:=]`).MatchString(content), "%s does not set %s", way, name)
		}
	}
}

// What containers are given of the repository is there: Docker would make an empty directory of a name that is wrong.
func TestComposeMountsFiles(t *testing.T) {
	t.Parallel()
	mounts := regexp.MustCompile(`(?m)^ +- \./([^:]+):`).
		FindAllStringSubmatch(read(t, "deploy/compose.production.yaml"), -1)
	for _, mount := range mounts {
		if mount[1] == "tls" {
			continue // the certificate is not ours
		}
		_, err := os.Stat(path.Join(root, "deploy", mount[1]))
		testenv.Check(t, err == nil, "%v", err)
	}
	testenv.Check(t, len(mounts) >= 5, "%d mounts are checked", len(mounts))
}

// No example has a secret in it that somebody could take for theirs.
func TestDeployHasNoSecrets(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(
		`(?m)^ *(GATEWAY_VAULT_KEYS|GATEWAY_LINK_KEYS|GATEWAY_EXTERNAL_PAYMENTS_SECRET|POSTGRES_PASSWORD|GRAFANA_PASSWORD)[:=] *(.*)$`,
	)
	for file, content := range deployFiles(t) {
		for _, found := range secret.FindAllStringSubmatch(content, -1) {
			value := found[2]
			sandbox := file == "deploy/compose.yaml" && strings.HasPrefix(value, "sandbox ")
			testenv.Check(t, value == "" || value == `""` || strings.HasPrefix(value, "${"+found[1]) || sandbox,
				"%s has a value of %s", file, found[1])
		}
	}
}

// The proxy lets nobody else at what is for operators alone: each of their calls, and their pages.
func TestProxyKeepsOperatorsIn(t *testing.T) {
	t.Parallel()
	conf := read(t, "deploy/nginx/nginx.conf")
	limited := regexp.MustCompile(`location (~|\^~) (\S+) \{\s+allow 10\.0\.0\.0/8;\s+deny all;`).
		FindAllStringSubmatch(conf, -1)
	lets := func(path string) bool {
		for _, location := range limited {
			if location[1] == "^~" && strings.HasPrefix(path, location[2]) ||
				location[1] == "~" && regexp.MustCompile(location[2]).MatchString(path) {
				return false
			}
		}
		return true
	}
	checked := 0
	for line := range strings.Lines(read(t, "internal/acceptance/testdata/access.txt")) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		only := len(words) == 2 && words[1] == "operators"
		if only {
			checked++
		}
		merchants := slices.Contains(words[1:], "key") || slices.Contains(words[1:], "financiers")
		path := "/" + words[0]
		testenv.Check(t, (!only || !lets(path)) && (!merchants || lets(path)), "%s: let in from everywhere: %t", path, lets(path))
	}
	for path, want := range map[string]bool{
		"/operator": false, "/operator/users/new": false, "/merchant": true, "/trader/payouts/1": true, "/sign-in": true,
	} {
		testenv.Want(t, lets(path), want, "%s: let in from everywhere", path)
	}
	testenv.Check(t, checked >= 30, "only %d calls of operators were found", checked)
}
