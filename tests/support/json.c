/* json.c - a small JSON reader over zlib: one pass, strings unescaped in place, nodes from chunks.
 *
 * In: gzip or plain JSON. Out: see json.h. Names of Python's (NaN, Infinity) count as numbers.
 * Independent of: Karat. */
#include "support/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 4096, DEEPEST = 64 };

typedef struct chunk {
    struct chunk *older;
    int           used;
    json          node[CHUNK];
} chunk;

typedef struct document {
    json   root; /* first: a tree's address is its document's */
    char  *text;
    chunk *newest;
} document;

typedef struct reader {
    document *doc;
    char     *at;
    bool      failed;
} reader;

static json *new_node(reader *r)
{
    chunk *c = r->doc->newest;
    if (!c || c->used == CHUNK) {
        c = malloc(sizeof *c);
        if (!c) {
            r->failed = true;
            return NULL;
        }
        c->older = r->doc->newest;
        c->used = 0;
        r->doc->newest = c;
    }
    json *node = &c->node[c->used++];
    memset(node, 0, sizeof *node);
    return node;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

static unsigned take_hex4(reader *r)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *found = strchr(digits, *r->at | 0x20); /* 0x20 makes capitals small, and is no digit itself */
        if (!found || !*found) {
            r->failed = true;
            return 0;
        }
        code = code << 4 | (unsigned)(found - digits);
        r->at++;
    }
    return code;
}

static char *take_escape(reader *r, char *to)
{
    static const char from_to[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    const char c = *r->at++;
    for (const char *pair = from_to; *pair; pair += 2)
        if (*pair == c) {
            *to++ = pair[1];
            return to;
        }
    if (c != 'u') {
        r->failed = true;
        return to;
    }
    unsigned code = take_hex4(r);
    if (code >= 0xd800 && code < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (take_hex4(r) - 0xdc00);
    }
    return put_utf8(to, code);
}

/* After the opening quote. The text shrinks in place. */
static const char *take_string(reader *r)
{
    char *start = r->at, *to = start;
    while (!r->failed && *r->at && *r->at != '"') {
        if (*r->at == '\\') {
            r->at++;
            to = take_escape(r, to);
        } else {
            *to++ = *r->at++;
        }
    }
    if (*r->at != '"')
        r->failed = true;
    else
        r->at++;
    *to = '\0';
    return start;
}

static void take_value(reader *r, json *node, int depth);

static void take_members(reader *r, json *node, int depth, char close)
{
    json **tail = &node->first;
    if (take(r, close))
        return;
    do {
        json *member = new_node(r);
        if (!member)
            return;
        if (close == '}') {
            if (!take(r, '"')) {
                r->failed = true;
                return;
            }
            member->key = take_string(r);
            if (!take(r, ':'))
                r->failed = true;
        }
        if (!r->failed)
            take_value(r, member, depth + 1);
        *tail = member;
        tail = &member->next;
        node->count++;
    } while (!r->failed && take(r, ','));
    if (!r->failed && !take(r, close))
        r->failed = true;
}

/* A number has no room for its NUL: the delimiter behind it is still to be read. So it moves by one. */
static void take_word(reader *r, json *node)
{
    const size_t n = strcspn(r->at, ",]} \t\r\n");
    if (n == 0) {
        r->failed = true;
        return;
    }
    char *start = r->at;
    if (n == 4 && strncmp(start, "null", 4) == 0)
        node->kind = JSON_NULL;
    else if (n == 4 && strncmp(start, "true", 4) == 0)
        node->kind = JSON_TRUE;
    else if (n == 5 && strncmp(start, "false", 5) == 0)
        node->kind = JSON_FALSE;
    else {
        node->kind = JSON_NUMBER;
        memmove(start - 1, start, n); /* what stands before a value (a blank, a colon, a comma, a bracket) is read */
        start[n - 1] = '\0';
        node->text = start - 1;
    }
    r->at += n;
}

static void take_value(reader *r, json *node, int depth)
{
    if (depth > DEEPEST) {
        r->failed = true;
    } else if (take(r, '{')) {
        node->kind = JSON_OBJECT;
        take_members(r, node, depth, '}');
    } else if (take(r, '[')) {
        node->kind = JSON_ARRAY;
        take_members(r, node, depth, ']');
    } else if (take(r, '"')) {
        node->kind = JSON_STRING;
        node->text = take_string(r);
    } else {
        take_word(r, node);
    }
}

/* The whole file with a blank before it and a NUL after; NULL where it cannot be read. */
static char *read_all(const char *path)
{
    gzFile file = gzopen(path, "rb");
    if (!file)
        return NULL;
    size_t size = 1, room = 1 << 20;
    char *text = malloc(room);
    int got = 0;
    while (text && (got = gzread(file, text + size, (unsigned)(room - size - 1))) > 0) {
        size += (size_t)got;
        if (size + 1 == room) {
            room *= 2;
            char *more = realloc(text, room);
            if (!more)
                free(text);
            text = more;
        }
    }
    if (got < 0) {
        free(text);
        text = NULL;
    }
    gzclose(file);
    if (text) {
        text[0] = ' ';
        text[size] = '\0';
    }
    return text;
}

json *json_load(const char *path)
{
    document *doc = calloc(1, sizeof *doc);
    if (!doc)
        return NULL;
    doc->text = read_all(path);
    if (!doc->text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        json_free(&doc->root);
        return NULL;
    }
    reader r = {doc, doc->text, false};
    take_value(&r, &doc->root, 0);
    skip_blanks(&r);
    if (r.failed || *r.at) {
        fprintf(stderr, "%s: not JSON at byte %zu\n", path, (size_t)(r.at - doc->text));
        json_free(&doc->root);
        return NULL;
    }
    return &doc->root;
}

json *json_load_in(const char *folder, const char *name)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s.json.gz", folder, name);
    return n > 0 && (size_t)n < sizeof path ? json_load(path) : NULL;
}

void json_free(json *root)
{
    document *doc = (document *)root;
    if (!doc)
        return;
    while (doc->newest) {
        chunk *c = doc->newest;
        doc->newest = c->older;
        free(c);
    }
    free(doc->text);
    free(doc);
}

const json *json_get(const json *object, const char *key)
{
    if (object && object->kind == JSON_OBJECT)
        for (const json *member = object->first; member; member = member->next)
            if (strcmp(member->key, key) == 0)
                return member;
    return NULL;
}

const char *json_text(const json *node)
{
    return node && node->text ? node->text : "";
}

double json_number(const json *node)
{
    return node && node->kind == JSON_NUMBER ? strtod(node->text, NULL) : (double)NAN;
}

bool json_is(const json *node, const char *text)
{
    return strcmp(json_text(node), text) == 0;
}
