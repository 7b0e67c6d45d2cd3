package portal

var requisiteRoutes []route
