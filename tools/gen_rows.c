/* gen_rows.c - writes rows.gen.c: the operator table as C data, with everything derived from the schemas, so that nothing
 * is parsed at start. In: tables/ops.def and tables/ways.def, read by the C compiler, and the rows' schema strings,
 * parsed here. usage: gen_rows FOLDER */
#include "refusals.h"
#include "schema.h"
#include "write_file.h"

typedef struct row_text {
    const char *section, *name, *schema, *forms, *way, *rule, *kernel, *accepts, *missing, *cpu, *cuda, *saves, *node, *doc;
    int         missing_bytes, node_bytes;
} row_text;

static const row_text rows[] = {
#define OP(name, schema, forms, way, rule, kernel, accepts, missing, cpu, cuda, saves, node, doc)                      \
    {SECTION, #name, schema, #forms, #way, #rule, #kernel, #accepts, missing, #cpu, #cuda, #saves, node, doc,     \
     sizeof(missing), sizeof(node)},
#include "tables/ops.def"
};
enum {
    ROWS = sizeof rows / sizeof *rows,
    MOST_GATHERED = 10 /* src/call/row.h: KT_MOST_GATHERED */
};

static const struct {
    const char *word, *name;
    bool        body;
} ways[] = {
#define WAY(NAME, name, body) {#NAME, #name, body},
#include "tables/ways.def"
};
enum { WAYS = sizeof ways / sizeof *ways };

static int way_of(const row_text *r)
{
    for (int i = 0; i < WAYS; i++)
        if (strcmp(ways[i].word, r->way) == 0)
            return i;
    die("%s: there is no way %s", r->name, r->way);
    return -1;
}

/* Up to one of `stop`. */
static const char *take(const char *s, const char *stop, char *into)
{
    size_t n = strcspn(s, stop);
    if (n >= TEXT)
        die("too long: %s", s);
    memcpy(into, s, n);
    into[n] = 0;
    return s + n;
}

/* ---- arguments ---- */

static void write_default(FILE *f, const arg *a)
{
    const char *v = a->value;
    if (!v[0] || strcmp(v, "None") == 0)
        fputs("{0}", f);
    else if (is(a, "Scalar"))
        fprintf(f,
                strpbrk(v, ".e") ? "{.s = {{.re = %s}, 0, KT_SCALAR_FLOAT, 0}}"
                                 : "{.s = {{.i = %s}, 0, KT_SCALAR_INT, 0}}",
                v);
    else if (is(a, "bool"))
        fprintf(f, "{.b = %s}", strcmp(v, "True") == 0 ? "true" : "false");
    else if (is(a, "int"))
        fprintf(f, "{.i = %s}", v);
    else if (is(a, "float"))
        fprintf(f, "{.f = %s}", v);
    else if (is(a, "int[]")) {
        const char *comma = strchr(v, ',');
        int         n = v[1] != ']';
        for (; comma; comma = strchr(comma + 1, ','))
            n++;
        if (n == 0)
            fputs("{.ints = {0, NULL}}", f);
        else
            fprintf(f, "{.ints = {%d, (const int64_t[]){%.*s}}}", n, (int)strlen(v) - 2, v + 1);
    } else if (is(a, "str"))
        fprintf(f, "{.str = \"%.*s\"}", (int)strlen(v) - 2, v + 1);
    else
        die("no way to write the default %s of %s", v, a->name);
}

/* `first`: where the arguments of each row begin. */
static void write_arguments(FILE *f, int *first)
{
    int at = 0;
    fputs("\nstatic const kt_arg_spec arguments[] = {\n", f);
    for (int i = 0; i < ROWS; i++) {
        const schema s = parse(rows[i].schema);
        first[i] = at;
        fprintf(f, "    /* %s */\n", rows[i].name);
        for (int k = 0; k < s.n; k++, at++) {
            const arg *a = &s.args[k];
            fprintf(f, "    {\"%s\", KT_ARG_%s, %d, %d, %d, 0, %d, %d, 0, %d, ", a->name, types[type_of(a)].kind, a->optional,
                    a->value[0] != 0, a->keyword, holed(a), a->alone,
                    a->optional && (!a->value[0] || strcmp(a->value, "None") == 0));
            write_default(f, a);
            fputs("},\n", f);
        }
    }
    fputs("    {0},\n};\n", f); /* a last row without arguments points here */
}

