package attest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// manifest is what is signed: the hashes of the head and of each line, so that
// a change can be located.
type manifest struct {
	Head  string   `json:"head"`
	Lines []string `json:"lines"`
}

type signature struct {
	Algorithm string   `json:"algorithm"`
	Kid       string   `json:"kid"`
	Manifest  manifest `json:"manifest"`
	Value     string   `json:"value"`
}

// signed is the text that the signature covers.
func (m manifest) signed() ([]byte, error) {
	text, err := canonicalOf(m)
	return append([]byte(Format+"\n"), text...), err
}

// parts are the parts of a document.
type parts struct {
	head      map[string]json.RawMessage
	lines     []json.RawMessage
	signature *signature
}

// read splits a document into its parts.
func read(file []byte) (parts, error) {
	p := parts{}
	if err := json.Unmarshal(file, &p.head); err != nil {
		return p, fmt.Errorf("not JSON: %w", err)
	}
	var format string
	if err := json.Unmarshal(p.head["format"], &format); err != nil || format != Format {
		return p, fmt.Errorf("not of the format %s", Format)
	}
	if err := json.Unmarshal(p.head["lines"], &p.lines); err != nil {
		return p, errors.New("without lines")
	}
	if text, there := p.head["signature"]; there {
		if err := json.Unmarshal(text, &p.signature); err != nil {
			return p, errors.New("the signature is not one")
		}
		if again, err := canonicalOf(p.signature); err != nil || !bytes.Equal(again, text) ||
			p.signature.Algorithm != algorithm {
			return p, errors.New("the signature is not written as ours are")
		}
	}
	delete(p.head, "lines")
	delete(p.head, "signature")
	return p, nil
}

// manifest hashes the head and each line by themselves, so that a check can
// name the line that was changed. Signing and verifying both use it.
func (p parts) manifest() (manifest, error) {
	head, err := hashOf(p.head)
	if err != nil {
		return manifest{}, err
	}
	m := manifest{Head: head, Lines: []string{}}
	for _, line := range p.lines {
		hash, err := hashOf(line)
		if err != nil {
			return m, err
		}
		m.Lines = append(m.Lines, hash)
	}
	return m, nil
}

func hashOf(value any) (string, error) {
	text, err := canonicalOf(value)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// canonicalOf writes a value as JSON without white space, with the names of
// objects in order and numbers unchanged.
func canonicalOf(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(plain); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// madeBy reports whether a signature was made over its manifest by a key.
func (s *signature) madeBy(public ed25519.PublicKey) bool {
	signed, err := s.Manifest.signed()
	value, valueErr := base64.StdEncoding.Strict().DecodeString(s.Value)
	return err == nil && valueErr == nil && ed25519.Verify(public, signed, value)
}

// Verify checks a document with the gateway's public keys. It returns what is
// wrong with it; nothing means that it is as it was signed.
func Verify(file []byte, keys Keys) []string {
	p, err := read(file)
	if err != nil {
		return []string{"the file: " + err.Error()}
	}
	s := p.signature
	if s == nil {
		return []string{"the signature is missing"}
	}
	public, known := keys[s.Kid]
	if !known {
		return []string{fmt.Sprintf("the key %s is none of the gateway's (%d are known)", s.Kid, len(keys))}
	}
	if !s.madeBy(public) {
		return []string{"the signature was not made by the key " + s.Kid + " over these hashes"}
	}
	now, err := p.manifest()
	if err != nil {
		return []string{"the file: " + err.Error()}
	}
	wrong := s.Manifest.differs(now)
	if text, err := canonicalOf(json.RawMessage(file)); len(wrong) == 0 &&
		(err != nil || !bytes.Equal(text, bytes.TrimSpace(file))) {
		wrong = append(wrong, "the file is not written as it was signed: white space, order or a name that stands twice")
	}
	return wrong
}

// differs says where a document differs from what was signed.
func (m manifest) differs(now manifest) []string {
	var wrong []string
	if m.Head != now.Head {
		wrong = append(wrong, "the head was changed")
	}
	for i, hash := range now.Lines {
		switch at := slices.Index(m.Lines, hash); {
		case at < 0:
			wrong = append(wrong, fmt.Sprintf("line %d was changed or added", i+1))
		case len(now.Lines) == len(m.Lines) && m.Lines[i] != hash:
			wrong = append(wrong, fmt.Sprintf("line %d stood at another place", i+1))
		}
	}
	for i, hash := range m.Lines {
		if !slices.Contains(now.Lines, hash) {
			wrong = append(wrong, fmt.Sprintf("line %d as it was signed is missing", i+1))
		}
	}
	if len(wrong) == 0 && !slices.Equal(m.Lines, now.Lines) {
		wrong = append(wrong, "lines stand in another order or more than once")
	}
	return wrong
}

// file is the published file of keys.
func (k Keys) file() ([]byte, error) {
	out := keyFile{Keys: []published{}}
	for _, kid := range slices.Sorted(maps.Keys(k)) {
		out.Keys = append(out.Keys, published{"OKP", algorithm, kid, base64.RawURLEncoding.EncodeToString(k[kid])})
	}
	return json.Marshal(out)
}
