package rpc

//go:generate npm ci --silent --no-audit --no-fund --prefix ../internal/tools/es
//go:generate go tool -modfile=../internal/tools/buf/go.mod buf generate
//go:generate go tool -modfile=../internal/tools/buf/go.mod buf build --as-file-descriptor-set -o rest/descriptors.binpb
//go:generate go generate ./rest/describe ../internal/gendocs
