package acceptance

import (
	"cmp"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/testenv"
)

const (
	pointsList = "testdata/points.txt"
	// killed begins the part of the list whose places TestPoints passes.
	killed = "killed"
	ofDB   = "internal/db"
)

// TestPointsAreListed compares what the source commits and calls outward with
// the list of points, without building anything: whoever writes a new commit
// says there which kill proves it, or why none has to.
func TestPointsAreListed(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	found, listed := readSource(t).places(), readPoints(t)
	testenv.Check(t, len(found) > 100, "the source has %d places: they are not found", len(found))
	for _, place := range found {
		testenv.Check(t, listed.reason(place) != "", "%s commits or calls outward, and is not in %s: have a way of "+
			"TestPoints pass it and write it under %q, or write it under the reason why a kill there needs no test", place, pointsList, killed)
	}
	for name := range listed {
		known := slices.ContainsFunc(found, func(place string) bool { return name == place || name == packageOf(place)+".*" })
		testenv.Check(t, known, "%s has %s, which neither commits nor calls outward", pointsList, name)
	}
}

// listedPoints are the reasons of places, and of packages with .*.
type listedPoints map[string]string

// reason is why a place is listed, or "".
func (l listedPoints) reason(place string) string { return cmp.Or(l[place], l[packageOf(place)+".*"]) }

// packageOf is the package of a place, such as internal/payment.
func packageOf(place string) string {
	slash := strings.LastIndex(place, "/")
	name, _, _ := strings.Cut(place[slash+1:], ".")
	return place[:slash+1] + name
}

// readPoints reads the list: places, each below the reason why it is there,
// which ends with a colon.
func readPoints(t *testing.T) listedPoints {
	t.Helper()
	listed, reason := listedPoints{}, ""
	for line := range strings.Lines(string(testenv.Must(os.ReadFile(pointsList))(t))) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasSuffix(line, ":"):
			reason = strings.TrimSuffix(line, ":")
		default:
			testenv.Check(t, reason != "" && listed[line] == "", "%s: %s has no reason, or two", pointsList, line)
			listed[line] = reason
		}
	}
	return listed
}

// passedPlaces are the places of all points that the ways of TestPoints pass.
type passedPlaces struct {
	mu  sync.Mutex
	all map[string]bool
}

// newPassedPlaces compares them with the list at the end of a test.
func newPassedPlaces(t *testing.T) *passedPlaces {
	p := &passedPlaces{all: map[string]bool{}}
	t.Cleanup(func() {
		if !t.Failed() {
			p.compare(t)
		}
	})
	return p
}

func (p *passedPlaces) add(points []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, point := range points {
		_, place, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(point, "before "), "after "), " ")
		p.all[place] = true
	}
}

// aside is what a way of TestPoints passes, but not in each run, or as one who
// stands outside.
var aside = regexp.MustCompile(byTime.String() + `|internal/(sandbox\b|payment\.\(\*Service\)\.serve)`)

// compare wants every place that was passed to be known by the list, and each
// that is to be killed at to have been passed. A place is the functions of one
// package that call each other, the innermost first.
func (p *passedPlaces) compare(t *testing.T) {
	listed, seen := readPoints(t), map[string]bool{}
	for place := range p.all {
		in := packageOf(place)
		why := ""
		for function := range strings.SplitSeq(strings.TrimPrefix(place, in+"."), " < ") {
			name := in + "." + function
			if why == "" {
				if why = listed.reason(name); why != "" && why != killed && !aside.MatchString(place) {
					t.Errorf("%s is passed by a way of TestPoints: write it under %q, not under %q", name, killed, why)
				}
			}
			seen[name] = true
		}
		testenv.Check(t, why != "", "the program commits or calls at %s, which TestPointsAreListed does not find in the source", place)
	}
	for name, reason := range listed {
		testenv.Check(t, reason != killed || seen[name], "no way of TestPoints passes %s", name)
	}
}

// source is the program's own source as far as it tells who commits.
type source struct {
	functions []function
	// writing are the generated queries that write.
	writing map[string]bool
}

// function is one of them. What is said of it is so of its closures, too.
type function struct {
	in, name string
	// takes says that it is given a function to call, and ends that it
	// commits or calls outward itself.
	takes, ends bool
	// calls are what is called, of what.
	calls [][]string
	// pools are its variables with queries that are made outside of a
	// transaction.
	pools map[string]bool
}

// helpers have no data of anybody's: tools, tests, and what is generated.
var helpers = regexp.MustCompile(`^(internal/(acceptance|dbtest|gendocs|model|testenv|tools|pgserver|history)|rpc/(gen|sign|python|php|typescript|rest/describe)|web/(browsertest|portal/portaltest))(/|$)`)

func readSource(t *testing.T) *source {
	s, root := &source{writing: map[string]bool{}}, filepath.Join("..", "..")
	for _, top := range []string{"cmd/gateway", "internal", "rpc", "web"} {
		noError(t, filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			in := path.Dir(filepath.ToSlash(testenv.Must(filepath.Rel(root, name))(t)))
			if err != nil || d.IsDir() || helpers.MatchString(in) || filepath.Ext(name) != ".go" ||
				strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go") {
				return err
			}
			content, err := os.ReadFile(name)
			if filepath.Base(name) != "points.go" { // which has what kills
				s.read(in, string(content), strings.HasSuffix(name, ".sql.go"))
			}
			return err
		}))
	}
	return s
}

