/* schema.h - the schema strings of the operator table, parsed: "name(Type? arg=default, *, ...) -> Result".
 * In: one string. Out: its arguments and results. A generator that meets a string it cannot read ends. */
#ifndef KT_TOOLS_SCHEMA_H
#define KT_TOOLS_SCHEMA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 16, MAX_RESULTS = 8, MAX_PARAMS = 16, TEXT = 64 };

typedef struct arg {
    char type[TEXT], name[TEXT], value[TEXT]; /* type without "?"; value "" when there is no default */
    bool optional, keyword, alone; /* alone: "int[1]" and "SymInt", which are int[] and int here */
} arg;

typedef struct schema {
    char python[TEXT]; /* the name before "." or "(" */
    arg  args[MAX_ARGS];
    int  n;
    bool list; /* gives Tensor[] */
    int  results;                    /* 1, or as many as "-> (Tensor values, Tensor indices)" names */
    char result[MAX_RESULTS][TEXT];
} schema;

static void die(const char *format, ...)
{
    va_list more;
    va_start(more, format);
    fputs("gen_ops: ", stderr);
    vfprintf(stderr, format, more);
    fputc('\n', stderr);
    va_end(more);
    exit(1);
}

/* ---- the schema parser: one pass over "name(Type? arg=default, *, ...) -> Result" ---- */

static const char *blanks(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

static const char *take(const char *s, const char *stop, char *into)
{
    size_t n = strcspn(s, stop);
    if (n >= TEXT)
        die("too long: %s", s);
    memcpy(into, s, n);
    into[n] = 0;
    return s + n;
}

/* A default: up to the comma or the bracket that ends it; a list has commas of its own. */
static const char *take_value(const char *s, char *into)
{
    if (*s != '[')
        return take(s, ",)", into);
    s = take(s, "]", into);
    strcat(into, "]");
    return s + 1;
}

static void parse_results(const char *s, schema *out)
{
    out->list = strcmp(s, "Tensor[]") == 0;
    out->results = 1;
    if (*s != '(')
        return;
    for (out->results = 0, s++; *s && *s != ')'; out->results++) {
        char type[TEXT];
        if (out->results == MAX_RESULTS)
            die("too many results: %s", s);
        s = take(blanks(s), " ", type);
        if (strcmp(type, "Tensor") != 0)
            die("a result is no Tensor: %s", s);
        s = take(blanks(s), ",)", out->result[out->results]);
        s += *s == ',';
    }
}

static schema parse(const char *text)
{
    schema      out = {.n = 0};
    char        skip[TEXT];
    bool        keyword = false;
    const char *s = take(text, ".(", out.python);
    if (*s == '.')
        s = take(s, "(", skip);
    for (s++; *s && *s != ')';) {
        s = blanks(s);
        if (*s == '*') {
            keyword = true;
            s = blanks(s + 1);
            s += *s == ',';
            continue;
        }
        if (out.n == MAX_ARGS)
            die("too many arguments: %s", text);
        arg *a = &out.args[out.n++];
        a->keyword = keyword;
        s = blanks(take(s, " ", a->type));
        size_t end = strlen(a->type);
        if (a->type[end - 1] == '?') {
            a->optional = true;
            a->type[end - 1] = 0;
        }
        if (strcmp(a->type, "int[1]") == 0) {
            a->alone = true;
            strcpy(a->type, "int[]");
        }
        if (strcmp(a->type, "SymInt") == 0) {
            a->alone = true;
            strcpy(a->type, "int");
        }
        s = take(s, "=,)", a->name);
        if (*s == '=')
            s = take_value(s + 1, a->value);
        s += *s == ',';
    }
    s = strstr(text, "-> ");
    if (!s)
        die("no result: %s", text);
    parse_results(s + 3, &out);
    return out;
}

static bool is(const arg *a, const char *type) { return strcmp(a->type, type) == 0; }
static bool either(const arg *a) { return is(a, "Tensor|Scalar"); }
static bool holed(const arg *a) { return is(a, "Tensor?[]"); } /* a list that may contain NULL */
static bool tensors(const arg *a) { return is(a, "Tensor[]") || holed(a); }

/* ---- types ---- */

static const struct {
    const char *schema, *kind, *c, *field; /* field: of kt_value */
} types[] = {
    {"Tensor", "TENSOR", "const kt_tensor *", "t"},
    {"Tensor|Scalar", "TENSOR_OR_SCALAR", "const kt_tensor *", "t"},
    {"Tensor[]", "TENSORS", "kt_tensor *const *", "ts"},
    {"Tensor?[]", "TENSORS", "kt_tensor *const *", "ts"}, /* with holes */
    {"Scalar", "SCALAR", "kt_scalar ", "s"},
    {"int", "INT", "int64_t ", "i"},
    {"int[]", "INTS", "kt_shape ", "ints"},
    {"float", "FLOAT", "double ", "f"},
    {"bool", "BOOL", "bool ", "b"},
    {"ScalarType", "DTYPE", "kt_dtype ", "dtype"},
    {"Device", "DEVICE", "kt_device ", "device"},
    {"MemoryFormat", "FORMAT", "kt_memory_format ", "format"},
    {"str", "STRING", "const char *", "str"},
    {"Generator", "GENERATOR", "kt_generator *", "generator"},
};

static int type_of(const arg *a)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is(a, types[i].schema))
            return (int)i;
    die("unknown type %s", a->type);
    return -1;
}

/* A row that users do not call: its PyTorch name begins with an underscore (except _unique2, which is torch.unique, and
 * the _foreach functions), or it is part of backward. */
static bool is_internal(const char *text)
{
    size_t n = strcspn(text, ".(");
    return (text[0] == '_' && strncmp(text, "_foreach_", 9) != 0 && strncmp(text, "_unique2", 8) != 0) ||
           (n > 9 && strncmp(text + n - 9, "_backward", 9) == 0);
}

#endif
