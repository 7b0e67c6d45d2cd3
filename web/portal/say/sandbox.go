package say

var sandboxFlashes = map[string]Flash{}
