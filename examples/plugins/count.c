/* A plugin in C without dependencies: counts the lines of a file or folder.
 *
 *     cc -std=c11 -O2 -o count examples/plugins/count.c
 *     dialect eval --plugin ./count 'count.lines("src")'
 *
 * JSON is read where it lies: `member` finds a member of an object, `skip` passes over a value. Calls run one after
 * another, which the protocol permits.
 */

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const SCHEMA =
    "{\"protocol\":\"1.0\",\"transport\":\"json\",\"capabilities\":[],"
    "\"library\":{\"name\":\"count\",\"version\":\"1.0\",\"description\":\"Counts lines\"},"
    "\"schema\":{\"functions\":[{\"name\":\"lines\",\"effect\":\"reads\",\"returns\":\"object\","
    "\"description\":\"Counts the lines of a file, or of all text files of a folder. The result has `files`, `lines`, "
    "`blank` and `bytes`.\","
    "\"params\":[{\"name\":\"path\",\"type\":\"string\",\"optional\":true,"
    "\"description\":\"The file or folder; the whole workspace by default\"}]}],"
    "\"classes\":[],\"constants\":[]}}";

static const char *blanks(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    return at;
}

/* Returns the place behind a string, or NULL. */
static const char *skip_string(const char *at) {
    if (*at != '"') return NULL;
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : NULL;
}

/* Returns the place behind a value, or NULL. Brackets are counted, so that no depth is too much. */
static const char *skip(const char *at) {
    long depth = 0;
    do {
        at = blanks(at);
        if (!*at) return NULL;
        if (*at == '"') {
            if (!(at = skip_string(at))) return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, ",:]}[{\" \t\r\n");
        }
    } while (depth > 0);
    return depth == 0 ? at : NULL;
}

/* Returns the value of a member of an object, or NULL. */
static const char *member(const char *object, const char *key) {
    if (!object || *(object = blanks(object)) != '{') return NULL;
    size_t length = strlen(key);
    const char *at = blanks(object + 1);
    while (*at == '"') {
        const char *name = at + 1, *end = skip_string(at);
        if (!end || *(at = blanks(end)) != ':') return NULL;
        const char *value = blanks(at + 1);
        if ((size_t)(end - 1 - name) == length && !memcmp(name, key, length)) return value;
        if (!(at = skip(value))) return NULL;
        at = blanks(at);
        if (*at == ',') at = blanks(at + 1);
    }
    return NULL;
}

static int hex(const char *at, unsigned *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *digit = at[i] ? strchr(digits, at[i]) : NULL;
        if (!digit) return 0;
        unsigned value = (unsigned)(digit - digits);
        *code = *code * 16 + (value > 15 ? value - 6 : value);
    }
    return 1;
}

/* Returns the text of a string, which the caller frees, or NULL if it is none or holds a zero byte. */
static char *text(const char *at) {
    const char *end = at ? skip_string(at) : NULL;
    if (!end) return NULL;
    char *copy = malloc((size_t)(end - at)), *to = copy;
    if (!copy) return NULL;
    for (at++; at < end - 1; at++) {
        unsigned code, low;
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at != 'u') {
            const char *from = "bfnrt", *known = strchr(from, *at);
            *to++ = known ? "\b\f\n\r\t"[known - from] : *at;
        } else if (!hex(at + 1, &code) || !code) {
            free(copy);
            return NULL;
        } else {
            at += 4;
            if (code >> 10 == 0x36 && at[1] == '\\' && at[2] == 'u' && hex(at + 3, &low) && low >> 10 == 0x37) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                at += 6;
            }
            if (code < 0x80) {
                *to++ = (char)code;
            } else {
                if (code >= 0x10000) *to++ = (char)(0xf0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 0x3f));
                else if (code >= 0x800) *to++ = (char)(0xe0 | code >> 12);
                if (code >= 0x800) *to++ = (char)(0x80 | (code >> 6 & 0x3f));
                else *to++ = (char)(0xc0 | code >> 6);
                *to++ = (char)(0x80 | (code & 0x3f));
            }
        }
    }
    *to = 0;
    return copy;
}

static void print_text(const char *it) {
    putchar('"');
    for (; *it; it++) {
        if (*it == '"' || *it == '\\') putchar('\\'), putchar(*it);
        else if ((unsigned char)*it < ' ') printf("\\u%04x", *it);
        else putchar(*it);
    }
    putchar('"');
}

