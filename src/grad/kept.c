/* kept.c - what an operator's node keeps, under PyTorch's names. In: a node. Out: places of saved tensors, arguments, sizes of
 * inputs. The names are the schema's, unless PyTorch's node shows others (tables/kept.def). Independent of: formulas. */
#include <string.h>

#include "grad/formula.h"
#include "grad/run.h"

static bool keep_place(const char *name, uint32_t place, int64_t n, kt_kept *kept)
{
    *kept = (kt_kept){.name = name, .place = place, .n = n, .kind = n < 0 ? KT_ARG_TENSOR : KT_ARG_TENSORS};
    return true;
}

static bool keep_number(const char *name, int64_t number, kt_kept *kept)
{
    *kept = (kt_kept){.name = name, .place = -1, .n = -1, .kind = KT_ARG_INT, .own.i = number};
    kept->value = &kept->own;
    return true;
}

static bool keep_numbers(const char *name, kt_shape numbers, kt_kept *kept)
{
    *kept = (kt_kept){.name = name, .place = -1, .n = -1, .kind = KT_ARG_INTS, .own.ints = numbers};
    kept->value = &kept->own;
    return true;
}

/* ---- arguments ---- */

/* Inputs that the row may save, by the places of operands. */
static uint32_t saved_inputs(const kt_row *row)
{
    const uint32_t n = row->inputs.n;
    return row->saves & SAVES_X && n >= 2 ? (row->saves & 7u) | 3u << (n - 2) : row->saves & 7u;
}

static bool is_list(const kt_arg_spec *spec) { return spec->kind == KT_ARG_TENSORS; }
static bool is_tensor(const kt_arg_spec *spec) { return spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR; }
static bool is_given(const kt_node *node, int at) { return node->arg && node->given >> at & 1; }

/* How many inputs stand before an argument; and how many tensors in lists. */
static uint32_t inputs_before(const kt_node *node, int at, uint32_t *listed)
{
    uint32_t inputs = 0;
    *listed = 0;
    for (int i = 0; i < at; i++) {
        const kt_arg_spec *spec = kt__arg_spec(node->row, i);
        inputs += is_list(spec) || is_tensor(spec);
        *listed += is_list(spec) && is_given(node, i) ? (uint32_t)node->arg[i].ts.n : 0;
    }
    return inputs;
}

static bool keep_value(const kt_node *node, int at, bool wrapped, kt_kept *kept)
{
    const kt_arg_spec *spec = kt__arg_spec(node->row, at);
    const bool         number = spec->kind == KT_ARG_TENSOR_OR_SCALAR;
    *kept = (kt_kept){.name = spec->name, .place = -1, .n = -1, .kind = number ? KT_ARG_SCALAR : spec->kind, .wrapped = wrapped,
                      .value = is_given(node, at) ? &node->arg[at] : &spec->value,
                      .absent = spec->optional && !(node->given >> at & 1)};
    return true;
}

/* PyTorch's overload for a number has a node of its own if the row has two names, or if the number is what `self` is; else the
 * number became a tensor. */
static bool is_wrapped(const kt_row *row, int at)
{
    return at > 0 && !(row->node && row->node_bytes > strlen(row->node) + 1);
}

static bool keep_argument(const kt_node *node, int at, kt_kept *kept)
{
    const kt_row      *row = node->row;
    const kt_arg_spec *spec = kt__arg_spec(row, at);
    uint32_t           listed, place = inputs_before(node, at, &listed);
    if (is_list(spec))
        return row->saves & SAVES_L &&
               keep_place(spec->name, node->n_fixed + listed, is_given(node, at) ? node->arg[at].ts.n : 0, kept);
    if (!is_tensor(spec))
        return spec->kind != KT_ARG_GENERATOR && spec->kind != KT_ARG_SCALARS && keep_value(node, at, false, kept);
    if (place >= SAVED_Y || !(saved_inputs(row) >> place & 1))
        return false;
    return node->scalars >> at & 1 ? keep_value(node, at, is_wrapped(row, at), kept) : keep_place(spec->name, place, -1, kept);
}

/* ---- results ---- */

static uint32_t saved_results(const kt_row *row) { return row->saves_results | (row->saves & SAVES_R ? 1u : 0); }

static bool keep_result(const kt_node *node, int r, kt_kept *kept)
{
    const kt_row *row = node->row;
    if (r >= KT_MAX_RESULTS || !(saved_results(row) >> r & 1))
        return false;
    return keep_place(kt__n_results(row) > 1 ? kt_row_result_name(row, r) : "result", SAVED_Y + (uint32_t)r, -1, kept);
}

/* ---- sizes ---- */

/* The tensor of an argument, if the node keeps it as it is. */
static const kt_tensor *whole(const kt_node *node, int at)
{
    kt_kept kept;
    if (node->released || !is_tensor(kt__arg_spec(node->row, at)) || !keep_argument(node, at, &kept) || kept.place < 0 ||
        !(node->holds >> kept.place & 1))
        return NULL;
    const kt__saved *s = kt__saved_at(node, (uint32_t)kept.place);
    return s->kind == SAVED_PACKED ? NULL : s->t;
}

/* Inputs that need a gradient have their sizes on the edge. */
static bool sizes_of(const kt_node *node, int at, kt_shape *sizes)
{
    uint32_t         listed, i = inputs_before(node, at, &listed);
    const kt_tensor *t = whole(node, at);
    if (!listed && is_tensor(kt__arg_spec(node->row, at)) && i < node->n_edges && node->edge[i].to)
        *sizes = (kt_shape){node->edge[i].ndim, node->edge[i].sizes};
    else if (t)
        *sizes = kt__sizes(t);
    else
        return false;
    return true;
}

