package sign

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// The vectors that all clients share.
func TestVectors(t *testing.T) {
	t.Parallel()
	content := testenv.Must(os.ReadFile("testdata/vectors.json"))(t)
	var vectors struct {
		Bodies  []struct{ Name, Secret, Body, Signature string }
		Appeals []struct {
			Name, Secret, Reason, FileName, Signature string
			FileSize                                  int64
		}
	}
	testenv.NoError(t, json.Unmarshal(content, &vectors))
	testenv.Need(t, len(vectors.Bodies) != 0 && len(vectors.Appeals) != 0, "no vectors")
	for _, v := range vectors.Bodies {
		testenv.Want(t, Signature(v.Secret, []byte(v.Body)), v.Signature, "%s", v.Name)
	}
	for _, v := range vectors.Appeals {
		testenv.Want(t, AppealSignature(v.Secret, v.Reason, v.FileName, v.FileSize), v.Signature, "%s", v.Name)
	}
}

// capture is a base transport that keeps what it was sent.
type capture struct {
	request *http.Request
	body    string
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	c.request, c.body = r, string(body)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, err
}

// closer notes that it was closed.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

func TestTransport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body io.Reader
		want string
	}{
		"no body":        {nil, ""},
		"with GetBody":   {strings.NewReader(`{"a": 1}`), `{"a": 1}`},
		"stream":         {io.MultiReader(strings.NewReader(`{"a"`), strings.NewReader(`:1}`)), `{"a":1}`},
		"empty stream":   {io.MultiReader(), ""},
		"explicit empty": {http.NoBody, ""},
	} {
		request := testenv.Must(http.NewRequest(http.MethodPost, "http://gateway/api/v1/payments", test.body))(t)
		sent := &capture{}
		if _, err := Transport(sent, "key_1", "s3cret").RoundTrip(request); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		testenv.Check(t, sent.body == test.want && sent.request.ContentLength == int64(len(test.want)),
			"%s: sent %q of length %d; want %q", name, sent.body, sent.request.ContentLength, test.want)
		for header, want := range map[string]string{
			"X-Merchant-Key-Id": "key_1", "X-Merchant-Secret": "s3cret", "Signature": Signature("s3cret", []byte(test.want)),
		} {
			testenv.Want(t, sent.request.Header.Get(header), want, "%s: %s", name, header)
		}
		checkResendable(t, name, sent.request, test.want)
	}
}

func checkResendable(t *testing.T, name string, r *http.Request, want string) {
	t.Helper()
	again, err := r.GetBody()
	testenv.Need(t, err == nil, "%s: %v", name, err)
	body, err := io.ReadAll(again)
	testenv.Check(t, err == nil && string(body) == want, "%s: GetBody gives %q, %v; want %q", name, body, err, want)
}

func TestTransportLeavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	request := testenv.Must(http.NewRequest(http.MethodPost, "http://gateway/", strings.NewReader("{}")))(t)
	own := &closer{Reader: strings.NewReader("{}")}
	request.Body = own
	testenv.Must(Transport(&capture{}, "key_1", "s3cret").RoundTrip(request))(t)
	testenv.Check(t, len(request.Header) == 0 && request.Body == own, "the request was changed: %v", request.Header)
	rest, _ := io.ReadAll(own)
	testenv.Check(t, string(rest) == "{}", "the request's own body was read although GetBody gives copies: %q left", rest)
	testenv.Check(t, own.closed, "the request's body was not closed")
}

func TestTransportBodyErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	request := testenv.Must(http.NewRequest(http.MethodPost, "http://gateway/", strings.NewReader("{}")))(t)
	own := &closer{Reader: strings.NewReader("{}")}
	request.Body = own
	request.GetBody = func() (io.ReadCloser, error) { return nil, broken }
	sent := &capture{}
	_, err := Transport(sent, "k", "s").RoundTrip(request)
	testenv.Check(t, errors.Is(err, broken) && own.closed && sent.request == nil,
		"got %v, closed %v, sent %v; want the error, closed, nothing sent", err, own.closed, sent.request)
}

func TestTransportRefusesRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	gateway := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer gateway.Close()

	client := &http.Client{Transport: Transport(nil, "key_1", "s3cret")}
	response, err := client.Get(gateway.URL)
	if err == nil {
		_ = response.Body.Close()
	}
	testenv.Check(t, errors.Is(err, ErrRedirect), "got %v; want ErrRedirect", err)
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	sent := &capture{}
	request := testenv.Must(http.NewRequest(http.MethodGet, "http://gateway/", http.NoBody))(t)
	testenv.Must((Headers{KeyID: "X-Key", Signature: "X-Sign"}).Transport(sent, "key_1", "s3cret").
		RoundTrip(request))(t)
	for header, want := range map[string]string{
		"X-Key": "key_1", "X-Merchant-Secret": "s3cret", "X-Sign": Signature("s3cret", nil), "X-Merchant-Key-Id": "", "Signature": "",
	} {
		testenv.Want(t, sent.request.Header.Get(header), want, "%s", header)
	}
}

// A transport leaves the signature of an appeal where it is set.
func TestTransportOfAppeals(t *testing.T) {
	t.Parallel()
	signature := AppealSignature("s3cret", "why", "a.pdf", 1234)
	request := testenv.Must(http.NewRequest(http.MethodPost, "http://gateway/", strings.NewReader("the form")))(t)
	request.Header.Set("Signature", signature)
	sent := &capture{}
	testenv.Must(Transport(sent, "key_1", "s3cret").RoundTrip(request))(t)
	testenv.Check(t, sent.request.Header.Get("Signature") == signature && sent.request.Header.Get("X-Merchant-Secret") == "s3cret",
		"sent %v", sent.request.Header)
}
