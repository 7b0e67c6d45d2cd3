package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The simulated traders of a sandbox.
var simulatorRoutes = []route{
	{Pattern: "GET /operator/simulator", Needs: caller.OperatorRead, Handle: (*visit).simulatorPage},
	{Pattern: "POST /operator/simulator", Needs: caller.OperatorDirectory, Handle: portal.After((*visit).Form, (*visit).startSimulator)},
	{Pattern: "POST /operator/simulator/stop", Needs: caller.OperatorDirectory, Handle: (*visit).stopSimulator},
}

// playFields are the fields of a play, by the names in the form and the
// service.
var playFields = []struct {
	name  string
	label say.Phrase
	value func(*simulator.Play) *int32
}{
	{"confirmedPercent", sayPlayConfirmed, func(p *simulator.Play) *int32 { return &p.Confirmed }},
	{"wrongAmountPercent", sayPlayWrong, func(p *simulator.Play) *int32 { return &p.WrongAmount }},
	{"cancelledPercent", sayPlayCancelled, func(p *simulator.Play) *int32 { return &p.Cancelled }},
	{"delayFromSeconds", sayPlayFrom, func(p *simulator.Play) *int32 { return &p.From }},
	{"delayToSeconds", sayPlayTo, func(p *simulator.Play) *int32 { return &p.To }},
}

func (v *visit) simulatorPage() error { return v.showSimulator(http.StatusOK, nil, nil) }

// showSimulator shows the page, with what was typed and its mistakes.
func (v *visit) showSimulator(status int, typed url.Values, wrong map[string]string) error {
	state, err := v.Simulator.Get(v.Ctx())
	if err != nil {
		return err
	}
	shown := Simulator{
		Running: state.Running, Since: state.Since, Token: submission.NewToken(), May: v.May(caller.OperatorDirectory),
		Answered: []view.OverviewFigure{
			{Label: v.Say(sayDoneConfirmed), Now: strconv.FormatInt(state.Confirmed, 10)},
			{Label: v.Say(sayDoneWrong), Now: strconv.FormatInt(state.WrongAmount, 10)},
			{Label: v.Say(sayDoneCancelled), Now: strconv.FormatInt(state.Cancelled, 10)},
		},
	}
	for i, play := range everyPlay(state.Plays) {
		shown.Plays = append(shown.Plays, v.playShown(i, play, typed, wrong))
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.SimulatorTitle), SimulatorPage, shown)
}

// everyPlay has a play for each method; one that is not set has only zeroes.
func everyPlay(plays []simulator.Play) []simulator.Play {
	all := simulator.Defaults()
	for i := range all {
		method := all[i].Method
		all[i] = simulator.Play{Method: method}
		for _, play := range plays {
			if play.Method == method {
				all[i] = play
			}
		}
	}
	return all
}

// playShown are the fields of one method, with what was typed or, without a
// form, what is set. Its place in the list is part of the names of its
// mistakes.
func (v *visit) playShown(at int, play simulator.Play, typed url.Values, wrong map[string]string) SimulatorPlay {
	shown := SimulatorPlay{Method: v.MethodName(play.Method)}
	for _, field := range playFields {
		name := play.Method + "." + field.name
		value := strconv.Itoa(int(*field.value(&play)))
		if typed != nil {
			value = typed.Get(name)
		}
		shown.Fields = append(shown.Fields, view.Field{
			Name: name, Label: field.label, Value: value, Type: "number",
			Wrong: wrong[fmt.Sprintf("plays[%d].%s", at, field.name)],
		})
	}
	return shown
}

// startSimulator starts the simulator, once. One that runs goes on with the new
// plays and counts from zero. Numbers that cannot be read are reported before
// what the service finds.
func (v *visit) startSimulator(form url.Values) error {
	plays, flaws := playsOf(form)
	if err := flaws.Err(); err != nil {
		return v.showSimulator(http.StatusUnprocessableEntity, form, v.Wrong(err))
	}
	err := v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Simulator.Start(v.Ctx(), plays)
		return submission.Outcome{LedTo: "/operator/simulator", Said: "simulator-started"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showSimulator(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// playsOf reads the plays from the form, in the order of everyPlay.
func playsOf(form url.Values) ([]simulator.Play, fault.Fields) {
	plays, flaws := everyPlay(nil), fault.Fields{}
	for i := range plays {
		for _, field := range playFields {
			text := strings.TrimSpace(form.Get(plays[i].Method + "." + field.name))
			n, err := strconv.ParseInt(text, 10, 32)
			flaws.Check(err == nil, fmt.Sprintf("plays[%d].%s", i, field.name), "must be a whole number")
			*field.value(&plays[i]) = int32(n)
		}
	}
	return plays, flaws
}

func (v *visit) stopSimulator() error {
	if _, err := v.Simulator.Stop(v.Ctx()); err != nil {
		return err
	}
	return v.Done("/operator/simulator", "simulator-stopped")
}