static bool keep_size(const char *name, kt_shape sizes, const char *which, kt_kept *kept)
{
    const bool    from_end = strncmp(which, "minus_", 6) == 0;
    const int64_t i = which[from_end ? 6 : 0] - '0', at = from_end ? sizes.n - i : i;
    return at >= 0 && at < sizes.n && keep_number(name, sizes.d[at], kept);
}

/* What of an argument's form? "sizes", "sizes_opt", "strides", "numel", "ndim", "argsize_0", "argsize_minus_1" */
static bool keep_form(const kt_node *node, int at, const char *name, const char *what, kt_kept *kept)
{
    static const int64_t zero[] = {0};
    kt_shape             sizes = {0, NULL};
    if (strcmp(what, "strides") == 0) {
        const kt_tensor *t = whole(node, at);
        return t && keep_numbers(name, (kt_shape){t->ndim, t->strides}, kept);
    }
    if (!sizes_of(node, at, &sizes)) /* PyTorch's sizes of a tensor that is not given */
        return strcmp(what, "sizes_opt") == 0 && keep_numbers(name, (kt_shape){1, zero}, kept);
    if (strncmp(what, "sizes", 5) == 0)
        return keep_numbers(name, sizes, kept);
    if (strncmp(what, "argsize_", 8) == 0)
        return keep_size(name, sizes, what + 8, kept);
    if (strncmp(what, "ndim", 4) == 0)
        return keep_number(name, sizes.n, kept);
    int64_t numel = 1;
    for (int64_t i = 0; i < sizes.n; i++)
        numel *= sizes.d[i];
    return keep_number(name, numel, kept);
}

/* ---- by PyTorch's names ---- */

static const struct line {
    const char        *node;
    const char *const *words;
} lines[] = {
#define KEPT(node, ...)    {#node, (const char *const[]){__VA_ARGS__, NULL}},
#define KEPT_NOTHING(node) {#node, (const char *const[]){NULL}},
#include "tables/kept.def"
};

static const struct line *line_of(const kt_node *node)
{
    const char *name = kt__node_name(node);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].node, name) == 0)
            return &lines[i];
    return NULL;
}

static int find_argument(const kt_row *row, const char *name, size_t n)
{
    for (int at = 0; at < kt__n_args(row); at++) {
        const char *own = kt__arg_spec(row, at)->name;
        if (strncmp(own, name, n) == 0 && !own[n])
            return at;
    }
    return -1;
}

/* One of a list: its tensor, None if it is shorter; or its number. */
static bool keep_element(const char *name, int64_t k, kt_kept *kept)
{
    if (kept->kind == KT_ARG_INTS)
        return !kept->absent && k < kept->value->ints.n && keep_number(name, kept->value->ints.d[k], kept);
    if (kept->kind != KT_ARG_TENSORS)
        return false;
    if (k < kept->n)
        return keep_place(name, (uint32_t)(kept->place + k), -1, kept);
    *kept = (kt_kept){.name = name, .place = -1, .n = -1, .kind = KT_ARG_TENSOR, .absent = true};
    return true;
}

/* A number for all dims as a list of them. */
static bool keep_repeated(const char *name, int n, kt_kept *kept)
{
    const bool fits = n <= (int)(sizeof kept->room / sizeof *kept->room);
    if (kept->kind != KT_ARG_INTS || kept->absent || kept->value->ints.n != 1 || !fits)
        return true;
    const int64_t number = kept->value->ints.d[0];
    keep_numbers(name, (kt_shape){n, kept->room}, kept);
    for (int i = 0; i < n; i++)
        kept->room[i] = number;
    return true;
}

static bool keep_word(const kt_node *node, const char *word, kt_kept *kept)
{
    const char  *colon = strchr(word, ':'), *name = colon ? colon + 1 : word, *form = strstr(word, "_sym_");
    const size_t n = strcspn(word, ":.*+"), bare = form ? (size_t)(form - word) : n;
    const int    at = find_argument(node->row, word, bare);
    if (at >= 0 && form)
        return keep_form(node, at, name, form + strlen("_sym_"), kept);
    if (at < 0) {
        for (int r = 0; r < kt__n_results(node->row); r++) {
            const char number[] = {(char)('0' + r), 0};
            const bool named = strncmp(word, "result", 6) == 0 && (n == 6 ? r == 0 : strncmp(word + 6, number, n - 6) == 0);
            if (keep_result(node, r, kept) && (named || (strncmp(kept->name, word, n) == 0 && !kept->name[n]))) {
                kept->name = name;
                return true;
            }
        }
        return false;
    }
    if (!keep_argument(node, at, kept))
        return false;
    kept->name = name;
    if (word[n] == '+')
        return keep_number(name, kept->value->b, kept);
    if (word[n] == '.')
        return keep_element(name, word[n + 1] - '0', kept);
    return word[n] != '*' || keep_repeated(name, word[n + 1] - '0', kept);
}

bool kt_node_kept(const kt_node *node, int64_t i, kt_kept *kept)
{
    if (!node || !kept || i < 0 || node->type != &kt__node_operator)
        return false;
    const struct line *line = line_of(node);
    for (const char *const *word = line ? line->words : NULL; word && *word; word++)
        if (keep_word(node, *word, kept) && i-- == 0)
            return true;
    for (int at = 0; !line && at < kt__n_args(node->row); at++)
        if (keep_argument(node, at, kept) && i-- == 0)
            return true;
    for (int r = 0; !line && r < KT_MAX_RESULTS; r++)
        if (keep_result(node, r, kept) && i-- == 0)
            return true;
    return false;
}
