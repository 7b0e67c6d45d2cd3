package reference

import (
	"embed"
	"fmt"
	"net/url"
	"strings"
	"text/template"

	"gateway.example/internal/signature"
)

type signedHeaders = signature.Headers

// Sample is a program that makes a call.
type Sample struct{ Language, Text string }

//go:embed sample/*.tmpl
var sampleFiles embed.FS

var sampleTemplates = template.Must(
	template.New("").Funcs(template.FuncMap{
		"quoted": quoted, "literal": literal,
	}).ParseFS(sampleFiles, "sample/*.tmpl"),
)

// sampleCall is what the templates of samples know of a call.
type sampleCall struct {
	Method string
	// Path has the examples of the parameters in it, and a query where a required one has an example.
	Path string
	// Body is the JSON, indented, "" where there is none.
	Body string
	// Upload tells that the body is the form of an appeal.
	Upload bool
	// Key, Application and Token tell what proves who calls; none of them is nobody.
	Key, Application, Token bool
	// File tells that the answer is a file.
	File    bool
	Headers signedHeaders
}

// samples are programs that make the call in each language, from the examples of its description.
func samples(call *Call, headers signedHeaders) []Sample {
	data := sampleCall{
		Method: call.Method, Path: examplePath(call), Headers: headers, Upload: call.Media == formMedia,
		Key: call.Proof.byKey(), Application: call.Proof == proofApplication, Token: call.Proof == proofToken,
	}
	if len(call.Answers) > 0 {
		data.File = call.Answers[0].Example == ""
	}
	if call.Media == jsonMedia {
		data.Body = call.Example
	}
	var list []Sample
	for _, language := range []struct{ name, file string }{
		{"curl", "curl"}, {"TypeScript", "typescript"}, {"Go", "go"}, {"Python", "python"},
	} {
		var out strings.Builder
		if err := sampleTemplates.ExecuteTemplate(&out, language.file+".tmpl", data); err != nil {
			panic(err) // a template of ours
		}
		list = append(list, Sample{Language: language.name, Text: out.String()})
	}
	return list
}

const formMedia = "multipart/form-data"

// examplePath is the path with an example of each of its parameters.
func examplePath(call *Call) string {
	path, query := call.Path, url.Values{}
	for _, parameter := range call.Parameters {
		example := call.examples[parameter.Name]
		switch {
		case call.places[parameter.Name] == "path":
			path = strings.ReplaceAll(path, "{"+parameter.Name+"}", url.PathEscape(example))
		case example != "":
			query.Set(parameter.Name, example)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// quoted is a text as a shell takes it for one word that means nothing else, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// literal is a text as Go, TypeScript and Python write it.
func literal(text string) string { return fmt.Sprintf("%q", text) }
