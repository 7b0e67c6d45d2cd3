package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"gateway.example/internal/alarm"
	"gateway.example/internal/testenv"
)

const alertFile = "deploy/prometheus/alerts.yaml"

// alert is a rule of Prometheus.
type alert struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// alertRules are the rules of the file by their names.
func alertRules(t *testing.T) map[string]alert {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(read(t, alertFile)))
	decoder.KnownFields(true)
	testenv.NoError(t, decoder.Decode(&file))
	rules := map[string]alert{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			_, twice := rules[rule.Alert]
			testenv.Check(t, !twice && rule.Alert != "", "the alert %q has no name, or another has the same", rule.Alert)
			rules[rule.Alert] = rule
		}
	}
	return rules
}

var namedMetric = regexp.MustCompile(`\bgateway_[a-z_]+`)

// metricsIn are the metrics that an expression names. Those of a histogram have
// a suffix.
func metricsIn(expr string) []string {
	found := namedMetric.FindAllString(expr, -1)
	for i, name := range found {
		for _, suffix := range []string{"_bucket", "_count", "_sum"} {
			if cut := strings.TrimSuffix(name, suffix); alerts[cut] != "" {
				found[i] = cut
			}
		}
	}
	return found
}

// Each metric that is to be alerted on has an alert, and no alert is about a
// metric that there is not. TestNothingIsLeftOut holds that the map of alerts
// is of the program's metrics.
func TestAlertsAreOfMetrics(t *testing.T) {
	t.Parallel()
	alerted := map[string]bool{}
	for _, rule := range alertRules(t) {
		metrics := metricsIn(rule.Expr)
		for _, name := range metrics {
			testenv.Check(t, alerts[name] != "", "%s asks for %s, which is no metric", rule.Alert, name)
			alerted[name] = true
		}
		testenv.Check(t, len(metrics) != 0 || strings.Contains(rule.Expr, `up{job="gateway"}`),
			"%s asks for nothing: %s", rule.Alert, rule.Expr)
	}
	for name, when := range alerts {
		testenv.Check(t, strings.HasPrefix(when, "No.") || alerted[name], "no alert is about %s: %s", name, when)
	}
}

// Each alert says how urgent and what it is, and leads to a part of the
// runbooks that is there.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	runbooks := parseMarkdown(t, read(t, "docs/operate/runbooks.md"))
	for _, rule := range alertRules(t) {
		severity := alarm.Severity(rule.Labels["severity"])
		testenv.Check(t, severity == alarm.Page || severity == alarm.Ticket, "%s is of the severity %q", rule.Alert, severity)
		testenv.Check(t, strings.HasSuffix(rule.Annotations["summary"], "."), "%s has no summary that is a sentence", rule.Alert)
		anchor := runbook(t, rule)
		testenv.Check(t, runbooks.parts[anchor], "%s leads to %q, which docs/operate/runbooks.md does not have", rule.Alert, anchor)
	}
}

// runbook is the part of the manual that an alert leads to.
func runbook(t *testing.T, rule alert) string {
	t.Helper()
	anchor, found := strings.CutPrefix(rule.Annotations["runbook_url"], "https://portal.example.com/operator/manual/runbooks#")
	testenv.Check(t, found, "%s does not lead to the manual", rule.Alert)
	return anchor
}

// Each alarm of the portal is an alert with the same expression, severity and
// part of the manual.
func TestAlarmsAreAlerts(t *testing.T) {
	t.Parallel()
	rules := alertRules(t)
	for _, a := range alarm.Rules {
		name := "Gateway"
		for word := range strings.SplitSeq(a.Name, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		rule, there := rules[name]
		if !there {
			t.Errorf("no alert %s for the alarm %s: there are %v", name, a.Name, slices.Sorted(maps.Keys(rules)))
			continue
		}
		testenv.Check(t, rule.Expr == a.Expression && rule.Labels["severity"] == string(a.Severity) && runbook(t, rule) == a.Runbook,
			"%s is not as the alarm %s:\n%+v\n%+v", name, a.Name, rule, a)
	}
}

// dashboardQueries are the expressions of the dashboard by the titles of their
// panels.
func dashboardQueries(t *testing.T) map[string][]string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr string }
		}
	}
	testenv.NoError(t, json.Unmarshal([]byte(read(t, "deploy/grafana/gateway.json")), &dashboard))
	queries := map[string][]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries[panel.Title] = append(queries[panel.Title], target.Expr)
		}
		testenv.Check(t, panel.Type == "row" || len(queries[panel.Title]) != 0, "the panel %q shows nothing", panel.Title)
	}
	return queries
}

