/* target.c - what a call may write into, over every row that has out=: a target that is an input, a part of one, strided,
 * expanded, of another dtype, empty, of another size. Either the target then holds what the call gives without out=, or the call
 * is refused, and the target and all memory around it are as they were. */
#include "harness.h"

#include <stdlib.h>

#include "support/any_row.h"
#include "tensor/tensor.h"

enum { ROOM = 64, MOST_RESULTS = 3, MOST_BYTES = ROOM * 16 };

static int tried, refused, rows_run;

/* ---- comparing ---- */

/* All memory that a tensor looks into, and how it looks. */
typedef struct picture {
    char    bytes[MOST_BYTES];
    size_t  n;
    int64_t ndim, sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
} picture;

static void take_picture(picture *p, const kt_tensor *t)
{
    p->n = t->storage->bytes < MOST_BYTES ? t->storage->bytes : MOST_BYTES;
    memcpy(p->bytes, t->storage->data, p->n);
    p->ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++) {
        p->sizes[i] = t->sizes[i];
        p->strides[i] = t->strides[i];
    }
}

static bool as_it_was(const picture *p, const kt_tensor *t)
{
    bool same = t->ndim == p->ndim && memcmp(p->bytes, t->storage->data, p->n) == 0;
    for (int i = 0; i < t->ndim && same; i++)
        same = t->sizes[i] == p->sizes[i] && t->strides[i] == p->strides[i];
    return same;
}

/* ---- targets ---- */

typedef struct subject {
    const kt_row *row;
    kt_dtype      dtype;
    int64_t       rank;
    int           n_want;
    kt_tensor    *want[MOST_RESULTS];
} subject;

static kt_shape dense(kt_shape sizes, int64_t step, int64_t *strides)
{
    for (int64_t i = sizes.n - 1, at = step; i >= 0; i--) {
        strides[i] = at;
        at *= sizes.d[i];
    }
    return (kt_shape){sizes.n, strides};
}

static kt_tensor *look(kt_tensor *room, kt_shape sizes, int64_t step, int64_t offset)
{
    int64_t strides[KT_MAX_DIMS];
    return kt_as_strided(room, sizes, dense(sizes, step, strides), .storage_offset = KT_SOME(offset));
}

static kt_tensor *room_of(kt_dtype dtype) { return kt_full(KT_SHAPE(ROOM), KT_INT(1), .dtype = dtype); }

/* Normals are drawn as their target lies, and a mean alone is broadcast with it: other layout or sizes, other numbers. */
static bool draws_others(const subject *s, const kt_tensor *out)
{
    return strncmp(s->row->name, "normal_", 7) == 0 && (kt_ndim(out) != kt_ndim(s->want[0]) || !kt_is_contiguous(out));
}

/* Runs the call into `out` for result `at`. Right: `out` holds what it should. Refused: all that `seen` shows is as it was. */
static void check_into(const subject *s, kt_call *c, int at, kt_tensor *out, kt_tensor *seen, bool values, const char *what)
{
    kt_tensor *fresh[MOST_RESULTS], *ignored[MOST_RESULTS];
    picture    memory, target;
    int        n;
    for (int i = 0; i < s->n_want; i++)
        c->out[i] = fresh[i] = i == at ? out : kt_empty(KT_SHAPE(0), .dtype = kt_dtype_of(s->want[i]));
    if (!CHECK_MSG(!kt_failed(), "%s: %s", s->row->name, kt_error())) {
        kt_clear();
        return;
    }
    take_picture(&memory, seen);
    take_picture(&target, out);
    kt_manual_seed(1);
    tried++;
    if (!any_run(c, ignored, MOST_RESULTS, &n)) {
        refused++;
        CHECK_MSG(as_it_was(&memory, seen) && as_it_was(&target, out), "%s(%s, %dd) %s: refused (%s), and changed", s->row->name,
                  kt_dtype_name(s->dtype), (int)s->rank, what, error_line());
        kt_clear();
        return;
    }
    if (values && !draws_others(s, out))
        CHECK_MSG(same_values(out, kt_to(s->want[at], .dtype = kt_dtype_of(out))),
                  "%s(%s, %dd) %s: not what it gives without out=", s->row->name, kt_dtype_name(s->dtype), (int)s->rank, what);
    for (int i = 0; i < s->n_want; i++)
        if (i != at)
            CHECK_MSG(same_values(fresh[i], s->want[i]), "%s %s: result %d", s->row->name, what, i);
    kt_clear();
}

