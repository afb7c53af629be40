const { User } = require("./lib/user");

const user = new User(); /* é😀 */ user.hello();
