package payers

import (
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The blocks of a merchant, and those that apply everywhere.
var blockRoutes = append(
	blocksAt("/merchant/blocks", caller.MerchantRead, caller.MerchantBlock),
	blocksAt(portal.BlocksPath, caller.OperatorRead, caller.OperatorBlock)...)

func blocksAt(path string, reads, blocks caller.Capability) []route {
	return []route{
		{Pattern: "GET " + path, Needs: reads, Handle: (*visit).blocks},
		{Pattern: "GET " + path + "/new", Needs: blocks, Handle: (*visit).newBlock},
		{Pattern: "POST " + path + "/new", Needs: blocks, Handle: portal.After((*visit).Form, (*visit).makeBlock)},
		{Pattern: "GET " + path + "/{id}", Needs: reads, Handle: (*visit).block},
		{Pattern: "POST " + path + "/{id}", Needs: blocks, Handle: (*visit).liftBlock},
	}
}

// asksAll also lists blocks that no longer apply.
const asksAll = "all"

func (v *visit) mayBlock() bool { return v.May(caller.OperatorBlock) || v.May(caller.MerchantBlock) }

// blocks lists the blocks in force or, if the address asks for it, all. A wrong
// cursor is not found.
func (v *visit) blocks() error {
	given := v.R.URL.Query()
	all, path := given.Get(asksAll), v.Path("/blocks")
	search := directory.BlockSearch{Holding: all == ""}
	search.Cursor = optional.Of(given.Get(portal.AsksAfter))
	list, next, err := v.Settings.Blocks(v.Ctx(), v.Who, search)
	if _, err := v.Flawed(err); err != nil {
		return err
	}
	shown := Blocks{Tabs: []view.Tab{
		{Text: v.Say(sayHolding), Href: view.Link(path), Current: all == ""},
		{Text: v.Say(sayAllBlocks), Href: view.Query(path, asksAll, portal.Yes), Current: all != ""},
	}}
	if v.mayBlock() {
		shown.New = view.Link(path + "/new")
	}
	if shown.Sheet, err = v.blockSheet(list); err != nil {
		return err
	}
	if next != nil {
		shown.Pages.Older = view.Query(path, asksAll, all, portal.AsksAfter, *next)
	}
	if search.Cursor != nil {
		shown.Pages.Newest = view.Query(path, asksAll, all)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.BlocksTitle), BlocksPage, shown)
}

