// Command connectapart is a plugin of buf: protoc-gen-connect-go, with handlers
// of package rpc/unary, and with clients in packages of their own. The gateway
// serves procedures and calls none, while compiling clients would take a tenth
// of all that `go run ./cmd/gateway` compiles.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run hands the request on to the plugin, whose arguments are this program's,
// and its answer back.
func run() error {
	var answered bytes.Buffer
	plugin := exec.Command(os.Args[1], os.Args[2:]...)
	plugin.Stdin, plugin.Stdout, plugin.Stderr = os.Stdin, &answered, os.Stderr
	if err := plugin.Run(); err != nil {
		return fmt.Errorf("run %s: %w", os.Args[1], err)
	}
	var answer pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(answered.Bytes(), &answer); err != nil {
		return fmt.Errorf("read the plugin's answer: %w", err)
	}
	for _, file := range answer.GetFile() {
		dir := path.Dir(file.GetName())
		handlers, clients := path.Base(dir), strings.TrimSuffix(path.Base(dir), "connect")+"client"
		kept, moved, err := split(handled.Replace(file.GetContent()), dir, clients)
		if err != nil {
			return fmt.Errorf("split %s: %w", file.GetName(), err)
		}
		file.Content = &kept
		answer.File = append(answer.File, &pluginpb.CodeGeneratorResponse_File{
			Name: proto.String(strings.Replace(file.GetName(), handlers, clients, 1)), Content: &moved,
		})
	}
	out, err := proto.Marshal(&answer)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	_, err = os.Stdout.Write(out)
	return err
}

var handled = strings.NewReplacer(
	"connect.NewUnaryHandlerSimple(", "unary.NewHandler(",
	"\thttp \"net/http\"\n", "\tunary \"gateway.example/rpc/unary\"\n\thttp \"net/http\"\n",
)

var procedure = regexp.MustCompile(`\b\w+Procedure\b`)

// split moves the clients out of a generated file in a directory.
func split(source, dir, clients string) (kept, moved string, err error) {
	handlers := path.Base(dir)
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.ParseComments)
	if err != nil {
		return "", "", err
	}
	var rest, client strings.Builder
	at := 0
	for _, decl := range file.Decls {
		begin, end := set.Position(decl.Pos()).Offset, set.Position(decl.End()).Offset
		if doc := docOf(decl); doc != nil {
			begin = set.Position(doc.Pos()).Offset
		}
		if !strings.HasSuffix(nameOf(decl), "Client") {
			continue
		}
		rest.WriteString(source[at:begin])
		client.WriteString("\n" + procedure.ReplaceAllString(source[begin:end], handlers+".$0") + "\n")
		at = end + len("\n\n")
	}
	rest.WriteString(source[at:])
	head, _, _ := strings.Cut(source, "import (")
	imports := "import (\n"
	for _, spec := range file.Imports {
		if strings.Contains(client.String(), spec.Name.Name+".") {
			imports += fmt.Sprintf("\t%s %s\n", spec.Name.Name, spec.Path.Value)
		}
	}
	imports += fmt.Sprintf("\t%s %q\n)\n", handlers, "gateway.example/rpc/gen/"+dir)
	kept = strings.Replace(rest.String(), "\tstrings \"strings\"\n", "", 1)
	return kept, strings.Replace(head, "package "+handlers, "package "+clients, 1) + imports + client.String(), nil
}

// nameOf is the type that a declaration is about, or the function's name.
func nameOf(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			if pointer, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
				return pointer.X.(*ast.Ident).Name
			}
			return ""
		}
		return d.Name.Name
	case *ast.GenDecl:
		if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
			return spec.Name.Name
		}
	}
	return ""
}

func docOf(decl ast.Decl) *ast.CommentGroup {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
