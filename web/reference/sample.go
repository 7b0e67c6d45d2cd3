package reference

import (
	"fmt"
	"net/url"
	"strings"

	"gateway.example/internal/signature"
)

type signedHeaders = signature.Headers

// Sample is a program that makes a call.
type Sample struct{ Language, Text string }

// languages are the languages of the samples with their templates.
var languages = []struct{ name, file string }{
	{"curl", "curl"}, {"PHP", "php"}, {"TypeScript", "typescript"}, {"Go", "go"}, {"Python", "python"},
}

// samples makes a program in each language, from the examples of the
// description.
func samples(call *Call, headers signedHeaders) []Sample {
	known := sampleValues{
		"Method": call.Method,
		// The path contains examples of its parameters, and a query if
		// a required parameter has an example.
		"Path": examplePath(call),
		// The body is JSON, indented; an upload is the form of an
		// appeal instead.
		"Body": "", "Upload": call.Media == formMedia,
		// How the caller is authenticated; if all are false, not at
		// all.
		"Key": call.Proof.byKey(), "Application": call.Proof == proofApplication, "Token": call.Proof == proofToken,
		// The answer is a file.
		"File":          len(call.Answers) > 0 && call.Answers[0].Example == "",
		"Headers.KeyID": headers.KeyID, "Headers.Secret": headers.Secret, "Headers.Signature": headers.Signature,
	}
	if call.Media == jsonMedia {
		known["Body"] = call.Example
	}
	var list []Sample
	for _, language := range languages {
		var out strings.Builder
		known.execute(&out, sampleTemplates[language.file].Root)
		list = append(list, Sample{Language: language.name, Text: out.String()})
	}
	return list
}

const formMedia = "multipart/form-data"

// examplePath is the path with examples of its parameters.
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

// quoted quotes a text as one word of a shell command.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// literal writes a text as a literal of Go, PHP, TypeScript and Python.
func literal(text string) string { return fmt.Sprintf("%q", text) }
