package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

// Bank is a bank of payers in a currency, with the way to open its app.
type Bank struct {
	Currency, Name string
	// Methods are the payment methods for which it is offered.
	Methods []string
	// Link opens the bank's app or site, with placeholders for what Fill
	// fills in; "" is none.
	Link string
	// Steps say what to do in the app, by language.
	Steps map[string]string
	// Source is where the operator found the link and the steps.
	Source  string
	Enabled bool
	// Logo is a small PNG or WebP; nil keeps the present one. LogoHash
	// identifies it.
	Logo     []byte `json:"-"`
	LogoHash string `json:"-"`
	// Version identifies the state that was read. Seen is the version that
	// a change expects; "" expects any.
	Version string `json:"-"`
	Seen    string `json:",omitempty"`
}

const (
	maxBankName, maxBankLink, maxBankSteps, maxBankLogo = 60, 500, 500, 32 << 10
)

var (
	bankPlace  = regexp.MustCompile(`\{[^}]*\}?`)
	bankPlaces = []string{"{value}", "{phone}", "{amount}", "{recipient}"}
	// bankScheme allows https and the schemes of apps, but none that a
	// browser itself would run or show.
	bankScheme   = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)
	noBankScheme = []string{"http", "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "intent"}
	language     = regexp.MustCompile(`^[a-z]{2}$`)
)

// Fill fills a bank's link with the requisite, the phone number without its
// plus, the amount with a point, and the recipient. A space is %20: to the apps
// of iPhones, and anywhere in a path, a plus is a plus.
func (b Bank) Fill(value, amount, recipient string) string {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	return strings.NewReplacer(
		"{value}", escape(value), "{phone}", escape(strings.TrimPrefix(value, "+")),
		"{amount}", escape(amount), "{recipient}", escape(recipient),
	).Replace(b.Link)
}

// SetBank makes or changes a bank. What payers are shown of it requires a
// second operator: its link and steps say where they send their money. To
// switch it off requires none.
func (s *Settings) SetBank(ctx context.Context, who caller.Caller, b Bank) (done Changed[Bank], err error) {
	c, err := s.change(who, caller.OperatorDirectory, "bank", b.Currency+"/"+b.Name)
	if err != nil {
		return done, err
	}
	if err := b.validate(ctx); err != nil {
		return done, err
	}
	steps, err := json.Marshal(b.Steps)
	if err != nil {
		return done, fmt.Errorf("write steps: %w", err)
	}
	if b.Steps == nil {
		steps = []byte("{}")
	}
	key := db.BankSettingParams{Currency: b.Currency, Name: b.Name}
	return becameBank(db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		New:   true,
		Seen:  b.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.BankSetting(ctx, key) },
		Apply: func(q *db.Queries) error {
			return q.BankSet(ctx, db.BankSetParams{
				Currency: b.Currency, Name: b.Name, Methods: b.Methods, Link: b.Link, Steps: steps, Source: b.Source,
				Logo: b.Logo, Enabled: b.Enabled,
			})
		},
		May: func(_ *db.Queries, c Change) error {
			if !b.Enabled || bytes.Equal(c.Before, c.After) {
				return nil
			}
			// An approval changes this state only.
			b.Seen = db.VersionOf(c.Before)
			return foureyes.WithAction(s.FourEyes.Always(), foureyes.SetBank, b)
		},
	}))
}