/* A target of its own memory, with a border that nobody may write to. */
static void check_own_memory(const subject *s, int at)
{
    const kt_dtype dtype = kt_dtype_of(s->want[at]);
    const kt_shape sizes = kt_sizes(s->want[at]);
    kt_call        c;
    any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
    kt_tensor *room = room_of(dtype), *border = kt_clone(room);
    if (kt_numel(s->want[at]) * 2 < ROOM) {
        check_into(s, &c, at, look(room, sizes, 2, 1), room, true, "into every second element");
        if (sizes.n == 0 || kt_numel(s->want[at]) == 0)
            return;
        kt_tensor *between = kt_as_strided(room, KT_SHAPE(kt_numel(s->want[at])), KT_SHAPE(2)),
                  *before = kt_as_strided(border, KT_SHAPE(kt_numel(s->want[at])), KT_SHAPE(2));
        CHECK_MSG(same_values(between, before), "%s writes between the elements of its target", s->row->name);
    }
    any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
    kt_tensor *one = kt_full(KT_SHAPE(1), KT_INT(1), .dtype = dtype);
    check_into(s, &c, at, kt_expand(one, sizes), one, kt_numel(s->want[at]) <= 1, "into an expanded tensor");
    any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
    room = room_of(dtype);
    check_into(s, &c, at, kt_narrow(room, 0, 1, 5), room, true, "into five elements");
    any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
    check_into(s, &c, at, kt_empty(KT_SHAPE(0), .dtype = dtype), s->want[at], true, "into an empty tensor");
    static const kt_dtype others[] = {KT_BOOL, KT_U8, KT_I64, KT_F16, KT_F64, KT_C64};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) { /* sums add up in the target's dtype: no values here */
        any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
        room = room_of(others[k]);
        check_into(s, &c, at, look(room, sizes, 1, 1), room, false, "into another dtype");
    }
}

/* A target that shares memory with operand i. */
static void check_shared(const subject *s, int at, int i)
{
    static const struct {
        const char *what;
        int64_t     step_in, step_out, offset_in, offset_out;
    } ways[] = {{"into the input", 1, 1, 4, 4},           {"one element beside the input", 1, 1, 4, 5},
                {"one element before the input", 1, 1, 4, 3}, {"into a strided input", 2, 2, 4, 4},
                {"over a strided input", 2, 1, 4, 5},     {"strided over the input", 1, 2, 5, 4},
                {"between the input's elements", 2, 2, 4, 5}};
    const kt_dtype dtype = kt_dtype_of(s->want[at]);
    const kt_shape sizes = kt_sizes(s->want[at]);
    kt_call        c;
    for (size_t k = 0; k < sizeof ways / sizeof *ways + 3; k++) {
        KT_SCOPE;
        any_call(&c, s->row, KT_OUT, s->dtype, s->rank);
        const bool listed = kt_row_arg(s->row, i)->kind == KT_ARG_TENSORS;
        kt_tensor *plain = listed ? c.arg[i].ts.t[0] : c.arg[i].t, *room = room_of(dtype);
        if (!plain || kt_dtype_of(plain) != dtype || kt_numel(s->want[at]) > 20)
            return kt_clear();
        const bool    given = k < sizeof ways / sizeof *ways;
        const int64_t step = given ? ways[k].step_in : 1, offset = given ? ways[k].offset_in : 4;
        kt_tensor    *in = kt_copy_(look(room, kt_sizes(plain), step, offset), plain), *list[2];
        const int     itself = (int)(k - sizeof ways / sizeof *ways);
        kt_tensor    *out = given         ? look(room, sizes, ways[k].step_out, ways[k].offset_out)
                            : itself == 0 ? in
                            : itself == 1 ? kt_narrow(room, 0, 5, 2)  /* grows over the input */
                                          : kt_narrow(room, 0, 4, 0);
        if (listed) {
            list[0] = in;
            list[1] = c.arg[i].ts.t[1];
            c.arg[i].ts.t = list;
        } else {
            c.arg[i].t = in;
        }
        static const char *const others[] = {"into the input itself", "into two of its elements", "into none of its elements"};
        check_into(s, &c, at, out, room, true, given ? ways[k].what : others[itself]);
    }
}

