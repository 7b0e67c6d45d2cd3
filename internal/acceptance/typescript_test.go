package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

const typescript = "../../rpc/typescript"

// installTypescript packs the TypeScript package and installs the packed file
// in an empty project, as who uses it does. It returns the project's directory.
func installTypescript(t *testing.T) string {
	needs(t, "install nodejs and npm", "npm")
	needs(t, "npm ci --prefix rpc/typescript", filepath.Join(typescript, "node_modules/.bin/tsc"))
	openAll(t, filepath.Join(typescript, "src"))
	dir := t.TempDir()
	tool(t, typescript, nil, "npm", "pack", "--silent", "--pack-destination", dir)
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	testenv.Need(t, err == nil && len(packed) == 1, "packed %v, %v", packed, err)
	contents := tool(t, dir, nil, "tar", "-tzf", packed[0])
	for _, file := range []string{"package/LICENSE", "package/README.md", "package/dist/node.d.ts"} {
		testenv.Check(t, strings.Contains(contents, file+"\n"), "the package has no %s", file)
	}
	noError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true,"type":"module"}`), 0o600))
	// The compiler and the types of Node, in the versions that the package
	// names.
	var read struct{ DevDependencies map[string]string }
	noError(t, json.Unmarshal(testenv.Must(os.ReadFile(filepath.Join(typescript, "package.json")))(t), &read))
	install := []string{"install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", packed[0]}
	for name, version := range read.DevDependencies {
		install = append(install, name+"@"+version)
	}
	tool(t, dir, nil, "npm", install...)
	return dir
}

// The TypeScript package as it is installed, on a server and in a browser. On a
// server it type-checks strictly, refuses what is in no closed list, and takes
// a payment, a payout, a deposit, a card checkout and a sign-in through a
// running gateway.
func TestTypescriptClient(t *testing.T) {
	testenv.Long(t, "packs, installs and compiles with npm")
	t.Parallel()
	project := installTypescript(t)
	noError(t, os.CopyFS(project, os.DirFS("testdata/typescript")))
	noError(t, os.WriteFile(filepath.Join(project, "wire.ts"), []byte(webhookTypes(t)), 0o600))
	t.Run("node", func(t *testing.T) {
		t.Parallel()
		tool(t, project, nil, "node_modules/.bin/tsc", "-p", ".")
		out := tool(t, project, driving(t, driven(t, sharedSandbox(t))), "node", "out/drive.js")
		testenv.Check(t, strings.Contains(out, "all went well"), "it wrote %s", out)
	})
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		driveBrowser(t, project)
	})
}

// webhookTypes is a program that compiles if the package's types of webhooks
// are those of the description: no field less, more or otherwise.
func webhookTypes(t *testing.T) string {
	var api struct {
		Components struct{ Schemas map[string]object }
		Webhooks   map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Schema object }
				}
			}
		}
	}
	noError(t, json.Unmarshal(testenv.Must(os.ReadFile("../../docs/openapi.json"))(t), &api))
	var typeOf func(name string, schema object) string
	typeOf = func(name string, schema object) string {
		if ref, is := schema["$ref"].(string); is {
			schema = api.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]]
		}
		kinds, _ := schema["type"].([]any)
		if len(kinds) == 0 {
			kinds = []any{schema["type"]}
		}
		values, closed := schema["enum"].([]any)
		fields, _ := schema["properties"].(object)
		required, _ := schema["required"].([]any)
		var types []string
		for _, kind := range kinds {
			switch {
			case closed:
				types = append(types, strings.ReplaceAll(strings.Trim(string(testenv.Must(json.Marshal(values))(t)), "[]"), ",", "|"))
			case kind == "integer":
				types = append(types, "number")
			case name == "currency":
				types = append(types, "Currency") // the description leaves room for others
			case kind == "object" && fields == nil:
				types = append(types, "Record<string, string>")
			case kind == "object":
				out := "{"
				for name, field := range fields {
					sign := ":"
					if !slices.Contains(required, any(name)) {
						sign = "?:"
					}
					out += name + sign + typeOf(name, field.(object)) + ";"
				}
				types = append(types, out+"}")
			default:
				types = append(types, fmt.Sprint(kind))
			}
		}
		return strings.Join(types, "|")
	}
	out := `import type { Currency } from "gateway-client/node";
import type { WebhookEvent } from "gateway-client/webhook";

type Flat<T> = T extends object ? { [Key in keyof T]: Flat<T[Key]> } : T;
type Asked<T> = <X>() => X extends Flat<T> ? 1 : 2;
type Same<A, B> = Asked<A> extends Asked<B> ? true : false;
`
	for name, hook := range api.Webhooks {
		wire := typeOf("", hook.Post.RequestBody.Content["application/json"].Schema)
		out += fmt.Sprintf("true satisfies Same<Extract<WebhookEvent, { type: %q }>, %s>;\n", name, wire)
	}
	return out
}

// driveBrowser: a card payment on a shop's own page, which every origin may do,
// and a sign-in from an allowed origin and from another.
func driveBrowser(t *testing.T, project string) {
	tab := browsertest.New(t)
	files := http.FileServer(http.Dir(project))
	allowed, other := httptest.NewServer(files), httptest.NewServer(files)
	t.Cleanup(allowed.Close)
	t.Cleanup(other.Close)
	g := freshSandbox(t, "-portal-origins", allowed.URL)
	trader := g.traders(t)[0]
	for origin, want := range map[string]string{allowed.URL: "trader", other.URL: "unreachable"} {
		tab.Open(origin + "/page.html")
		tab.Await("p", "ready")
		got := browsertest.Eval[string](tab,
			fmt.Sprintf("signIn(%q, %q, %q)", g.BaseURL, trader.Login, trader.Password))
		testenv.Check(t, got == want, "a sign-in from %s: %s; want %s", origin, got, want)
	}
	card, _ := g.cardPayment(t, nil)
	status := browsertest.Eval[string](tab, fmt.Sprintf("pay(%q, %q)", g.BaseURL, card.text("data.checkoutUrl")))
	testenv.Check(t, status == "completed", "the payment is %s", status)
}
