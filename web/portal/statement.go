package portal

var statementRoutes []route
