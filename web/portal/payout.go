package portal

var payoutRoutes []route
