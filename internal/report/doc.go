// Package report reads what the portals show: lists of payments, payouts,
// events and requests with filters, what is known of payers, and exports. It
// changes nothing but the first id of each day, which a background job notes.
// Answers are typed values; how they are worded is up to the reader.
package report
