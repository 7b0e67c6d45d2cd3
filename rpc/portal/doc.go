// Package portal serves portal.v1, the RPCs for the portals' own programs, to
// merchants and traders: one or more files for each service, and each method a
// mapping between its messages and a method of a service below. Package rpc
// says who may call what; operators' calls are in operator, and what only reads
// in report.
package portal
