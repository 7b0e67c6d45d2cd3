package portal

// Sandbox is what only a sandbox's portals have.
type Sandbox struct{}

var sandboxRoutes []route

func (v *visit) sandboxStart() error { return v.signInPage() }
