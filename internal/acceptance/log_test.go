package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Secrets go everywhere a caller can put them, and are found in no log. What the other tests send
// is searched for at the end of them all.
func TestLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box, trader := g.first(), g.user(t, "trader-1")
	link := g.create(t, box, nil).text("data.paymentPageUrl")
	token := link[strings.LastIndex(link, "/")+1:]
	for _, address := range []string{
		link, link + "x", g.PayURL + "/pay/" + token, g.BaseURL + "/api/v1/checkout/" + token, g.BaseURL + payments + "/" + token,
		g.BaseURL + payments + "/" + box.Secret + "?secret=" + box.Secret + "&token=" + trader.Token, g.BaseURL + "/" + trader.Token,
		g.BaseURL + "/" + trader.Token + "/Login", g.PortalURL + "/" + trader.Token,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_ = fetched(t, method, address, box.Secret, header{
				"Authorization":     "Bearer " + trader.Token,
				"X-Merchant-Secret": box.Secret,
				"Cookie":            "session=" + trader.Token,
				"X-Request-Id":      strings.Repeat("x", 65) + trader.Token,
				"Referer":           link,
				"User-Agent":        box.Secret,
			})
		}
	}
	for _, body := range []string{`{"status":"` + box.Secret + `"}`, box.Secret, `{"` + box.Secret + `":1}`} {
		g.callback(t, "1", body)
		g.post(t, box, body)
	}
	for _, login := range [][2]string{{trader.Password, trader.Password}, {trader.Login, trader.Token}} {
		body := fmt.Sprintf(`{"login":%q,"password":%q}`, login[0], login[1])
		fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, nil).want(t, "a sign-in", 401)
	}
	const id = "find-me-in-the-log"
	send(t, http.MethodGet, g.BaseURL+payments+"/1", "", with(signed(box, ""), "X-Request-Id", id))
	// Without this, an empty log would pass.
	logs.await(t, `"request_id":"`+id+`"`)
	noError(t, leaks())
}
