// Package report is what the portals read: lists of payments and payouts with filters, statements of
// accounts, counts of what waits, and exports. It changes nothing but its own summaries, which a background job keeps: the first id of each day, and what accounts had at
// the end of it. What is answered is typed; the words for it are the reader's.
package report
