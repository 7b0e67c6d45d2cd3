package main

import (
	"fmt"
	"go/ast"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gateway.example/internal/auth"
)

const (
	configFile   = "cmd/gateway/config.go"
	variableFile = "cmd/gateway/variables.go"
	commandDir   = "cmd/gateway"
)

// settingTable lists the flags of "gateway serve", with their environment
// variables and defaults.
func settingTable(src source) (string, error) {
	rows, _, err := settings(src)
	return table([]string{"flag", "variable", "default", "meaning"}, rows), err
}

// settings are the rows of the flags, and which environment variables they
// have.
func settings(src source) (rows [][]string, variables map[string]bool, err error) {
	variables = map[string]bool{}
	constants := src.constants(commandDir)
	src.inspect(func(path string, node ast.Node) {
		if path != configFile {
			return
		}
		switch node := node.(type) {
		case *ast.CompositeLit:
			// A setting of the list: target, flag, variable,
			// default, help.
			if node.Type != nil || len(node.Elts) != 5 {
				return
			}
			otherwise, known := value(node.Elts[3], constants)
			list := texts([]ast.Expr{node.Elts[1], node.Elts[2], node.Elts[4]})
			if len(list) != 3 || !known {
				err = fmt.Errorf("%s: a setting is not written as gendocs expects", path)
				return
			}
			variables[list[1]] = true
			rows = append(rows, []string{code("-" + list[0]), code(list[1]), shown(otherwise), sentence(list[2])})
		case *ast.CallExpr:
			// A flag without a variable: target, flag, default,
			// help.
			if called := name(node.Fun); (called != "BoolVar" && called != "IntVar") || len(node.Args) != 4 {
				return
			}
			otherwise, known := value(node.Args[2], constants)
			list := texts([]ast.Expr{node.Args[1], node.Args[3]})
			if len(list) != 2 || !known {
				err = fmt.Errorf("%s: a flag is not written as gendocs expects", path)
				return
			}
			rows = append(rows, []string{code("-" + list[0]), "none", shown(otherwise), sentence(list[1])})
		}
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: there are no settings", configFile)
	}
	return rows, variables, err
}

// value is a default: a literal, a constant, true or false, or the name of a
// header as auth has it.
func value(e ast.Expr, constants map[string]string) (string, bool) {
	if text, ok := literal(e); ok {
		return text, true
	}
	if selector, ok := e.(*ast.SelectorExpr); ok && name(selector.X) == "names" {
		field := reflect.ValueOf(auth.DefaultHeaders()).FieldByName(selector.Sel.Name)
		return field.String(), field.IsValid()
	}
	if name(e) == "true" || name(e) == "false" {
		return name(e), true
	}
	text, ok := constants[name(e)]
	return text, ok
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	return code(value)
}

// variable is a literal that names an environment variable of ours, or one of
// OpenTelemetry that we read.
var variable = regexp.MustCompile(`^(GATEWAY|DATABASE|OTEL)_[A-Z0-9_]+$`)

// describedVariables are the descriptions of the environment variables that no
// flag has, by their names. The help of the commands has them, too.
func describedVariables(src source) map[string]string {
	found, constants := map[string]string{}, src.constants(commandDir)
	src.inspect(func(path string, node ast.Node) {
		described, ok := node.(*ast.CompositeLit)
		// Those of a list are written without their type.
		if !ok || path != variableFile || len(described.Elts) != 2 ||
			described.Type != nil && name(described.Type) != "variable" {
			return
		}
		if variable, known := value(described.Elts[0], constants); known {
			found[variable] = joined(described.Elts[1])
		}
	})
	return found
}

// joined is a text that is written as several literals with a plus between
// them.
func joined(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return joined(sum.X) + joined(sum.Y)
	}
	text, _ := literal(e)
	return text
}

// secretTable lists the environment variables that no flag has. It fails where
// the code has one that is not described.
func secretTable(src source) (string, error) {
	_, ofFlags, err := settings(src)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	src.inspect(func(path string, node ast.Node) {
		e, ok := node.(ast.Expr)
		if !ok || strings.HasPrefix(path, "internal/dbtest/") || strings.HasPrefix(path, "internal/testenv/") ||
			strings.HasPrefix(path, "web/browsertest/") {
			return
		}
		if text, ok := literal(e); ok && variable.MatchString(text) && !ofFlags[text] {
			found[text] = true
		}
	})
	variables := describedVariables(src)
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if variables[name] == "" {
			return "", fmt.Errorf("the environment variable %s is not described: do so in %s", name, variableFile)
		}
		rows = append(rows, []string{code(name), variables[name]})
	}
	for name := range variables {
		if !found[name] {
			return "", fmt.Errorf("%s describes %s, which the code does not read", variableFile, name)
		}
	}
	return table([]string{"variable", "meaning"}, rows), nil
}
