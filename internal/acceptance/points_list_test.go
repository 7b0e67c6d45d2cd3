package acceptance

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
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

// TestPointsAreListed compares what the source commits and calls outward with the list of points, without building anything:
// whoever writes a new commit says there which kill proves it, or why none has to.
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

// readPoints reads the list: places, each below the reason why it is there, which ends with a colon.
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

// aside is what a way of TestPoints passes, but not in each run, or as one who stands outside.
var aside = regexp.MustCompile(byTime.String() + `|internal/(sandbox\b|payment\.\(\*Service\)\.serve)`)

// compare wants every place that was passed to be known by the list, and each that is to be killed at to have been passed. A place is the functions of one package that call each other, the innermost first.
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

// function is one of them, and inside are the calls in it, those of its closures too.
type function struct {
	in, name string
	inside   []call
	// takes says that it is given a function to call.
	takes bool
	// pools are its variables with queries that are made outside of a transaction.
	pools map[string]bool
}

// call is what is called, of what: db.InTx, or s.q.PaymentStepInsert.
type call struct {
	of   ast.Expr
	what string
	args []ast.Expr
}

// helpers have no data of anybody's: tools, tests, and what is generated.
var helpers = regexp.MustCompile(`^(internal/(acceptance|dbtest|gendocs|model|testenv|tools|pgserver|history)|rpc/(gen|sign|python|php|typescript|rest/describe)|web/(browsertest|noinline|portal/portaltest))(/|$)`)

func readSource(t *testing.T) *source {
	t.Helper()
	s, root := &source{writing: map[string]bool{}}, filepath.Join("..", "..")
	for _, top := range []string{"cmd/gateway", "internal", "rpc", "web"} {
		noError(t, filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			in := path.Dir(filepath.ToSlash(testenv.Must(filepath.Rel(root, name))(t)))
			if err != nil || d.IsDir() || helpers.MatchString(in) || filepath.Ext(name) != ".go" ||
				strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err == nil && filepath.Base(name) != "points.go" { // which has what kills
				s.read(in, file, strings.HasSuffix(name, ".sql.go"))
			}
			return err
		}))
	}
	return s
}

var (
	writesSQL = regexp.MustCompile(`(?i)\b(insert into|update|delete from)\b`)
	locks     = regexp.MustCompile(`(?i)\bfor (no key )?update\b`)
)

func (s *source) read(in string, file *ast.File, generated bool) {
	for _, d := range file.Decls {
		if d, is := d.(*ast.GenDecl); is && generated && d.Tok == token.CONST {
			text := d.Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
			if name, sql, _ := strings.Cut(locks.ReplaceAllString(text, ""), "\n"); writesSQL.MatchString(sql) {
				s.writing[strings.Fields(name)[2]] = true
			}
		}
		if d, is := d.(*ast.FuncDecl); is && !generated && d.Body != nil {
			s.functions = append(s.functions, newFunction(in, d))
		}
	}
}

func newFunction(in string, d *ast.FuncDecl) function {
	f := function{in: in, name: d.Name.Name, pools: map[string]bool{}}
	if d.Recv != nil {
		f.name = receiver(d.Recv.List[0].Type) + "." + f.name
	}
	for _, p := range d.Type.Params.List {
		_, is := p.Type.(*ast.FuncType)
		f.takes = f.takes || is
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f.inside = append(f.inside, newCall(n))
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, is := to.(*ast.Ident); is && i < len(n.Rhs) && ofPool(n.Rhs[i], nil) {
					f.pools[name.Name] = true
				}
			}
		}
		return true
	})
	return f
}

// receiver is a method's type as the runtime names it, without the parameters of a generic one.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(of.X) + ")"
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return "?"
}

func newCall(n *ast.CallExpr) call {
	fun := n.Fun
	switch generic := fun.(type) {
	case *ast.IndexExpr:
		fun = generic.X
	case *ast.IndexListExpr:
		fun = generic.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return call{what: fun.Name, args: n.Args}
	case *ast.SelectorExpr:
		return call{of: fun.X, what: fun.Sel.Name, args: n.Args}
	}
	return call{}
}

func (c call) package_() string {
	name, _ := c.of.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// ofPool tells whether an expression is queries that commit by themselves: db.New of something that is no transaction, a
// field for them, or a variable with either.
func ofPool(e ast.Expr, variables map[string]bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return variables[e.Name]
	case *ast.SelectorExpr:
		return e.Sel.Name == "q" || e.Sel.Name == "Queries"
	case *ast.CallExpr:
		c := newCall(e)
		return c.package_() == "db" && c.what == "New" && len(c.args) == 1 && !isTx(c.args[0])
	}
	return false
}

func isTx(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "tx"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Tx"
	}
	return false
}

// commits tells whether a call begins or ends a transaction by the driver.
func (c call) commits() bool {
	switch c.what {
	case "BeginFunc", "BeginTxFunc":
		return c.package_() == "pgx"
	case "Begin", "Commit":
		return len(c.args) == 1 && nameOf(c.args[0]) != "r" // the signature of a request is begun, too
	case "BeginTx":
		return true
	case "Queue":
		text, is := append(c.args, nil)[0].(*ast.BasicLit)
		return is && strings.EqualFold(text.Value, `"commit"`)
	}
	return false
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// outward tells whether a call leaves the machine: by HTTP, or by a library for mail, Telegram and push.
func (c call) outward() bool {
	switch c.what {
	case "Do":
		return len(c.args) == 1 && strings.Contains(strings.ToLower(nameOf(c.of)), "client") || c.package_() == "direct" || isLiteral(c.of)
	case "SendMessage", "DialAndSend", "DialAndSendWithContext", "SendNotification", "SendNotificationWithContext":
		return true
	case "Get", "Post", "PostForm", "Head":
		return c.package_() == "http"
	}
	return false
}

// isLiteral is for a client that is made where it is used.
func isLiteral(e ast.Expr) bool {
	e = ast.Unparen(cmp.Or(e, ast.Expr(&ast.Ident{})))
	and, is := e.(*ast.UnaryExpr)
	if is {
		_, is = and.X.(*ast.CompositeLit)
	}
	return is
}

// reading are transactions that are only for reading.
var reading = map[string]bool{ofDB + ".List": true, ofDB + ".Glance": true, ofDB + ".Look": true, "internal/audit.proveAtRest": true}

// places are the functions that commit or call outward, as points.go names them. Whoever gives a function to one that commits,
// commits too.
func (s *source) places() []string {
	places := map[string]bool{}
	// helping are functions through which others commit, by their package and name.
	helping := map[string]bool{}
	for more := true; more; {
		more = false
		for _, f := range s.functions {
			place := f.in + "." + f.name
			if places[place] || reading[place] || !slices.ContainsFunc(f.inside, func(c call) bool { return s.ends(f, c, helping) }) {
				continue
			}
			more, places[place] = true, true
			if short := f.name[strings.LastIndex(f.name, ".")+1:]; f.in == ofDB || f.takes && !ast.IsExported(short) {
				helping[f.in+"."+short] = true
			}
		}
	}
	maps.DeleteFunc(places, func(place string, _ bool) bool { return strings.HasPrefix(place, ofDB+".") })
	return slices.Sorted(maps.Keys(places))
}

func (s *source) ends(f function, c call, helping map[string]bool) bool {
	return c.commits() || c.outward() || c.package_() == "db" && helping[ofDB+"."+c.what] || helping[f.in+"."+c.what] ||
		s.writing[c.what] && c.of != nil && ofPool(c.of, f.pools)
}
