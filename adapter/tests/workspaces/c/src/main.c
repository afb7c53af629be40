#include "user.h"

static void unused(void) {}

int main(void) {
    user_t user = {"é😀", 3};
    /* é😀 */ user_hello(&user); user_hello(&user);
    return LIMIT;
}
