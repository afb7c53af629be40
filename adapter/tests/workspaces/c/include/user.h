#pragma once
/* Who somebody is. */
typedef struct user {
    const char *name;
    int age;
} user_t;

#define LIMIT 10

int user_hello(const user_t *user);
