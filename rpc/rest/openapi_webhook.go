package rest

import (
	"google.golang.org/protobuf/proto"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

const webhookTag = "Webhooks"

// webhooks describes the events for merchants: the messages of webhook.proto
// with the option webhook.
func (d *description) webhooks() object {
	described := object{}
	all := gatewayv1.File_gateway_v1_webhook_proto.Messages()
	for i := range all.Len() {
		message := all.Get(i)
		event, ok := proto.GetExtension(message.Options(), gatewayv1.E_Webhook).(*gatewayv1.Webhook)
		if !ok || event.GetType() == "" {
			continue
		}
		described[event.GetType()] = object{"post": object{
			"operationId": string(message.Name()),
			"summary":     event.GetSummary(),
			"description": d.comment(message.FullName()),
			"tags":        d.tag(webhookTag),
			"security":    []any{},
			"parameters":  webhookHeaders,
			"requestBody": object{"required": true, "content": d.content(newSchema(message), false)},
			"responses":   webhookAnswers,
		}}
	}
	return described
}

var webhookHeaders = []any{
	webhookHeader("webhook-id", "The event's id, the same for every attempt.", object{"type": "string", "format": "uuid"}),
	webhookHeader("webhook-timestamp", "When this attempt was made, in Unix seconds.", object{"type": "integer"}),
	webhookHeader(
		"webhook-signature",
		"Signatures by the Standard Webhooks scheme, separated by spaces. Accept the event if one of them is right.",
		object{"type": "string"},
	),
	webhookHeader("Signature", "Hex HMAC-SHA256 of the body, under the newest secret.", object{"type": "string"}),
}

func webhookHeader(name, text string, schema object) object {
	return object{"name": name, "in": "header", "required": true, "description": text, "schema": schema}
}

var webhookAnswers = object{
	"2XX": object{"description": "The event was taken. Answer within 15 seconds."},
	"410": object{"description": "The event is not wanted: it is not sent again."},
	"default": object{
		"description": "The event is sent again later, for about three days. `Retry-After` of up to 24 hours is respected.",
	},
}
