// Package directory stores the settings that operators make: merchants,
// cashboxes and how they look, methods, limits, traders and their money,
// requisites. It writes them and the log of their changes.
package directory
