package portal

// Patterns are those of all routes, and whether they are open to everybody.
func Patterns(rooms Rooms) map[string]bool {
	found := map[string]bool{}
	for _, route := range (&Portal{Rooms: rooms}).routes() {
		found[route.pattern] = route.open
	}
	return found
}
