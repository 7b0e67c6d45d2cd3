package signature

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Errors of Parse.
var (
	errNoRequest = errors.New("must be a request as it is on the wire, or a line of curl")
	errBodyFile  = errors.New("takes its body from a file: paste the body")
)

// Parse parses a request given as text: as it is on the wire, or as a curl
// command.
func Parse(text string) (Request, error) {
	if fields := strings.Fields(text); len(fields) > 0 && fields[0] == "curl" {
		return parseCurl(text)
	}
	text = strings.TrimLeft(text, "\r\n")
	head, body := cutHead(text)
	first, rest, _ := strings.Cut(head, "\n")
	words := strings.Fields(first)
	if len(words) < 2 || len(words) > 3 || strings.ToUpper(words[0]) != words[0] || strings.Contains(words[0], ":") {
		return Request{}, errNoRequest
	}
	return Request{Method: words[0], Path: pathOf(words[1]), Header: ParseHeaders(rest), Body: []byte(body)}, nil
}

// cutHead cuts a request at its first empty line.
func cutHead(text string) (head, body string) {
	lf, crlf := strings.Index(text, "\n\n"), strings.Index(text, "\r\n\r\n")
	switch {
	case crlf >= 0 && (lf < 0 || crlf < lf):
		return text[:crlf], text[crlf+4:]
	case lf >= 0:
		return text[:lf], text[lf+2:]
	}
	return text, ""
}

// ParseHeaders reads lines of a name, a colon and a value. Other lines are left
// out.
func ParseHeaders(text string) http.Header {
	header := http.Header{}
	for line := range strings.Lines(text) {
		name, value, is := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); is && name != "" {
			header.Add(name, strings.TrimSpace(value))
		}
	}
	return header
}

// pathOf is the path and query of a target, which may be a whole address.
func pathOf(target string) string {
	if parsed, err := url.Parse(target); err == nil && parsed.Host != "" {
		return parsed.RequestURI()
	}
	return target
}

// passed are the options of curl that have a value and say nothing of what is
// signed.
var passed = []string{
	"-o", "--output", "-u", "--user", "-A", "--user-agent", "-b", "--cookie", "-e", "--referer", "-m", "--max-time",
	"--connect-timeout", "-x", "--proxy", "--cacert", "--cert", "--key", "-w", "--write-out", "--retry", "--resolve",
}

// parseCurl reads a curl command, as far as the signature goes: it passes over
// other options. The line must begin with curl. It opens no file, and refuses a
// body that is in one.
func parseCurl(line string) (Request, error) {
	r := Request{Header: http.Header{}}
	var data []string
	words := shellWords(line)[1:]
	for len(words) > 0 {
		option, value, rest := option(words)
		words = rest
		switch option {
		case "", "--url":
			r.Path = pathOf(value)
		case "-X", "--request":
			r.Method = value
		case "-H", "--header":
			name, text, _ := strings.Cut(value, ":")
			r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(text))
		case "-d", "--data", "--data-ascii", "--data-binary", "--json":
			if strings.HasPrefix(value, "@") {
				return Request{}, errBodyFile
			}
			data = append(data, value)
		case "--data-raw":
			data = append(data, value)
		}
	}
	r.Body = []byte(strings.Join(data, "&"))
	implied := http.MethodGet
	if data != nil {
		implied = http.MethodPost
	}
	r.Method = cmp.Or(r.Method, implied)
	return r, nil
}

// valued are the options of curl whose value counts.
var valued = []string{
	"-X",
	"--request",
	"--url",
	"-H",
	"--header",
	"-d",
	"--data",
	"--data-ascii",
	"--data-binary",
	"--data-raw",
	"--json",
}

// option reads the next option and its value, or a word that is none.
func option(words []string) (name, value string, rest []string) {
	name, rest = words[0], words[1:]
	if !strings.HasPrefix(name, "-") {
		return "", name, rest
	}
	if long, joined, is := strings.Cut(name, "="); is && strings.HasPrefix(name, "--") {
		return long, joined, rest
	}
	short := len(name) > 2 && name[1] != '-' && slices.Contains(valued, name[:2])
	switch {
	case short:
		return name[:2], name[2:], rest
	case len(rest) > 0 && (slices.Contains(valued, name) || slices.Contains(passed, name)):
		return name, rest[0], rest[1:]
	}
	return name, "", rest
}

// shellWords splits a line as a shell does, as far as what people paste needs
// it.
func shellWords(line string) []string {
	line = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(line)
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" {
			return words
		}
		var word string
		word, line = shellWord(line)
		words = append(words, word)
	}
}

// shellWord reads a word, which may be made of several quoted parts.
func shellWord(line string) (word, rest string) {
	var out strings.Builder
	for line != "" && !strings.ContainsAny(line[:1], " \t\r\n") {
		var part string
		switch {
		case line[0] == '\'':
			part, line, _ = strings.Cut(line[1:], "'")
		case line[0] == '"':
			part, line = unescaped(line[1:], '"', shellEscapes)
		case strings.HasPrefix(line, "$'"):
			part, line = unescaped(line[2:], '\'', ansiEscapes)
		case line[0] == '\\' && len(line) > 1:
			part, line = line[1:2], line[2:]
		default:
			part, line = line[:1], line[1:]
		}
		out.WriteString(part)
	}
	return out.String(), line
}

var (
	shellEscapes = map[byte]string{'"': `"`, '\\': `\`, '$': "$", '`': "`"}
	ansiEscapes  = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", '\'': "'", '"': `"`, '\\': `\`}
)

// unescaped reads up to the closing quote. What is no escape stays as it is.
func unescaped(line string, closing byte, escapes map[byte]string) (part, rest string) {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == closing {
			return out.String(), line[i+1:]
		}
		if line[i] == '\\' && i+1 < len(line) {
			if plain, is := escapes[line[i+1]]; is {
				out.WriteString(plain)
				i++
				continue
			}
		}
		out.WriteByte(line[i])
	}
	return out.String(), ""
}
