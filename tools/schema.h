/* schema.h - the schema strings of the operator table as the generators use them: strings of their own, made of the spans that
 * tables/schema.h reads. A generator that meets a string it cannot read ends. */
#ifndef KT_TOOLS_SCHEMA_H
#define KT_TOOLS_SCHEMA_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables/schema.h"

enum { MAX_PARAMS = 16, TEXT = 64 };

typedef struct arg {
    char type[TEXT], name[TEXT], value[TEXT]; /* type without "?"; value "" when there is no default */
    bool optional, keyword;
    unsigned char alone; /* "int[2]": 2, where one integer may stand for so many; "SymInt": 1 */
} arg;

typedef struct schema {
    char         python[TEXT]; /* the name before "." or "(" */
    arg          args[SCHEMA_ARGS];
    int          n;
    bool         list; /* gives Tensor[] */
    int          results; /* 1, or as many as "-> (Tensor values, Tensor indices)" names */
    char         result[SCHEMA_RESULTS][TEXT];
    schema_facts facts;
} schema;

static void die(const char *format, ...)
{
    va_list more;
    va_start(more, format);
    fputs("operator tables: ", stderr);
    vfprintf(stderr, format, more);
    fputc('\n', stderr);
    va_end(more);
    exit(1);
}

static void put_span(schema_span span, char *into)
{
    if (span.n >= TEXT)
        die("too long: %s", span.s);
    memcpy(into, span.s ? span.s : "", (size_t)span.n);
    into[span.n] = 0;
}

static schema parse(const char *text)
{
    schema      out = {.n = 0};
    schema_text t;
    if (!schema_read(&t, text))
        die("%s: %s, at '%s'", text, t.mistake, t.at);
    put_span(t.name, out.python);
    for (int i = 0; i < t.n_args; i++) {
        arg *a = &out.args[out.n++];
        put_span(t.arg[i].type, a->type);
        put_span(t.arg[i].name, a->name);
        put_span(t.arg[i].value, a->value);
        a->optional = t.arg[i].optional;
        a->keyword = t.arg[i].keyword;
        a->alone = t.arg[i].alone;
    }
    out.list = t.list;
    out.results = t.n_results;
    for (int i = 0; t.n_results > 1 && i < t.n_results; i++) {
        put_span(t.result[i], out.result[i]);
        if (!t.result[i].n)
            die("%s: the results of a row have names", text);
    }
    out.facts = schema_facts_of(&t);
    return out;
}

static bool is(const arg *a, const char *type) { return strcmp(a->type, type) == 0; }
static inline bool either(const arg *a) { return is(a, "Tensor|Scalar"); }
static inline bool holed(const arg *a) { return is(a, "Tensor?[]"); } /* a list that may contain NULL */
static inline bool tensors(const arg *a) { return is(a, "Tensor[]") || holed(a); }

/* Two parameters in C: the items and how many there are. */
static inline bool counted(const arg *a) { return tensors(a) || is(a, "Scalar[]"); }

/* ---- types ---- */

static const struct {
    const char *schema, *kind, *c, *field; /* field: of kt_value */
} types[] = {
#define TYPE(type, kind, field, c) {type, #kind, c, #field},
#include "tables/types.def"
};

static int type_of(const arg *a)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is(a, types[i].schema))
            return (int)i;
    die("unknown type %s", a->type);
    return -1;
}

#endif
