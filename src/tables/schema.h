/* schema.h - how a schema is read: "space::name.overload(Type? arg=default, *, ...) -> (Tensor values, Tensor indices)". One reader for
 * the generators, for rows that are appended at run time and for the overloads of Python's names.
 *
 * In: text. Out: spans of that text; nothing is copied or allocated. What cannot be read gives a sentence and its place. Which
 * types there are is the reader's caller's to know. */
#ifndef KT_TABLES_SCHEMA_H
#define KT_TABLES_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SCHEMA_ARGS = 24, SCHEMA_RESULTS = 8 };

typedef struct schema_span {
    const char *s; /* NULL: there is none */
    int         n;
} schema_span;

typedef struct schema_arg {
    schema_span   type;   /* "Tensor", "int[]": without "?", and without what follows in this struct */
    schema_span   name;
    schema_span   target; /* "other>src": the row's name of it; else `name` */
    schema_span   value;  /* the default's text */
    schema_span   alias;  /* "a!" of "Tensor(a!)" */
    schema_span   said;   /* the whole type as it was written */
    bool          optional;
    bool          keyword; /* by name alone */
    bool          hidden;  /* "~Type": texts do not say it */
    unsigned char alone;   /* "int[2]": 2; one integer may stand for the list, so often. "SymInt", which is int: any index may */
    bool          written; /* "Tensor(a!)" */
} schema_arg;

typedef struct schema_text {
    schema_span space, name, overload; /* "space::name.overload(": two of them may be absent */
    schema_arg  arg[SCHEMA_ARGS];
    schema_span result[SCHEMA_RESULTS];      /* the names of several, where they have one */
    schema_arg  result_type[SCHEMA_RESULTS]; /* of each its type: a Tensor, a list of them, a number or a string */
    int         n_args, n_results;           /* results: 1 of a list too; 0: "()" */
    bool        list;                        /* gives Tensor[] */
    const char *mistake, *at;                /* where the text could not be read */
} schema_text;

static inline bool schema_is(schema_span span, const char *text)
{
    return span.s && strlen(text) == (size_t)span.n && memcmp(span.s, text, (size_t)span.n) == 0;
}