// validate checks a bank as operators set it. Whether the link works, and leads
// to that bank, nobody can check here: a second operator approves it.
func (b Bank) validate(ctx context.Context) error {
	f := fault.Decoded(ctx)
	f.Check(b.Currency != "", "currency", "is required")
	checkCurrency(f, b.Currency)
	f.RequiredText("name", b.Name, maxBankName)
	f.Check(len(b.Methods) > 0, "methods", "is required")
	for _, name := range b.Methods {
		method, known := catalogue.Find(catalogue.Payments(b.Currency), name)
		f.Check(known && method.RequisiteType != "", "methods", "must be methods of %s with a requisite", b.Currency)
	}
	f.Flaw("link", linkFlaw(b.Link))
	f.Check(b.Link != "" || len(b.Steps) > 0, "link", "is required where there are no steps")
	for code, text := range b.Steps {
		f.Check(language.MatchString(code), "steps", "must be by language, such as en")
		f.Check(text != "" && len(text) <= maxBankSteps, "steps", "must be texts of at most %d bytes", maxBankSteps)
	}
	f.Check(b.Source != "", "source", "is required: where link or steps are published")
	f.MaxLength("source", b.Source, maxBankLink)
	if b.Logo != nil {
		kind := mimetype.Detect(b.Logo)
		f.Check(len(b.Logo) <= maxBankLogo && (kind.Is("image/png") || kind.Is("image/webp")),
			"logo", "must be a PNG or WebP of at most %d bytes", maxBankLogo)
	}
	return f.Err()
}

// linkFlaw returns what is wrong with a link, or "" if nothing is or there is
// no link. Places may stand only where what fills them cannot change where an
// https link leads, or the scheme of another.
func linkFlaw(link string) string {
	if link == "" {
		return ""
	}
	for _, place := range bankPlace.FindAllString(link, -1) {
		if !slices.Contains(bankPlaces, place) {
			return "may have the places " + strings.Join(bankPlaces, ", ") + " only"
		}
	}
	u, err := url.Parse(Bank{Link: link}.Fill("1", "1", "x"))
	switch {
	case len(link) > maxBankLink:
		return fmt.Sprintf("must be at most %d characters", maxBankLink)
	case err != nil || !bankScheme.MatchString(u.Scheme) || slices.Contains(noBankScheme, u.Scheme):
		return "must be an https link or one of an app"
	case !strings.HasPrefix(link, u.Scheme+":"), u.Scheme == "https" && strings.Contains(authority(link), "{"):
		return "must have its places behind the host"
	}
	return ""
}

// authority is the host of a link exactly as it is written.
func authority(link string) string {
	_, rest, _ := strings.Cut(link, "//")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// ListBanks lists a currency's banks for an operator.
func (s *Settings) ListBanks(ctx context.Context, who caller.Caller, currency string) ([]Bank, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	settings, err := s.q.BankSettings(ctx, currency)
	if err != nil {
		return nil, fmt.Errorf("list banks: %w", err)
	}
	return decodeAll(settings, decodeBank)
}

func decodeBank(setting []byte) (Bank, error) {
	var row struct {
		Bank
		Logo string
	}
	version, err := db.DecodeSetting(setting, &row)
	row.LogoHash, row.Version = row.Logo, version
	return row.Bank, err
}

func becameBank(c Change, err error) (Changed[Bank], error) {
	return db.Settled(c, err, func() (Bank, error) { return decodeBank(c.After) })
}

func (l *Looks) Banks(ctx context.Context, currency, method string) ([]Bank, error) {
	rows, err := l.q.BankList(ctx, db.BankListParams{Currency: currency, Method: method})
	if err != nil {
		return nil, fmt.Errorf("list banks: %w", err)
	}
	list := make([]Bank, 0, len(rows))
	for _, row := range rows {
		b := Bank{
			Currency: currency, Name: row.Name, Methods: row.Methods, Link: row.Link, Source: row.Source,
			Enabled: row.Enabled, LogoHash: row.LogoHash,
		}
		if err := json.Unmarshal(row.Steps, &b.Steps); err != nil {
			return nil, fmt.Errorf("read steps: %w", err)
		}
		list = append(list, b)
	}
	return list, nil
}

func (l *Looks) Logo(ctx context.Context, hash string) ([]byte, error) {
	logo, err := l.q.BankLogo(ctx, hash)
	if db.NoRows(err) {
		return nil, fault.ErrNotFound
	}
	return logo, err
}