/* ---- columns ---- */

/* Letters of a column as bits, the first letter of `all` being bit 0: "IFC" of "BIFC". A lone "_" is none. */
static unsigned bits_of(const char *letters, const char *all)
{
    unsigned bits = 0;
    for (; *letters; letters++) {
        const char *at = strchr(all, *letters);
        if (*letters == '_' || *letters == ' ' || *letters == '|')
            continue;
        if (!at)
            die("'%c' is none of %s", *letters, all);
        bits |= 1u << (at - all);
    }
    return bits;
}

/* The plain form is bit 0, in place bit 1, out= bit 2 (ORDER FORM); W is in place alone. */
static unsigned forms_of(const row_text *r)
{
    char letters[TEXT];
    take(r->forms, "(", letters);
    return strcmp(letters, "W") == 0 ? 2 : 1 | bits_of(letters, "IO") << 1;
}

/* The words in brackets after the forms: what the row may write into. ops.def explains them. */
static const struct {
    const char *word, *column, *value;
} target_words[] = {
    {"cast", "dtype", "TARGET_CAST"},
    {"exact", "dtype", "TARGET_EXACT"},
    {"same", "dtype", "TARGET_SAME"},
    {"not_partial", "memory", "TARGET_NOT_PARTIAL"},
    {"first_not_partial", "memory", "TARGET_FIRST_NOT_PARTIAL"},
    {"first_only", "memory", "TARGET_FIRST_ONLY"},
    {"not_first", "memory", "TARGET_NOT_FIRST"},
    {"disjoint", "memory", "TARGET_DISJOINT"},
    {"opaque", "grad", "TARGET_OPAQUE"},
    {"recorded", "grad", "TARGET_RECORDED"},
    {"silent_resize", "silent_resize", "true"},
    {"keeps_shape", "keeps_shape", "true"},
    {"warns_count", "warns_count", "true"},
    {"dtype_before_dims", "dtype_before_dims", "true"},
    {"checked_in_body", "checked_in_body", "true"},
};

/* A word that names an argument: counted from 1. */
static int target_argument(const row_text *r, const char *name)
{
    const schema s = parse(r->schema);
    const int    at = argument_named(&s, name);
    if (at < 0)
        die("%s: the target names no argument by '%s'", r->name, name);
    return at + 1;
}

static void write_target_word(FILE *f, const row_text *r, const char *word)
{
    const char *space = strchr(word, ' '), *rest = space ? space + 1 : "";
    if (strncmp(word, "by ", 3) == 0) {
        fprintf(f, ".reported_as = \"%s\", ", rest);
        return;
    }
    if (strncmp(word, "idempotent ", 11) == 0) {
        fprintf(f, ".idempotent = %u, ", bits_of(rest, "BIFC"));
        return;
    }
    const bool at_mask = strncmp(word, "read_first_at_mask ", 19) == 0;
    if (at_mask || strncmp(word, "read_first ", 11) == 0) {
        fprintf(f, ".read_first = %d, .at_mask = %d, ", target_argument(r, rest), at_mask);
        return;
    }
    for (size_t i = 0; i < sizeof target_words / sizeof *target_words; i++)
        if (strcmp(target_words[i].word, word) == 0) {
            fprintf(f, ".%s = %s, ", target_words[i].column, target_words[i].value);
            return;
        }
    die("%s: '%s' is no word for a target", r->name, word);
}

static void write_target(FILE *f, const row_text *r)
{
    const char *c = strchr(r->forms, '(');
    if (!c)
        return;
    fputs(" .target = {", f);
    for (c++; *c && *c != ')'; c += *c == ',') {
        char word[TEXT];
        c = take(schema_blanks(c), ",)", word);
        write_target_word(f, r, word);
    }
    fputs("},", f);
}

static void write_text(FILE *f, const char *column, const char *s, int bytes)
{
    if (!s)
        return;
    fprintf(f, " .%s = ", column);
    write_string(f, s, bytes);
    fputc(',', f);
}

