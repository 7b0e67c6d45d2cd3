// Package edge is what every HTTP door of the program needs, whatever is behind it: request ids,
// the log and the metrics of requests, authentication and limits, the size of bodies, uploads,
// trusted proxies, the headers that protect pages, and the status that an error becomes. It knows
// neither the API's messages nor the pages.
package edge
