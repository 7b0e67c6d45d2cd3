package pay

import (
	"strings"
)

// opened keeps that the payer opened a page, by its name. What the page's own
// script asks for again is no opening, and neither is what a browser fetches
// ahead of its user.
func (p *Pay) opened(v visit, page string) {
	header := v.r.Header
	if header.Get("Sec-Fetch-Dest") == "empty" || strings.Contains(header.Get("Sec-Purpose"), "prefetch") {
		return
	}
	p.Payments.Visited(v.r.Context(), v.payment, page, agentFamily(header.Get("User-Agent")))
}

// agentFamilies are the browsers that are told apart, by what their names in
// User-Agent hold. Most also name those they descend from, which stand further
// down.
var agentFamilies = []struct{ mark, family string }{
	{"YaBrowser/", "Yandex"}, {"SamsungBrowser/", "Samsung"}, {"OPR/", "Opera"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"},
	{"Edg/", "Edge"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
	{"Safari/", "Safari"}, {"AppleWebKit/", "Safari"},
}

// agentFamily is the family of a browser. Nothing more of its name is kept: it
// would tell payers apart.
func agentFamily(agent string) string {
	for _, known := range agentFamilies {
		if strings.Contains(agent, known.mark) {
			return known.family
		}
	}
	return "other"
}
