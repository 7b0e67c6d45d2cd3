package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The simulated traders of a sandbox.
var simulatorRoutes = []route{
	{
		pattern: "GET /operator/simulator", kinds: operators, needs: caller.OperatorRead,
		handle: (*visit).simulatorPage,
	},
	{
		pattern: "POST /operator/simulator", kinds: operators, needs: caller.OperatorDirectory,
		handle: (*visit).startSimulator,
	},
	{
		pattern: "POST /operator/simulator/stop", kinds: operators, needs: caller.OperatorDirectory,
		handle: (*visit).stopSimulator,
	},
}

var simulatorEntries = []entry{
	{needs: caller.OperatorRead, href: "/operator/simulator", label: say.SimulatorTitle, group: say.SandboxGroup},
}

// playFields are the fields of a play, as the form and the service name them.
var playFields = []struct {
	name  string
	label say.Phrase
	value func(*simulator.Play) *int32
}{
	{"confirmedPercent", say.PlayConfirmed, func(p *simulator.Play) *int32 { return &p.Confirmed }},
	{"wrongAmountPercent", say.PlayWrong, func(p *simulator.Play) *int32 { return &p.WrongAmount }},
	{"cancelledPercent", say.PlayCancelled, func(p *simulator.Play) *int32 { return &p.Cancelled }},
	{"delayFromSeconds", say.PlayFrom, func(p *simulator.Play) *int32 { return &p.From }},
	{"delayToSeconds", say.PlayTo, func(p *simulator.Play) *int32 { return &p.To }},
}

func (v *visit) simulatorPage() error { return v.showSimulator(http.StatusOK, nil, nil) }

// showSimulator shows the page, with what was typed where it was wrong.
func (v *visit) showSimulator(status int, typed url.Values, wrong map[string]string) error {
	state, err := v.Simulator.Get(v.ctx())
	if err != nil {
		return err
	}
	shown := view.Simulator{
		Running: state.Running, Since: state.Since, Token: submission.NewToken(), May: v.may(caller.OperatorDirectory),
		Answered: []view.OverviewFigure{
			{Label: v.shell.Say(say.DoneConfirmed), Now: strconv.FormatInt(state.Confirmed, 10)},
			{Label: v.shell.Say(say.DoneWrong), Now: strconv.FormatInt(state.WrongAmount, 10)},
			{Label: v.shell.Say(say.DoneCancelled), Now: strconv.FormatInt(state.Cancelled, 10)},
		},
	}
	for i, play := range everyPlay(state.Plays) {
		shown.Plays = append(shown.Plays, v.playShown(i, play, typed, wrong))
	}
	v.shell.Title = v.shell.Say(say.SimulatorTitle)
	v.show(status, func(s view.Shell) site.Page { return view.SimulatorPage(s, shown) })
	return nil
}

// everyPlay has a play for each method: one that is not played has only zeroes.
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

func (v *visit) playShown(at int, play simulator.Play, typed url.Values, wrong map[string]string) view.SimulatorPlay {
	shown := view.SimulatorPlay{Method: v.methodName(play.Method)}
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

func (v *visit) startSimulator() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	plays, flaws := playsOf(form)
	if err := flaws.Err(); err != nil {
		return v.showSimulator(http.StatusUnprocessableEntity, form, v.wrong(err))
	}
	err = v.once(form, func() (submission.Outcome, error) {
		_, err := v.Simulator.Start(v.ctx(), plays)
		return submission.Outcome{LedTo: "/operator/simulator", Said: "simulator-started"}, err
	})
	if wrong := v.wrong(err); wrong != nil {
		return v.showSimulator(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// playsOf reads the plays from the form, each where everyPlay has it.
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
	if _, err := v.Simulator.Stop(v.ctx()); err != nil {
		return err
	}
	return v.done("/operator/simulator", "simulator-stopped")
}