/* ---- the kernel and its parameters: "name", or "name(item, ...)" ----
 *  swapped        the kernel takes operands 0 and 1 in the other order
 *  by f           the function kt__args_f sets what the arguments change: kernel, parameters, rule
 *  as p           MATMUL rows: which product, kt__product_p
 *  lies h         memory layout of a new result: LIES_h of call/row.h
 *  arg exact      a number or 0-dim tensor here is not rounded, even if the other operands are float16 or bfloat16
 *  arg as fit     the next kernel parameter is this argument, a Scalar
 *                 as:   (nothing) a double
 *                       rounded: rounded to the operand's dtype
 *                       rounded_int: the same for integer dtypes, else a double
 *                 fit:  (nothing) any value
 *                       fits_dtype: an error if the operand's dtype cannot hold it
 *                       fits_compute: the same of the dtype that PyTorch computes in: float32 for float16 and bfloat16
 *  3.5            the next kernel parameter is this number */

typedef struct kernel_text {
    char name[TEXT], by[TEXT], as[TEXT], lies[TEXT];
    char param[MAX_PARAMS][TEXT]; /* an initializer of kt__param */
    int  n, exact;
    bool swapped;
} kernel_text;

static int operand_of(const schema *s, int argument);

static void read_item(const row_text *r, const schema *s, char *item, kernel_text *k)
{
    char *word[3] = {strtok(item, " "), strtok(NULL, " "), strtok(NULL, " ")};
    if (strcmp(word[0], "swapped") == 0) {
        k->swapped = true;
        return;
    }
    if (strcmp(word[0], "by") == 0 && word[1]) {
        strcpy(k->by, word[1]);
        return;
    }
    if (strcmp(word[0], "as") == 0 && word[1]) {
        strcpy(k->as, word[1]);
        return;
    }
    if (strcmp(word[0], "lies") == 0 && word[1]) {
        snprintf(k->lies, TEXT, "LIES_%s", word[1]);
        return;
    }
    const int at = argument_named(s, word[0]);
    if (at >= 0 && word[1] && strcmp(word[1], "exact") == 0) {
        k->exact = operand_of(s, at);
        return;
    }
    if (k->n == MAX_PARAMS)
        die("%s: too many parameters", r->name);
    char *into = k->param[k->n++];
    if (at < 0) {
        snprintf(into, TEXT, "{.at = -1, .value = %s}", word[0]);
        return;
    }
    const char *as = "AS_DOUBLE", *fit = "FIT_ANY";
    for (int i = 1; i < 3 && word[i]; i++)
        if (strcmp(word[i], "rounded") == 0)
            as = "AS_ROUNDED";
        else if (strcmp(word[i], "rounded_int") == 0)
            as = "AS_ROUNDED_INT";
        else if (strcmp(word[i], "fits_compute") == 0)
            fit = "FIT_COMPUTE";
        else if (strcmp(word[i], "fits_dtype") == 0)
            fit = "FIT_DTYPE";
        else
            die("%s: a parameter is not '%s'", r->name, word[i]);
    snprintf(into, TEXT, "{.at = %d, .as = PARAM_%s, .fit = PARAM_%s}", at, as, fit);
}

static kernel_text read_kernel(const row_text *r, const schema *s)
{
    kernel_text k = {.exact = -1};
    char        item[TEXT];
    const char *c = take(r->kernel, "(", k.name);
    for (c += *c == '('; *c && *c != ')'; c += *c == ',') {
        c = take(schema_blanks(c), ",)", item);
        read_item(r, s, item, &k);
    }
    return k;
}

static void write_kernel(FILE *f, const kernel_text *k)
{
    fprintf(f, " .kernel = KT_K_%s, .swapped = %d, .exact = %d, .n_params = %d,", k->name, k->swapped, k->exact & 0xff, k->n);
    if (k->by[0])
        fprintf(f, " .refine = kt__args_%s,", k->by);
    else if (k->n)
        fputs(" .refine = kt__args_listed,", f);
    if (k->as[0])
        fprintf(f, " .product = &kt__product_%s,", k->as);
    if (k->lies[0])
        fprintf(f, " .lies = %s,", k->lies);
    for (int i = 0; i < k->n; i++)
        fprintf(f, "%s%s%s", i ? ", " : " .params = (const kt__param[]){", k->param[i], i + 1 < k->n ? "" : "},");
}