// The dashboard shows every metric of the gateway, and asks for none that there
// is not.
func TestDashboardShowsMetrics(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for title, queries := range dashboardQueries(t) {
		for _, query := range queries {
			for _, name := range metricsIn(query) {
				testenv.Check(t, alerts[name] != "", "the panel %q asks for %s, which is no metric", title, name)
				shown[name] = true
			}
		}
	}
	for name := range alerts {
		testenv.Check(t, shown[name], "no panel of the dashboard shows %s", name)
	}
}

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

// What containers are given of the repository is there: Docker would make an
// empty directory of a name that is wrong.
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

// The proxy lets nobody else at what is for operators alone: each of their
// calls, and their pages.
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

// uploadPages are the pages that a portal's source file with TakeUpload has.
// Operators' pages are all in one location.
var uploadPages = map[string][]string{
	"appeals/appeal.go":          {"/merchant/payments/1/appeal"},
	"bankstatement/statement.go": {"/trader/requisites/1/statement", "/operator/requisites/1/statement"},
	"developers/logo.go":         {"/merchant/looks/logo"},
	"links/picture.go":           {"/merchant/links/1/picture"},
	"payments/payout_step.go":    {"/trader/payouts/1/complete"},
	"payoutfiles/file.go":        {"/merchant/payout-files"},
}

var uploadProcedure = regexp.MustCompile(`(gateway|portal)v1connect\.([A-Za-z]+Service)([A-Za-z]+)Procedure:`)

// The proxy lets a file through to all that takes one. What it refuses itself
// has a page of its own in place of the gateway's answer, and over the API no
// code.
func TestProxyLetsFilesIn(t *testing.T) {
	t.Parallel()
	large := regexp.MustCompile(`location (~|\^~) (\S+) \{[^{}]*client_max_body_size 1[12]m;`).
		FindAllStringSubmatch(read(t, "deploy/nginx/nginx.conf"), -1)
	lets := func(path string) bool {
		return slices.ContainsFunc(large, func(location []string) bool {
			return location[1] == "^~" && strings.HasPrefix(path, location[2]) ||
				location[1] == "~" && regexp.MustCompile(location[2]).MatchString(path)
		})
	}
	paths := []string{"/api/v1/payments/1/appeal", "/r/token/receipt"}
	_, uploads, _ := strings.Cut(read(t, "rpc/access.go"), "var uploads = edge.Uploads{\n")
	uploads, _, _ = strings.Cut(uploads, "\n}\n")
	for line := range strings.Lines(uploads) {
		name := uploadProcedure.FindStringSubmatch(line)
		if name == nil {
			t.Fatalf("not read as an upload: %s", line)
		}
		paths = append(paths, "/"+name[1]+".v1."+name[2]+"/"+name[3])
	}
	root := os.DirFS("../../web/portal")
	testenv.NoError(t, fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".go" {
			return err
		}
		text, err := fs.ReadFile(root, file)
		if strings.Contains(string(text), "v.TakeUpload(") {
			testenv.Check(t, uploadPages[file] != nil, "%s takes a file: which pages are that?", file)
			paths = append(paths, uploadPages[file]...)
		}
		return err
	}))
	testenv.Check(t, len(paths) >= 14, "only %d places for files were found", len(paths))
	for _, path := range paths {
		testenv.Check(t, lets(path), "%s: no file goes through", path)
	}
	for _, path := range []string{"/api/v1/payments", "/merchant/links/1/close", "/portal.v1.LinkService/CreateLink"} {
		testenv.Check(t, !lets(path), "%s: a file goes through", path)
	}
}
