package model_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// modelStepsEnv is how many steps are walked in all. CI walks 50,000.
	modelStepsEnv = "GATEWAY_MODEL_STEPS"
	// modelSeedEnv repeats the one walk of a seed; without it every run walks new ways.
	modelSeedEnv = "GATEWAY_MODEL_SEED"
	// modelReplayEnv plays a given list of steps, as a failure prints it.
	modelReplayEnv = "GATEWAY_MODEL_REPLAY"

	modelStepsDefault = 2_000
	// modelWalks is how many walks there are at least; none is much longer than modelWalkSteps,
	// since the audits and the tables they read grow with it.
	modelWalks      = 4
	modelWalkSteps  = 5_000
	modelAuditEvery = 200
	modelAuditOften = 10
	modelAuditNever = 0
	modelShrinkTime = time.Minute
	// modelVaried is how many steps surely see everything that can happen: what is rarest comes about ten times in them.
	modelVaried = 50_000
)

// TestModel walks at random through a gateway's life and wants every answer, every balance and
// every webhook to be what a model written from the contract says. A failing walk is shrunk to the
// steps that matter.
func TestModel(t *testing.T) {
	t.Parallel()
	steps := modelNumber(t, modelStepsEnv, modelStepsDefault)
	if list := os.Getenv(modelReplayEnv); list != "" {
		parsed, err := parseModelSteps(list)
		if err != nil {
			t.Fatal(err)
		}
		if at, story, err := playModel(t, parsed, modelAuditOften); at >= 0 {
			t.Fatalf("%s\n%v", strings.Join(story, "\n"), err)
		}
		return
	}
	if os.Getenv(modelSeedEnv) != "" {
		walkModel(t, modelNumber(t, modelSeedEnv, 0), int(steps))
		return
	}
	walks := make([]*modelWalk, max(modelWalks, int(steps)/modelWalkSteps))
	t.Cleanup(func() { wantVariety(t, walks, int(steps)) })
	for i := range walks {
		seed := rand.Uint64N(1_000_000_000)
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			walks[i] = walkModel(t, seed, int(steps)/len(walks))
		})
	}
}

func modelNumber(t *testing.T, env string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		t.Fatalf("%s: %v", env, err)
	}
	return n
}

func walkModel(t *testing.T, seed uint64, count int) *modelWalk {
	t.Helper()
	steps := modelSteps(seed, count)
	w := newModelWalk(t)
	at, err := w.play(steps, modelAuditEvery)
	if at < 0 {
		t.Logf("seed %d: %s", seed, w.summary())
		return w
	}
	t.Logf("seed %d fails, shrinking %d steps: %v", seed, at+1, err)
	reportModel(t, seed, count, steps[:at+1], err)
	return w
}

// reportModel shrinks a failing walk and says how to repeat it.
func reportModel(t *testing.T, seed uint64, count int, steps []modelStep, first error) {
	t.Helper()
	end := time.Now().Add(modelShrinkTime)
	// A failure of a step needs no audit to be seen again; one that only the audit saw is looked
	// for more often.
	every := modelAuditNever
	if at, _, _ := playModel(t, steps, every); at < 0 {
		every = modelAuditOften
	}
	// What is told is the last failure seen: steps that race may pass the next time.
	var story []string
	var err error
	fails := func(steps []modelStep) int {
		at, told, failure := playModel(t, steps, every)
		if at >= 0 {
			story, err = told, failure
		}
		return at
	}
	steps = shrinkModelSteps(steps, fails, func() bool { return time.Now().Before(end) })
	if err == nil {
		err = first
	}
	// What failed stands last, where an output that was cut short still shows it.
	t.Fatalf(`What happened in the %d steps that matter:
  %s
Repeat these steps:
  %s='%s' go test -run '^TestModel$' ./internal/model
Repeat the whole walk:
  %s=%d %s=%d go test -run '^TestModel$' ./internal/model
Seed %d: %v
At first: %v`,
		len(steps), strings.Join(story, "\n  "), modelReplayEnv, formatModelSteps(steps),
		modelSeedEnv, seed, modelStepsEnv, count, seed, err, first)
}

// playModel plays steps on a database of their own, which is gone afterwards.
func playModel(t *testing.T, steps []modelStep, auditEvery int) (at int, story []string, err error) {
	t.Helper()
	t.Run("replay", func(t *testing.T) {
		w := newModelWalk(t)
		at, err = w.play(steps, auditEvery)
		story = w.story
	})
	return at, story, err
}

func (w *modelWalk) summary() string {
	var counts []string
	for _, outcome := range slices.Sorted(maps.Keys(w.outcomes)) {
		counts = append(counts, fmt.Sprintf("%s %d", outcome, w.outcomes[outcome]))
	}
	return strings.Join(counts, ", ")
}

// wantVariety fails long walks that have not been everywhere: what never happens is not tested.
func wantVariety(t *testing.T, walks []*modelWalk, steps int) {
	t.Helper()
	if t.Failed() || steps < modelVaried {
		return
	}
	for _, outcome := range modelOutcomes() {
		count := 0
		for _, w := range walks {
			count += w.outcomes[outcome]
		}
		if count == 0 {
			t.Errorf("%d steps without a single %q", steps, outcome)
		}
	}
}

// TestModelShrinks shows that of a failing list only the steps remain that make it fail.
func TestModelShrinks(t *testing.T) {
	t.Parallel()
	steps := modelSteps(1, 300)
	steps[20].op, steps[170].op, steps[290].op = "x", "y", "z"
	fails := func(steps []modelStep) int {
		var seen string
		for i, s := range steps {
			if strings.Contains("xyz", s.op) {
				seen += s.op
			}
			if seen == "xyz" {
				return i
			}
		}
		return -1
	}
	shrunk := shrinkModelSteps(steps[:291], fails, func() bool { return true })
	again, err := parseModelSteps(formatModelSteps(shrunk))
	if err != nil || !slices.Equal(again, shrunk) {
		t.Fatalf("%v, written and read: %v, %v", shrunk, again, err)
	}
	if len(shrunk) != 3 {
		t.Fatalf("%d steps remain: %v", len(shrunk), shrunk)
	}
}
