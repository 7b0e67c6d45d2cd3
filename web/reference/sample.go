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

// languages are those of the samples, and the files of their templates.
var languages = []struct{ name, file string }{
	{"curl", "curl"}, {"PHP", "php"}, {"TypeScript", "typescript"}, {"Go", "go"}, {"Python", "python"},
}

// samples are programs that make the call in each language, from the examples
// of its description.
func samples(call *Call, headers signedHeaders) []Sample {
	known := sampleValues{
		"Method": call.Method,
		// The path has the examples of the parameters in it, and a
		// query where a required one has an example.
		"Path": examplePath(call),
		// The body is JSON, indented; an upload is the form of an
		// appeal instead.
		"Body": "", "Upload": call.Media == formMedia,
		// What proves who calls; none of them is nobody.
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

// quoted is a text as a shell takes it for one word that means nothing else,
// whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// literal is a text as Go, PHP, TypeScript and Python write it.
func literal(text string) string { return fmt.Sprintf("%q", text) }
