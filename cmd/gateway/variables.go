package main

// variable is an environment variable that no flag has. Secrets come by the environment alone,
// because flags show in lists of processes.
type variable struct{ name, help string }

const (
	envExternalSecret = "GATEWAY_EXTERNAL_PAYMENTS_SECRET"
	envVaultKeys      = "GATEWAY_VAULT_KEYS"
	envLinkKeys       = "GATEWAY_LINK_KEYS"
	envMerchantSecret = "GATEWAY_MERCHANT_SECRET"
	envWebhookSecret  = "GATEWAY_WEBHOOK_SECRET"
)

// The descriptions are also those of the documentation.
var (
	vaultKeysVariable = variable{envVaultKeys, "Keys that seal secrets and card data in the database. " +
		"Each key is the base64 of 32 random bytes. Several keys are separated by commas, the newest first. " +
		"Needed in production."}
	linkKeysVariable = variable{envLinkKeys, "Keys that make the links of the hosted pages, in the same form. " +
		"Needed in production."}
	externalSecretVariable = variable{envExternalSecret, "Secret that signs `POST /api/v1/payments/{id}/callback`, " +
		"at least 32 characters. Without it the program starts with a warning and answers payment creations and " +
		"callbacks with 503. A sandbox makes its own."}
	merchantSecretVariable = variable{envMerchantSecret, "For `gateway sign` only: the secret of the merchant's key. " +
		"Empty: the secret that the sandbox in the data directory has for the key."}
	webhookSecretVariable = variable{envWebhookSecret, "For `gateway sign -check` only: a webhook secret, " +
		"which may have been used by mistake."}
	postgresVariable = variable{"GATEWAY_POSTGRES_BIN", "Directory of the PostgreSQL programs for the server that " +
		"a sandbox and the tests start. Empty: they are searched for."}
)
