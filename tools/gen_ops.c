/* gen_ops.c - writes what follows from the operator table: ops.h (one line an operator: the list people read, of which a copy
 * is checked in), include/karat/ops_typed.h (what it stands for: option structs, functions, call macros) and ops.gen.c (the
 * functions).
 * In: tables/ops.def, parsed by the C compiler, and its schema strings, parsed here. usage: gen_ops FOLDER
 *
 * A C function has the arguments without default as parameters, in order; those with one form a size-first option struct. */
#include "schema.h"
#include "write_file.h"

typedef struct row_text {
    const char *section, *name, *schema, *forms, *how, *doc;
} row_text;

static const row_text rows[] = {
#define OP(name, schema, forms, how, dtypes, kernel, accepts, missing, cpu, cuda, saves, node, doc)                    \
    {SECTION, #name, schema, #forms, #how, doc},
#include "tables/ops.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool zero_default(const arg *a)
{
    return strcmp(a->value, "0") == 0 || strcmp(a->value, "0.0") == 0 || strcmp(a->value, "False") == 0;
}

/* The type of an option: plain where the default is zero, else one that can say "not given". */
static const char *option_type(const arg *a, bool scalar)
{
    if (either(a))
        return scalar ? "kt_scalar " : "const kt_tensor *";
    if (is(a, "int"))
        return zero_default(a) ? "int64_t " : "kt_opt_int ";
    if (is(a, "float"))
        return zero_default(a) ? "double " : "kt_opt_real ";
    if (is(a, "bool"))
        return zero_default(a) ? "bool " : "kt_opt_bool ";
    return types[type_of(a)].c;
}

/* When an option counts as given. */
static void option_given(FILE *f, const arg *a, bool scalar)
{
    const char *n = a->name;
    if (is(a, "Scalar") || (either(a) && scalar))
        fprintf(f, "opts->%s.kind", n);
    else if (is(a, "int") || is(a, "float") || is(a, "bool"))
        fprintf(f, zero_default(a) ? "opts->%s" : "opts->%s.some", n);
    else if (is(a, "int[]"))
        fprintf(f, "opts->%s.d", n);
    else if (is(a, "Device"))
        fprintf(f, "opts->%s.kind", n);
    else
        fprintf(f, "opts->%s", n);
}

/* ---- variants: which Tensor|Scalar arguments are scalars, and the form ---- */

typedef struct variant {
    const char *suffix;
    unsigned    scalars;
} variant;

static int variants(const schema *s, variant *out)
{
    unsigned required = 0, optional = 0, last = 0;
    for (int i = 0; i < s->n; i++)
        if (either(&s->args[i])) {
            if (s->args[i].value[0])
                optional |= 1u << i;
            else
                required |= last = 1u << i;
        }
    int n = 0;
    out[n++] = (variant){"", 0};
    if (required | optional)
        out[n++] = (variant){"_s", last | optional};
    if (required & ~last)
        out[n++] = (variant){"_ss", required | optional};
    return n;
}

static bool has_options(const schema *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->args[i].value[0])
            return true;
    return false;
}

static void function_name(char *out, size_t room, const row_text *r, const variant *v, char form)
{
    snprintf(out, room, "kt_%s%s%s", r->name, v->suffix, form == 'I' ? "_" : form == 'O' ? "_out" : "");
}

static void parameters(FILE *f, const row_text *r, const schema *s, const variant *v, char form, bool names_only)
{
    const char *comma = "";
    for (int i = 0; form == 'O' && i < s->results; i++) {
        fprintf(f, "%s%s%s", comma, names_only ? "" : "kt_tensor *", s->results > 1 ? s->result[i] : "out");
        comma = ", ";
    }
    for (int i = 0; i < s->n; i++) {
        const arg  *a = &s->args[i];
        const char *type = types[type_of(a)].c;
        if (a->value[0])
            continue;
        if (form == 'I' && i == 0 && is(a, "Tensor"))
            type = "kt_tensor *";
        if (v->scalars >> i & 1)
            type = "kt_scalar ";
        if (names_only)
            fprintf(f, "%s%s", comma, a->name);
        else
            fprintf(f, "%s%s%s", comma, type, a->name);
        comma = ", ";
        if (counted(a))
            fprintf(f, names_only ? ", n_%s" : ", int64_t n_%s", a->name);
    }
    if (s->list && form != 'I')
        fprintf(f, names_only ? "%sresults, room" : "%skt_tensor **results, int64_t room", comma);
    if (has_options(s) && !names_only)
        fprintf(f, "%sconst kt_%s%s_opts *opts", comma, r->name, v->suffix[0] ? "_s" : "");
}


/* One C function: a row, which of its arguments are scalars, and the form. */
typedef struct function {
    const row_text *row;
    const schema   *s;
    const variant  *v;
    char            form;
    char            name[2 * TEXT];
} function;

static void each_function(FILE *f, void (*write)(FILE *, const function *))
{
    for (int i = 0; i < ROWS; i++) {
        schema  s = parse(rows[i].schema);
        variant v[3];
        for (int k = 0, n = variants(&s, v); k < n; k++)
            for (const char *form = "PIO"; *form; form++) {
                const bool written = strchr(rows[i].forms, 'W') != NULL; /* in place alone */
                if (*form == 'P' ? written : !(written && *form == 'I') && !strchr(rows[i].forms, *form))
                    continue;
                function one = {&rows[i], &s, &v[k], *form, ""};
                function_name(one.name, sizeof one.name, &rows[i], &v[k], *form);
                write(f, &one);
            }
    }
}

static void write_head(FILE *f, const function *one)
{
    if (one->s->results > 1)
        fprintf(f, "kt_%s_results ", one->row->name);
    else
        fputs(!one->s->list ? "kt_tensor *" : one->form == 'I' ? "kt_status " : "int64_t ", f);
    fprintf(f, "%s%s(", one->name, has_options(one->s) ? "_kw" : "");
    parameters(f, one->row, one->s, one->v, one->form, false);
    fputc(')', f);
}

/* ---- ops_typed.h ---- */

static void write_options(FILE *f, const row_text *r, const schema *s)
{
    bool both = false;
    for (int i = 0; i < s->n; i++)
        both |= either(&s->args[i]);
    for (int scalar = 0; scalar <= both; scalar++) {
        fprintf(f, "typedef struct KT_OPTIONS kt_%s%s_opts { size_t size; KT_BY_NAME", r->name, scalar ? "_s" : "");
        const char *before = NULL;
        for (int i = 0; i < s->n; i++) {
            if (!s->args[i].value[0])
                continue;
            if (before)
                fprintf(f, " KT_AFTER(%s)", before);
            fprintf(f, " %s%s;", option_type(&s->args[i], scalar), before = s->args[i].name);
        }
        fprintf(f, " } kt_%s%s_opts;\n", r->name, scalar ? "_s" : "");
    }
}

static void write_results(FILE *f, const row_text *r, const schema *s)
{
    fprintf(f, "typedef struct kt_%s_results { kt_tensor", r->name);
    for (int i = 0; i < s->results; i++)
        fprintf(f, "%s *%s", i ? "," : "", s->result[i]);
    fprintf(f, "; } kt_%s_results;\n", r->name);
}

static void write_declaration(FILE *f, const function *one)
{
    fputs("KT_API ", f);
    write_head(f, one);
    fprintf(f, "; /* %s */\n", one->row->doc);
}

static void write_keyword_macro(FILE *f, const function *one)
{
    if (!has_options(one->s))
        return;
    fprintf(f, "#define %s(", one->name);
    parameters(f, one->row, one->s, one->v, one->form, true);
    fprintf(f, ", ...) (KT_AT %s_kw(", one->name);
    parameters(f, one->row, one->s, one->v, one->form, true);
    fprintf(f, ", KT_KW(kt_%s%s_opts, __VA_ARGS__)))\n", one->row->name, one->v->suffix[0] ? "_s" : "");
}

static void write_site_macro(FILE *f, const function *one)
{
    if (!has_options(one->s))
        fprintf(f, "#define %s(...) (KT_AT %s(__VA_ARGS__))\n", one->name, one->name);
}

static void write_typed(FILE *f)
{
    fputs("/* ops_typed.h - what the list of ops.h stands for: option structs, results, functions, call macros. Written by\n"
          " * tools/gen_ops.c from src/tables/ops.def: do not edit. */\n"
          "#ifndef KARAT_OPS_TYPED_H\n#define KARAT_OPS_TYPED_H\n\n#include <karat/grad.h>\n#include <karat/lineage.h>\n#include "
          "<karat/random.h>\n#include <karat/tensor.h>\n\nKT_BEGIN\n\n"
          "typedef struct kt_opt_int { bool some; int64_t v; } kt_opt_int;\n"
          "typedef struct kt_opt_real { bool some; double v; } kt_opt_real;\n"
          "typedef struct kt_opt_bool { bool some; bool v; } kt_opt_bool;\n"
          "#define KT_SOME(x) {true, (x)}\n"
          "#ifdef KT_SITES /* every call sets its file and line, for lineage */\n"
          "#define KT_AT __extension__({ static const kt_site kt_here_ = {__FILE__, __LINE__}; kt_site_set(&kt_here_); "
          "}),\n"
          "#else\n#define KT_AT\n#endif\n\n",
          f);
    for (int i = 0; i < ROWS; i++) {
        schema s = parse(rows[i].schema);
        if (has_options(&s))
            write_options(f, &rows[i], &s);
        if (s.results > 1)
            write_results(f, &rows[i], &s);
    }
    fputc('\n', f);
    each_function(f, write_declaration);
    fputc('\n', f);
    each_function(f, write_keyword_macro);
    fputs("\n#ifdef KT_SITES\n", f);
    each_function(f, write_site_macro);
    fputs("#define kt_from(...) (KT_AT kt_from(__VA_ARGS__))\n"
          "#define kt_wrap(...) (KT_AT kt_wrap(__VA_ARGS__))\n"
          "#define kt_backward_kw(...) (KT_AT kt_backward_kw(__VA_ARGS__))\n"
          "#define kt_backward_many(...) (KT_AT kt_backward_many(__VA_ARGS__))\n"
          "#define kt_gradients(...) (KT_AT kt_gradients(__VA_ARGS__))\n#endif\n",
          f);
    fputs("\nKT_END\n#endif\n", f);
}

/* ---- include/karat/ops.h ---- */

/* One argument as a caller writes it: "self", "tensors, n_tensors", ".alpha = 1". */
static int list_argument(char *out, size_t room, const arg *a)
{
    if (!a->value[0])
        return counted(a) ? snprintf(out, room, "%s, n_%s", a->name, a->name) : snprintf(out, room, "%s", a->name);
    if (strcmp(a->value, "None") == 0)
        return snprintf(out, room, ".%s", a->name);
    const char *value = strcmp(a->value, "True") == 0 ? "true" : strcmp(a->value, "False") == 0 ? "false" : a->value;
    return snprintf(out, room, ".%s = %s", a->name, value);
}

/* "kt_sort(self, .dim = -1) -> values, indices" */
static void list_call(char *out, size_t room, const row_text *r, const schema *s)
{
    const char *comma = "";
    int         at = snprintf(out, room, "kt_%s%s(", r->name, strchr(r->forms, 'W') ? "_" : "");
    for (int i = 0; i < s->n; i++) {
        at += snprintf(out + at, room - (size_t)at, "%s", comma);
        at += list_argument(out + at, room - (size_t)at, &s->args[i]);
        comma = ", ";
    }
    at += snprintf(out + at, room - (size_t)at, "%s)", s->list && !strchr(r->forms, 'W') ? ", results, room" : "");
    for (int i = 0; s->results > 1 && i < s->results; i++)
        at += snprintf(out + at, room - (size_t)at, "%s%s", i ? ", " : " -> ", s->result[i]);
}

static void write_line(FILE *f, const row_text *r)
{
    char    call[1024], more[32];
    schema  s = parse(r->schema);
    variant v[3];
    int     n = variants(&s, v);
    list_call(call, sizeof call, r, &s);
    snprintf(more, sizeof more, "%s%s%s%s", strchr(r->forms, 'I') ? " _" : "", strchr(r->forms, 'O') ? " out" : "",
             n > 1 ? " s" : "", n > 2 ? " ss" : "");
    fprintf(f, " * %-56s %-11s %s\n", call, more, r->doc);
}

static void write_sections(FILE *f, bool internal)
{
    const char *section = "";
    for (int i = 0; i < ROWS; i++) {
        if (schema_is_internal(rows[i].schema) != internal)
            continue;
        if (!internal && strcmp(section, rows[i].section) != 0) {
            fprintf(f, "%s/* ---- %s ----\n", *section ? " */\n\n" : "", rows[i].section);
            section = rows[i].section;
        }
        write_line(f, &rows[i]);
    }
    fputs(" */\n", f);
}

static void write_list(FILE *f)
{
    fputs("/* ops.h - every operator, one line each. Written by tools/gen_ops.c from src/tables/ops.def: do not edit.\n"
          " *\n"
          " * kt_add(a, b) returns a new tensor. The second column lists forms: _ kt_add_(a, b) writes into a, out\n"
          " * kt_add_out(out, a, b) writes into out, s kt_add_s(a, KT_INT(2)) takes a number for the last tensor, ss for each\n"
          " * (kt_where_ss). Suffixes combine: kt_add_s_, kt_add_s_out.\n"
          " * Options are named, kt_add(a, b, .alpha = KT_INT(2)): one given by position, kt_add(a, b, 2), does not compile. An\n"
          " * option whose default is not zero is set by KT_SOME: .dim = KT_SOME(0).\n"
          " * With no option and -Wpedantic, or in C++, call kt_add_kw(a, b, NULL). Operators that return a list fill `results`\n"
          " * (room for so many) and return how many there are, or -1. Those with several results return a struct of them, all\n"
          " * NULL after an error. ops_typed.h has the C declarations; `karat ops NAME` shows which dtypes an operator takes\n"
          " * and returns. */\n"
          "#ifndef KARAT_OPS_H\n#define KARAT_OPS_H\n\n#include <karat/ops_typed.h>\n\n",
          f);
    write_sections(f, false);
    fputs("\n/* ---- parts of the others: what backward and composite operators call ----\n", f);
    write_sections(f, true);
    fputs("#endif\n", f);
}

/* ---- ops.gen.c ---- */

static void write_put(FILE *f, int at, const arg *a, bool scalar, bool option)
{
    const char *o = option ? "opts->" : "";
    if (option) {
        fputs("    if (opts && ", f);
        option_given(f, a, scalar);
        fputs(")\n    ", f);
    }
    if (!option && a->optional && is(a, "Tensor"))
        fprintf(f, "    if (%s)\n    ", a->name);
    bool some = option && !zero_default(a) && (is(a, "int") || is(a, "float") || is(a, "bool"));
    if (is(a, "Tensor") || (either(a) && !scalar))
        fprintf(f, "    kt__put_tensor(&c, %d, %s%s);\n", at, o, a->name);
    else if (either(a))
        fprintf(f, "    kt__put_either(&c, %d, %s%s);\n", at, o, a->name);
    else if (tensors(a))
        fprintf(f, "    kt__put_tensors(&c, %d, %s, n_%s);\n", at, a->name, a->name);
    else if (counted(a))
        fprintf(f, "    kt__put_scalars(&c, %d, %s, n_%s);\n", at, a->name, a->name);
    else
        fprintf(f, "    kt__put(&c, %d, %s, %s%s%s);\n", at, types[type_of(a)].field, o, a->name, some ? ".v" : "");
}

static void write_body(FILE *f, const function *one)
{
    const schema *s = one->s;
    fputc('\n', f);
    write_head(f, one);
    fprintf(f, "\n{\n    kt_call c;\n    kt__open(&c, KT_OP_%s, %s);\n", one->row->name,
            one->form == 'P'   ? "KT_PLAIN"
            : one->form == 'I' ? "KT_INPLACE"
                               : "KT_OUT");
    if (has_options(s)) {
        const char *scalar = one->v->suffix[0] ? "_s" : "";
        fprintf(f, "    kt_%s%s_opts own;\n    opts = kt__options(opts, &own, sizeof own);\n", one->row->name, scalar);
    }
    for (int option = 0; option <= 1; option++)
        for (int a = 0; a < s->n; a++)
            if ((s->args[a].value[0] != 0) == option)
                write_put(f, a, &s->args[a], one->v->scalars >> a & 1, option);
    if (s->results > 1) {
        fprintf(f, "    kt_tensor *r[%d] = {", s->results);
        for (int i = 0; i < s->results; i++)
            fprintf(f, "%s%s", i ? ", " : "", one->form == 'O' ? s->result[i] : "NULL");
        fprintf(f, "};\n    kt__close_several(&c, r, %d);\n    return (kt_%s_results){", s->results, one->row->name);
        for (int i = 0; i < s->results; i++)
            fprintf(f, "%sr[%d]", i ? ", " : "", i);
        fputs("};\n}\n", f);
        return;
    }
    const char *how = s->list ? (one->form == 'I' ? "_written(&c)" : "_list(&c, results, room)")
                              : (one->form == 'O'   ? "_out(&c, out)"
                                 : one->form == 'I' ? "_inplace(&c)"
                                                    : "(&c)");
    fprintf(f, "    return kt__close%s;\n}\n", how);
}

static void write_bodies(FILE *f)
{
    fputs(
        "/* ops.gen.c - the typed wrappers of ops.h. Written by tools/gen_ops.c from src/tables/ops.def: do not edit.\n"
        " * Each fills in a call and passes it to kt_call_run; scopes and the pending-error rule live here alone. */\n"
        "#include \"call/wrap.h\"\n",
        f);
    each_function(f, write_body);
}

int main(int n, char **words)
{
    if (n != 2)
        die("usage: gen_ops FOLDER");
    write_file(words[1], "ops.h", write_list);
    write_file(words[1], "include/karat/ops_typed.h", write_typed);
    write_file(words[1], "ops.gen.c", write_bodies);
    return 0;
}
