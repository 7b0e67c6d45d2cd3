package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/tools/txtar"
	"rsc.io/script"
	"rsc.io/script/scripttest"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// asProgram has this test binary be the program.
const asProgram = "GATEWAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	dbtest.Main(m)
}

// What the commands of the program say and how they end, each script in a
// directory of its own. It has the words of rsc.io/script, and those of
// scriptCommands.
func TestScripts(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	paths := testenv.Must(filepath.Glob("testdata/script/*.txtar"))(t)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive := testenv.Must(txtar.ParseFile(path))(t)
			state, err := script.NewState(t.Context(), t.TempDir(), strangersEnvironment())
			testenv.NoError(t, err, state.ExtractFiles(archive))
			engine := &script.Engine{Cmds: scriptCommands(t), Conds: script.DefaultConds()}
			scripttest.Run(t, engine, state, path, bytes.NewReader(archive.Comment))
		})
	}
}

// strangersEnvironment is this process's own, without the settings of a gateway
// that it may have.
func strangersEnvironment() []string {
	var environment []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		ours := strings.HasPrefix(name, "GATEWAY_") || strings.HasPrefix(name, "DATABASE_") ||
			strings.HasPrefix(name, "OTEL_")
		// Where PostgreSQL is found is a matter of the machine, not of
		// a test.
		if !ours || name == postgresVariable.name {
			environment = append(environment, variable)
		}
	}
	return environment
}

type scriptRun func(s *script.State, args []string) (script.WaitFunc, error)

// scriptCommands are what a script can say besides. "<file" as the last
// argument is the standard input.
func scriptCommands(t *testing.T) map[string]script.Cmd {
	commands := script.DefaultCmds()
	add := func(name, arguments, does string, run scriptRun) {
		commands[name] = script.Command(
			script.CmdUsage{Args: arguments, Summary: does},
			func(s *script.State, args ...string) (script.WaitFunc, error) {
				if len(args) < len(strings.Fields(arguments))-strings.Count(arguments, "[") {
					return nil, script.ErrUsage
				}
				return run(s, args)
			},
		)
	}
	add("gateway", "[argument...]", "run the program, which must end well",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			return runProgram("0", args), nil
		})
	add("exits", "status gateway [argument...]", "run the program, which must end with the status",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			return runProgram(args[0], args[2:]), nil
		})
	add("awaits", "status gateway [argument...]", "run the program again and again until it ends so",
		func(s *script.State, args []string) (wait script.WaitFunc, err error) {
			return func(s *script.State) (stdout, stderr string, err error) {
				err = testenv.Eventually(func() error {
					stdout, stderr, err = runProgram(args[0], args[2:])(s)
					return err
				})
				return stdout, stderr, err
			}, nil
		})
	add("says", "line", "want nothing but this line to have been said, as an error",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			if want := "gateway: " + args[0] + "\n"; s.Stderr() != want {
				return nil, fmt.Errorf("it says %q, want %q", s.Stderr(), want)
			}
			return nil, nil
		})
	add("database", "[-empty]", "make a database, with the schema unless it is to be empty",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			address := dbtest.URL
			if len(args) > 0 {
				address = dbtest.EmptyURL
			}
			u := testenv.Must(url.Parse(address(t)))(t)
			return nil, errors.Join(
				s.Setenv("DATABASE_URL", u.String()),
				s.Setenv("DATABASE_NAME", strings.TrimPrefix(u.Path, "/")),
				s.Setenv("DATABASE_SERVER", u.RawQuery),
			)
		})
	add("sql", "statements", "have the database do this, and print what it answers", runSQL)
	add("listen", "variable [answer]", "take connections, and say nothing to them but the answer",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			return nil, s.Setenv(args[0], listen(t, strings.Join(args[1:], " ")))
		})
	add("publish", "variable path file", "serve a file at a path with its query, and nothing else",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.RequestURI != args[1] {
					http.NotFound(w, r)
					return
				}
				http.ServeFile(w, r, s.Path(args[2]))
			}))
			t.Cleanup(server.Close)
			return nil, s.Setenv(args[0], server.URL)
		})
	add("example", "page number file", "copy a block of JSON from the documentation",
		func(s *script.State, args []string) (script.WaitFunc, error) {
			number := testenv.Must(strconv.Atoi(args[1]))(t)
			page := testenv.Must(os.ReadFile(filepath.Join("..", "..", "docs", args[0])))(t)
			block, _, _ := strings.Cut(strings.Split(string(page), "```json\n")[number], "```")
			return nil, os.WriteFile(s.Path(args[2]), []byte(block), 0o600)
		})
	return commands
}

// input is what the last argument names after a "<", and the arguments before
// it.
func input(s *script.State, args []string) (before []string, content []byte, err error) {
	last := len(args) - 1
	if last < 0 || !strings.HasPrefix(args[last], "<") {
		return args, nil, nil
	}
	content, err = os.ReadFile(s.Path(args[last][1:]))
	return args[:last], content, err
}

// runProgram runs this test binary as the program, which must end with the
// status.
func runProgram(status string, args []string) script.WaitFunc {
	return func(s *script.State) (string, string, error) {
		args, stdin, err := input(s, args)
		if err != nil {
			return "", "", err
		}
		self, err := os.Executable()
		if err != nil {
			return "", "", err
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(s.Context(), self, args...)
		cmd.Dir, cmd.Env = s.Getwd(), append(s.Environ(), asProgram+"=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
		if err = cmd.Run(); errors.As(err, new(*exec.ExitError)) || err == nil {
			err = nil
			if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != status {
				err = fmt.Errorf("it ends with the status %s, want %s", got, status)
			} else if got == "2" && stdout.Len() > 0 {
				err = errors.New("it is refused, and has printed something")
			}
		}
		return stdout.String(), stderr.String(), err
	}
}

// runSQL has the script's database do something. The first value of each row is
// a line of output.
func runSQL(s *script.State, args []string) (script.WaitFunc, error) {
	statements, file, err := input(s, args)
	if err != nil {
		return nil, err
	}
	return func(s *script.State) (stdout, stderr string, err error) {
		address, _ := s.LookupEnv("DATABASE_URL")
		conn, err := pgx.Connect(s.Context(), address)
		if err != nil {
			return "", "", err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(s.Context())) }()
		all := strings.Join(statements, " ") + string(file)
		results, err := conn.PgConn().Exec(s.Context(), all).ReadAll()
		for _, result := range results {
			for _, row := range result.Rows {
				stdout += string(row[0]) + "\n"
			}
		}
		return stdout, "", err
	}, nil
}

// listen takes connections at the address that it returns. It says the answer
// to each and ends it, and without one it lets them wait.
func listen(t *testing.T, answer string) (address string) {
	t.Helper()
	listener := testenv.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for answer != "" {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(answer + "\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}
