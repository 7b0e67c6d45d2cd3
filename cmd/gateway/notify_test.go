package main

import (
	"testing"

	"gateway.example/internal/notify"
	"gateway.example/internal/testenv"
)

func TestMailServer(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]notify.MailServer{
		"smtp://smtp.example.com":              {Host: "smtp.example.com", Port: 587},
		"smtp://u%40x:p%3Aw@smtp.example.com/": {Host: "smtp.example.com", Port: 587, User: "u@x", Password: "p:w"},
		"smtps://u:p@smtp.example.com":         {Host: "smtp.example.com", Port: 465, User: "u", Password: "p", TLS: true},
		"smtps://smtp.example.com:2465":        {Host: "smtp.example.com", Port: 2465, TLS: true},
		"smtp://127.0.0.1:25":                  {Host: "127.0.0.1", Port: 25, Plain: true},
		"smtps://localhost":                    {Host: "localhost", Port: 465, TLS: true},
		"smtp.example.com:587":                 {},
		"https://smtp.example.com":             {},
		"smtp://":                              {},
		"smtp://smtp.example.com/a?b=c":        {},
	} {
		got, reads := mailServer(address)
		testenv.Want(t, reads, want.Host != "", "%s is read", address)
		if reads {
			testenv.Want(t, got, want, "%s", address)
		}
	}
}
