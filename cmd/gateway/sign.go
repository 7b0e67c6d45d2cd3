package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/signature"
	"gateway.example/rpc/sign"
)

// signing are the flags of sign.
type signing struct {
	names        sign.Headers
	keyID        string
	reason, file string
	check        bool
	request      signature.Request
	body         string
	dataDir      string
}

// signFlags reads the flags of sign. Those about a request that was sent need
// -check. Secrets come only from the environment.
func (e environment) signFlags(args []string) (signing, error) {
	var c config
	s := signing{request: signature.Request{Header: http.Header{}}}
	settings := c.only("data-dir", "header-key-id", "header-secret", "header-signature")
	o := newOptions("sign", e.getenv, e.stdout, append(settings, []setting{
		{&s.keyID, "key-id", "", "", "public id of the key; empty: the first one of the sandbox in the data directory"},
		{&s.reason, "appeal-reason", "", "", "with -appeal-file: the appeal's reason"},
		{&s.file, "appeal-file", "", "", "sign an appeal with this file instead of standard input"},
		{&s.body, "body", "", "", "with -check: the file with the body; empty: standard input"},
		{&s.request.Method, "method", "", http.MethodPost, "with -check: the method"},
		{&s.request.Path, "path", "", "", "with -check: the path, with the query"},
	}...), merchantSecretVariable, webhookSecretVariable)
	o.BoolVar(&s.check, "check", false, "say what is wrong with a request that was sent, instead of signing")
	o.Func("header", "with -check: a header that was sent, \"Name: value\"; may be repeated", s.addHeader)
	if _, err := o.parse(args); err != nil {
		return s, err
	}
	for _, name := range []string{"body", "method", "path", "header"} {
		if !s.check && o.given(name) {
			return s, o.wrong(fmt.Errorf("-%s is for -check only", name))
		}
	}
	s.names, s.dataDir = sign.Headers(c.headers), c.dataDir
	return s, nil
}

// key finds the key's secret: in the environment, or among those of the
// sandbox.
func (e environment) key(s *signing) (secret string, err error) {
	if secret = e.getenv(envMerchantSecret); secret != "" {
		if s.keyID == "" {
			return "", usageError{errors.New("sign: -key-id is needed with " + envMerchantSecret)}
		}
		return secret, nil
	}
	info, err := sandbox.Read(s.dataDir)
	if err != nil {
		return "", fmt.Errorf("%s is not set, and %w", envMerchantSecret, err)
	}
	for _, box := range info.Cashboxes {
		if s.keyID == "" || s.keyID == box.KeyID {
			s.keyID = box.KeyID
			return box.Secret, nil
		}
	}
	return "", fmt.Errorf("%s is not set, and the sandbox in %s has no key %q", envMerchantSecret, s.dataDir, s.keyID)
}

func (s *signing) addHeader(text string) error {
	for name, values := range signature.ParseHeaders(text) {
		s.request.Header[name] = append(s.request.Header[name], values...)
	}
	return nil
}

// sign prints the headers that sign an appeal or the body on standard input.
// With -check it says what is wrong with a signed request.
func (e environment) sign(_ context.Context, args []string) error {
	s, err := e.signFlags(args)
	if err != nil {
		return err
	}
	secret, err := e.key(&s)
	if err != nil {
		return err
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

// signature signs an appeal with its file, or without a file standard input.
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
	if bytes.ContainsAny(body, "\r\n") {
		_, _ = fmt.Fprintln(e.stderr, lineBreakWarning(body))
	}
	return sign.Signature(secret, body), nil
}

// lineBreakWarning warns if the body has line breaks: they are signed, but
// some clients do not send them.
func lineBreakWarning(body []byte) string {
	where := "has line breaks"
	if bytes.HasSuffix(body, []byte("\n")) {
		where = "ends with a line break, as files and the output of echo do"
	}
	return "warning: the body " + where + ", and it is signed with it. " +
		"curl -d @FILE drops line breaks, curl --data-binary @FILE sends them: what is signed must be what is sent"
}

var errWrongSignature = errors.New("the signature is not right")

// checkSignature says what is wrong with a request. If the headers of key id
// and secret are not given, they count as right.
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
	if webhook := e.getenv(envWebhookSecret); webhook != "" {
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
