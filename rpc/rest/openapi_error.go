package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// These codes follow from who may call an operation and from the form of its
// request. An operation's option adds its own.
var (
	codesOfAll    = []string{"internal_error", "busy", "unavailable", "rate_limited"}
	codesOfWrites = []string{"outcome_unknown"}
	codesOfBodies = []string{"body_too_large", "unsupported_media_type", validationFailed}
	codesOfKeys   = []string{
		"signature_required", "merchant_key_id_required", "merchant_secret_required", "invalid_signature",
		"key_address_not_allowed", "key_expired", "merchant_api_disabled", "merchant_binding_required",
	}
	codesOfApplication = []string{"signature_required", "invalid_signature"}
	codesOfUsers       = []string{"unauthenticated", "second_factor_required"}
	// codesOfPaths are the errors for unknown paths and wrong methods.
	codesOfPaths = []string{notFound, "method_not_allowed"}
)

const (
	validationFailed = "validation_failed"
	notFound         = "not_found"
)

// codesOf are all codes of an operation's errors, in the order of the list of
// codes.
func (d *description) codesOf(t route, op *gatewayv1.Operation) []fault.Code {
	names := slices.Concat(codesOfAll, codesOfCallers(rpc.Access(t.procedure)), op.GetCodes())
	if t.method != http.MethodGet {
		names = append(names, codesOfWrites...)
	}
	if hasBody(t.method) {
		names = append(names, codesOfBodies...)
	}
	if takesQuery(t) {
		names = append(names, validationFailed)
	}
	if strings.Contains(t.pattern, "{") {
		names = append(names, notFound)
	}
	return d.listed(names, t.procedure)
}

// listed are the codes with the names, without repeats. It complains about
// unknown names.
func (d *description) listed(names []string, of string) []fault.Code {
	for _, name := range names {
		if _, known := fault.FindCode(name); !known {
			d.complain("%s: there is no error code %q", of, name)
		}
	}
	var codes []fault.Code
	for _, code := range fault.Codes {
		if slices.Contains(names, code.Name) {
			codes = append(codes, code)
		}
	}
	return codes
}

// codesOfCallers are the codes that depend on who may call. All kinds of users
// have the same ones, except for the last, which says that another kind of user
// was expected: where only the merchant portal's users may call it has a name
// of its own.
func codesOfCallers(kinds []caller.Kind) []string {
	var names []string
	users := 0
	for _, kind := range kinds {
		switch kind {
		case caller.MerchantKey:
			names = append(names, codesOfKeys...)
		case caller.Application:
			names = append(names, codesOfApplication...)
		case caller.Device:
			names = append(names, "signature_required", "invalid_signature", "rate_limited")
		case caller.Anyone:
		default:
			users++
		}
	}
	if users == 0 {
		return names
	}
	names = append(names, codesOfUsers...)
	if len(kinds) == 1 && kinds[0] == caller.MerchantPortal {
		return append(names, "merchant_portal_token_required")
	}
	return append(names, "token_kind_not_allowed")
}

// refusals are an operation's error answers by status.
func (d *description) refusals(t route, op *gatewayv1.Operation) object {
	byStatus := map[int][]string{}
	for _, code := range d.codesOf(t, op) {
		status := edge.HTTPStatus(code.Kind)
		byStatus[status] = append(byStatus[status], code.Name)
	}
	responses := object{}
	for status, codes := range byStatus {
		responses[strconv.Itoa(status)] = d.refusal(status, codes)
	}
	return responses
}

// refusal is the error answer of a status, with these codes.
func (d *description) refusal(status int, codes []string) object {
	examples := object{}
	for _, code := range codes {
		examples[code] = reference("examples", code)
		d.addExample(code)
	}
	names := []string{"X-Request-Id"}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		names = append(names, "Retry-After")
	}
	schema := object{
		"allOf": []any{
			schemaReference("Error"),
			object{"type": "object", "properties": object{"code": object{"type": "string", "enum": codes}}},
		},
	}
	return object{
		"description": http.StatusText(status) + ": `" + strings.Join(codes, "`, `") + "`.",
		"content":     object{"application/json": object{"schema": schema, "examples": examples}},
		"headers":     headerReferences(names...),
	}
}

// addExample adds an example of an error with its remedy.
func (d *description) addExample(name string) {
	code, known := fault.FindCode(name)
	if _, done := d.examples[name]; done || !known {
		return
	}
	d.codes = append(d.codes, name)
	body := members{{"message", code.Meaning}, {"code", name}}
	if name == validationFailed {
		body = append(body, member{"errors", object{"amount": []string{"must be at least 1"}}})
	}
	body = append(body, member{"requestId", "019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b"})
	if name == "code_resend_too_early" {
		body = append(body, member{"nextAllowedAt", sampleTime})
	}
	d.examples[name] = object{"summary": code.Meaning, "description": code.PlainRemedy(), "value": body}
}

// errorSchema describes errorBody, with every code of the documented paths.
func (d *description) errorSchema() object {
	var names []string
	for _, code := range d.listed(slices.Concat(d.codes, codesOfPaths), "Error") {
		names = append(names, code.Name)
	}
	return object{
		"type":     "object",
		"required": []string{"message", "code", "requestId"},
		"description": "Every error has this shape. A path that does not exist is answered with not_found, and a method that a " +
			"path does not take with method_not_allowed.",
		"properties": members{
			{"message", object{"type": "string", "description": "For people, in English."}},
			{"code", object{"type": "string", "description": "Stable, for programs.", "enum": names}},
			{"errors", object{
				"type": "object", "description": "Every wrong field by its path, only with validation_failed.",
				"additionalProperties": object{"type": "array", "items": object{"type": "string"}},
			}},
			{"requestId", object{"type": "string", "description": "The same as in the header X-Request-Id."}},
			{"nextAllowedAt", object{
				"type": "string", "format": "date-time",
				"description": "When the call can succeed, only with code_resend_too_early.",
			}},
			{"details", detailsSchema()},
		},
	}
}

// detailsSchema is signatureDetails, described.
func detailsSchema() object {
	return object{
		"type": "object", "required": []string{"receivedBytes", "bodySha256", "expected", "hint"},
		"description": "What was signed wrongly, only with invalid_signature, and only where key and secret are right.",
		"properties": members{
			{"receivedBytes", object{
				"type": "integer", "minimum": 0,
				"description": "How many bytes were received of what is signed: the body, or an appeal's four lines.",
			}},
			{"bodySha256", object{
				"type": "string", "pattern": "^[0-9a-f]{64}$",
				"description": "Their SHA-256, to compare with that of what you sign.",
			}},
			{"expected", object{
				"type": "string", "enum": []string{fault.ExpectedSignature},
				"description": "What a signature looks like. The right one is never told.",
			}},
			{
				"hint",
				object{"type": "string", "description": "What seems to be wrong and what to do about it, in English."},
			},
		},
	}
}
