package pay

import (
	"strings"
)

// opened records that the payer opened a page. Requests of the page's own
// script and pages that a browser prefetches do not count.
func (p *Pay) opened(v visit, page string) {
	header := v.r.Header
	if header.Get("Sec-Fetch-Dest") == "empty" || strings.Contains(header.Get("Sec-Purpose"), "prefetch") {
		return
	}
	p.Payments.Visited(v.r.Context(), v.payment, page, agentFamily(header.Get("User-Agent")))
}

// agentFamilies are the families of browsers with what their User-Agent
// contains. Most also contain the names of older browsers, so the order
// matters.
var agentFamilies = []struct{ mark, family string }{
	{"YaBrowser/", "Yandex"}, {"SamsungBrowser/", "Samsung"}, {"OPR/", "Opera"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"},
	{"Edg/", "Edge"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
	{"Safari/", "Safari"}, {"AppleWebKit/", "Safari"},
}

// agentFamily is the family of a browser. Nothing else of the User-Agent is
// stored, because it could identify payers.
func agentFamily(agent string) string {
	for _, known := range agentFamilies {
		if strings.Contains(agent, known.mark) {
			return known.family
		}
	}
	return "other"
}