/* ---- the rule: "NAME", or "NAME(item, ...)" of rows with a body ----
 *  arg            an operand of the rule; else they are all tensors, of a rule that looks at one the first
 *  after          the body calls the resolver (kt__resolve_in_body) after its shape checks
 * Of NONE the items say why the resolver has nothing to decide. */

typedef struct rule_text {
    char name[TEXT];
    int  operand[SCHEMA_ARGS], n; /* none: as the rule has it */
    bool after;
    char reason[TEXT];
} rule_text;

static bool is_reason(const char *word)
{
    static const char *const words[] = {"parts", "list", "argument", "target"}; /* ORDER UNDECIDED */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* What the resolver does not decide it cannot refuse: no letters stand in `accepts`. */
static void check_undecided(const row_text *r, const rule_text *rule)
{
    if (!is_reason(rule->reason))
        die("%s: why has the resolver nothing to decide? '%s'", r->name, rule->reason);
    if (strcmp(r->accepts, "_") != 0)
        die("%s: nobody asks which dtypes it accepts; what it takes stands in its RESULT line", r->name);
}

static rule_text read_rule(const row_text *r, const schema *s)
{
    rule_text   rule = {.n = 0};
    char        item[TEXT];
    const char *c = take(r->rule, "(", rule.name);
    for (c += *c == '('; *c && *c != ')'; c += *c == ',') {
        c = take(schema_blanks(c), ",)", item);
        const int at = argument_named(s, item);
        if (strcmp(rule.name, "NONE") == 0)
            strcpy(rule.reason, item);
        else if (strcmp(item, "after") == 0)
            rule.after = true;
        else if (at < 0)
            die("%s: the rule names no argument by '%s'", r->name, item);
        else
            rule.operand[rule.n++] = at;
    }
    if (strcmp(rule.name, "NONE") == 0)
        check_undecided(r, &rule);
    const bool decides = ways[way_of(r)].body && !rule.after && strcmp(rule.name, "NONE") != 0;
    if (decides && bits_of(r->accepts, "BIFC") != 15 && !r->missing && !has_refusals(r->name))
        die("%s: what does it say of a dtype that it does not accept?", r->name);
    return rule;
}

/* Does the rule look at one operand? Of those that look at none dtype= says it. */
static bool is_unary(const char *rule)
{
    static const char *const names[] = {"SAME", "TO_BOOL", "TO_REAL", "FLOAT_TO_REAL", "SUM", "MEAN", "NORM", "TRUTH", "INDEX",
                                        "WITH_INDEX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], rule) == 0)
            return true;
    return false;
}

/* A row with a body whose rule looks at one operand and does not name it means the first. */
static void find_operand(const row_text *r, const schema *s, rule_text *rule)
{
    for (int i = 0; i < s->n && ways[way_of(r)].body && is_unary(rule->name) && !rule->n; i++)
        if (is_operand(&s->args[i]))
            rule->operand[rule->n++] = i;
}

/* The arguments whose dtypes decisions follow from: the operands and dtype=. A view asks for none. */
static unsigned decided_by(const row_text *r, const schema *s)
{
    unsigned  bits = 0;
    rule_text rule = read_rule(r, s);
    if (strcmp(rule.name, "NONE") == 0 || strcmp(r->way, "VIEW") == 0)
        return 0;
    find_operand(r, s, &rule);
    for (int i = 0; i < rule.n; i++)
        bits |= 1u << rule.operand[i];
    for (int i = 0; i < s->n; i++)
        if ((!rule.n && is_operand(&s->args[i])) || (is(&s->args[i], "ScalarType") && strcmp(s->args[i].name, "dtype") == 0))
            bits |= 1u << i;
    return bits;
}

/* ---- what follows from the schema ---- */

static int operand_of(const schema *s, int argument)
{
    int nth = 0;
    for (int i = 0; i < argument; i++)
        nth += is_operand(&s->args[i]);
    return nth;
}

static void write_places(FILE *f, const unsigned char *at, int n)
{
    fputs("{", f);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%d", i ? ", " : "", at[i]);
    fputs(n ? "}" : "0}", f);
}

/* Two tensors alone mean the kernel on them in order, unless it is given more or in another order. */
static void write_operands(FILE *f, const row_text *r, const schema *s, const kernel_text *k, rule_text rule)
{
    int        n = s->facts.n_operands;
    const bool pair = n == 2 && strcmp(r->way, "ELEMENTWISE") == 0 && !k->n && !k->swapped;
    if (n > MOST_GATHERED)
        die("%s: a call gathers no more than %d operands", r->name, MOST_GATHERED);
    find_operand(r, s, &rule);
    n = rule.n ? rule.n : n;
    unsigned numbers = 0;
    for (int i = 0; i < rule.n; i++)
        numbers |= (unsigned)is(&s->args[rule.operand[i]], "Scalar") << rule.operand[i];
    fprintf(f, " .operands = {.n = %d, .numbers = %u, .pair = %d, .bare = %d, .at = ", n, numbers, pair, n == s->n);
    if (rule.n) {
        for (int i = 0; i < rule.n; i++)
            fprintf(f, "%s%d", i ? ", " : "{", rule.operand[i]);
        fputs("}},", f);
        return;
    }
    write_places(f, s->facts.operand, n);
    fputs("},", f);
}

static void write_inputs(FILE *f, const schema_facts *s)
{
    fprintf(f, " .inputs = {.n = %d, .lists = %u, .pointed = %d, .special = %d, .at = ", s->n_inputs, s->lists, s->pointed,
            s->lists != 0);
    write_places(f, s->input, s->n_inputs);
    fprintf(f, "}, .required = %#x, .checked = %#x,", s->required, s->checked);
}

/* Where a reduction takes what all of them may take, by the names of its arguments. */
static void write_fold(FILE *f, const schema *s)
{
    static const char *const names[] = {"dim", "keepdim", "dtype", "unbiased", "correction", "k", "descending"};
    fputs(" .fold = {", f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(f, ".%s = %d, ", names[i], argument_named(s, names[i]));
    const int p = argument_named(s, "p");
    fprintf(f, ".order = %d},", p >= 0 ? p : argument_named(s, "ord"));
}

static void write_results(FILE *f, const schema *s)
{
    fprintf(f, " .n_results = %d,", s->results);
    if (s->results == 1)
        return;
    fputs(" .results = {", f);
    for (int k = 0; k < s->results; k++)
        fprintf(f, "%s\"%s\"", k ? ", " : "", s->result[k]);
    fputs("},", f);
}

/* A row that names a node has a derivative: kt__grad_<row>, in a file of grad/formulas. "NotImplemented" says there is none. */
static bool has_derivative(const row_text *r) { return r->node && strcmp(r->node, "NotImplemented") != 0; }

/* Results are Y, Z, 3, 4 and so on; the other letters are bits: ORDER SAVES. Places: A, B, C, the results, lists. */
static void write_saves(FILE *f, const row_text *r, const schema *s)
{
    static const char marks[] = "YZ3456789";
    char              letters[TEXT];
    unsigned          results = 0, n = 0;
    for (const char *c = r->saves; *c; c++) {
        const char *mark = strchr(marks, *c);
        if (mark)
            results |= 1u << (mark - marks);
        else
            letters[n++] = *c;
    }
    letters[n] = 0;
    if (results >> s->results)
        die("%s saves a result that it does not have", r->name);
    const bool instead = strchr(letters, 'R') != NULL;
    const int  last = results ? 32 - __builtin_clz(results) : instead;
    const unsigned read = strchr(letters, 'X') && strcmp(r->way, "ELEMENTWISE") == 0;
    fprintf(f, " .saves = %u, .saves_results = %u, .n_saved = ", bits_of(letters, "ABCXLRGNTDOE FPS") | read << 12, results);
    if (strchr(letters, 'L'))
        fputs("SAVED_LISTED,", f);
    else if (strchr(letters, 'X') && !last) /* the last two inputs */
        fprintf(f, "%d,", s->facts.n_inputs);
    else
        fprintf(f, "%d,", last ? 3 + last : strchr(letters, 'C') ? 3 : strchr(letters, 'B') ? 2 : strchr(letters, 'A') != NULL);
}

static void write_row(FILE *f, const row_text *r, int first, int n_refusals)
{
    const schema s = parse(r->schema);
    const int    way = way_of(r);
    const kernel_text kernel = read_kernel(r, &s);
    const rule_text   rule = read_rule(r, &s);
    fprintf(f, "    {.name = \"%s\",", r->name);
    write_text(f, "schema", r->schema, (int)strlen(r->schema));
    write_text(f, "section", r->section, (int)strlen(r->section));
    write_text(f, "doc", r->doc, (int)strlen(r->doc));
    write_text(f, "missing", r->missing, r->missing_bytes - 1);
    write_text(f, "node", r->node, r->node_bytes - 1);
    fprintf(f, "\n     .way = &kt__way_%s,", ways[way].name);
    if (ways[way].body)
        fprintf(f, " .body = kt__body_%s,", r->name);
    if (has_derivative(r))
        fprintf(f, " .grad = kt__grad_%s,", r->name);
    fprintf(f, " .id = KT_OP_%s, .forms = %u, .rule = RULE_%s, .accepts = %u,", r->name, forms_of(r), rule.name,
            bits_of(r->accepts, "BIFC")); /* ORDER CATEGORY */
    write_target(f, r);
    write_kernel(f, &kernel);
    fprintf(f, " .autocast = {AUTOCAST_%s, AUTOCAST_%s}, .node_bytes = %d,\n    ", r->cpu, r->cuda, r->node ? r->node_bytes : 0);
    write_saves(f, r, &s);
    fprintf(f, " .internal = %d, .args = &arguments[%d], .n_args = %d,", schema_is_internal(r->schema), first, s.n);
    write_results(f, &s);
    write_operands(f, r, &s, &kernel, rule);
    fprintf(f, " .resolved_by_body = %d,", rule.after);
    if (rule.reason[0])
        fprintf(f, " .undecided = UNDECIDED_%s,", rule.reason);
    write_inputs(f, &s.facts);
    write_fold(f, &s);
    if (n_refusals)
        fprintf(f, " .refusals = refusals_%s, .n_refusals = %d, .stages = stages_%s,", r->name, n_refusals, r->name);
    fputs("},\n", f);
}

static void write_rows(FILE *f)
{
    int first[ROWS], n_refusals[ROWS];
    fputs("/* rows.gen.c - the rows of src/tables/ops.def. Written by tools/gen_rows.c: do not edit. */\n"
          "#include <math.h>\n\n#include \"call/refuse.h\"\n#include \"tables/kernels/all.h\"\n\n",
          f);
    for (int i = 0; i < ROWS; i++)
        if (ways[way_of(&rows[i])].body)
            fprintf(f, "kt_status kt__body_%s(kt_call *call);\n", rows[i].name);
    for (int i = 0; i < ROWS; i++)
        if (has_derivative(&rows[i]))
            fprintf(f, "void kt__grad_%s(const kt_back *back);\n", rows[i].name);
    for (int i = 0; i < ROWS; i++) {
        const schema      s = parse(rows[i].schema);
        const kernel_text k = read_kernel(&rows[i], &s);
        if (k.by[0])
            fprintf(f, "kt_status kt__args_%s(const kt_call *call, struct kt__gathered *g);\n", k.by);
        if (k.as[0])
            fprintf(f, "extern const kt__product kt__product_%s;\n", k.as);
        else if (strcmp(rows[i].way, "MATMUL") == 0)
            die("%s does not say which product it is", rows[i].name);
    }
    write_arguments(f, first);
    fputs("\n", f);
    for (int i = 0; i < ROWS; i++) {
        const schema s = parse(rows[i].schema);
        n_refusals[i] = write_refusals(f, rows[i].name, &s, decided_by(&rows[i], &s));
    }
    fputs("\nconst kt_row kt__rows[KT_NUM_OPS] = {\n", f);
    for (int i = 0; i < ROWS; i++)
        write_row(f, &rows[i], first[i], n_refusals[i]);
    fputs("};\n", f);
}

int main(int n, char **words)
{
    if (n != 2)
        die("usage: gen_rows FOLDER");
    write_file(words[1], "rows.gen.c", write_rows);
    return 0;
}
