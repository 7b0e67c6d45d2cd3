package directory

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// Look is what hosted pages show of the cashbox's shop, and who may frame them.
type Look struct {
	Merchant string
	// Color is #rrggbb in lower case, or "" for the default.
	Color string
	// Logo is the hash of the logo, which PageLogo reads, or "".
	Logo string
	// FrameOrigin is the only origin that may frame the hosted pages, or
	// "".
	FrameOrigin string
	// ReturnAutomatic makes the page go back to the shop by itself after
	// the payment is paid.
	ReturnAutomatic bool
}

// Looks reads the looks of cashboxes. They need no permission, because hosted
// pages show them to everybody.
type Looks struct{ q *db.Queries }

func NewLooks(pools db.Pools) *Looks { return &Looks{q: db.New(pools.Reads)} }

// Of reads the look of a cashbox.
func (l *Looks) Of(ctx context.Context, cashboxID int64) (Look, error) {
	row, err := l.q.CashboxLook(ctx, cashboxID)
	if db.NoRows(err) {
		return Look{}, fault.ErrNotFound
	}
	if err != nil {
		return Look{}, fmt.Errorf("read look: %w", err)
	}
	return Look{
		Merchant: row.Name, Color: optional.Value(row.PageColor), Logo: optional.Value(row.PageLogoHash),
		FrameOrigin: optional.Value(row.FrameOrigin), ReturnAutomatic: row.ReturnAutomatic,
	}, nil
}

var (
	colorForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	// originForm excludes everything that could end a directive of a
	// Content-Security-Policy, and wildcards.
	originForm = regexp.MustCompile(
		`^https://([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[1-9][0-9]{0,4})?$`,
	)
)

const maxOrigin = 260

// NoColor is the message about a text that is not a colour.
const NoColor = "must be a colour such as #1a6b54"

// look checks the fields of the look that are given, and adds them to columns.
func (u CashboxUpdate) look(f fault.Fields, columns map[string]any) {
	if u.PageColor != nil {
		color := strings.ToLower(*u.PageColor)
		f.Check(color == "" || colorForm.MatchString(color), "pageColor", NoColor)
		columns["page_color"] = optional.Of(color)
	}
	if u.FrameOrigin != nil {
		origin := strings.ToLower(*u.FrameOrigin)
		f.Check(origin == "" || len(origin) <= maxOrigin && originForm.MatchString(origin), "frameOrigin",
			"must be an https origin such as https://shop.example, without a path")
		columns["frame_origin"] = optional.Of(origin)
	}
}

var hostForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

const maxReturnHosts = 50

func returnHosts(f fault.Fields, names []string) []string {
	f.Check(len(names) <= maxReturnHosts, "returnHosts", "must be at most %d", maxReturnHosts)
	hosts := make([]string, 0, len(names))
	for _, host := range names {
		host = Host(host)
		f.Check(hostForm.MatchString(host), "returnHosts", "must be names of hosts, such as shop.example")
		hosts = append(hosts, host)
	}
	return hosts
}

// Host returns a host name in the form in which hosts are compared: in lower
// case and in ASCII. A text that is not a host name is returned unchanged.
func Host(name string) string {
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		return ascii
	}
	return name
}
