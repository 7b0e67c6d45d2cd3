package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

// refusal is an error code as the code defines it, perhaps in several places.
type refusal struct {
	code     string
	kind     string
	messages []string
}

// codeTable lists every error code with its status, its meaning and its remedy.
// It fails where the source has a fault that the list of codes says nothing of,
// or something else.
func codeTable(src source) (string, error) {
	found, err := refusals(src)
	if err != nil {
		return "", err
	}
	statuses, err := statuses(src)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, listed := range fault.Codes {
		r, exists := found[listed.Name]
		if !exists {
			return "", fmt.Errorf("internal/fault/codes.go lists %s, which no fault has", listed.Name)
		}
		delete(found, listed.Name)
		status, meaning := edge.HTTPStatus(listed.Kind), strings.Join(r.messages, " Or: ")
		if status != statuses[r.kind] || listed.Meaning != meaning {
			return "", fmt.Errorf("internal/fault/codes.go says of %s: %d %q, and the source: %d %q",
				listed.Name, status, listed.Meaning, statuses[r.kind], meaning)
		}
		rows = append(rows, []string{strconv.Itoa(status), code(listed.Name), listed.Meaning, listed.Remedy})
	}
	for name := range found {
		return "", fmt.Errorf("the error code %s is not listed: write it into internal/fault/codes.go", name)
	}
	return table([]string{"HTTP", "code", "message", "what to do"}, rows), nil
}

// statuses are the HTTP statuses of the kinds of faults by their names. The
// kinds are numbered from 1, and 0 is none.
func statuses(src source) (map[string]int, error) {
	names := map[string]int{"0": edge.HTTPStatus(0)}
	src.inspect(func(path string, node ast.Node) {
		decl, ok := node.(*ast.GenDecl)
		if !ok || path != "internal/fault/fault.go" || len(decl.Specs) == 0 {
			return
		}
		first, ok := decl.Specs[0].(*ast.ValueSpec)
		if !ok || name(first.Type) != "Kind" {
			return
		}
		for i, spec := range decl.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok {
				names[spec.Names[0].Name] = edge.HTTPStatus(fault.Kind(i + 1))
			}
		}
	})
	if names["Unavailable"] != edge.HTTPStatus(fault.Unavailable) ||
		names["Unauthenticated"] != edge.HTTPStatus(fault.Unauthenticated) {
		return nil, fmt.Errorf("the kinds of faults are not numbered as gendocs takes them to be: %v", names)
	}
	return names, nil
}

// refusals finds the calls of fault.New and fault.Newf and the literals of
// fault.Error.
func refusals(src source) (map[string]refusal, error) {
	found := map[string]refusal{}
	var wrong error
	note := func(path, code, kind, message string) {
		r, again := found[code]
		switch {
		case code == "" || kind == "" || message == "":
			wrong = fmt.Errorf("%s: a fault has no literal kind, code and message", path)
		case again && r.kind != kind:
			wrong = fmt.Errorf("%s: the error code %s is of two kinds, %s and %s", path, code, r.kind, kind)
		}
		r.code, r.kind = code, kind
		if message = messageOf(message); !slices.Contains(r.messages, message) {
			r.messages = append(r.messages, message)
		}
		found[code] = r
	}
	src.inspect(func(path string, node ast.Node) {
		switch node := node.(type) {
		case *ast.CallExpr:
			called := name(node.Fun)
			if (called != "New" && called != "Newf") || !belongs(path, node.Fun, "fault") || len(node.Args) < 3 {
				return
			}
			kind := name(node.Args[0])
			if number, ok := literal(node.Args[0]); ok {
				kind = number
			}
			if kind == "kind" {
				return // the definition of Newf
			}
			code, _ := literal(node.Args[1])
			message, _ := literal(node.Args[2])
			note(path, code, kind, message)
		case *ast.CompositeLit:
			if name(node.Type) != "Error" || !belongs(path, node.Type, "fault") {
				return
			}
			f := fields(node)
			if name(f["Kind"]) == "kind" {
				return // the definition of New
			}
			code, _ := literal(f["Code"])
			message, _ := literal(f["Message"])
			note(path, code, name(f["Kind"]), message)
		}
	})
	return found, wrong
}

// messageOf shows a message with its numbers left out.
func messageOf(format string) string { return strings.ReplaceAll(format, "%d", "N") }
