package acceptance

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/checkdigit"
	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// canaries are what must not be found anywhere. Requisites are traders' phones,
// cards and accounts.
type canaries struct {
	pans, cvvs, codes, requisites []string
	// last4s are the last four digits of the sandbox's requisites, which
	// look like a CVV.
	last4s []string
}

// cvv makes one that hardly anything looks like: it begins with 0.
func (c *canaries) cvv() string {
	cvv := fmt.Sprintf("0%d", 111+rand.IntN(888))
	for slices.Contains(c.last4s, cvv) {
		cvv = fmt.Sprintf("0%d", 111+rand.IntN(888))
	}
	c.cvvs = append(c.cvvs, cvv)
	return cvv
}

// code makes one as long as may be. Of those that end in 0 the traders'
// processor says that they are wrong.
func (c *canaries) code(last string) string {
	code := fmt.Sprintf("0%06d%s", rand.IntN(1_000_000), last)
	c.codes = append(c.codes, code)
	return code
}

// pan makes one that begins with a digit.
func (c *canaries) pan(digit string) string {
	pan := randomPAN(digit)
	c.pans = append(c.pans, pan)
	return pan
}

// randomPAN makes a valid number of 16 digits that begins with one. Its last
// four digits do not look like a canary's CVV.
func randomPAN(digit string) string {
	for {
		pan := fmt.Sprintf("%s%015d", digit, rand.Int64N(1_000_000_000_000_000))
		if checkdigit.Luhn(pan) && pan[12] != '0' {
			return pan
		}
	}
}

// written is every way to write digits as text that is looked for: as they are,
// in hex, and in base64, where they may begin at any of three places.
func written(digits string) []string {
	forms := []string{digits, hex.EncodeToString([]byte(digits))}
	for shift := range 3 {
		// The characters at both ends depend on what stands beside the
		// digits.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + digits))
		forms = append(forms, encoded[[]int{0, 2, 3}[shift]:(shift+len(digits))*8/6])
	}
	return forms
}

// writtenPAN is also a PAN in groups, and its bare hash: of what is left to
// guess of a PAN, a hash keeps no secret.
func writtenPAN(pan string) []string {
	sum := sha256.Sum256([]byte(pan))
	forms := append(written(pan), hex.EncodeToString(sum[:]))
	for _, between := range []string{" ", "-"} {
		forms = append(forms, strings.Join([]string{pan[:4], pan[4:8], pan[8:12], pan[12:]}, between))
	}
	return forms
}

// storedPAN is a PAN as PostgreSQL stores numbers and bytes: bigint; numeric,
// in groups of four digits; a bytea's hash.
func storedPAN(pan string) []string {
	number, _ := strconv.ParseUint(pan, 10, 64)
	sum := sha256.Sum256([]byte(pan))
	var groups []byte
	for i := 0; i < len(pan); i += 4 {
		group, _ := strconv.ParseUint(pan[i:i+4], 10, 16)
		groups = binary.NativeEndian.AppendUint16(groups, uint16(group))
	}
	return []string{string(binary.NativeEndian.AppendUint64(nil, number)), string(groups), string(sum[:])}
}

// namedCVV is a CVV beside its name. A CVV alone is too short to be looked for
// among bytes.
func namedCVV(cvv string) []string {
	var forms []string
	for _, between := range []string{`":"`, `": "`, `\":\"`, `":`, "=", ": ", ":", " "} {
		forms = append(forms, "cvv"+between+cvv)
	}
	return append(forms, "\x2a\x04"+cvv) // field 5 of SubmitPayerDetailsRequest, in protobuf
}

// storedCVV is a CVV that is all of a text or bytea in PostgreSQL: a byte with
// its length, and it.
func storedCVV(cvv string) string { return "\x0b" + cvv }

// haystack looks for many needles in one pass.
type haystack struct {
	begins  [1 << 16]bool
	needles map[[4]byte][]string
}

func newHaystack(c *canaries) *haystack {
	h := &haystack{needles: map[[4]byte][]string{}}
	for _, pan := range c.pans {
		h.add(append(writtenPAN(pan), storedPAN(pan)...)...)
	}
	for _, digits := range append(c.codes, c.requisites...) {
		h.add(written(digits)...)
	}
	for _, cvv := range c.cvvs {
		h.add(append(namedCVV(cvv), storedCVV(cvv))...)
	}
	return h
}

