// Package view holds the templates of the portals and what they are given to
// show. They decide nothing.
package view

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
	"gateway.example/web/portal/say"
	"gateway.example/web/words"
)

// Files are the addresses of the files that pages load.
type Files struct {
	Style                   map[string]string // by theme
	Script, Hypertext, Icon string
}

// Shell is what surrounds the content of every page.
type Shell struct {
	// Words writes amounts in the reader's language.
	words.Words
	Files Files
	// Portal is merchant, trader or operator, or "" as long as nobody is
	// signed in.
	Portal string
	Nav    []NavItem
	// Login is the login of the signed-in user, or "".
	Login   string
	Sandbox bool
	// Zone is the reader's time zone; every page names it.
	Zone *time.Location
	// Now is the time by the gateway's clock, from which remaining times
	// are counted.
	Now   time.Time
	Theme string
	// Shortcuts says that keyboard shortcuts are on.
	Shortcuts bool
	// Flash is a message about what has just been done, and Tone is its
	// tone: "" means that it went well.
	Flash, Tone string
	// Viewing is nil unless an operator looks as another user; then Login
	// is that user's.
	Viewing *Viewing
	Consent Consent
	// Alone says that no operator could decide about another's proposals.
	Alone bool
	// Search is the text that was searched for, on the page of search
	// results.
	Search string
	// Live says that the page refreshes itself.
	Live bool
	// Title is the page's title, and Mistakes says that a form on it was
	// filled in wrongly.
	Title    string
	Mistakes bool
}

// Viewing says as whom an operator looks, and until when.
type Viewing struct {
	As    string
	Until time.Time
}

// NavItem is a page in the navigation.
type NavItem struct {
	Href  string
	Label say.Phrase
	// Group is the heading above the first entry of several that belong
	// together.
	Group say.Phrase
	// Icon is shown before the label, and on a phone above it; "" is none.
	Icon    string
	Current bool
	// Waits names what is counted, and Count is how much of it waits, up to
	// a limit; "" if nothing does.
	Waits, Count string
	// Waiting says that it is shown only while something waits.
	Waiting bool
}

// begins reports whether a group begins at an entry.
func (s Shell) begins(at int) bool {
	return s.Nav[at].Group != say.Phrase{} && (at == 0 || s.Nav[at-1].Group != s.Nav[at].Group)
}

// Say is a phrase in the reader's language.
func (s Shell) Say(p say.Phrase, fill ...any) string { return p.In(s.Code, fill...) }

// grouped reports whether the navigation is too long for one line, so that a
// phone shows it as a menu.
func (s Shell) grouped() bool {
	return slices.ContainsFunc(s.Nav, func(item NavItem) bool { return !item.Group.Empty() })
}

// here is the name of the navigation's page to which this page belongs, with
// its group; if it belongs to none, its own.
func (s Shell) here() string {
	for _, item := range s.Nav {
		switch {
		case item.Current && (item.Group.Empty() || item.Group == item.Label):
			return s.Say(item.Label)
		case item.Current:
			return s.Say(item.Group) + " › " + s.Say(item.Label)
		}
	}
	return s.Title
}

// CountOf is a phrase about a number.
func (s Shell) CountOf(c say.Count, n int) string { return c.In(s.Code, n) }

// label is the portal's name.
func (s Shell) label() string { return s.PortalName(s.Portal) }

// PortalName is what a portal is called.
func (s Shell) PortalName(name string) string {
	switch name {
	case "merchant":
		return s.Say(say.PortalMerchant)
	case "trader":
		return s.Say(say.PortalTrader)
	case "operator":
		return s.Say(say.PortalOperator)
	}
	return ""
}

// home is the address to which the brand links.
func (s Shell) home() templ.SafeURL {
	if s.Portal == "" {
		return "/"
	}
	return templ.SafeURL("/" + s.Portal)
}

// searchPath is where everything is searched.
func (s Shell) searchPath() templ.SafeURL { return s.home() + "/search" }

// title is the title that the browser shows.
func (s Shell) title() string {
	title := s.Title
	if s.Mistakes {
		title = s.Say(say.ErrorTitle, title)
	}
	if label := s.label(); label != "" {
		return title + " · " + label
	}
	return title
}

