// Package acceptance tests the gateway as those meet it who run it and who call
// it: it builds the program, starts it in processes of its own, and speaks to
// it over HTTP, by signals, by its commands and through its database. The
// interface document and the decisions beside it, in testdata, are proved
// statement by statement. There is no program code here.
package acceptance