func (h *haystack) add(needles ...string) {
	for _, needle := range needles {
		h.begins[uint16(needle[0])<<8|uint16(needle[1])] = true
		start := [4]byte([]byte(needle))
		h.needles[start] = append(h.needles[start], needle)
	}
}

// search is every needle in a place. A code among more digits, or behind a
// point, is part of something else.
func (h *haystack) search(content []byte) []string {
	var found []string
	for i := 0; i+4 <= len(content); i++ {
		if !h.begins[uint16(content[i])<<8|uint16(content[i+1])] {
			continue
		}
		for _, needle := range h.needles[[4]byte(content[i:])] {
			rest := content[i:]
			if len(rest) < len(needle) || string(rest[:len(needle)]) != needle || slices.Contains(found, needle) {
				continue
			}
			if len(needle) == 8 && digitsGoOn(content, i, i+8) && strings.Trim(needle, "0123456789") == "" {
				continue
			}
			found = append(found, needle)
		}
	}
	return found
}

func digitsGoOn(content []byte, from, to int) bool {
	before := from > 0 && (content[from-1] == '.' || content[from-1] >= '0' && content[from-1] <= '9')
	return before || to < len(content) && content[to] >= '0' && content[to] <= '9'
}

var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// fourDigits are digits alone. Behind a point they are part of a
	// number, behind a backslash of an escaped byte.
	fourDigits = regexp.MustCompile(`(^|[^0-9A-Za-z.\\])(0\d{3})($|[^0-9A-Za-z])`)
)

// searchText looks also for CVVs that stand alone: text has no random bytes to
// mistake for them, save in UUIDs.
func (h *haystack) searchText(c *canaries, content string) []string {
	found := h.search([]byte(content))
	content = uuids.ReplaceAllString(content, "")
	for at := 0; ; {
		next := fourDigits.FindStringSubmatchIndex(content[at:])
		if next == nil {
			return found
		}
		if digits := content[at+next[4] : at+next[5]]; slices.Contains(c.cvvs, digits) {
			found = append(found, digits)
		}
		at += next[5] // what ends one may begin another
	}
}

// searchAll looks everywhere the gateway writes to, and says what it has found
// by place: standard output and error, metrics, what callers were answered,
// every table, and every file of the data directory, PostgreSQL's among them.
// Spans are searched beside it.
//
// What it can tell: a PAN or a code of eight digits cannot be missed, nor
// mistaken, in any of the forms above, wherever it was ever written, also where
// it was erased or rolled back since: the write-ahead log has it, and no
// segment of it has been overwritten by then. A CVV is found in text, and in
// files beside its name or as the whole of a column.
//
// What it cannot: a CVV, or a shorter code, inside other bytes, or stored as a
// number; anything compressed, so that the tables are set not to be; a value
// that the end of a page of the write-ahead log cuts in two, which of this many
// would be one; memory, and what a backend has not written to a file at all.
func (v *instance) searchAll(t *testing.T, c *canaries, answers string) map[string][]string {
	h, found := newHaystack(c), map[string][]string{}
	for place, content := range v.texted(t, answers) {
		found[place] = h.searchText(c, content)
		for _, needle := range found[place] { // which tells the cause if the test fails
			i := strings.Index(content, needle)
			t.Logf("%s: %q", place, content[max(0, i-200):min(len(content), max(0, i)+100)])
		}
	}
	// What only memory holds goes to the files.
	v.exec(t, "checkpoint")
	noError(t, filepath.WalkDir(v.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var content []byte
			if content, err = os.ReadFile(path); err == nil {
				place, _ := filepath.Rel(v.dir, path)
				found[place] = h.search(content)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // PostgreSQL has removed it meanwhile
			return nil
		}
		return err
	}))
	return found
}

// texted is what can be read as text.
func (v *instance) texted(t *testing.T, answers string) map[string]string {
	places := map[string]string{"log": v.stderr.String(), "answers": answers}
	places["metrics"] = fetched(t, http.MethodGet, v.OpsURL+"/metrics", "", nil).raw
	connection := testenv.Must(db.Driver(v.pool).Acquire(t.Context()))(t)
	defer connection.Release()
	// Bytes are shown as the characters they are, where they are any.
	testenv.Must(connection.Exec(t.Context(), "set bytea_output = 'escape'"))(t)
	tables := v.texts(t, `select format('%I.%I', table_schema, table_name) from information_schema.tables
		where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`)
	testenv.Check(t, len(tables) >= 20, "only %d tables", len(tables))
	for _, table := range append(tables, "pg_stat_activity") {
		rows := testenv.Must(connection.Query(context.Background(), "select t::text from "+table+" t"))(t)
		lines := testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		places[table] = strings.Join(lines, "\n")
	}
	testenv.Check(t, strings.Contains(places["public.payment"], "quasi_ecom") &&
		strings.Contains(places["metrics"], "SubmitPayerDetails"), "the search does not see what is there")
	return places
}

