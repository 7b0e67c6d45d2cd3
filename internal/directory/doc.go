// Package directory is what operators set: merchants, cashboxes and how they look, methods, limits,
// traders and their money, requisites. It writes these settings and the log of their changes, and
// keeps in memory those that payments are made by.
package directory
