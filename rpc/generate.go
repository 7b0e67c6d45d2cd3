package rpc

//go:generate npm ci --silent --no-audit --no-fund --prefix ../internal/tools/buf
//go:generate ../internal/tools/buf/node_modules/.bin/buf generate
//go:generate ../internal/tools/buf/node_modules/.bin/buf build --as-file-descriptor-set --type gateway.v1 --type sandbox.v1 --type portal.v1.CredentialService --type portal.v1.OperatorService.GetAppealFile -o rest/descriptors.binpb
//go:generate go generate ./rest/describe ../internal/gendocs
