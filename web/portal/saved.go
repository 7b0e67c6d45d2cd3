package portal

var viewRoutes []route