// The source is as gofmt writes it: a function ends with the first brace at the
// beginning of a line.
var (
	inSource  = regexp.MustCompile(`(?ms)^func [^\n]*\}$|^func .*?^\}$`)
	declared  = regexp.MustCompile(`^func (?:\((?:\w+ )?(\*?)(\w+)(?:\[[^\]]*\])?\) )?(\w+)`)
	remark    = regexp.MustCompile(`(?m)(^|\s)//.*$`)
	query     = regexp.MustCompile("(?s)-- name: (\\w+) :\\w+\n(.*?)`")
	writesSQL = regexp.MustCompile(`(?i)\b(insert into|update|delete from)\b`)
	locks     = regexp.MustCompile(`(?i)\bfor (no key )?update\b`)
	// ofPool are queries that commit by themselves: made of something that
	// is no transaction, or a field for them.
	ofPool = regexp.MustCompile(`^(db\.New\([^()]*\)|[\w.]*\.(q|Queries))$`)
	ofTx   = regexp.MustCompile(`\((tx|[\w.]*\.Tx)\)$`)
	assign = regexp.MustCompile(`(?m)(\w[\w, ]*) :?= (.+)$`)
	// given is a parameter that is a function to call.
	given = regexp.MustCompile(`^[^{]*\b\w+ func\(`)
	calls = regexp.MustCompile(`(?:(db\.New\([^()]*\)|\.?\w+)\.)?(\w+)(?:\[[^\]\n]*\])?\(`)
	// commits begins or ends a transaction by the driver; the signature of
	// a request is begun, too.
	commits = regexp.MustCompile(`\bpgx\.Begin(Tx)?Func\(|\.(Begin|Commit)\(([^r(),]|[^(),]{2,})\)|\.BeginTx\(|(?i)\.Queue\("commit"`)
	// outward leaves the machine: by HTTP, also by a client that is made
	// where it is used, or by a library for mail, Telegram and push.
	outward = regexp.MustCompile(`(?i:client)\.Do\([^,()]*\)|\bdirect\.Do\(|\}\)\.Do\(|\.(SendMessage|DialAndSend|DialAndSendWithContext|SendNotification|SendNotificationWithContext)\(|\bhttp\.(Get|Post|PostForm|Head)\(`)
)

func (s *source) read(in, content string, generated bool) {
	if generated {
		for _, q := range query.FindAllStringSubmatch(content, -1) {
			s.writing[q[1]] = writesSQL.MatchString(locks.ReplaceAllString(q[2], ""))
		}
		return
	}
	for _, text := range inSource.FindAllString(content, -1) {
		of := declared.FindStringSubmatch(text)
		text = remark.ReplaceAllString(text[len(of[0]):], "")
		f := function{
			in: in, name: of[3], takes: given.MatchString(text), ends: commits.MatchString(text) || outward.MatchString(text),
			calls: calls.FindAllStringSubmatch(text, -1), pools: map[string]bool{},
		}
		if of[1] != "" {
			f.name = "(*" + of[2] + ")." + f.name
		} else if of[2] != "" {
			f.name = of[2] + "." + f.name
		}
		for _, a := range assign.FindAllStringSubmatch(text, -1) {
			values := strings.Split(a[2], ", ")
			for i, name := range strings.Split(a[1], ", ") {
				f.pools[name] = f.pools[name] || i < len(values) && alone(values[i])
			}
		}
		s.functions = append(s.functions, f)
	}
}

// alone tells whether an expression is queries that commit by themselves.
func alone(e string) bool { return ofPool.MatchString(e) && !ofTx.MatchString(e) }

// reading are transactions that are only for reading.
var reading = map[string]bool{ofDB + ".List": true, ofDB + ".Glance": true, ofDB + ".Look": true, "internal/audit.proveAtRest": true}

// places are the functions that commit or call outward, as points.go names
// them. Whoever gives a function to one that commits, commits too.
func (s *source) places() []string {
	places := map[string]bool{}
	// helping are functions through which others commit, by their package
	// and name.
	helping := map[string]bool{}
	for more := true; more; {
		more = false
		for _, f := range s.functions {
			place := f.in + "." + f.name
			if places[place] || reading[place] || !f.ends && !s.helped(f, helping) {
				continue
			}
			more, places[place] = true, true
			short := f.name[strings.LastIndex(f.name, ".")+1:]
			if f.in == ofDB || f.takes && !ast.IsExported(short) {
				helping[f.in+"."+short] = true
			}
		}
	}
	maps.DeleteFunc(places, func(place string, _ bool) bool { return strings.HasPrefix(place, ofDB+".") })
	return slices.Sorted(maps.Keys(places))
}

// ofWriting matches the package db, and the fields of services that are a
// db.Writer.
var ofWriting = regexp.MustCompile(`^(db|\.(making|attempted|left))$`)

// helped tells whether a function commits by others, or by a query outside of a
// transaction.
func (s *source) helped(f function, helping map[string]bool) bool {
	return slices.ContainsFunc(f.calls, func(call []string) bool {
		of, what := call[1], call[2]
		return ofWriting.MatchString(of) && helping[ofDB+"."+what] || helping[f.in+"."+what] || s.writing[what] && (f.pools[of] || alone(of))
	})
}
