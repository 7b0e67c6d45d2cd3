package acceptance

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// uploader is a stranger's key: enough to have a body of any size read.
func (g *instance) uploader(t *testing.T, n int) sandbox.Cashbox {
	t.Helper()
	box := sandbox.Cashbox{KeyID: fmt.Sprintf("uploader-%d", n), Secret: fmt.Sprintf("secret-of-uploader-%d", n)}
	g.exec(t, `with made as (insert into merchant (name, created_at) values ($1, now()) returning id)
		insert into api_key (key_id, secret_hash, name, merchant_id, scopes, created_at)
		select $1, $2, $1, id, '{payments}', now() from made`, box.KeyID, auth.HashSecret(box.Secret))
	return box
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// largeForm is a form of as many bytes as one may have, made as it is sent, with its length.
func largeForm() (body io.Reader, length, fileSize int64) {
	head := "--b\r\nContent-Disposition: form-data; name=\"reason\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + pdf
	const tail = "\r\n--b--\r\n"
	padding := int64(uploadLimit - len(head) - len(tail))
	return io.MultiReader(
		strings.NewReader(head),
		io.LimitReader(zeros{}, padding),
		strings.NewReader(tail),
	), uploadLimit, padding + int64(len(pdf))
}

// uploadLarge sends an appeal of the largest size and returns what is answered.
func uploadLarge(address string, box sandbox.Cashbox) (answer, error) {
	body, length, size := largeForm()
	request, err := http.NewRequest(http.MethodPost, address, body)
	if err != nil {
		return answer{}, err
	}
	request.ContentLength = length
	return appealHeaders(box, "x", "a.pdf", int(size)).sent(request)
}

// heap is what a gateway's heap takes now, in MB, by its own metrics: also where a race detector's
// build takes far more.
func (g *instance) heap() (int, error) {
	size, err := g.metric("go_memstats_heap_inuse_bytes")
	return int(size) >> 20, err
}

// most is the largest heap seen while fn runs.
func (g *instance) most(t *testing.T, fn func()) int {
	t.Helper()
	ended, peak := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			if now, err := g.heap(); err == nil {
				most = max(most, now)
			}
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	fn()
	close(ended)
	return <-peak
}

// Fifty of the largest uploads at once, in either form, take no more memory than a few.
func TestUploadsTakeLittleMemory(t *testing.T) {
	testenv.Long(t, "uploads a hundred large files")
	t.Parallel()
	plan := fresh(t)
	// Garbage is collected early, so that the heap that is measured is one in use.
	plan.variables = map[string]string{"GOGC": "20"}
	v := plan.start(t)
	const each, allowed, little = 2, 150, 100
	ids := make([]string, 4*each)
	for i := range ids {
		ids[i] = v.failed(t)
	}
	keys := []sandbox.Cashbox{v.first(), v.box(t, "sandbox-azn"), v.box(t, "sandbox-try"), v.box(t, "sandbox-mnt")}
	for n := range 22 {
		keys = append(keys, v.uploader(t, n))
	}
	var idle int
	// The start has hashed passwords, which takes 64 MB each. Reading metrics makes garbage too,
	// and so has it collected.
	noError(t, testenv.Eventually(func() (err error) {
		if idle, err = v.heap(); err == nil && idle > little {
			err = fmt.Errorf("the heap still has %d MB", idle)
		}
		return err
	}))
	crowd := func(form string, upload func(n int) (answer, error)) {
		answers := make([]answer, each*len(keys))
		peak := v.most(t, func() {
			var uploads sync.WaitGroup
			for n := range answers {
				uploads.Go(func() {
					var err error
					if answers[n], err = upload(n); err != nil {
						t.Errorf("%s: %v", form, err)
					}
				})
			}
			uploads.Wait()
		})
		for n, got := range answers {
			if want := 201; n < len(ids) && got.status != want || n >= len(ids) && got.status != 403 {
				t.Errorf("%s, %d: %s", form, n, got)
			}
		}
		t.Logf("%s: %d at once took the heap from %d MB to %d MB", form, len(answers), idle, peak)
		testenv.Check(t, peak <= idle+allowed, "%s: the heap went from %d MB to %d MB", form, idle, peak)
	}
	// The first eight are appeals that are opened; the others are about payments that are not theirs.
	crowd("forms", func(n int) (answer, error) { return uploadLarge(v.appealURL(ids[n%len(ids)]), keys[n/each]) })
	for i := range ids {
		ids[i] = v.failed(t)
	}
	file := pdf + strings.Repeat("\x00", 7<<20)
	encoded := base64.StdEncoding.EncodeToString([]byte(file))
	crowd("messages", func(n int) (answer, error) {
		head := fmt.Sprintf(`{"paymentId":"%s","reason":"x","fileName":"a.pdf","file":"`, ids[n%len(ids)])
		request, err := http.NewRequest(http.MethodPost, v.BaseURL+"/gateway.v1.PaymentService/CreateAppeal",
			io.MultiReader(strings.NewReader(head), strings.NewReader(encoded), strings.NewReader(`"}`)))
		if err != nil {
			return answer{}, err
		}
		request.ContentLength = int64(len(head) + len(encoded) + 2)
		sent := with(appealHeaders(keys[n/each], "x", "a.pdf", len(file)), "Content-Type", "application/json")
		got, err := sent.sent(request)
		if got.status == 200 {
			got.status = 201
		}
		return got, err
	})
}

// slowUploads begin uploads whose bodies come by a byte a second, until the test ends.
func slowUploads(t *testing.T, g *instance, box sandbox.Cashbox, id string, many int) {
	t.Helper()
	for range many {
		path := strings.TrimPrefix(g.appealURL(id), g.BaseURL)
		connection := g.begun(t, path, appealHeaders(box, "x", "a.pdf", len(pdf)), 1_000_000, "--b\r\n")
		go func() {
			for err := error(nil); err == nil && t.Context().Err() == nil; {
				time.Sleep(time.Second) // less than the ten after which silence ends an upload
				_, err = connection.Write([]byte("x"))
			}
		}()
	}
}

// Whose bodies come slowly keeps nobody waiting but themselves: not another key of the same merchant, and no other
// merchant. Who waited for those would be refused at last, like the same key.
func TestSlowUploadsKeepNobodyElseWaiting(t *testing.T) {
	testenv.Long(t, "lets uploads wait in vain")
	t.Parallel()
	g := freshSandbox(t)
	id := g.failed(t)
	slowUploads(t, g, g.first(), id, 20)
	time.Sleep(300 * time.Millisecond) // for those to have been let in
	got := g.appeal(t, g.first(), id, "x", "a.pdf")
	testenv.Check(t, got.status == 503 && got.text("code") == "busy" && got.header.Get("Retry-After") != "",
		"the same key: %s", got)
	for name, box := range map[string]sandbox.Cashbox{"another key": g.box(t, "sandbox-azn"), "another merchant": g.uploader(t, 1)} {
		got := testenv.Must(uploadLarge(g.appealURL(id), box))(t)
		want := map[string]int{"another key": 201, "another merchant": 403}[name]
		testenv.Check(t, got.status == want, "%s: %s", name, got)
	}
}
