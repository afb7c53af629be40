/** Who somebody is. */
class User {
  hello() { return "é😀"; }
}

function describe() {}

module.exports = { User };