// months are short names of months, because Go has only the English ones.
var months = map[string][]string{
	say.English: {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	say.Russian: {"янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"},
	"az":        {"yan", "fev", "mar", "apr", "may", "iyn", "iyl", "avq", "sen", "okt", "noy", "dek"},
	"kk":        {"қаң", "ақп", "нау", "сәу", "мам", "мау", "шіл", "там", "қыр", "қаз", "қар", "жел"},
	"tr":        {"Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"},
	"uz":        {"yan", "fev", "mar", "apr", "may", "iyn", "iyl", "avg", "sen", "okt", "noy", "dek"},
}

// When writes a time in the reader's zone: the day and the minute, and the year
// if it is another one.
func (s Shell) When(t time.Time) string {
	local := t.In(s.Zone)
	text := local.Format("2 ") + months[s.Code][local.Month()-1]
	if local.Year() != s.Now.In(s.Zone).Year() {
		text += local.Format(" 2006")
	}
	return strings.ReplaceAll(text+local.Format(", 15:04"), " ", "\u00a0")
}

// Day writes a day in the reader's zone, and the year if it is another one.
func (s Shell) Day(t time.Time) string {
	day, _, _ := strings.Cut(s.When(t), ",")
	return day
}

// Clock writes a time of today in the reader's zone.
func (s Shell) Clock(t time.Time) string { return t.In(s.Zone).Format("15:04") }

// Exactly writes a time to the second.
func (s Shell) Exactly(t time.Time) string {
	return s.When(t) + t.In(s.Zone).Format(":05")
}

// zone is the name of the zone with its present offset from UTC, as in
// Europe/Moscow (UTC+03:00).
func (s Shell) zone() string {
	if s.Zone == time.UTC {
		return "UTC"
	}
	return s.Zone.String() + s.Now.In(s.Zone).Format(" (UTC-07:00)")
}

// Amount is words.Amount except for the manat, whose sign many fonts lack;
// payers' pages draw it.
func (s Shell) Amount(amount decimal.Decimal, currency string) string {
	if currency == "AZN" {
		return s.Number(amount) + "\u00a0AZN"
	}
	return s.Words.Amount(amount, currency)
}

// Percent writes a number with at most one decimal, as percentages have.
func (s Shell) Percent(d decimal.Decimal) string {
	text := s.Number(d.Round(1))
	if strings.ContainsAny(text, ".,") && strings.HasSuffix(text, "0") && !d.Round(1).IsInteger() {
		return strings.TrimSuffix(text, "0")
	}
	return text
}

// USDT writes an amount of USDT with its decimals, at least two.
func (s Shell) USDT(amount decimal.Decimal) string { return s.Sum(amount) + "\u00a0USDT" }

// Sum is USDT without the unit.
func (s Shell) Sum(amount decimal.Decimal) string {
	exact := money.USDT(amount)
	short := len(exact) - len(".00000000") + len(".00")
	return s.Grouped(exact[:short] + strings.TrimRight(exact[short:], "0"))
}

// Figure writes an amount of USDT for a column whose head has the unit. It has
// all decimals, so that the digits of a column are aligned.
func (s Shell) Figure(amount decimal.Decimal) string { return s.Grouped(money.USDT(amount)) }

// parted splits what Figure wrote after the second decimal. Other texts stay
// whole.
func parted(figure string) (coarse, fine string) {
	at := strings.LastIndexAny(figure, ".,")
	if at < 0 || len(figure)-at != len(".00000000") || strings.Trim(figure, "+−0123456789., \u00a0\u202f") != "" {
		return figure, ""
	}
	return figure[:at+len(".00")], figure[at+len(".00"):]
}

// Plain writes a number with its decimals.
func (s Shell) Plain(d decimal.Decimal) string { return s.Grouped(money.Plain(d)) }

// Rate writes a rate with at least two decimals.
func (s Shell) Rate(d decimal.Decimal) string { return s.Grouped(money.Rate(d)) }

// numeral matches a number in a formula.
var numeral = regexp.MustCompile(`\d+(\.\d+)?`)

// Formula writes a calculation with numbers in the reader's notation. If the
// decimal separator is a comma, numbers are separated by semicolons.
func (s Shell) Formula(plain string) string {
	if s.Grouped("0.5") != "0.5" {
		plain = strings.ReplaceAll(plain, ", ", "; ")
	}
	return numeral.ReplaceAllStringFunc(plain, s.Grouped)
}

// Short writes an amount of USDT for a headline, rounded down to two decimals.
func (s Shell) Short(amount decimal.Decimal) string {
	return s.Grouped(amount.RoundDown(2).StringFixed(2))
}

// Link is an address within the portals.
type Link = templ.SafeURL

// Query is an address with a query, whose values are escaped.
func Query(path string, pairs ...string) templ.SafeURL {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return templ.SafeURL(path)
	}
	return templ.SafeURL(path + "?" + values.Encode())
}

// Device names the browser and system of a user agent, if they are well known.
func (s Shell) Device(agent string) string {
	find := func(known [][2]string) string {
		for _, one := range known {
			if strings.Contains(agent, one[0]) {
				return one[1]
			}
		}
		return ""
	}
	browser := find([][2]string{
		{"YaBrowser", "Yandex"}, {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	})
	system := find([][2]string{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"},
		{"Linux", "Linux"},
	})
	switch {
	case browser == "" && system == "":
		return s.Say(say.UnknownDevice)
	case browser == "" || system == "":
		return browser + system
	}
	return browser + ", " + system
}

// Consent is what every page of a user shows about owners' consent.
type Consent struct {
	// Until is when the user's own wait ends; nil if they do not wait.
	Until *time.Time
	// Asked are the users who wait for this user's answer.
	Asked []Awaiting
	// Asking says that the page itself asks, so that no band above it is
	// needed.
	Asking bool
}

// Awaiting is a user whom an operator let in and who waits for an owner's
// answer.
type Awaiting struct {
	ID, Login, Role string
	Since, Until    time.Time
}

// ConsentPath is the page on which the owner answers.
func (s Shell) ConsentPath() string { return "/" + s.Portal + "/consent" }
