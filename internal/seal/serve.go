package seal

import (
	"fmt"
	"net/http"
)

// ServeRoots serves the published pages: the newest, or those of the month in
// the query, as in ?month=2026-11.
func (s *Service) ServeRoots(w http.ResponseWriter, r *http.Request) error {
	file, keep, err := s.Published(r.Context(), r.URL.Query().Get("month"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(keep.Seconds())))
	_, _ = w.Write(file) //nolint:gosec // JSON, and sent as such
	return nil
}
