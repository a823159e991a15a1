/* refusals.h - the REFUSE lines of the tables as C: each condition becomes a function.
 * In: the lines, read by the C compiler, and the schema of the row that a line names. Out: functions and one array a row. A word
 * that is neither an argument of the row nor one of the words below ends the generator. */
#ifndef KT_TOOLS_REFUSALS_H
#define KT_TOOLS_REFUSALS_H

#include <ctype.h>

#include "schema.h"

static const struct {
    const char *op, *stage, *when, *status, *text;
} refusals[] = {
#define REFUSE(op, stage, when, status, text) {#op, #stage, #when, #status, text},
#include "tables/ops.def"
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

/* What a word of a condition becomes. `place`: it is asked of an argument, not of its dtype. */
static const struct {
    const char *word, *c;
    bool        place, each_call; /* each_call: the answer does not follow from the operands' dtypes and dtype= */
} condition_words[] = {
    {"is", "kt__fact_is", false, false},
    {"narrows", "kt__narrows", false, false},
    {"can_cast", "kt_can_cast", false, false},
    {"accepted", "kt__fact_accepted", false, false},
    {"tensor", "kt__fact_tensor", true, false},
    {"dims", "kt__fact_dims", true, true},
    {"empty", "kt__fact_empty", true, true},
    {"recorded", "kt__fact_recorded", true, true},
    {"indexes", "kt__fact_indexes", false, false},
    {"says", "kt__fact_says", true, true},
    {"value", "kt__fact_value", true, true},
    {"unlike", "kt__fact_unlike", true, true},
    {"addresses", "kt__fact_addresses", true, true},
    {"EXACT", "(KT_CAT_BOOL | KT_CAT_INT)", false, false},
    {"INTEGER", "KT_CAT_INT", false, false},
    {"FLOATING", "KT_CAT_FLOAT", false, false},
    {"COMPLEX", "KT_CAT_COMPLEX", false, false},
    {"mixes", "kt__mixes(f->mode)", false, false},
    {"permissive", "(kt__policy(f->mode) == KT_PERMISSIVE)", false, false},
    {"in_place", "(f->call->form == KT_INPLACE)", false, true},
    {"over_self", "kt__fact_over_self(f)", false, true},
    {"out", "kt__fact_out(f, 0)", false, true},
    {"out2", "kt__fact_out(f, 1)", false, true},
    {"written", "kt__fact_written(f)", false, true},
    {"result", "f->result[0]", false, false},
    {"result2", "f->result[1]", false, false},
};

static int argument_named(const schema *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->args[i].name, name) == 0)
            return i;
    return -1;
}

static bool is_operand(const arg *a) { return is(a, "Tensor") || either(a); }

/* A flag and an int are their values, other arguments their dtypes. */
static const char *fact_of(const arg *a)
{
    return is(a, "Tensor") ? "kt__fact_of(f, %d)"
           : is(a, "bool") ? "kt__arg_bool(f->call, %d)"
           : is(a, "int")  ? "kt__arg_int(f->call, %d)"
                           : "kt__fact_dtype(f, %d)";
}

/* Writes one word of a condition. True: the line must be asked at each call, since the decisions about the row, which `decided`
 * says the arguments of, do not follow from it. */
static bool write_word(FILE *f, const schema *s, unsigned decided, const char *word, bool *place, const char *line)
{
    const int at = argument_named(s, word);
    if (at >= 0) {
        fprintf(f, *place ? "f, %d" : fact_of(&s->args[at]), at);
        *place = false;
        return !(decided >> at & 1);
    }
    for (size_t i = 0; i < sizeof condition_words / sizeof *condition_words; i++)
        if (strcmp(condition_words[i].word, word) == 0) {
            fputs(condition_words[i].c, f);
            *place = condition_words[i].place;
            return condition_words[i].each_call;
        }
    if (strncmp(word, "KT_", 3) != 0)
        die("refusals.def: '%s' is neither an argument nor a word in: %s", word, line);
    fputs(word, f);
    return false;
}

/* `first`: the argument that it names first; -1: none. */
static bool write_condition(FILE *f, const schema *s, unsigned decided, const char *when, int *first)
{
    bool place = false, each_call = false, quoted = false;
    *first = -1;
    for (const char *c = when; *c;) {
        quoted ^= *c == '"';
        if (quoted || (!isalpha((unsigned char)*c) && *c != '_')) {
            fputc(*c++, f);
            continue;
        }
        char   word[TEXT];
        size_t n = 0;
        while (isalnum((unsigned char)c[n]) || c[n] == '_')
            n++;
        if (n >= TEXT)
            die("refusals.def: too long: %s", when);
        memcpy(word, c, n);
        word[n] = 0;
        each_call |= write_word(f, s, decided, word, &place, when);
        *first = *first < 0 ? argument_named(s, word) : *first;
        c += n;
    }
    return each_call;
}

static void write_string(FILE *f, const char *s, int bytes)
{
    fputc('"', f);
    for (int i = 0; i < bytes; i++) {
        if (s[i] == 0)
            fputs("\\0", f);
        else if (s[i] == '"' || s[i] == '\\')
            fprintf(f, "\\%c", s[i]);
        else
            fputc(s[i], f);
    }
    fputc('"', f);
}

static bool has_refusals(const char *name)
{
    for (int i = 0; i < REFUSALS; i++)
        if (strcmp(refusals[i].op, name) == 0)
            return true;
    return false;
}

static const char *stage_of(int line, bool each_call)
{
    return each_call && strcmp(refusals[line].stage, "BEFORE") == 0 ? "CALL" : refusals[line].stage;
}

/* The lines of one row, as functions and an array. `decided`: the arguments whose dtypes the decisions about it follow from, so
 * that what is refused for them is found when one is made; none: it has no rule. Out: how many. */
static int write_refusals(FILE *f, const char *name, const schema *s, unsigned decided)
{
    bool each_call[REFUSALS];
    int  n = 0, first[REFUSALS];
    for (int i = 0; i < REFUSALS; i++) {
        if (strcmp(refusals[i].op, name) != 0)
            continue;
        fprintf(f, "static bool refuses_%d(const kt__facts *f) { return ", i);
        each_call[i] = write_condition(f, s, decided, refusals[i].when, &first[i]) || !decided;
        fputs("; }\n", f);
        n++;
    }
    if (!n)
        return 0;
    fprintf(f, "static const kt__refusal_line refusals_%s[] = {\n", name);
    for (int i = 0; i < REFUSALS; i++)
        if (strcmp(refusals[i].op, name) == 0) {
            fprintf(f, "    {refuses_%d, ", i);
            write_string(f, refusals[i].text, (int)strlen(refusals[i].text));
            fprintf(f, ", STAGE_%s, KT_ERR_%s, %d},\n", stage_of(i, each_call[i]), refusals[i].status, first[i]);
        }
    fprintf(f, "};\nenum { stages_%s = 0", name);
    for (int i = 0; i < REFUSALS; i++)
        if (strcmp(refusals[i].op, name) == 0)
            fprintf(f, " | 1 << STAGE_%s", stage_of(i, each_call[i]));
    fputs(" };\n", f);
    return n;
}

#endif
