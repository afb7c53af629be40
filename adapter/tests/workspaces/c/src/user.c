#include "user.h"

static int helper(int x) { return x; }

int user_hello(const user_t *user) {
    /* é😀 */ return helper(user->age) + LIMIT;
}
