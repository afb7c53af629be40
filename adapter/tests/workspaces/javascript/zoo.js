const { User } = require("./lib/user");

new User().hello(); // User
