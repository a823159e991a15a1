/* gen_sweep.c - writes one call of every function that the public headers declare, for sweep.c to make with hostile arguments.
 *
 * In: the headers, as text: every KT_API declaration and every option struct. Out: C text: a function `call_<n>` each, which
 * takes its arguments from sweep.h's makers by slot, and the table of them. A parameter of a type without a maker ends the
 * generator: a new function is swept without a word here, a new type must be given its hostile values first.
 * usage: gen_sweep OUT HEADER... */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 256, MOST_PARAMS = 32, MOST_STRUCTS = 1024, MOST_FIELDS = 32 };

typedef struct variable {
    char type[TEXT], name[TEXT];
} variable;

typedef struct options {
    char     name[TEXT];
    variable field[MOST_FIELDS];
    int      n;
} options;

static options structs[MOST_STRUCTS];
static int     n_structs, n_functions, n_slots;
static FILE   *out;

static void die(const char *what, const char *text)
{
    fprintf(stderr, "gen_sweep: %s: %.200s\n", what, text);
    exit(1);
}

/* ---- types ---- */

/* What makes a value of a type: MAKER(slot) in sweep.h. By the parameter's name first, where one C type means several things. */
static const struct {
    const char *type, *name, *maker;
} makers[] = {
    {"kt_tensor *const *", 0, "TENSORS"},
    {"const kt_scalar *", 0, "NUMBERS"},
    {"int64_t", "n_*", "COUNT"},
    {"int64_t", "n", "COUNT"},
    {"int", "n_*", "(int)COUNT"},
    {"int64_t", "room", "ROOM"},
    {"kt_tensor **", "results", "RESULTS"},
    {"kt_tensor **", 0, "RESULT"},
    {"const kt_tensor *", 0, "TENSOR"},
    {"kt_tensor *", 0, "TENSOR"},
    {"kt_scalar", 0, "NUMBER"},
    {"kt_shape", 0, "SHAPE"},
    {"int64_t", 0, "INTEGER"},
    {"kt_opt_int", "niter", "STEPS"},
    {"kt_opt_int", 0, "OPT_INT"},
    {"kt_opt_real", 0, "OPT_REAL"},
    {"kt_opt_bool", 0, "OPT_BOOL"},
    {"double", 0, "REAL"},
    {"bool", 0, "TRUTH"},
    {"kt_dtype", 0, "DTYPE"},
    {"kt_kernel_id", 0, "(kt_kernel_id)SMALL"},
    {"kt_device", 0, "DEVICE"},
    {"kt_memory_format", 0, "(kt_memory_format)SMALL"},
    {"kt_status", 0, "(kt_status)SMALL"},
    {"kt_reason", 0, "(kt_reason)SMALL"},
    {"kt_device_kind", 0, "(kt_device_kind)SMALL"},
    {"kt_policy", 0, "(kt_policy)SMALL"},
    {"kt_randomness", 0, "(kt_randomness)SMALL"},
    {"kt_attention_way", 0, "(kt_attention_way)SMALL"},
    {"kt_determinism", 0, "(kt_determinism)SMALL"},
    {"kt_tf32_use", 0, "(kt_tf32_use)SMALL"},
    {"kt_casting", 0, "(kt_casting)SMALL"},
    {"kt_form", 0, "(kt_form)SMALL"},
    {"kt_fix_kind", 0, "(kt_fix_kind)SMALL"},
    {"int", 0, "SMALL"},
    {"uint32_t", 0, "(uint32_t)SMALL"},
    {"uint64_t", 0, "(uint64_t)INTEGER"},
    {"size_t", 0, "BYTES"},
    {"const char *", "file", "WRITTEN_FILE"},
    {"const char *", 0, "WORDS"},
    {"char *", "text", "MADE_TEXT"},
    {"FILE *", 0, "STREAM"},
    {"const void *", 0, "MEMORY"},
    {"void *", 0, "MEMORY"},
    {"unsigned char [KT_GENERATOR_STATE]", 0, "MEMORY"},
    {"const unsigned char *", 0, "MEMORY"},
    {"int64_t *", 0, "MEMORY"},
    {"const int64_t *", 0, "MEMORY"},
    {"int *", 0, "MEMORY"},
    {"kt_dtype *", 0, "MEMORY"},
    {"kt_finfo *", 0, "MEMORY"},
    {"kt_iinfo *", 0, "MEMORY"},
    {"kt_generator *", 0, "GENERATOR"},
    {"kt_guard *", 0, "GUARD"},
    {"kt_mode_guard *", 0, "MODE_GUARD"},
    {"kt_error_state *", 0, "ERROR_STATE"},
    {"kt_memory_stats *", 0, "SIZED(kt_memory_stats, "},
    {"kt_print_options *", 0, "SIZED(kt_print_options, "},
    {"const kt_print_options *", 0, "SIZED(kt_print_options, "},
    {"kt_lineage_record *", 0, "SIZED(kt_lineage_record, "},
    {"kt_mistake *", 0, "SIZED(kt_mistake, "},
    {"kt_device_memory *", 0, "SIZED(kt_device_memory, "},
    {"kt_memory_pools *", 0, "SIZED(kt_memory_pools, "},
    {"kt_device_properties *", 0, "SIZED(kt_device_properties, "},
    {"kt_stream", 0, "QUEUE"},
    {"kt_stream *", 0, "ZEROED"},
    {"kt_wait_mode", 0, "(kt_wait_mode)SMALL"},
    {"kt_event *", 0, "EVENT"},
    {"kt_event **", 0, "EVENTS"},
    {"kt_graph *", 0, "NO_GRAPH"},
    {"kt_graph **", 0, "ZEROED"},
    {"kt_generator **", 0, "GENERATORS"},
    {"bool *", 0, "ZEROED"},
    {"double *", 0, "ZEROED"},
    {"kt_hook *", 0, "HOOK"},
    {"kt_optimizer *", 0, "OPTIMIZER"},
    {"const kt_optimizer *", 0, "OPTIMIZER"},
    {"kt_scaler *", 0, "SCALER"},
    {"const kt_scaler *", 0, "SCALER"},
    {"kt_scale_change *", 0, "SIZED(kt_scale_change, "},
    {"kt_optimizer_kind", 0, "(kt_optimizer_kind)SMALL"},
    {"kt_node *", 0, "NODE"},
    {"const kt_node *", 0, "NODE"},
    {"kt_node **", 0, "NODES"},
    {"const kt_node_type *", 0, "NODE_TYPE"},
    {"const kt_saved_hooks *", 0, "ZEROED"},
    {"const kt_row *", 0, "ROW"},
    {"const kt_row **", 0, "ZEROED"},
    {"const kt_operator *", 0, "OPERATOR"},
    {"const kt_kernel *", 0, "KERNEL"},
    {"kt_call *", 0, "CALL"},
    {"const kt_call *", 0, "CALL"},
    {"const kt_value *", 0, "VALUES"},
    {"kt_backend *", 0, "ZEROED"},
    {"const kt_site_source *", 0, "ZEROED"},
    {"const kt_work_lock *", 0, "ZEROED"},
    {"const kt_watcher *", 0, "ZEROED"},
    {"const kt_site *", 0, "SITE"},
    {"kt_warning_fn *", 0, "WARNING_FN"},
    {"kt_device *", 0, "ZEROED"},
    {"kt_shape *", 0, "ZEROED"},
    {"kt_kept *", 0, "ZEROED"},
    {"unsigned", 0, "(unsigned)SMALL"},
    {"const kt_module_type *", 0, "MODULE_TYPE"},
    {"kt_module *", "child", "GIVEN_MODULE"},
    {"kt_module *", 0, "MODULE"},
    {"const kt_module *", 0, "MODULE"},
    {"kt_module *const *", 0, "MODULES"},
    {"const kt_named *", 0, "NAMED"},
    {"const kt_conv_options *", 0, "SIZED(kt_conv_options, "},
    {"kt_conversions *", 0, "CONVERSIONS"},
    {"const kt_conversions *", 0, "CONVERSIONS"},
    {"kt_conversion *", 0, "SIZED(kt_conversion, "},
    {"const kt_profiler_options *", 0, "SIZED(kt_profiler_options, "},
    {"kt_profile *", 0, "PROFILE"},
    {"const kt_profile *", 0, "PROFILE"},
    {"kt_profile_event *", 0, "SIZED(kt_profile_event, "},
    {"kt_profile_kind", 0, "(kt_profile_kind)SMALL"},
    {"uint64_t *", 0, "ZEROED"},
    {"kt_collecting", 0, "COLLECTING"},
    {"kt_collector", 0, "(kt_collector)SMALL"},
    {"kt_autocast_class", 0, "(kt_autocast_class)SMALL"},
    {"kt_autocast_counts **", 0, "ZEROED"},
    {"kt_autocast_counts *", 0, "COUNTS"},
    {"const kt_autocast_counts *", 0, "COUNTS"},
    {"kt_autocast_counted *", 0, "SIZED(kt_autocast_counted, "},
    {"const char **", 0, "ZEROED"},
    {"kt_not_finite *", 0, "SIZED(kt_not_finite, "},
    {"const kt_recurrent_options *", 0, "SIZED(kt_recurrent_options, "},
    {"const kt_attention_options *", 0, "SIZED(kt_attention_options, "},
    {"const kt_transformer_options *", 0, "SIZED(kt_transformer_options, "},
    {"const kt_lbfgs_options *", 0, "SIZED(kt_lbfgs_options, "},
    {"kt_lbfgs_state *", 0, "SIZED(kt_lbfgs_state, "},
    {"kt_evaluate *", 0, "EVALUATE_FN"},
    {"kt_before_backward *", 0, "BEFORE_BACKWARD_FN"},
    {"kt_after_backward *", 0, "AFTER_BACKWARD_FN"},
    {"kt_module_visit *", 0, "MODULE_VISIT"},
    {"kt_before_call *", 0, "BEFORE_FN"},
    {"kt_after_call *", 0, "AFTER_FN"},
    {"kt_hook_call", 0, "HOOK_FN"},
    {"kt_node_hook_call", 0, "NODE_HOOK_FN"},
    {"kt_hook_visit", 0, "HOOK_VISIT"},
    {"kt_call_watcher", 0, "CALL_WATCHER"},
    {"kt_wrapper_left", 0, "WRAPPER_LEFT"},
    {"void (*)(void *)", 0, "RELEASE_FN"},
};

