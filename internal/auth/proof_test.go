package auth_test

import (
	"context"
	"reflect"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

func upload(reason, fileName string, size int64) auth.Upload {
	return auth.Upload{Reason: &reason, FileName: &fileName, FileSize: &size}
}

// An upload's caller is nobody until the handler has checked what the signature
// covers.
func TestProveUpload(t *testing.T) {
	_, m, keys := signing(t)
	good := upload("x", "a.pdf", 4)
	ctx := auth.WithProof(t.Context(), testenv.Must(keys.Begin(request(t, headers(m, "appeal-v1\nx\na.pdf\n4"))))(t))
	testenv.Want(t, caller.From(ctx).Kind, caller.Anyone, "unproved, the caller is")
	who, _ := testenv.Must2(auth.ProveUpload(ctx, good))(t)
	testenv.Check(t, reflect.DeepEqual(who, m.Caller), "proved to be %+v", who)
	for name, wrong := range map[string]auth.Upload{
		"reason": upload("y", "a.pdf", 4), "name": upload("x", "b.pdf", 4), "size": upload("x", "a.pdf", 5),
		"empty": upload("", "", 0), "shifted": upload("x\na.pdf", "4", 0),
	} {
		who, _, err := auth.ProveUpload(ctx, wrong)
		refused(t, err, fault.Forbidden, "invalid_signature")
		testenv.Check(t, reflect.DeepEqual(who, caller.Caller{}), "%s: let in as %+v", name, who)
	}
	// Without one of the parts there is no text to sign; the gateway
	// refuses such an upload.
	for name, part := range map[string]auth.Upload{
		"nothing": {}, "no reason": {FileName: good.FileName, FileSize: good.FileSize}, "no file": {Reason: good.Reason, FileName: good.FileName},
		"no name": {Reason: good.Reason, FileSize: good.FileSize},
	} {
		who, _, err := auth.ProveUpload(ctx, part)
		testenv.Check(t, err == nil && who.ID == m.Caller.ID, "%s: %+v, %v", name, who, err)
	}
	// Nothing was proved at the door: nothing is proved here.
	who, _, err := auth.ProveUpload(context.Background(), good)
	testenv.Check(t, err == nil && who.Kind == caller.Anyone, "%+v, %v", who, err)
}

// FormData, in browsers and in Node, sends line breaks and quotes otherwise
// than its caller signed them. Both are right, and what was signed is what
// counts.
func TestProveFormData(t *testing.T) {
	_, m, keys := signing(t)
	for name, test := range map[string]struct{ sentReason, sentName, reason, fileName string }{
		"as it is":       {"a\r\nb", "%22.pdf", "a\r\nb", "%22.pdf"},
		"lines":          {"a\r\nb\r\n\r\nc", "a.pdf", "a\nb\n\nc", "a.pdf"},
		"a quoted name":  {"a", "%22a%22.pdf", "a", `"a".pdf`},
		"name of lines":  {"a", "a%0D%0Ab.pdf", "a", "a\r\nb.pdf"},
		"both":           {"a\r\nb", "%22a%22.pdf", "a\nb", `"a".pdf`},
		"one of them":    {"a\r\nb", "%22a%22.pdf", "a\r\nb", `"a".pdf`},
		"other escapes":  {"a", "100%25%2F.pdf", "a", "100%25%2F.pdf"},
		"lines as typed": {"a\nb", "a.pdf", "a\nb", "a.pdf"},
	} {
		proof := testenv.Must(keys.Begin(request(t, headers(m, auth.AppealText(test.reason, test.fileName, 4)))))(t)
		who, signed, err := auth.ProveUpload(auth.WithProof(t.Context(), proof), upload(test.sentReason, test.sentName, 4))
		testenv.Check(t, err == nil && who.ID == m.Caller.ID && *signed.Reason == test.reason &&
			*signed.FileName == test.fileName && *signed.FileSize == 4, "%s: %+v as %+v, %v", name, who, signed, err)
	}
	for name, wrong := range map[string][2]string{
		"more lines": {"a\n\nb", "a.pdf"}, "no lines": {"ab", "a.pdf"}, "another name": {"a\nb", `"a.pdf`}, "CR alone": {"a\rb", "a.pdf"},
	} {
		proof := testenv.Must(keys.Begin(request(t, headers(m, auth.AppealText(wrong[0], wrong[1], 4)))))(t)
		_, _, err := auth.ProveUpload(
			auth.WithProof(t.Context(), proof), upload("a\r\nb", "a.pdf", 4),
		)
		testenv.Check(t, fault.As(err) != nil, "%s: let in", name)
	}
}
