package webhook

import "sync"

const (
	// placesAll limits the deliveries that one process has in progress.
	// Endpoints whose last attempt had no answer take at most placesSlow of
	// them, and while placesMore are taken no endpoint gets a second place.
	// So there is always a place for an endpoint that answers.
	placesAll  = 2_000
	placesSlow = 1_500
	placesMore = 1_000
	// perEndpoint and perMerchant limit the places of one endpoint and of
	// one merchant. The second is for merchants with many hosts.
	perEndpoint = 10
	perMerchant = 50
)

// endpointKey identifies an endpoint. Merchants with the same host do not share
// its places.
type endpointKey struct {
	merchantID int64
	host       string
}

// places are taken by deliveries in progress. An endpoint that is visited has
// one, and gets more as it answers.
type places struct {
	mu          sync.Mutex
	taken, slow int
	merchants   map[int64]int
}

func newPlaces() *places { return &places{merchants: map[int64]int{}} }

// free returns how many endpoints may be leased: quick is for those that
// answered the last time, and slow for the others.
func (p *places) free() (quick, slow int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	quick = placesAll - p.taken
	return quick, min(quick, placesSlow-p.slow)
}

// full lists the merchants that have as many places as one merchant may have.
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

// back frees a place; slow must be the value that was given to first.
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