static bool fits(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    return pattern[n - 1] == '*' ? strncmp(pattern, name, n - 1) == 0 : strcmp(pattern, name) == 0;
}

static const char *maker_of(const variable *v)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].type, v->type) == 0 && (!makers[i].name || fits(makers[i].name, v->name)))
            return makers[i].maker;
    die("a type without hostile values (give it a maker in sweep.h)", v->type);
    return NULL;
}

static const options *options_of(const variable *v)
{
    for (int i = 0; i < n_structs; i++)
        if (strncmp(v->type, "const ", 6) == 0 && strncmp(v->type + 6, structs[i].name, strlen(structs[i].name)) == 0 &&
            strcmp(v->type + 6 + strlen(structs[i].name), " *") == 0)
            return &structs[i];
    return NULL;
}

/* ---- reading ---- */

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        die("cannot read", path);
    fseek(f, 0, SEEK_END);
    long  n = ftell(f);
    char *text = calloc(1, (size_t)n + 1);
    rewind(f);
    if (!text || fread(text, 1, (size_t)n, f) != (size_t)n)
        die("cannot read", path);
    fclose(f);
    return text;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        *from = ' ';
}

/* Comments and preprocessor lines become blanks, and so do line ends. */
static void clean(char *text)
{
    for (char *at = text; *at; at++) {
        bool  first = at == text || at[-1] == '\n';
        char *end = at;
        if (at[0] == '/' && at[1] == '*' && (end = strstr(at, "*/")))
            blank(at, end + 2);
        else if (first && *at == '#') {
            while (*end && (*end != '\n' || end[-1] == '\\'))
                end++;
            blank(at, end);
        }
    }
    for (; *text; text++)
        if (*text == '\n')
            *text = ' ';
}