// blockSheet is a table of blocks. Operators also see at which merchant each
// applies; that a block can be made is said only to users who may.
func (v *visit) blockSheet(list []directory.Block) (view.Sheet, error) {
	sheet := view.Sheet{
		Label: v.Say(say.BlocksTitle),
		Empty: view.Empty{Title: sayNoBlocks},
	}
	if v.mayBlock() {
		sheet.Empty.Text = sayNoBlocksYet
	}
	labels := []say.Phrase{sayWhat, say.ReasonWhy, sayBy, sayEnds, say.Status}
	if v.Who.Kind == caller.Operator {
		labels = append(labels, sayWhere)
	}
	sheet.Columns = v.Columns(false, labels...)
	names, err := v.namesOf(list)
	for _, b := range list {
		at, ends := b.CreatedAt, view.Cell{Text: v.Say(sayNever)}
		if b.Until != nil {
			ends = view.Cell{At: b.Until}
		}
		row := []view.Cell{
			{
				Text: b.Shown, Href: view.Link(portal.Numbered(v.Path("/blocks"), b.ID)),
				Note: v.Say(sayKind(string(b.Kind))),
			},
			{Text: b.Reason}, {At: &at, Note: v.ActorName(b.CreatedBy)}, ends,
			v.Shell.BadgeCell(v.stateOf(b)),
		}
		if v.Who.Kind == caller.Operator {
			row = append(row, view.Cell{Text: v.where(b, names)})
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet, err
}

// stateOf shows whether a block applies.
func (v *visit) stateOf(b directory.Block) view.Badge {
	switch {
	case b.EndedAt != nil:
		return view.Badge{Text: sayLifted, Tone: "off"}
	case b.Holds(v.Shell.Now):
		return view.Badge{Text: sayHolds, Tone: "bad"}
	}
	return view.Badge{Text: sayOver, Tone: "off"}
}

// at is a merchant, in the form that reading names requires.
type at int64

// Owners returns the merchant only.
func (id at) Owners() (merchantID, traderID int64) { return int64(id), 0 }

// where says at which merchant a block applies.
func (v *visit) where(b directory.Block, names report.Names) string {
	if b.MerchantID == nil {
		return v.Say(sayEverywhere)
	}
	return portal.Titled(names.Merchants[*b.MerchantID], *b.MerchantID)
}

// namesOf reads the names of the merchants at which blocks apply, and the
// logins of those who made and lifted them.
func (v *visit) namesOf(list []directory.Block) (report.Names, error) {
	var actors []string
	var places []at
	for _, b := range list {
		actors = append(actors, b.CreatedBy, optional.Value(b.EndedBy))
		if b.MerchantID != nil {
			places = append(places, at(*b.MerchantID))
		}
	}
	if err := v.Meet(actors); err != nil {
		return report.Names{}, err
	}
	return report.NamesOf(v.Ctx(), v.Reports, v.Who, places)
}

func (v *visit) block() error { return v.showBlock(http.StatusOK, "", nil) }

// showBlock shows a block, in force or not, with the reason that was typed for
// lifting it and its mistakes. The form to lift it is for users who may, while
// it is in force.
func (v *visit) showBlock(status int, typed string, wrong map[string]string) error {
	b, err := portal.Named(v.Visit, v.Settings.Block)
	if err != nil {
		return err
	}
	names, err := v.namesOf([]directory.Block{b})
	if err != nil {
		return err
	}
	path := v.Path("/blocks")
	shown := Block{Shown: b.Shown, State: v.stateOf(b), List: view.Link(path), Facts: v.blockFacts(b, names)}
	if b.Holds(v.Shell.Now) && v.mayBlock() {
		reason := reasonField
		reason.Value, reason.Wrong = typed, wrong["reason"]
		shown.Lift = view.MoneyForm{
			Action: portal.Numbered(path, b.ID), Text: v.Say(sayUnblockText), Submit: v.Say(sayUnblock),
			Hidden: [][2]string{{"token", submission.NewToken()}}, Fields: []view.Field{reason},
		}
	}
	return portal.ShowPage(v.Visit, status, v.Say(sayBlockTitle, b.ID), BlockPage, shown)
}

// blockFacts says what is blocked, why, by whom and until when, and who lifted
// it. Operators also see at which merchant.
func (v *visit) blockFacts(b directory.Block, names report.Names) []view.Fact {
	ends := v.Say(sayNever)
	if b.Until != nil {
		ends = v.When(*b.Until)
	}
	facts := []view.Fact{
		{Label: sayWhatBy, Value: v.Say(sayKind(string(b.Kind)))}, {Label: say.ReasonWhy, Value: b.Reason},
		{Label: sayBy, Value: v.ActorName(b.CreatedBy) + ", " + v.When(b.CreatedAt)},
		{Label: sayEnds, Value: ends},
	}
	if v.Who.Kind == caller.Operator {
		facts = append(facts, view.Fact{Label: sayWhere, Value: v.where(b, names)})
	}
	if b.EndedAt != nil {
		facts = append(facts,
			view.Fact{Label: sayLiftedBy, Value: v.ActorName(*b.EndedBy) + ", " + v.When(*b.EndedAt)},
			view.Fact{Label: say.ReasonWhy, Value: optional.Value(b.EndedReason)})
	}
	return facts
}

var reasonField = view.Field{Name: "reason", Label: say.ReasonWhy, Area: true, Max: 500}

// liftBlock lifts a block, only once even if its form is sent repeatedly.
func (v *visit) liftBlock() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Settings.UnblockPayer(v.Ctx(), v.Who, id, form.Get("reason"))
		return submission.Outcome{LedTo: portal.Numbered(v.Path("/blocks"), id), Said: "unblocked"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showBlock(http.StatusUnprocessableEntity, form.Get("reason"), wrong)
	}
	return err
}
