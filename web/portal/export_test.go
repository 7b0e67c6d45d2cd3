package portal

// Patterns are those of all routes, and whether they are open to everybody.
func Patterns(rooms Rooms) map[string]bool {
	found := map[string]bool{}
	for _, route := range (&Portal{Rooms: rooms}).routes() {
		found[route.pattern] = route.open
	}
	return found
}

// Quoted is a text as a shell takes it for one word.
func Quoted(text string) string { return quoted(text) }