static inline const char *schema_blanks(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

static inline const char *schema_mistake(schema_text *t, const char *mistake, const char *at)
{
    t->mistake = mistake;
    t->at = at;
    return NULL;
}

/* A name, or NULL. */
static inline const char *schema_name(const char *s, schema_span *name)
{
    const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    *name = (schema_span){s, (int)n};
    return n && n < 64 && !(*s >= '0' && *s <= '9') ? s + n : NULL;
}

/* A type whose list is written with a length or an alias between: "int[2]" and "Tensor(a!)[]" are int[] and Tensor[]. */
static inline schema_span schema_list_of(schema_span element, bool holes, schema_span said)
{
    static const struct {
        const char *element, *list, *holed;
    } lists[] = {{"Tensor", "Tensor[]", "Tensor?[]"}, {"int", "int[]", 0}, {"SymInt", "int[]", 0}, {"float", "float[]", 0},
                 {"bool", "bool[]", 0}, {"Scalar", "Scalar[]", 0}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (schema_is(element, lists[i].element) && (!holes || lists[i].holed)) {
            const char *text = holes ? lists[i].holed : lists[i].list;
            return (schema_span){text, (int)strlen(text)};
        }
    return said;
}

/* "int[1]?", "Tensor(a!)", "Tensor?[]", "Tensor(a!)[]": up to the end of the type. */
static inline const char *schema_type(schema_text *t, schema_arg *a, const char *s)
{
    static const char integer[] = "int";
    const size_t      n = strcspn(s, " ,)=([?");
    const char       *end = s + n;
    bool              holes = false;
    if (!n)
        return schema_mistake(t, "expected a type and a name", s);
    a->type = (schema_span){s, (int)n};
    if (*end == '(') { /* aliases are named; what is written to is marked */
        const size_t inside = strcspn(end, ")");
        if (end[inside] != ')')
            return schema_mistake(t, "a bracket is not closed", s);
        a->alias = (schema_span){end + 1, (int)inside - 1};
        a->written = memchr(end, '!', inside) != NULL;
        end += inside + 1;
    }
    if (*end == '?' && end[1] == '[') {
        holes = true;
        end++;
    }
    if (*end == '[') {
        const size_t digits = strspn(end + 1, "0123456789");
        for (size_t i = 1; i <= digits; i++)
            a->alone = (unsigned char)(a->alone < 25 ? a->alone * 10 + (end[i] - '0') : 250);
        end += digits + 1;
        if (*end != ']')
            return schema_mistake(t, "a bracket is not closed", s);
        end++;
        a->type = schema_list_of(a->type, holes, (schema_span){s, (int)(end - s)});
    } else if (schema_is(a->type, "SymInt")) {
        a->alone = 1;
        a->type = (schema_span){integer, 3};
    }
    if (*end == '?') {
        a->optional = true;
        end++;
    }
    a->said = (schema_span){s, (int)(end - s)};
    return end;
}

/* A default goes to the comma or the bracket that ends it; a list has commas of its own, a string what it likes. */
static inline const char *schema_value(schema_text *t, schema_arg *a, const char *s)
{
    const char *end = s;
    if (*s == '[' || *s == '\'' || *s == '"') {
        end = strchr(s + 1, *s == '[' ? ']' : *s);
        if (!end)
            return schema_mistake(t, "a default is not closed", s);
        end++;
    } else {
        end += strcspn(s, ",)");
    }
    if (end == s)
        return schema_mistake(t, "expected a default", s);
    a->value = (schema_span){s, (int)(end - s)};
    return end;
}

static inline const char *schema_one(schema_text *t, schema_arg *a, const char *s)
{
    if (*s == '~') {
        a->hidden = true;
        s++;
    }
    const char *at = s;
    if (!(s = schema_type(t, a, s)))
        return NULL;
    if (*s != ' ')
        return schema_mistake(t, "expected a type and a name", at);
    at = s = schema_blanks(s);
    if (!(s = schema_name(s, &a->name)))
        return schema_mistake(t, "expected the name of an argument", at);
    a->target = a->name;
    if (*s == '>' && !(s = schema_name(at = s + 1, &a->target)))
        return schema_mistake(t, "expected the name of an argument", at);
    for (const schema_arg *other = t->arg; other < a; other++)
        if (other->name.n == a->name.n && memcmp(other->name.s, a->name.s, (size_t)a->name.n) == 0)
            return schema_mistake(t, "two arguments have one name", at);
    s = schema_blanks(s);
    return *s == '=' ? schema_value(t, a, schema_blanks(s + 1)) : s;
}

/* Arguments up to `end`: a bracket, or 0 for a list of them alone. Gives where it stands, or NULL and a mistake. */
static inline const char *schema_args(schema_text *t, const char *s, char end)
{
    bool keyword = false;
    t->n_args = 0;
    for (s = schema_blanks(s); *s != end;) {
        if (*s == '*') {
            keyword = true;
            s++;
        } else {
            if (t->n_args == SCHEMA_ARGS)
                return schema_mistake(t, "there are too many arguments", s);
            schema_arg *a = &t->arg[t->n_args];
            memset(a, 0, sizeof *a);
            a->keyword = keyword;
            if (!(s = schema_one(t, a, s)))
                return NULL;
            t->n_args++;
        }
        s = schema_blanks(s);
        if (*s == ',')
            s = schema_blanks(s + 1);
        else if (*s != end)
            return schema_mistake(t, "expected a comma", s);
    }
    return s;
}

/* A number or a string, which a call gives in a tensor. */
static inline bool schema_is_plain(const schema_arg *a)
{
    return schema_is(a->type, "int") || schema_is(a->type, "float") || schema_is(a->type, "bool") || schema_is(a->type, "Scalar") ||
           schema_is(a->type, "str");
}

/* The type of a result: a tensor, a number or a string, or none where it is optional; a list of tensors where it is the only one. */
static inline const char *schema_result(schema_text *t, schema_arg *a, const char *s, bool only)
{
    const char *end = schema_type(t, a, s);
    if (!end)
        return NULL;
    t->list = only && schema_is(a->type, "Tensor[]");
    if ((a->optional && t->list) || !(schema_is(a->type, "Tensor") || t->list || schema_is_plain(a)))
        return schema_mistake(t, only ? "expected Tensor, Tensor[] or (Tensor name, ...)" : "a result is no Tensor", s);
    return end;
}

static inline const char *schema_results(schema_text *t, const char *s)
{
    if (*s != '(') {
        t->n_results = 1;
        const char *at = s;
        if (!*s)
            return schema_mistake(t, "expected Tensor, Tensor[] or (Tensor name, ...)", s);
        if (!(s = schema_result(t, &t->result_type[0], s, true)))
            return NULL;
        return *s ? schema_mistake(t, "expected Tensor, Tensor[] or (Tensor name, ...)", at) : s;
    }
    for (t->n_results = 0, s = schema_blanks(s + 1); *s != ')'; t->n_results++) {
        if (t->n_results == SCHEMA_RESULTS)
            return schema_mistake(t, "there are too many results", s);
        const char *at = s;
        if (!(s = schema_result(t, &t->result_type[t->n_results], s, !t->n_results && !strchr(s, ','))))
            return NULL;
        s = schema_blanks(s);
        if (*s != ',' && *s != ')' && !(s = schema_name(s, &t->result[t->n_results])))
            return schema_mistake(t, "expected the name of a result", at);
        s = schema_blanks(s);
        if (*s == ',')
            s = schema_blanks(s + 1);
        else if (*s != ')')
            return schema_mistake(t, "expected a comma", s);
    }
    return s[1] ? schema_mistake(t, "expected the end", s + 1) : s + 1;
}

/* Returns whether all of it was understood; else t->mistake and t->at say what was not. */
static inline bool schema_read(schema_text *t, const char *text)
{
    memset(t, 0, sizeof *t);
    const char *s = schema_name(text, &t->name);
    if (s && s[0] == ':' && s[1] == ':') {
        t->space = t->name;
        s = schema_name(s + 2, &t->name);
    }
    if (s && *s == '.')
        s = schema_name(s + 1, &t->overload);
    if (!s || *s != '(')
        return schema_mistake(t, "expected name(", text);
    if (!(s = schema_args(t, s + 1, ')')))
        return false;
    s = schema_blanks(s + 1);
    if (strncmp(s, "->", 2) != 0)
        return schema_mistake(t, "expected ->", s);
    return schema_results(t, schema_blanks(s + 2)) != NULL;
}

/* ---- what follows from it ---- */

static inline bool schema_is_either(const schema_arg *a) { return schema_is(a->type, "Tensor|Scalar"); }
static inline bool schema_is_holed(const schema_arg *a) { return schema_is(a->type, "Tensor?[]"); }
static inline bool schema_is_list(const schema_arg *a) { return schema_is(a->type, "Tensor[]") || schema_is_holed(a); }
static inline bool schema_is_numbers(const schema_arg *a)
{
    return schema_is(a->type, "Scalar[]") || schema_is(a->type, "float[]") || schema_is(a->type, "bool[]");
}
static inline bool schema_is_operand(const schema_arg *a) { return schema_is(a->type, "Tensor") || schema_is_either(a); }

typedef struct schema_facts {
    unsigned char operand[SCHEMA_ARGS], input[SCHEMA_ARGS]; /* which arguments are tensors, and which those or lists of them */
    int           n_operands, n_inputs;
    unsigned      lists;    /* bit i: input i is a list */
    unsigned      required; /* bit i: argument i has no default */
    unsigned      checked;  /* bit i: its kind has values that are none, a NULL */
    bool          pointed;  /* an argument points at what is the caller's: ints, a string, a list */
} schema_facts;

static inline schema_facts schema_facts_of(const schema_text *t)
{
    schema_facts f;
    memset(&f, 0, sizeof f);
    for (int i = 0; i < t->n_args && i < SCHEMA_ARGS; i++) {
        const schema_arg *a = &t->arg[i];
        if (schema_is_operand(a))
            f.operand[f.n_operands++] = (unsigned char)i;
        f.lists |= (unsigned)schema_is_list(a) << f.n_inputs;
        if (schema_is_operand(a) || schema_is_list(a))
            f.input[f.n_inputs++] = (unsigned char)i;
        f.pointed |= schema_is(a->type, "int[]") || schema_is(a->type, "str") || schema_is_list(a) || schema_is_numbers(a);
        f.required |= (unsigned)(!a->value.s && !a->optional) << i;
        f.checked |= (unsigned)!(schema_is(a->type, "int") || schema_is(a->type, "bool") || schema_is(a->type, "float")) << i;
    }
    return f;
}

/* Bytes of the operator's name: "sum.dim(Tensor self, ..." is sum. */
static inline int schema_name_length(const char *text) { return (int)strcspn(text, ".("); }

/* Users do not call this row: its name in PyTorch begins with an underscore, or it is a part of backward. Two exceptions
 * that users do call: _unique2, which is torch.unique, and the _foreach functions. */
static inline bool schema_is_internal(const char *text)
{
    const int n = schema_name_length(text);
    return (text[0] == '_' && strncmp(text, "_foreach_", 9) != 0 && strncmp(text, "_unique2", 8) != 0) ||
           (n > 9 && strncmp(text + n - 9, "_backward", 9) == 0);
}

#endif
