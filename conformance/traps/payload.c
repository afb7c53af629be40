// The code of a trap, as a library that is loaded or a program that is run. It springs every canary that it can reach.
//
// The marker below is overwritten in the compiled file with lines: name, canary folder, secret, TCP port, Unix socket,
// process to signal, argument that names the survivor.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

volatile char trap_words[1024] = "@DIALECT-TRAP-WORDS@";

static int leave(const char *folder, const char *kind, const char *name, const char *text, size_t size) {
    char path[1024];
    if (!folder || snprintf(path, sizeof path, "%s/trap-%s-%s", folder, kind, name) >= (int)sizeof path) return 0;
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file < 0) return errno == EEXIST ? -1 : 0;
    ssize_t written = write(file, text, size);
    close(file);
    return written == (ssize_t)size;
}

static void knock(int family, const void *address, socklen_t size, const char *name) {
    int to = socket(family, SOCK_STREAM, 0);
    if (to < 0) return;
    if (connect(to, address, size) == 0) {
        char line[128];
        int length = snprintf(line, sizeof line, "%s\n", name);
        if (send(to, line, length, MSG_NOSIGNAL) < 0) { /* the connection alone counts */ }
    }
    close(to);
}

static void survive(const char *argument) {
    pid_t child = fork();
    if (child != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    for (int file = 0; file < 256; file++) close(file);
    char *words[] = {"sleep", "60", (char *)argument, NULL}, *nothing[] = {NULL};
    execve("/usr/bin/sleep", words, nothing);
    execve("/bin/sleep", words, nothing);
    _exit(0);
}

__attribute__((constructor)) static void spring(void) {
    char words[1024], *word[7], *rest = words;
    for (int i = 0; i < 1024; i++) words[i] = trap_words[i];
    for (int i = 0; i < 7; i++)
        if (!(word[i] = strsep(&rest, "\n"))) return;
    const char *name = word[0], *canaries = word[1];

    // One run a place is enough: a preloaded library is loaded into everything.
    const char *inside[] = {getenv("OUT_DIR"), getenv("CARGO_TARGET_DIR"), getenv("TMPDIR"), "."};
    int was_here = leave(canaries, "ran", name, "", 0) < 0, is_marked = 0;
    for (int i = 0; i < 4 && !was_here; i++) {
        int left = leave(inside[i], "mark", name, "", 0);
        if (left < 0 && !is_marked) was_here = 1;
        is_marked |= left > 0;
    }
    if (was_here) return;

    leave("/tmp", "tmp", name, "", 0);
    char secret[256];
    int file = open(word[2], O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, secret, sizeof secret);
    if (size > 0) {
        leave(canaries, "secret", name, secret, size);
        for (int i = 0; i < 4; i++) leave(inside[i], "secret", name, secret, size);
    }

    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_port = htons(atoi(word[3]))};
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    knock(AF_INET, &tcp, sizeof tcp, name);
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    strncpy(path.sun_path, word[4], sizeof path.sun_path - 1);
    knock(AF_UNIX, &path, sizeof path, name);
    kill(atoi(word[5]), SIGTERM);
    survive(word[6]);
}

unsigned la_version(unsigned version) { return version; }

#ifdef PROGRAM
// As a server that waits for questions, or as an interpreter that has run the code of its command line.
int main(int count, char **arguments) {
    char byte;
    for (int i = 1; i < count; i++)
        if (strcmp(arguments[i], "-c") == 0) return 0;
    while (read(0, &byte, 1) > 0) continue;
    return 0;
}
#endif
