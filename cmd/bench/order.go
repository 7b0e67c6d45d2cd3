package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gateway.example/internal/payment"
	"gateway.example/rpc/sign"
)

// orders makes requests to create payments for one cashbox and method. Amounts
// are random, so that they rarely collide on a requisite.
type orders struct {
	box
	method, callback string
}

func orderID(n int64) string { return fmt.Sprintf("bench-%012d", n) }

// amount is a random amount from 100.00 to 9,999.99.
func amount() string {
	cents := 10_000 + rand.IntN(990_000)
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

func (o orders) body(id, amount string) []byte {
	return fmt.Appendf(nil, `{"orderId":%q,"amount":%q,"currency":%q,"method":%q,"callbackUri":%q,"description":"Order of the bench",`+
		`"payer":{"userId":"user-%s","userIp":"203.0.113.7","fullName":"Ivan Petrov","type":"trusted",`+
		`"payments":{"successful":3,"expired":0}}}`, id, amount, currency, o.method, o.callback, id)
}

// asked is the body of a request.
func (o orders) asked(id, amount string) payment.Request {
	user, ip, description := "user-"+id, "203.0.113.7", "Order of the bench"
	return payment.Request{
		OrderID: id, Amount: amount, Currency: currency, Method: &o.method, CallbackURI: o.callback,
		Description: &description, Payer: &payment.Payer{
			UserID: &user, UserIP: &ip, FullName: "Ivan Petrov", Type: "trusted", Successful: 3, Counted: true,
		},
	}
}

// request is a whole signed HTTP request, made before the measurement.
func (o orders) request(address string, body []byte) []byte {
	names := sign.DefaultHeaders
	return post(address, "/api/v1/payments", body,
		names.KeyID, o.keyID, names.Secret, o.secret, names.Signature, sign.Signature(o.secret, body))
}

// post is an HTTP request with a JSON body; headers alternate between names
// and values.
func post(address, path string, body []byte, headers ...string) []byte {
	made := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
		path, address, len(body))
	for header := range slices.Chunk(headers, 2) {
		made = fmt.Appendf(made, "%s: %s\r\n", header[0], header[1])
	}
	return append(append(made, "\r\n"...), body...)
}

// orders makes requests for a cashbox. Its webhooks go to the endpoint with
// that number.
func (b *bench) orders(of box, method string, endpoint int) orders {
	return orders{of, method, b.hooks.urls[endpoint%endpoints]}
}

func (b *bench) create(of box, method string, endpoint int, id string) []byte {
	o := b.orders(of, method, endpoint)
	return o.request(b.address(), o.body(id, amount()))
}
