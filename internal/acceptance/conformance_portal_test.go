package acceptance

var portalSections = []section{
	{`GET /api/merchant-portal/merchant-cashboxes/{merchantCashbox}/api-credentials`, []row{
		{`- Path: merchantCashbox integer.`,
			all(gives(tokenGet(portalKeys, "merchant"), 200),
				refused(tokenGet(cashboxKeys("x"), "merchant"), 404, "not_found"),
				refused(tokenGet(cashboxKeys("999999"), "merchant"), 404, "not_found"),
				refused(tokenGet(cashboxKeys("{second}"), "merchant"), 403, "cashbox_access_denied"))},
		{`- 200: {data: [credential item], legacy: {exists (boolean), source (string or null),
			has_active_new_credential (boolean), fallback_enabled (boolean), can_be_removed (boolean)}}.`,
			shows("credentials", only("", "data", "legacy"), only("data.0", keyFields...),
				has("legacy.exists", boolean), has("legacy.source", either(aText, null)),
				has("legacy.has_active_new_credential", boolean), has("legacy.fallback_enabled", boolean),
				has("legacy.can_be_removed", boolean),
				only("legacy", "exists", "source", "has_active_new_credential", "fallback_enabled", "can_be_removed"))},
		{`- 401 not authorized; 403 a merchant-portal token is required.`,
			all(refused(nobodyGets(portalKeys), 401, "unauthenticated"),
				refused(tokenGet(portalKeys, "payer"), 403, "merchant_portal_token_required"),
				refused(tokenGet(portalKeys, "operator"), 403, "merchant_portal_token_required"))},
	}},
	{`POST /api/merchant-portal/merchant-cashboxes/{merchantCashbox}/api-credentials`, []row{
		{`- Creates a key for the product cashbox; the raw secret is returned only in the response. JSON body
			includes a string name; other body fields: not shown. Response body and status codes: not shown.`,
			all(newKey.needs("name"),
				newKey.atMost("name", 100),
				newKey.takes("scopes", "", "[]", `["payouts","deposits"]`),
				newKey.rejects("scopes", `"payments"`, "1", "{}", `["admin"]`, "null"),
				do(newKeyWorks),
				do(secretIsShownOnce),
				shows("credential", only("", "data", "secret"), only("data", keyFields...),
					has("data.scopes", exactly(`["payments"]`)), is("data.status", "active")))},
	}},
}
