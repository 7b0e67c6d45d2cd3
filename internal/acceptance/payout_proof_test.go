package acceptance

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// A trader's program completes a payout with a file, larger than other calls may be, as JSON and as binary messages; the
// merchant's users and operators read it. Without a token the file is not taken, and one over the limit is told so.
func TestPayoutProof(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	photo := pdf + strings.Repeat("x", 1<<20)
	trader, name, reference := g.user(t, "trader-1").Token, "proof.hta", "T-17"
	for encoding, options := range map[string][]connect.ClientOption{"json": {connect.WithProtoJSON()}, "binary": nil} {
		id := g.createPayin(t, g.first(), nil).text("data.id")
		desk := g.desk(trader, options...)
		called(t, desk.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
		complete := &portalv1.CompletePayinRequest{
			PayinId: id, ProofReference: &reference, FileName: &name, File: []byte("<html>"),
		}
		_, err := desk.CompletePayin(t.Context(), connect.NewRequest(complete))
		if _, code, _ := connectFault(t, err); code != "validation_failed" {
			t.Errorf("%s: another file: %v", encoding, err)
		}
		complete.File = []byte(photo)
		_, err = g.desk("nobody", options...).CompletePayin(t.Context(), connect.NewRequest(complete))
		if connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("%s: without a token: %v", encoding, err)
		}
		testenv.Want(t, called(t, desk.CompletePayin, complete).GetData().GetStatus(), "completed", "%s", encoding)
		for _, login := range []string{"trader-1", "merchant", "operator"} {
			receipts := portalv1connect.NewReceiptServiceClient(withToken(g.user(t, login).Token), g.BaseURL)
			found := called(t, receipts.GetPayinReceipt, &portalv1.GetPayinReceiptRequest{PayinId: id})
			if found.GetFileName() != "proof.hta.pdf" || found.GetFileType() != "application/pdf" || string(found.GetContent()) != photo {
				t.Errorf("%s: %s reads %s of %s, %d bytes", encoding, login, found.GetFileName(), found.GetFileType(), len(found.GetContent()))
			}
		}
	}
}
