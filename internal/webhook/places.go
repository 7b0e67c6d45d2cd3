package webhook

import "sync"

const (
	// placesAll limits the deliveries that one process has under way. Endpoints without an answer the
	// last time take at most placesSlow of them, and no endpoint gets a second place while placesMore
	// are taken: so there is always one for an endpoint that answers.
	placesAll  = 2_000
	placesSlow = 1_500
	placesMore = 1_000
	// perEndpoint and perMerchant limit them for one endpoint or merchant. The latter is for
	// merchants with many hosts.
	perEndpoint = 10
	perMerchant = 50
)

// endpointKey identifies an endpoint. Merchants with the same host do not share its places.
type endpointKey struct {
	merchantID int64
	host       string
}

// places are taken by deliveries under way. An endpoint that is visited has one, and gets more as it
// answers.
type places struct {
	mu          sync.Mutex
	taken, slow int
	merchants   map[int64]int
}

func newPlaces() *places { return &places{merchants: map[int64]int{}} }

// free is how many endpoints may be leased, of those with an answer the last time and of those
// without.
func (p *places) free() (quick, slow int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	quick = placesAll - p.taken
	return quick, min(quick, placesSlow-p.slow)
}

// full are the merchants with as many places as one may have.
func (p *places) full() []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []int64{}
	for id, taken := range p.merchants {
		if taken >= perMerchant {
			list = append(list, id)
		}
	}
	return list
}

// first takes an endpoint's first place, unless its merchant has too many.
func (p *places) first(merchantID int64, slow bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.merchants[merchantID] >= perMerchant {
		return false
	}
	p.add(merchantID, 1)
	if slow {
		p.slow++
	}
	return true
}

// more takes another place for an endpoint, unless others need it.
func (p *places) more(merchantID int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= placesMore || p.merchants[merchantID] >= perMerchant {
		return false
	}
	p.add(merchantID, 1)
	return true
}

// back frees a place; slow must be what first was given.
func (p *places) back(merchantID int64, slow bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(merchantID, -1)
	if slow {
		p.slow--
	}
}

func (p *places) add(merchantID int64, n int) {
	p.taken += n
	if p.merchants[merchantID] += n; p.merchants[merchantID] == 0 {
		delete(p.merchants, merchantID)
	}
}
