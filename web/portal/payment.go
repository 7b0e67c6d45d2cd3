package portal

var paymentRoutes []route
