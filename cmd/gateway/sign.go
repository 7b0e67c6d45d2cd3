package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"gateway.example/internal/signature"
	"gateway.example/rpc/sign"
)

// signing is what the flags of sign say.
type signing struct {
	names        sign.Headers
	keyID        string
	reason, file string
	check        bool
	request      signature.Request
	body         string
}

func (e environment) signFlags(args []string) (signing, error) {
	s := signing{names: sign.DefaultHeaders, request: signature.Request{Header: http.Header{}}}
	flags := flag.NewFlagSet("sign", flag.ContinueOnError)
	flags.SetOutput(e.stderr)
	flags.StringVar(&s.keyID, "key-id", "", "public key id; the secret comes from GATEWAY_MERCHANT_SECRET")
	for _, header := range []struct {
		name           *string
		flag, variable string
	}{
		{&s.names.KeyID, "key-id", "GATEWAY_HEADER_KEY_ID"}, {&s.names.Secret, "secret", "GATEWAY_HEADER_SECRET"},
		{&s.names.Signature, "signature", "GATEWAY_HEADER_SIGNATURE"},
	} {
		value := cmp.Or(e.getenv(header.variable), *header.name)
		usage := "name of the " + strings.ReplaceAll(header.flag, "-", " ") + " header"
		flags.StringVar(header.name, "header-"+header.flag, value, usage)
	}
	flags.StringVar(&s.reason, "appeal-reason", "", "with -appeal-file: the appeal's reason")
	flags.StringVar(&s.file, "appeal-file", "", "sign an appeal with this file instead of standard input")
	flags.BoolVar(&s.check, "check", false, "say what is wrong with a request that was sent, instead of signing")
	flags.Func("header", "with -check: a header that was sent, \"Name: value\"; may be repeated", s.addHeader)
	flags.StringVar(&s.body, "body", "", "with -check: the file with the body; standard input otherwise")
	flags.StringVar(&s.request.Method, "method", http.MethodPost, "with -check: the method")
	flags.StringVar(&s.request.Path, "path", "", "with -check: the path, with the query")
	return s, flags.Parse(args)
}

// addHeader takes a header that was sent.
func (s *signing) addHeader(text string) error {
	for name, values := range signature.ParseHeaders(text) {
		s.request.Header[name] = append(s.request.Header[name], values...)
	}
	return nil
}

// sign prints the headers that sign the body on standard input, or an appeal; or it says what is
// wrong with a signed request.
func (e environment) sign(args []string) error {
	s, err := e.signFlags(args)
	if err != nil {
		return err
	}
	secret := e.getenv("GATEWAY_MERCHANT_SECRET")
	if s.keyID == "" || secret == "" {
		return errors.New("-key-id and the variable GATEWAY_MERCHANT_SECRET are needed")
	}
	if s.check {
		return e.checkSignature(s, secret)
	}
	signed, err := e.signature(secret, s.reason, s.file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s\n%s: %s\n%s: %s\n",
		s.names.KeyID, s.keyID, s.names.Secret, secret, s.names.Signature, signed)
	return err
}

// signature is that of an appeal with the file, or of standard input without one.
func (e environment) signature(secret, reason, file string) (string, error) {
	if file != "" {
		stat, err := os.Stat(file)
		if err != nil {
			return "", fmt.Errorf("read the appeal's file: %w", err)
		}
		return sign.AppealSignature(secret, reason, filepath.Base(file), stat.Size()), nil
	}
	body, err := io.ReadAll(e.stdin)
	if err != nil {
		return "", fmt.Errorf("read the body: %w", err)
	}
	return sign.Signature(secret, body), nil
}

var errWrongSignature = errors.New("the signature is not right")

// checkSignature says what is wrong with a request, by the key's id and secret. The headers of key id
// and secret need not be given: they are then taken to be right.
func (e environment) checkSignature(s signing, secret string) error {
	var err error
	if s.body != "" {
		s.request.Body, err = os.ReadFile(s.body)
	} else {
		s.request.Body, err = io.ReadAll(e.stdin)
	}
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	for name, value := range map[string]string{s.names.KeyID: s.keyID, s.names.Secret: secret} {
		if s.request.Header.Get(name) == "" {
			s.request.Header.Set(name, value)
		}
	}
	hash := sha256.Sum256([]byte(secret))
	var webhooks []string
	if webhook := e.getenv("GATEWAY_WEBHOOK_SECRET"); webhook != "" {
		webhooks = append(webhooks, webhook)
	}
	found := signature.Diagnose(s.request, signature.Headers(s.names),
		[]signature.Key{{ID: s.keyID, Hash: hash[:]}}, webhooks...)
	text := fmt.Sprintf("%s: %s\n", found.Mistake, found.Mistake.Hint())
	if found.Header != "" {
		text += fmt.Sprintf("header: %s\n", found.Header)
	}
	if found.Offset >= 0 {
		text += fmt.Sprintf("differs from what was signed at byte: %d\n", found.Offset)
	}
	if _, err := io.WriteString(e.stdout, text); err != nil {
		return err
	}
	if found.Mistake != signature.Right {
		return errWrongSignature
	}
	return nil
}