// talkative pays at a processor that tells what it was told, in every part of
// answers good and bad. What it returns waits until that is over: the gateway
// gives up the worst of them after ten seconds, which only the whole check has.
func (r *cardRun) talkative() func() {
	p := &talker{arrived: map[string]int{}, calls: map[string]int{}, bad: badAnswers()}
	r.setProcessor(r.t, newCardProcessor(r.t, p.answer))
	var paying sync.WaitGroup
	for which := range len(p.bad) + testenv.Pick(r.t, 0, 1) {
		token := r.linked()
		card, code := typedCard(r.pan("4"), object{"cvv": r.cvv()}), fmt.Sprintf(`{"otp":%q}`, r.code("1"))
		paying.Go(func() {
			_, _ = trySend(http.MethodPost, r.BaseURL+"/api/v1/checkout/"+token+"/payer-details", card, nil)
			_, _ = trySend(http.MethodPost, r.BaseURL+"/api/v1/checkout/"+token+"/payer-otp", code, nil)
		})
		// They arrive one after the other, and wait together.
		testenv.Until(r.t, "the processor was asked again", func() bool { return p.attempts() > which })
	}
	return func() {
		paying.Wait()
		testenv.Check(r.t, !testenv.Whole(r.t) || strings.Contains(r.stderr.String(), "no answer of an acquirer"),
			"no answer was so bad that it was logged")
		r.setProcessor(r.t, newCardProcessor(r.t, nil))
	}
}

// talker answers the first call of a kind with something bad, a different thing
// for each attempt, and then as a processor does: half of the cards are
// declined, and all codes. The last attempt never gets another answer.
type talker struct {
	mu sync.Mutex
	// arrived is the order of the attempts, calls counts each one's by
	// kind.
	arrived, calls map[string]int
	bad            []answerer
}

func (p *talker) attempts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.arrived)
}

func (p *talker) answer(w http.ResponseWriter, call string, body object, sign func(string) string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := textOf(body["attemptId"])
	if _, known := p.arrived[id]; !known && call == "authorize" {
		p.arrived[id] = len(p.arrived)
	}
	p.calls[id+call]++
	which, known := p.arrived[id]
	switch {
	case !known:
		return false
	case which == len(p.bad):
		return call == "authorize" && p.bad[0](w, call, body, sign)
	case p.calls[id+call] == 1:
		return p.bad[which](w, call, body, sign)
	case call == "code", call == "authorize" && which%2 == 0:
		return signedWords(`{"attemptId":%q,"state":"declined","reason":%q}`)(w, call, body, sign)
	}
	return false
}

func badAnswers() []answerer {
	return []answerer{
		words(http.StatusInternalServerError),
		words(http.StatusFound),
		words(http.StatusOK), // which is not signed
		signedWords(`%[2]s`),
		signedWords(`{"attemptId":%[2]q,"state":"declined"}`),
		signedWords(`{"attemptId":%q,"state":%q}`),
		signedWords(`{"attemptId":%q,"state":"pending","codes":%q}`),
	}
}

// told is what the processor was told, as text.
func told(body object) string {
	card, _ := body["card"].(object)
	return fmt.Sprintf("%v cvv=%v %v", card["pan"], card["cvv"], body["code"])
}

// words answers with a status and, in its headers and body, with what it was
// told.
func words(status int) answerer {
	return func(w http.ResponseWriter, _ string, body object, _ func(string) string) bool {
		w.Header().Set("Location", "/"+url.PathEscape(told(body)))
		w.Header().Set("X-Error", told(body))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(told(body)))
		return true
	}
}

// signedWords answers as agreed on, save that what it was told is somewhere in
// it; the form takes attempt and words.
func signedWords(form string) answerer {
	return func(w http.ResponseWriter, _ string, body object, sign func(string) string) bool {
		answer := fmt.Sprintf(form, textOf(body["attemptId"]), told(body))
		w.Header().Set("X-Acquirer-Signature", sign(answer))
		_, _ = w.Write([]byte(answer))
		return true
	}
}
