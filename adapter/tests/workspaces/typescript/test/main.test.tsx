import { total, User } from "../src/index";

const user = new User("é😀"); user.hello();
// User in a comment
console.log(total([user, new User("b")]), "User");
