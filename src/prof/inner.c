/* inner.c - PyTorch's names: of rows, and of what its profiler shows inside their calls (tables/inner.def); its count of
 * operations. In: rows, recorded calls. Out: names, trees as text. */
#include "prof/prof.h"

#include <string.h>

#include "plan/aten.h"

/* ---- names of rows ---- */
static bool is_known(const char *name, size_t n) { return kt__aten_next(name, n, NULL) != NULL; }

const char *kt__row_trace_name(kt__arena *arena, const kt_row *row, int form)
{
    const char *named = kt__aten_given_name(row), *name = kt__aten_name(row);
    size_t      n = strcspn(name, ".(");
    if (!named && name[0] == '_' && !is_known(name, n) && is_known(name + 1, n - 1)) { /* part of an operator, with its name */
        name++;
        n--;
    }
    const bool   appended = memchr(name, ':', n) != NULL; /* mylib::scale */
    const char  *space = appended ? "" : named || is_known(name, n) ? "aten::" : "karat::";
    const bool   in_place = form == KT_INPLACE && name[n - 1] != '_';
    char        *text = kt__arena_get(arena, strlen(space) + n + 2);
    if (text) {
        strcpy(text, space);
        strncat(text, name, n);
        strcat(text, in_place ? "_" : "");
    }
    return text;
}

/* ---- what is inside ---- */
typedef struct line {
    const char *row;
    bool      (*applies)(const kt__recorded_event *e, int plans);
    const char *tree;
} line;

static int rank(const kt__recorded_event *e, int i)
{
    return i < e->n_inputs && e->inputs[i].tensor ? (int)e->inputs[i].shape.n : -1;
}

/* Of a number beside a tensor: PyTorch converts the tensor that it makes of the number. */
static bool is_converted(const kt__recorded_event *e, int i)
{
    if (i >= e->n_inputs || e->inputs[i].tensor || !e->inputs[i].dtype || !e->inputs[0].tensor)
        return false;
    const kt_dtype of = e->inputs[i].dtype, beside = e->inputs[0].dtype;
    const bool     higher = kt_dtype_category(of) > kt_dtype_category(beside);
    return of != (!higher ? beside : of == KT_I64 ? KT_I64 : kt_get_default_dtype());
}

#define RANK(i)   rank(e, i)
#define HAS(i)    (rank(e, i) >= 0)
#define NUMBER(i) is_converted(e, i)
#define PLANS     plans
#define NAMED(row, name)
#define SHOWS(row, n)
#define HIDDEN(row, condition) INNER(row, condition, HIDES)
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define INNER(row, condition, tree)                                                       \
    static bool JOIN(applies_, __LINE__)(const kt__recorded_event *e, int plans)          \
    {                                                                                     \
        (void)e, (void)plans;                                                             \
        return condition;                                                                 \
    }
#include "tables/inner.def"
#undef INNER

#define HIDES NULL
static const line lines[] = {
#define INNER(row, condition, tree) {#row, JOIN(applies_, __LINE__), tree},
#include "tables/inner.def"
#undef INNER
#undef SHOWS
};

static const line *line_of(const kt__recorded_event *call, int plans)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].row, kt_row_name(call->row)) == 0 && lines[i].applies(call, plans))
            return &lines[i];
    return NULL;
}

const char *kt__inner_of(const kt__recorded_event *call, int plans)
{
    const line *found = line_of(call, plans);
    return found ? found->tree : NULL;
}

bool kt__is_hidden(const kt__recorded_event *call, int plans)
{
    const line *found = line_of(call, plans);
    return found && !found->tree;
}

int kt__arguments_shown(const kt__recorded_event *call)
{
    static const struct {
        const char *row;
        int         n;
    } shown[] = {
#define SHOWS(row, n) {#row, n},
#define INNER(row, condition, tree)
#include "tables/inner.def"
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strcmp(shown[i].row, kt_row_name(call->row)) == 0)
            return shown[i].n;
    return call->n_inputs;
}

/* ---- operations, as PyTorch counts them ---- */
static int64_t product(kt_shape s, int64_t from)
{
    int64_t n = 1;
    for (int64_t i = from; i < s.n; i++)
        n *= s.d[i];
    return n;
}

int64_t kt__flops_of(const char *name, const kt_profile_input *in, int64_t n, const kt_profile_input *result)
{
    const char *what = strncmp(name, "aten::", 6) == 0 ? name + 6 : "";
    const int   first = strcmp(what, "addmm") == 0 || strcmp(what, "baddbmm") == 0;
    if (strcmp(what, "mm") == 0 || strcmp(what, "bmm") == 0 || first)
        return n >= first + 2 && in[first].tensor && in[first + 1].tensor && in[first + 1].shape.n >= 2
                   ? 2 * product(in[first].shape, 0) * in[first + 1].shape.d[in[first + 1].shape.n - 1]
                   : 0;
    if (strcmp(what, "conv2d") == 0) /* each element of the result is a sum over a row of weights */
        return n >= 2 && result && in[1].tensor ? 2 * product(result->shape, 0) * product(in[1].shape, 1) : 0;
    if (strcmp(what, "add") == 0 || strcmp(what, "mul") == 0)
        return n && in[0].tensor ? product(in[0].shape, 0) : 0;
    return 0;
}
