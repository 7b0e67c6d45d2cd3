package portal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"gateway.example/internal/directory"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func SettingResponse(c directory.Change, err error) (*portalv1.SettingResponse, error) {
	change, err := SettingChange(c, err)
	return &portalv1.SettingResponse{Change: change}, err
}

// SettingChange is a line of the log of settings that a call gave, unless that
// failed.
func SettingChange(c directory.Change, err error) (*portalv1.SettingChange, error) {
	if err != nil {
		return nil, err
	}
	before, err := Object(c.Before)
	if err != nil {
		return nil, err
	}
	after, err := Object(c.After)
	return &portalv1.SettingChange{
		Id:         c.ID,
		At:         rpc.Timestamp(c.At),
		Actor:      c.Actor,
		Subject:    c.Subject,
		SubjectKey: c.SubjectKey,
		Before:     before,
		After:      after,
		Reason:     c.Reason,
	}, err
}

// Object reads a JSON object; none is nil. Amounts and rates become text: as
// numbers they would be floats.
func Object(content []byte) (*structpb.Struct, error) {
	if content == nil {
		return nil, nil //nolint:nilnil // nothing was there before
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("read setting: %w", err)
	}
	for name, value := range fields {
		if number, ok := value.(json.Number); ok && strings.Contains(number.String(), ".") {
			fields[name] = number.String()
		}
	}
	return structpb.NewStruct(fields)
}
