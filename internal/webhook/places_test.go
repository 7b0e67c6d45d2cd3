package webhook

import "testing"

// One merchant of many hosts has no more than a merchant's places.
func TestPlacesOfAMerchant(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	for i := range perMerchant {
		if !p.first(1, false) {
			t.Fatalf("full after %d", i)
		}
	}
	if p.first(1, false) || p.more(1) || len(p.full()) != 1 || p.full()[0] != 1 {
		t.Errorf("a merchant got more than its places; full are %v", p.full())
	}
	if !p.first(2, false) || !p.more(2) {
		t.Error("another merchant has none")
	}
	p.back(1, false)
	if len(p.full()) != 0 || !p.more(1) {
		t.Error("a place given back is not free")
	}
}

// However many endpoints hang, there is a place for one that answers; and none gets a second one
// while many are taken.
func TestPlacesAreKeptForThoseWhoAnswer(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	if quick, slow := p.free(); quick != placesAll || slow != placesSlow {
		t.Errorf("of empty places %d and %d are free", quick, slow)
	}
	for merchant := range int64(placesSlow) {
		if !p.first(merchant, true) {
			t.Fatal("no place")
		}
	}
	if quick, slow := p.free(); quick != placesAll-placesSlow || slow != 0 {
		t.Errorf("beside all that hang %d and %d are free", quick, slow)
	}
	if !p.first(placesSlow, false) {
		t.Error("no place for one that answers")
	}
	if p.more(placesSlow) {
		t.Error("a second one for an endpoint, while many wait for a first")
	}
	for merchant := range int64(placesSlow) {
		p.back(merchant, true)
	}
	if quick, slow := p.free(); quick != placesAll-1 || slow != placesSlow || !p.more(placesSlow) {
		t.Errorf("given back, %d and %d are free", quick, slow)
	}
}