/* One blank between words, none beside brackets; a pointer's star stands beside the name. */
static void copy_tidy(char *to, const char *from, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at + 2 < TEXT; i++) {
        if (from[i] == ' ' && (at == 0 || to[at - 1] == ' ' || to[at - 1] == '('))
            continue;
        to[at++] = from[i];
    }
    while (at && to[at - 1] == ' ')
        at--;
    to[at] = '\0';
}

/* "const kt_tensor *self" or "void (*release)(void *owner)" */
static variable parse_variable(const char *text, size_t n)
{
    variable v = {"", ""};
    char     all[TEXT];
    copy_tidy(all, text, n);
    char *function = strstr(all, "(*");
    if (function) {
        strcpy(v.type, "void (*)(void *)");
        if (strncmp(all, "void (*", 7) != 0 || !strstr(all, ")(void *"))
            die("a function pointer of another shape", all);
        copy_tidy(v.name, function + 2, strcspn(function + 2, ")"));
        return v;
    }
    char *array = strchr(all, '['), *end = array ? array : all + strlen(all), *name = end;
    while (name > all && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    copy_tidy(v.name, name, (size_t)(end - name));
    copy_tidy(v.type, all, (size_t)(name - all));
    if (array) {
        strcat(v.type, " ");
        strcat(v.type, array);
    }
    return v;
}

/* A list of declarations that end in `stop`, commas and brackets inside brackets apart. */
static int parse_list(const char *text, const char *end, char stop, variable *into, int most)
{
    int n = 0, depth = 0;
    for (const char *from = text, *at = text; at <= end; at++) {
        depth += at < end && *at == '(' ? 1 : at < end && *at == ')' ? -1 : 0;
        if (depth || (at < end && *at != stop))
            continue;
        variable v = parse_variable(from, (size_t)(at - from));
        from = at + 1;
        if (!v.name[0] || !v.type[0]) /* nothing, "void" or "..." */
            continue;
        if (n == most)
            die("too many", text);
        into[n++] = v;
    }
    return n;
}

/* The members that can be set: without those between them that keep the next from being given by position. */
static const char *copy_fields(char *to, const char *from, const char *end)
{
    static const char between[] = "KT_AFTER(";
    while (from < end) {
        if (strncmp(from, between, strlen(between)) == 0)
            from = strchr(from, ')') + 1;
        else
            *to++ = *from++;
    }
    *to = 0;
    return to;
}

static void read_structs(const char *text)
{
    static const char opening[] = "typedef struct KT_OPTIONS ";
    for (const char *at = text; (at = strstr(at, opening)); at++) {
        const char *name = at + strlen(opening), *brace = strchr(name, '{'), *end = brace ? strchr(brace, '}') : NULL;
        if (!end || n_structs == MOST_STRUCTS)
            die("an option struct", at);
        options *o = &structs[n_structs++];
        copy_tidy(o->name, name, (size_t)(brace - name));
        const char *guard = strstr(brace, "KT_BY_NAME");
        if (!guard || guard > end)
            die("an option struct without KT_BY_NAME", o->name);
        variable all[MOST_FIELDS + 2];
        char     fields[TEXT * MOST_FIELDS];
        int      n = parse_list(fields, copy_fields(fields, guard + strlen("KT_BY_NAME"), end), ';', all, MOST_FIELDS);
        for (int i = 0; i < n; i++)
            o->field[o->n++] = all[i];
    }
}

/* ---- writing ---- */

static void write_maker(const variable *v)
{
    const char *maker = maker_of(v);
    fprintf(out, strchr(maker, '(') && maker[0] != '(' ? "%s%d, \"%s\")" : "%s(%d, \"%s\")", maker, n_slots++, v->name);
}

static void write_options_value(const options *o, int at)
{
    int slot = n_slots++;
    fprintf(out, "    %s o = {.size = sizeof o};\n", o->name);
    for (int i = 0; i < o->n; i++) {
        fprintf(out, "    if (AIMED(%d))\n        o.%s = ", n_slots, o->field[i].name);
        write_maker(&o->field[i]);
        fputs(";\n", out);
    }
    fprintf(out, "    const %s *a%d = OPTIONS(%d, &o);\n", o->name, at, slot);
}

/* What becomes of the result: GIVEN_<type without blanks and stars> in sweep.h. */
static void write_result(const char *type, const char *name)
{
    char word[TEXT] = "";
    int  n = 0;
    for (const char *c = type; *c; c++)
        if (isalnum((unsigned char)*c) || *c == '_' || *c == '*')
            word[n++] = *c == '*' ? 'P' : *c;
    if (strstr(word, "_results"))
        strcpy(word, "several");
    fprintf(out, "    GIVEN_%s(%s, ", word, name);
}

static void write_function(const char *text, const char *end)
{
    const char *open = strchr(text, '(');
    variable    head = open && open < end ? parse_variable(text, (size_t)(open - text)) : (variable){"", ""}, p[MOST_PARAMS];
    const char *close = open;
    for (int depth = 0; close && close < end; close++) {
        depth += *close == '(' ? 1 : *close == ')' ? -1 : 0;
        if (!depth)
            break;
    }
    if (!head.name[0] || close >= end)
        die("a declaration", text);
    int n = parse_list(open + 1, close, ',', p, MOST_PARAMS);
    n_slots = 0;
    fprintf(out, "static void call_%d(void)\n{\n", n_functions++);
    for (int i = 0; i < n; i++) {
        const options *o = options_of(&p[i]);
        if (o) {
            write_options_value(o, i);
            continue;
        }
        if (strcmp(p[i].type, "void (*)(void *)") == 0)
            fprintf(out, "    void (*a%d)(void *) = ", i);
        else if (strchr(p[i].type, '['))
            fprintf(out, "    void *a%d = ", i);
        else
            fprintf(out, "    %s%sa%d = ", p[i].type, strchr(p[i].type, '*') ? "" : " ", i);
        write_maker(&p[i]);
        fputs(";\n", out);
    }
    fputs("    BEFORE;\n", out);
    write_result(head.type, head.name);
    fprintf(out, "%s(", head.name);
    for (int i = 0; i < n; i++)
        fprintf(out, "%sa%d", i ? ", " : "", i);
    fputs("));\n}\n\n", out);
    fprintf(out, "enum { SLOTS_%d = %d };\n#define NAME_%d \"%s\"\n\n", n_functions - 1, n_slots, n_functions - 1, head.name);
}

static void read_functions(const char *text)
{
    for (const char *at = text; (at = strstr(at, "KT_API ")); at++) {
        const char *end = strchr(at, ';');
        if (!end)
            die("a declaration without end", at);
        write_function(at + strlen("KT_API "), end);
    }
}

int main(int n, char **words)
{
    if (n < 3)
        die("usage", "gen_sweep OUT HEADER...");
    out = fopen(words[1], "w");
    if (!out)
        die("cannot write", words[1]);
    fputs("/* written by gen_sweep.c from the public headers */\n#include \"sweep/sweep.h\"\n\n", out);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 2; i < n; i++) {
            char *text = read_all(words[i]);
            clean(text);
            if (pass == 0)
                read_structs(text);
            else
                read_functions(text);
            free(text);
        }
    fputs("const sweep_function sweep_functions[] = {\n", out);
    for (int i = 0; i < n_functions; i++)
        fprintf(out, "    {NAME_%d, call_%d, SLOTS_%d},\n", i, i, i);
    fprintf(out, "};\nconst int sweep_n_functions = %d;\n", n_functions);
    return fclose(out) != 0;
}
