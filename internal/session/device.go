package session

import (
	"strconv"
	"strings"

	"github.com/gorilla/securecookie"

	"gateway.example/internal/auth"
	"gateway.example/internal/fault"
)

const (
	deviceName = "device"
	// DeviceLife is how long a browser in which somebody has signed in is
	// recognized.
	DeviceLife = knownFor
)

// NewDevice is the value of a cookie that marks a browser in which the
// session's user has signed in. The cookie grants nothing: it only keeps
// strangers who guess the password from locking the user out in this browser.
func (s *Service) NewDevice(session Session) (string, error) {
	value := strconv.FormatInt(session.userID(), 10) + " " + auth.RandomToken()
	cookie, err := securecookie.EncodeMulti(deviceName, []byte(value), s.devices...)
	return cookie, fault.Doing("seal the device's cookie", err)
}

// IsDevice reports whether a cookie marks a browser in which the session's user
// has signed in.
func (s *Service) IsDevice(cookie string, session Session) bool {
	userID, device := s.device(cookie)
	return device != "" && userID == session.userID()
}

// device decodes the cookie to the user's id and a random name. Any other value
// belongs to nobody.
func (s *Service) device(cookie string) (userID int64, name string) {
	var value []byte
	if cookie == "" || securecookie.DecodeMulti(deviceName, cookie, &value, s.devices...) != nil {
		return 0, ""
	}
	id, name, _ := strings.Cut(string(value), " ")
	userID, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, ""
	}
	return userID, name
}