static void check_row(const kt_row *row, kt_dtype dtype, int64_t rank)
{
    KT_SCOPE;
    subject s = {row, dtype, rank, 0, {NULL}};
    kt_call c;
    any_call(&c, row, KT_PLAIN, dtype, rank);
    kt_manual_seed(1);
    if (strcmp(row->name, "bernoulli") == 0) /* the draw depends on the target's dtype */
        return;
    if (!any_run(&c, s.want, MOST_RESULTS, &s.n_want) || s.n_want != kt_row_n_results(row)) {
        kt_clear(); /* these arguments do not suit it */
        return;
    }
    for (int at = 0; at < s.n_want; at++)
        if (kt_numel(s.want[at]) > ROOM / 2)
            return;
    rows_run++;
    for (int at = 0; at < s.n_want; at++) {
        check_own_memory(&s, at);
        for (int i = 0; i < kt_row_n_args(row); i++)
            if (c.given >> i & 1 && kt_row_arg(row, i)->kind <= KT_ARG_TENSORS)
                check_shared(&s, at, i);
    }
}

static void drop_warning(const char *text) { (void)text; }

TEST(every_row_with_out)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_I64, KT_BOOL, KT_C64, KT_F64, KT_F16, KT_U8, KT_C128};
    const int             n = test_all() ? 8 : 4;
    const kt_row         *row;
    kt_on_warning(drop_warning);
    for (int i = 0; (row = kt_row_at(i)); i++)
        for (int d = 0; d < n && kt_row_has_form(row, KT_OUT); d++)
            for (int64_t rank = 0; rank <= 2; rank++)
                check_row(row, dtypes[d], rank);
    printf("  %d targets of %d calls, of which %d are refused\n", tried, rows_run, refused);
    CHECK(rows_run > 1000);
}

/* ---- in place: operands that lie over what is written ---- */

TEST(every_row_in_place)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_I64, KT_BOOL};
    const kt_row         *row;
    int                   ran = 0, cases = 0;
    kt_on_warning(drop_warning);
    for (int i = 0; (row = kt_row_at(i)); i++)
        for (int k = 0; k < 3 * 6 && kt_row_has_form(row, KT_INPLACE) && kt_row_arg(row, 0)->kind == KT_ARG_TENSOR; k++)
            for (int at = 1; at < kt_row_n_args(row); at++) {
                static const int64_t step[] = {1, 1, 1, 2, 2, 1}, offset[] = {4, 5, 3, 4, 5, 4};
                KT_SCOPE;
                kt_call    c;
                kt_tensor *results[MOST_RESULTS], *want;
                picture    memory;
                int        n;
                any_call(&c, row, KT_INPLACE, dtypes[k / 6], 2);
                const bool tensor = c.given >> at & 1 && kt_row_arg(row, at)->kind <= KT_ARG_TENSOR_OR_SCALAR;
                if (kt_failed() || !tensor || kt_dtype_of(c.arg[at].t) != kt_dtype_of(c.arg[0].t)) {
                    kt_clear();
                    continue;
                }
                kt_tensor *room = room_of(dtypes[k / 6]), *self = look(room, kt_sizes(c.arg[0].t), k % 6 == 5 ? 2 : 1, 4);
                kt_copy_(self, c.arg[0].t);
                kt_tensor *other = look(room, kt_sizes(c.arg[at].t), step[k % 6], offset[k % 6]);
                kt_call    apart = c;
                apart.arg[0].t = want = kt_clone(self);
                apart.arg[at].t = kt_clone(other);
                kt_manual_seed(1);
                if (kt_failed() || !any_run(&apart, results, MOST_RESULTS, &n)) {
                    kt_clear();
                    continue;
                }
                c.arg[0].t = self;
                c.arg[at].t = other;
                take_picture(&memory, room);
                kt_manual_seed(1);
                cases++;
                if (any_run(&c, results, MOST_RESULTS, &n)) {
                    ran++;
                    CHECK_MSG(same_values(self, want), "%s_ of %s, operand %d in way %d: not as with a copy of it", row->name,
                              kt_dtype_name(dtypes[k / 6]), at, k % 6);
                } else {
                    CHECK_MSG(as_it_was(&memory, room), "%s_, operand %d in way %d: refused, and changed", row->name, at, k % 6);
                }
                kt_clear();
            }
    printf("  %d calls whose operand lies over what is written, %d ran\n", cases, ran);
    CHECK(ran > 300);
}
