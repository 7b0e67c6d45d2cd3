// Package edge has what every HTTP server of the program needs: request ids,
// the log and metrics of requests, authentication and limits, the size of
// bodies, uploads, trusted proxies, headers that protect pages, and the
// statuses of errors. It knows neither the API's messages nor the pages.
package edge
