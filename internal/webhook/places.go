package webhook

import "sync"

const (
	// placesAll bounds the deliveries one process has on their way at once. Endpoints that had no
	// answer the last time take no more than placesSlow of them, and no endpoint gets more than one
	// while placesMore are taken: so there is always one for an endpoint that answers.
	placesAll  = 2_000
	placesSlow = 1_500
	placesMore = 1_000
	// perEndpoint and perMerchant bound them for one. The second is for a merchant of many hosts.
	perEndpoint = 10
	perMerchant = 50
)

// endpointKey is whom the deliveries of an endpoint go to. Merchants who share a host do not share
// its places.
type endpointKey struct {
	merchantID int64
	host       string
}

// places are what deliveries need to be on their way. An endpoint that is worked has one, and gets
// more as it answers.
type places struct {
	mu          sync.Mutex
	taken, slow int
	merchants   map[int64]int
}

func newPlaces() *places { return &places{merchants: map[int64]int{}} }

// free is how many endpoints may be taken up, of those that had an answer and of those that had
// none.
func (p *places) free() (quick, slow int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	quick = placesAll - p.taken
	return quick, min(quick, placesSlow-p.slow)
}

// full are the merchants who have all the places that one may have.
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

// first takes an endpoint's first place, unless its merchant has as many as they may.
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

// more takes another place for an endpoint, unless they are needed for others.
func (p *places) more(merchantID int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= placesMore || p.merchants[merchantID] >= perMerchant {
		return false
	}
	p.add(merchantID, 1)
	return true
}

// back gives a place back; slow is what first was told.
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