/* The raw id of a request, and its length. */
struct id {
    const char *at;
    int length;
};

static void begin(struct id id, const char *what) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"%s\":", id.length, id.at, what);
}

static void fail(struct id id, int code, const char *message, const char *about) {
    size_t length = strlen(message) + strlen(about) + 1;
    char *all = malloc(length);
    begin(id, "error");
    printf("{\"code\":%d,\"message\":", code);
    if (all) snprintf(all, length, message, about);
    print_text(all ? all : "out of memory");
    puts("}}");
    free(all);
}

struct counts {
    long long files, lines, blank, bytes;
};

static void count_file(const char *path, struct counts *all) {
    FILE *file = fopen(path, "rb");
    if (!file) return;
    struct counts own = {1, 0, 0, 0};
    int byte, is_text = 1, is_blank = 1, is_open = 0;
    while (is_text && (byte = getc(file)) != EOF) {
        own.bytes++;
        is_text = byte != 0;
        is_open = byte != '\n';
        if (byte == '\n') own.lines++, own.blank += is_blank, is_blank = 1;
        else if (byte != ' ' && byte != '\t' && byte != '\r') is_blank = 0;
    }
    if (is_open) own.lines++, own.blank += is_blank;
    fclose(file);
    if (!is_text) return;
    all->files += own.files, all->lines += own.lines, all->blank += own.blank, all->bytes += own.bytes;
}

static void count(const char *path, struct counts *all, int depth) {
    struct stat about;
    if (depth > 200 || lstat(path, &about)) return;
    if (S_ISREG(about.st_mode)) count_file(path, all);
    DIR *folder = S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (name[0] == '.' || !strcmp(name, "node_modules") || !strcmp(name, "target")) continue;
        size_t length = strlen(path) + strlen(name) + 2;
        char *inner = malloc(length);
        if (inner) snprintf(inner, length, "%s/%s", path, name), count(inner, all, depth + 1);
        free(inner);
    }
    if (folder) closedir(folder);
}

static void lines(struct id id, const char *params) {
    const char *args = member(params, "args"), *given = member(member(params, "kwargs"), "path");
    if (args && *blanks(args) == '[' && *blanks(blanks(args) + 1) == '{') given = blanks(blanks(args) + 1);
    const char *value = member(given, "value");
    char *path = value ? text(value) : strdup(".");
    struct stat about;
    struct counts all = {0, 0, 0, 0};
    if (!path) {
        fail(id, -32000, "lines(path?: string): `path` is no text%s", "");
    } else if (stat(path, &about)) {
        fail(id, -32000, "there is no %s in the workspace", path);
    } else {
        count(path, &all, 0);
        begin(id, "result");
        printf("{\"type\":\"dict\",\"entries\":{\"files\":{\"type\":\"int\",\"value\":%lld},"
               "\"lines\":{\"type\":\"int\",\"value\":%lld},\"blank\":{\"type\":\"int\",\"value\":%lld},"
               "\"bytes\":{\"type\":\"int\",\"value\":%lld}}}}\n",
               all.files, all.lines, all.blank, all.bytes);
    }
    free(path);
}

static void answer(const char *line) {
    const char *raw = member(line, "id"), *after = raw ? skip(raw) : NULL;
    char *method = text(member(line, "method"));
    const char *params = member(line, "params");
    struct id id = {raw, after ? (int)(after - raw) : 0};
    if (!method || !id.length || !strncmp(raw, "null", 4)) {
        if (!method && *blanks(line)) fprintf(stderr, "skipped: %.100s\n", line);
    } else if (!strcmp(method, "scriptling.handshake")) {
        begin(id, "result");
        printf("%s}\n", SCHEMA);
    } else if (!strcmp(method, "plugin.shutdown") || !strcmp(method, "object.destroy") ||
               !strncmp(method, "environment.", 12)) {
        begin(id, "result");
        puts("null}");
    } else if (!strcmp(method, "function.call")) {
        char *name = text(member(params, "name"));
        if (name && !strcmp(name, "lines")) lines(id, params);
        else fail(id, -32000, "unknown function %s (available: lines)", name ? name : "");
        free(name);
    } else {
        fail(id, -32601, "unknown method %s", method);
    }
    free(method);
    fflush(stdout);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) != -1) answer(line);
    free(line);
    return 0;
}
