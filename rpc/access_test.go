package rpc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// procedures lists those of every service of ours that is compiled in.
func procedures() map[string]bool {
	all := map[string]bool{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for _, ours := range []string{"gateway.", "portal.", "sandbox."} {
			if !strings.HasPrefix(string(file.Package()), ours) {
				continue
			}
			for i := range file.Services().Len() {
				service := file.Services().Get(i)
				for j := range service.Methods().Len() {
					all[fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(j).Name())] = true
				}
			}
		}
		return true
	})
	return all
}

// A procedure without a row would have nobody to check who calls it; a row
// without a procedure is a slip of the pen.
func TestEveryProcedureHasARow(t *testing.T) {
	t.Parallel()
	all := procedures()
	testenv.Need(t, len(all) != 0, "no services found")
	for procedure := range all {
		testenv.Check(t, len(Access(procedure)) != 0, "%s has no row", procedure)
	}
	for row := range access {
		service := "/" + row + "/"
		testenv.Check(t, all[row] || slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(procedure string) bool {
			return strings.HasPrefix(procedure, service)
		}), "%s is no procedure and no service", row)
	}
}

// No procedure that lets operators in comes without a row that says what it
// takes of them.
func TestOperatorsNeedARow(t *testing.T) {
	t.Parallel()
	known := slices.Collect(maps.Keys(procedures()))
	needs := testenv.Must(operatorNeeds(operatorActs, known))(t)
	for procedure := range needs {
		testenv.Check(t, slices.Contains(Access(procedure), caller.Operator), "%s lets no operator in", procedure)
	}
	const unlisted = portalv1connect.OperatorServiceFundTraderProcedure
	fewer := maps.Clone(operatorActs)
	fewer[caller.OperatorMoney] = slices.DeleteFunc(slices.Clone(fewer[caller.OperatorMoney]),
		func(procedure string) bool { return procedure == unlisted })
	_, err := operatorNeeds(fewer, known)
	testenv.Check(t, err != nil && strings.Contains(err.Error(), unlisted), "error %v; want it to name the procedure", err)
}

func TestDoorNeedsARow(t *testing.T) {
	t.Parallel()
	const unknown = "/gateway.v1.PaymentService/DropEverything"
	_, err := edge.NewDoor(nil, nil, nil, access, uploads, unfinished, []string{unknown})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), unknown), "error %v; want it to name the procedure", err)
	known := slices.Collect(maps.Keys(procedures()))
	_, err = edge.NewDoor(nil, nil, nil, access, uploads, unfinished, known)
	testenv.Check(t, err == nil, "%v", err)
}
