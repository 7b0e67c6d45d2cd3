package developers

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// keys lists the keys of a cashbox: that in the address, or the first one.
func (v *visit) keys() error {
	boxes, err := v.Settings.OwnCashboxes(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Keys{Empty: view.Empty{Title: sayNoKeyBoxes, Text: sayAskOperator}}
	if len(boxes) > 0 {
		wanted := v.R.URL.Query().Get("cashbox")
		if wanted == "" {
			wanted = boxID(boxes[0])
		}
		at := slices.IndexFunc(boxes, func(box directory.OwnCashbox) bool { return boxID(box) == wanted })
		if at < 0 {
			return fault.ErrNotFound
		}
		for i, box := range boxes {
			shown.Boxes = append(shown.Boxes, view.Tab{Text: v.boxName(box), Href: keysOf(box), Current: i == at})
		}
		if err := v.keyRows(boxes[at], &shown); err != nil {
			return err
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.KeysTitle), KeysPage, shown)
}

// keyRows lists the keys of a cashbox and the merchant's legacy key, also those
// that no longer work, with when each was used last. A key's limits can be set
// until it is revoked, also after its time has run out, but only a working key
// can be revoked.
func (v *visit) keyRows(box directory.OwnCashbox, shown *Keys) error {
	keys, legacy, err := v.Keys.List(v.Ctx(), v.Who, box.ID)
	if err != nil {
		return err
	}
	may := v.May(caller.MerchantKeys)
	shown.Empty = view.Empty{Title: sayNoKeys, Text: sayNoKeysText}
	switch {
	case legacy.CanBeRemoved:
		shown.Note = sayLegacyRemovable
	case legacy.Exists:
		shown.Note = sayLegacyNeeded
	}
	if may {
		shown.New = view.Link(boxPath(box, "keys/new"))
	}
	for _, key := range keys {
		row := KeyRow{
			KeyID:      key.KeyID,
			Name:       key.Name,
			Scopes:     key.Scopes,
			Legacy:     key.CashboxID == nil,
			CreatedAt:  key.CreatedAt,
			LastUsedAt: key.LastUsedAt,
			RevokedAt:  key.RevokedAt,
			ExpiresAt:  key.ExpiresAt,
			Expired:    key.RevokedAt == nil && !key.Active(),
			From:       strings.Join(key.Networks, ", "),
		}
		if key.PayoutDailyLimit.Valid {
			row.Daily = v.Amount(key.PayoutDailyLimit.Decimal, box.Currency)
		}
		if may && key.RevokedAt == nil {
			row.Limits = view.Link(keyLimitsPath(box, key))
		}
		if may && key.Active() {
			row.Revoke = view.Link(revokePath(box, key))
		}
		shown.Items = append(shown.Items, row)
	}
	return nil
}

func revokePath(box directory.OwnCashbox, key auth.Credential) string {
	return boxPath(box, "keys/"+strconv.FormatInt(key.ID, 10)+"/revoke")
}

func keyLimitsPath(box directory.OwnCashbox, key auth.Credential) string {
	return boxPath(box, "keys/"+strconv.FormatInt(key.ID, 10)+"/limits")
}

func (v *visit) newKeyPage(box directory.OwnCashbox) error {
	return v.showNewKey(http.StatusOK, box, url.Values{"scopes": {caller.ScopePayments}}, nil)
}

// showNewKey shows the form that makes a key, with a new token also after a
// mistake: no key was made then.
func (v *visit) showNewKey(status int, box directory.OwnCashbox, typed url.Values, wrong map[string]string) error {
	shown := NewKey{
		Token:  submission.NewToken(),
		Action: boxPath(box, "keys/new"),
		Box:    v.boxName(box),
		Name:   typed.Get("name"),
		Bounds: typedBounds(typed, box.Currency, wrong),
		Wrong:  wrong,
		Back:   keysOf(box),
	}
	for _, scope := range caller.Scopes {
		shown.Scopes = append(shown.Scopes, view.Tick{
			Value: scope, Text: v.Say(say.Scope(scope)), On: slices.Contains(typed["scopes"], scope),
		})
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(sayNewKey), wrong != nil
	return portal.Show(v.Visit, status, NewKeyPage, shown)
}

// newKey makes a key, only once, and shows its secret in the answer. The secret
// is not stored, so a second sending leads to the list.
func (v *visit) newKey(box directory.OwnCashbox) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	if len(form["scopes"]) == 0 {
		wrong := map[string]string{"scopes": v.Say(sayNoScope)}
		return v.showNewKey(http.StatusUnprocessableEntity, box, form, wrong)
	}
	expires, err := v.LastDay(form.Get("expires_at"))
	if err != nil {
		wrong := map[string]string{"expires_at": v.Say(sayWrongDay)}
		return v.showNewKey(http.StatusUnprocessableEntity, box, form, wrong)
	}
	var made auth.Credential
	var secret string
	outcome, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		made, secret, err = v.Keys.Create(v.Ctx(), v.Who, auth.NewCredential{
			CashboxID: box.ID, Name: form.Get("name"), Scopes: form["scopes"], Limits: keyLimitsOf(form, expires),
		})
		return submission.Outcome{LedTo: string(keysOf(box)), Said: "key-made-before"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showNewKey(http.StatusUnprocessableEntity, box, form, wrong)
	}
	if err != nil || secret == "" {
		return v.Led(outcome, err)
	}
	return v.Reveal(sayKeyMade, view.Shown{
		Label: saySecret, Secret: secret, Next: keysOf(box), Facts: []view.Fact{
			{Label: sayKeyName, Value: made.Name},
			{Label: say.Cashbox, Value: v.boxName(box)},
			{Label: say.KeyID, Value: made.KeyID, Class: "mono"},
		},
	})
}

func typedBounds(typed url.Values, currency string, wrong map[string]string) KeyBounds {
	return KeyBounds{
		Expires: typed.Get("expires_at"), Networks: typed.Get("allowed_networks"),
		Daily: typed.Get("payout_daily_limit"), Currency: currency, Wrong: wrong,
	}
}

func keyLimitsOf(form url.Values, expires *time.Time) auth.Limits {
	return auth.Limits{
		ExpiresAt: expires, Networks: form.Get("allowed_networks"),
		PayoutDailyLimit: money.Typed(form.Get("payout_daily_limit")),
	}
}

// keyLimitsPage shows the limits of a key, to be changed.
func (v *visit) keyLimitsPage() error {
	box, key, err := v.boxKey()
	if err != nil {
		return err
	}
	now := v.limitsNow(key)
	now.Set("seen", portal.Seen(now))
	now.Set("token", submission.NewToken())
	return v.showKeyLimits(http.StatusOK, box, key, now, nil)
}

// limitsNow are the limits of a key as values of their form.
func (v *visit) limitsNow(key auth.Credential) url.Values {
	now := url.Values{
		"expires_at": {v.lastDayOf(key)}, "allowed_networks": {strings.Join(key.Networks, ", ")},
	}
	if key.PayoutDailyLimit.Valid {
		now.Set("payout_daily_limit", money.Fiat(key.PayoutDailyLimit.Decimal))
	}
	return now
}

// showKeyLimits shows the form with the token and the seen values that were
// sent, so that a mistake in it does not hide a change that somebody else has
// made. A legacy key is bound to no cashbox, so it can have no limit of
// payouts, and no currency is named.
func (v *visit) showKeyLimits(
	status int, box directory.OwnCashbox, key auth.Credential, typed url.Values, wrong map[string]string,
) error {
	currency := box.Currency
	if key.CashboxID == nil {
		currency = ""
	}
	shown := KeyLimits{
		Action: keyLimitsPath(box, key), Token: typed.Get("token"), Seen: typed.Get("seen"),
		Bounds: typedBounds(typed, currency, wrong), Back: keysOf(box),
		Facts: []view.Fact{
			{Label: sayKeyName, Value: key.Name}, {Label: say.KeyID, Value: key.KeyID, Class: "mono"},
		},
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(sayKeyLimits), wrong != nil
	return portal.Show(v.Visit, status, KeyLimitsPage, shown)
}

// keyLimits changes the limits of a key, once, and overwrites none that the
// form has not shown.
func (v *visit) keyLimits() error {
	box, key, err := v.boxKey()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	expires, err := v.LastDay(form.Get("expires_at"))
	if err != nil {
		wrong := map[string]string{"expires_at": v.Say(sayWrongDay)}
		return v.showKeyLimits(http.StatusUnprocessableEntity, box, key, form, wrong)
	}
	if form.Get("expires_at") == v.lastDayOf(key) {
		expires = key.ExpiresAt // an unchanged day keeps its time of day, too
	}
	err = v.OnceAsSeen(form, v.limitsNow(key), keyLimitsPath(box, key), func() (submission.Outcome, error) {
		_, err := v.Keys.SetLimits(v.Ctx(), v.Who, box.ID, key.ID, keyLimitsOf(form, expires))
		return submission.Outcome{LedTo: string(keysOf(box)), Said: "key-limits"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showKeyLimits(http.StatusUnprocessableEntity, box, key, form, wrong)
	}
	return err
}

// lastDayOf is the last day of a key as a form value.
func (v *visit) lastDayOf(key auth.Credential) string {
	if key.ExpiresAt == nil {
		return ""
	}
	return key.ExpiresAt.Add(-time.Nanosecond).In(v.Shell.Zone).Format(time.DateOnly)
}

// boxKey reads the cashbox in the address and its key, which must not be
// revoked.
func (v *visit) boxKey() (directory.OwnCashbox, auth.Credential, error) {
	box, err := v.box()
	if err != nil {
		return box, auth.Credential{}, err
	}
	key, err := v.key(box)
	if err == nil && key.RevokedAt != nil {
		err = fault.ErrNotFound
	}
	return box, key, err
}

// key reads the cashbox's key in the address.
func (v *visit) key(box directory.OwnCashbox) (auth.Credential, error) {
	keys, _, err := v.Keys.List(v.Ctx(), v.Who, box.ID)
	if err != nil {
		return auth.Credential{}, err
	}
	id := v.R.PathValue("key")
	at := slices.IndexFunc(keys, func(key auth.Credential) bool { return strconv.FormatInt(key.ID, 10) == id })
	if at < 0 {
		return auth.Credential{}, fault.ErrNotFound
	}
	return keys[at], nil
}

// revokePage asks before a key is revoked. A key that no longer works leads
// back to the list. For a legacy key the page warns of the other cashboxes
// instead of naming one.
func (v *visit) revokePage(box directory.OwnCashbox) error {
	key, err := v.key(box)
	if err != nil {
		return err
	}
	if !key.Active() {
		return v.Done(string(keysOf(box)), "key-revoked")
	}
	q := view.Question{
		Title:  sayRevokeTitle,
		Texts:  []string{v.Say(sayRevokeText)},
		Action: revokePath(box, key),
		Danger: true,
		Yes:    v.Say(sayRevokeYes),
		Back:   keysOf(box),
		Facts: []view.Fact{
			{Label: sayKeyName, Value: key.Name},
			{Label: say.KeyID, Value: key.KeyID, Class: "mono"},
			{Label: say.Cashbox, Value: v.boxName(box)},
		},
	}
	if key.CashboxID == nil {
		q.Facts, q.Texts = q.Facts[:2], append(q.Texts, v.Say(sayRevokeLegacy))
	}
	return v.Question(q)
}

// revoke revokes a key. Repeating that changes nothing, so the form needs no
// token.
func (v *visit) revoke(box directory.OwnCashbox) error {
	key, err := v.key(box)
	if err != nil {
		return err
	}
	if _, err := v.Keys.Revoke(v.Ctx(), v.Who, box.ID, key.ID); err != nil {
		return err
	}
	return v.Done(string(keysOf(box)), "key-revoked")
}
