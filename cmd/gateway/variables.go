package main

// variable is an environment variable without a flag. Secrets have none,
// because flags are visible in process lists.
type variable struct{ name, help string }

const (
	envExternalSecret = "GATEWAY_EXTERNAL_PAYMENTS_SECRET"
	envVaultKeys      = "GATEWAY_VAULT_KEYS"
	envLinkKeys       = "GATEWAY_LINK_KEYS"
	envMerchantSecret = "GATEWAY_MERCHANT_SECRET"
	envWebhookSecret  = "GATEWAY_WEBHOOK_SECRET"
	envTelegramToken  = "GATEWAY_TELEGRAM_TOKEN"
	envSMTPURL        = "GATEWAY_SMTP_URL"
	envPushKeys       = "GATEWAY_PUSH_KEYS"
)

// The documentation uses the same descriptions.
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
	traceVariables = []variable{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "Collector that traces are sent to by OTLP over HTTP, such as " +
			"`http://127.0.0.1:4318`. Empty: no traces."},
		{"OTEL_EXPORTER_OTLP_HEADERS", "Headers for the collector, such as a key: `name=value`, separated by commas."},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "Only `http/protobuf`, which is the default."},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "Milliseconds that the collector has to answer. Empty: 10000."},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", "`gzip` has traces compressed."},
		{"OTEL_EXPORTER_OTLP_INSECURE", "`true` has traces sent by http whatever the endpoint says, `false` by https."},
		{
			"OTEL_EXPORTER_OTLP_CERTIFICATE",
			"File with the certificates that prove the collector. Empty: those of the system.",
		},
		{
			"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
			"File with the certificate that proves the gateway to the collector.",
		},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "File with the key of that certificate."},
		{"OTEL_TRACES_SAMPLER", "Which traces are kept, such as `traceidratio`. Empty: all."},
		{"OTEL_TRACES_SAMPLER_ARG", "Share of the traces that `traceidratio` keeps, such as `0.1`."},
		{"OTEL_RESOURCE_ATTRIBUTES", "Attributes of the process in all traces: `name=value`, separated by commas."},
		{"OTEL_SDK_DISABLED", "`true` turns traces off, whatever else is set."},
	}
	// chainVariables are the nodes of each network. They have no flags,
	// because a node's address can contain a key.
	chainVariables = []variable{
		{"GATEWAY_CHAIN_ARBITRUM_URLS", "Nodes of Arbitrum, as of `GATEWAY_CHAIN_TRC20_URLS`."},
		{"GATEWAY_CHAIN_BEP20_URLS", "Nodes of BNB Smart Chain, as of `GATEWAY_CHAIN_TRC20_URLS`."},
		{"GATEWAY_CHAIN_ERC20_URLS", "Nodes of Ethereum, as of `GATEWAY_CHAIN_TRC20_URLS`."},
		{"GATEWAY_CHAIN_POLYGON_URLS", "Nodes of Polygon, as of `GATEWAY_CHAIN_TRC20_URLS`."},
		{"GATEWAY_CHAIN_TRC20_URLS", "Nodes of Tron that answer JSON-RPC, which have to agree: addresses of two or more " +
			"providers, separated by commas. Empty: transfers by the network are not watched."},
	}
	postgresVariable = variable{"GATEWAY_POSTGRES_BIN", "Directory of the PostgreSQL programs for the server that " +
		"a sandbox and the tests start. Empty: they are searched for."}
	// notifyVariables are the secrets of the channels over which users get
	// messages.
	notifyVariables = []variable{
		{envTelegramToken, "Token of the bot that tells users by Telegram, from @BotFather. Empty: there is no Telegram."},
		{envSMTPURL, "SMTP server that mail to users is handed to: `smtp://user:password@smtp.example.com:587`, by TLS unless it is on this " +
			"machine, or `smtps://`, where TLS comes first. Empty: there is no mail."},
		{envPushKeys, "Keys that browsers' subscriptions belong to, as `gateway keys push` makes them. Empty: there is no push."},
	}
)
