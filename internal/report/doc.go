// Package report is what the portals read: lists of payments, payouts, events and requests with filters, what is known of payers,
// and exports. It changes nothing but the first id of each day, which a background job notes. What is answered is
// typed; the words for it are the reader's.
package report
