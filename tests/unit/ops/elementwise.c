/* elementwise.c - every elementwise row of the operator table, over dtypes, layouts and forms.
 *
 * In: the table. The plain form on dense operands is the reference; strided, offset, transposed, broadcast, empty, 0-dim
 * and channels_last operands, the in-place and out= forms and the meta device must agree with it: dtype, sizes, bytes,
 * errors. What the reference itself should be is the business of the kernels' and the facts' tests. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <stdlib.h>

#include "call/row.h"
#include "support/by_name.h"

typedef enum layout { DENSE, TRANSPOSED, STEPPED, OFFSET, LAYOUTS } layout;

enum { MOST_BYTES = 256 * 16 };

/* ---- operands ---- */

/* Positive and small: the same set of values for every dtype that holds them. Only a first operand has zeros. */
static kt_tensor *operand(kt_dtype dtype, kt_shape shape, int which)
{
    double values[256];
    int    n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= (int)shape.d[i];
    const bool whole = kt_dtype_category(dtype) <= KT_CAT_INT;
    for (int i = 0; i < n; i++) {
        const int step = (i * 7 + which * 3) % 5;
        values[i] = dtype == KT_BOOL ? which || step % 2 : whole ? 1 + step : 0.25 * (1 + step);
    }
    return tensor_of(dtype, shape, values);
}

/* The same values, elsewhere in memory. Of rank 3. */
static kt_tensor *laid_out(kt_tensor *t, layout how)
{
    const int64_t *n = kt_sizes(t).d;
    kt_tensor     *room, *view;
    switch (how) {
    case TRANSPOSED: return kt_permute(kt_contiguous(kt_permute(t, KT_SHAPE(2, 0, 1))), KT_SHAPE(1, 2, 0));
    case STEPPED:
        room = kt_zeros(KT_SHAPE(n[0], n[1], 2 * n[2]), .dtype = kt_dtype_of(t));
        view = kt_slice(room, .dim = 2, .step = KT_SOME(2));
        return kt_copy_(view, t);
    case OFFSET:
        room = kt_zeros(KT_SHAPE(n[0], n[1] + 1, n[2] + 2), .dtype = kt_dtype_of(t));
        view = kt_narrow(kt_narrow(room, 1, 1, n[1]), 2, 1, n[2]);
        return kt_copy_(view, t);
    default: return t;
    }
}

/* ---- one call ---- */
typedef struct sample {
    const kt_row *row;
    int           n; /* operands */
    kt_dtype      dtype[3];
    bool          number; /* the last "Tensor|Scalar" is a number */
} sample;

static kt_tensor *call(const sample *s, kt_form form, kt_tensor *out, kt_tensor *const *t)
{
    const bool number = s->number;
    switch (s->n) {
    case 1: return by_row(s->row, form, out, "t", t[0]);
    case 2:
        return number ? by_row(s->row, form, out, "ts", t[0], KT_INT(2)) : by_row(s->row, form, out, "tt", t[0], t[1]);
    default:
        return number ? by_row(s->row, form, out, "tts", t[0], t[1], KT_INT(2))
                      : by_row(s->row, form, out, "ttt", t[0], t[1], t[2]);
    }
}

static const char *described(const sample *s)
{
    static char text[160];
    int         at = snprintf(text, sizeof text, "%s(", s->row->name);
    for (int i = 0; i < s->n - s->number; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? ", " : "", kt_dtype_name(s->dtype[i]));
    snprintf(text + at, sizeof text - (size_t)at, "%s)", s->number ? ", 2" : "");
    return text;
}

static bool same_geometry(const kt_tensor *a, const kt_tensor *b, bool strides)
{
    bool same = kt_ndim(a) == kt_ndim(b) && kt_dtype_of(a) == kt_dtype_of(b);
    for (int64_t i = 0; same && i < kt_ndim(a); i++)
        same = kt_size(a, i) == kt_size(b, i) && (!strides || kt_stride(a, i) == kt_stride(b, i));
    return same;
}

static bool same_values(const kt_tensor *a, const kt_tensor *b)
{
    static char x[MOST_BYTES], y[MOST_BYTES];
    if (!a || !b || !same_geometry(a, b, false))
        return false;
    const size_t bytes = (size_t)kt_numel(a) * kt_dtype_size(kt_dtype_of(a));
    return !kt_read(a, x, bytes) && !kt_read(b, y, bytes) && memcmp(x, y, bytes) == 0;
}

#define AGREES(got, want, what, ...)                                                                                   \
    (CHECK_MSG(same_values((got), (want)), "%s " what " disagrees with the plain form", described(s), ##__VA_ARGS__),  \
     kt_clear())

/* PyTorch's log_sigmoid and the gradients of losses are row-major of whatever lies otherwise. */
static bool keeps_layout(const sample *s)
{
    return strcmp(s->row->name, "log_sigmoid") != 0 && !strstr(s->row->name, "_loss_backward");
}

/* ---- the comparisons, for one sample whose plain form gave `want` on the dense operands `t` ---- */

static void check_layouts(const sample *s, kt_tensor *const *t, kt_tensor *want)
{
    for (int how = TRANSPOSED; how < LAYOUTS; how++)
        for (int mask = 1; mask < 1 << s->n; mask++) { /* which operands lie so */
            KT_SCOPE;
            kt_tensor *u[3] = {0};
            for (int i = 0; i < s->n - s->number; i++)
                u[i] = mask >> i & 1 ? laid_out(t[i], (layout)how) : t[i];
            kt_tensor *got = call(s, KT_PLAIN, NULL, u);
            AGREES(got, want, "in layout %d of operands %d", how, mask);
            if (how == TRANSPOSED && mask == (1 << s->n) - 1 && !s->number && keeps_layout(s))
                CHECK_MSG(same_geometry(got, kt_to(u[0], .dtype = kt_dtype_of(got)), true),
                          "%s: strides of a permuted result", described(s));
        }
}

static void check_broadcast(const sample *s, kt_tensor *const *t)
{
    if (s->n - s->number < 2)
        return;
    for (int way = 0; way < 3; way++) {
        KT_SCOPE;
        kt_tensor *narrow[3] = {t[0], t[1], t[2]}, *wide[3] = {t[0], t[1], t[2]};
        const int  at = way == 2 ? 0 : 1;
        kt_shape   row = KT_SHAPE(4), column = KT_SHAPE(3, 1);
        narrow[at] = operand(s->dtype[at], way == 0 ? row : way == 1 ? column : row, at);
        wide[at] = kt_contiguous(kt_expand(narrow[at], KT_SHAPE(2, 3, 4)));
        kt_tensor *got = call(s, KT_PLAIN, NULL, narrow);
        AGREES(got, call(s, KT_PLAIN, NULL, wide), "broadcast %d", way);
    }
}

/* The target's dtype is self's: the plain result, cast; or refused where the dtype cannot be. */
static void check_in_place(const sample *s, kt_tensor *const *t, kt_tensor *want)
{
    if (!kt_row_has_form(s->row, KT_INPLACE))
        return;
    for (int how = DENSE; how < LAYOUTS; how++) {
        KT_SCOPE;
        kt_tensor *u[3] = {laid_out(kt_clone(t[0]), (layout)how), t[1], t[2]};
        kt_tensor *got = call(s, KT_INPLACE, NULL, u);
        const bool complex_abs = s->row->id == KT_OP_abs && kt_dtype_category(s->dtype[0]) == KT_CAT_COMPLEX;
        if (!kt_can_cast(kt_dtype_of(want), s->dtype[0]) || complex_abs) {
            CHECK_MSG(!got && kt_error_status() == KT_ERR_RUNTIME, "%s in place is refused", described(s));
            kt_clear();
            CHECK_MSG(same_values(u[0], t[0]), "%s: a refused write leaves self as it was", described(s));
            continue;
        }
        CHECK_MSG(got == u[0], "%s in place gives self", described(s));
        AGREES(got, kt_to(want, .dtype = s->dtype[0]), "in place, layout %d,", how);
        CHECK_EQ_INT(kt_tensor_version(u[0]) > 0, 1);
    }
}

/* Rows that PyTorch lets write into their own dtype alone: those that promote nothing, and a few more. */
static bool only_its_own(const kt_row *row)
{
    switch (row->id) {
    case KT_OP_isposinf:
    case KT_OP_isneginf:
    case KT_OP_signbit:
    case KT_OP_clamp:
    case KT_OP_clamp_min:
    case KT_OP_clamp_max:
    case KT_OP_heaviside:
    case KT_OP_lerp:
    case KT_OP_abs: return true;
    default: return row->rule == RULE_SAME || row->rule == RULE_WHERE;
    }
}

static void check_out(const sample *s, kt_tensor *const *t, kt_tensor *want)
{
    if (!kt_row_has_form(s->row, KT_OUT))
        return;
    const kt_dtype result = kt_dtype_of(want), wider = kt_dtype_category(result) == KT_CAT_COMPLEX ? KT_C128 : KT_F64;
    KT_SCOPE;
    kt_tensor *empty = kt_empty(KT_SHAPE(0), .dtype = result), *other = kt_zeros(KT_SHAPE(2, 3, 4), .dtype = wider);
    CHECK_MSG(call(s, KT_OUT, empty, t) == empty, "%s gives out", described(s));
    AGREES(empty, want, "into an empty tensor");
    kt_tensor    *turned = laid_out(kt_zeros(KT_SHAPE(2, 3, 4), .dtype = result), TRANSPOSED);
    const int64_t stride = kt_stride(turned, 0);
    call(s, KT_OUT, turned, t);
    AGREES(turned, want, "into a transposed tensor");
    CHECK_EQ_INT(kt_stride(turned, 0), stride);
    if (!call(s, KT_OUT, other, t) && only_its_own(s->row)) {
        kt_clear();
        return;
    }
    AGREES(other, kt_to(want, .dtype = wider), "into a wider dtype");
}

static void check_small(const sample *s)
{
    const kt_shape none = KT_SHAPE(0, 3), one = KT_SHAPE(1);
    KT_SCOPE;
    kt_tensor *t[3] = {0}, *u[3] = {0}, *v[3] = {0};
    for (int i = 0; i < s->n - s->number; i++) {
        t[i] = operand(s->dtype[i], none, i);
        u[i] = operand(s->dtype[i], one, i);
        v[i] = kt_reshape(u[i], KT_SCALAR);
    }
    kt_tensor *nothing = call(s, KT_PLAIN, NULL, t);
    CHECK_MSG(nothing && kt_ndim(nothing) == 2 && kt_size(nothing, 0) == 0 && kt_size(nothing, 1) == 3,
              "%s of nothing: %s", described(s), kt_error());
    kt_clear();
    kt_tensor *single = call(s, KT_PLAIN, NULL, u), *zero_dim = call(s, KT_PLAIN, NULL, v);
    CHECK_MSG(zero_dim && kt_ndim(zero_dim) == 0, "%s of 0-dim: %s", described(s), kt_error());
    if (single && zero_dim && kt_dtype_of(single) == kt_dtype_of(zero_dim))
        AGREES(kt_reshape(zero_dim, KT_SHAPE(1)), single, "of 0-dim");
    kt_clear();
}

static void check_channels_last(const sample *s)
{
    if (!keeps_layout(s))
        return;
    KT_SCOPE;
    kt_tensor *t[3] = {0}, *u[3] = {0};
    for (int i = 0; i < s->n - s->number; i++) {
        t[i] = operand(s->dtype[i], KT_SHAPE(2, 3, 2, 2), i);
        u[i] = kt_contiguous(t[i], .memory_format = KT_CHANNELS_LAST);
    }
    kt_tensor *want = call(s, KT_PLAIN, NULL, t), *got = call(s, KT_PLAIN, NULL, u);
    AGREES(got, want, "of channels_last");
    CHECK_MSG(kt_is_contiguous_as(got, KT_CHANNELS_LAST), "%s keeps channels_last", described(s));
}

/* ---- the meta device: the same answer without the bytes ---- */

static kt_tensor *on_meta(const kt_tensor *t)
{
    if (!t)
        return NULL;
    kt_tensor *room = kt_empty(KT_SHAPE(1000), .dtype = kt_dtype_of(t), .device = {KT_META, 0});
    return kt_as_strided(room, kt_sizes(t), kt_strides(t));
}

static void check_meta(const sample *s, kt_form form, kt_tensor *const *t, kt_tensor *cpu_out)
{
    char       text[512];
    kt_tensor *u[3] = {on_meta(t[0]), on_meta(t[1]), on_meta(t[2])}, *meta_out = on_meta(cpu_out);
    if (!CHECK_MSG(!kt_failed(), "%s", kt_error()))
        kt_clear();
    kt_tensor      *cpu = call(s, form, cpu_out, t);
    const kt_status status = kt_error_status();
    snprintf(text, sizeof text, "%s", error_line());
    kt_clear();
    kt_tensor *meta = call(s, form, meta_out, u);
    CHECK_MSG(kt_error_status() == status && strcmp(error_line(), text) == 0, "%s on meta: \"%s\", on the CPU: \"%s\"",
              described(s), error_line(), text);
    kt_clear();
    if (cpu && meta)
        CHECK_MSG(same_geometry(cpu, meta, true) && kt_device_of(meta).kind == KT_META, "%s: other geometry on meta",
                  described(s));
}

static int samples, refusals;

static void check_sample(const sample *s)
{
    KT_SCOPE;
    kt_tensor *t[3] = {0}, *u[3] = {0};
    for (int i = 0; i < s->n - s->number; i++) {
        t[i] = operand(s->dtype[i], KT_SHAPE(2, 3, 4), i);
        u[i] = laid_out(t[i], i ? DENSE : TRANSPOSED);
    }
    for (int form = KT_PLAIN; form <= KT_OUT; form++)
        if (kt_row_has_form(s->row, (kt_form)form)) {
            kt_tensor *out = form == KT_OUT ? operand(s->dtype[0], KT_SHAPE(2, 3, 4), 0) : NULL;
            kt_tensor *first[3] = {form == KT_INPLACE ? kt_clone(t[0]) : t[0], t[1], t[2]};
            check_meta(s, (kt_form)form, first, out);
            kt_tensor *again[3] = {form == KT_INPLACE ? kt_clone(u[0]) : u[0], u[1], u[2]};
            check_meta(s, (kt_form)form, again, out);
        }
    kt_tensor *want = call(s, KT_PLAIN, NULL, t);
    samples++;
    if (!want) {
        refusals++;
        CHECK_MSG(kt_error_status() == KT_ERR_RUNTIME || kt_error_status() == KT_ERR_NOT_IMPLEMENTED, "%s: %s",
                  described(s), kt_error());
        kt_clear();
        return;
    }
    check_layouts(s, t, want);
    check_broadcast(s, t);
    check_in_place(s, t, want);
    check_out(s, t, want);
    check_small(s);
    check_channels_last(s);
}

static void check_row(const kt_row *row, kt_dtype a, kt_dtype b)
{
    const int n = row->operands.n;
    sample    s = {row, n, {a, b, b}, false};
    if (kt__arg_spec(row, 0)->kind == KT_ARG_TENSOR_OR_SCALAR)
        return; /* pow.base: its own test */
    if (strcmp(row->name, "where") == 0)
        s.dtype[0] = KT_BOOL, s.dtype[1] = a;
    if (n == 1 && a != b)
        return;
    check_sample(&s);
    if (n > 1 && kt__arg_spec(row, n - 1)->kind == KT_ARG_TENSOR_OR_SCALAR && a == b) {
        s.number = true;
        check_sample(&s);
    }
}

TEST(every_elementwise_row)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32},   {KT_F32, KT_BF16}, {KT_I64, KT_F32},    {KT_U8, KT_I8},
                                        {KT_BOOL, KT_I32},  {KT_F16, KT_F16},  {KT_F16, KT_BF16},   {KT_F64, KT_F32},
                                        {KT_C64, KT_F64},   {KT_I32, KT_I32},  {KT_BOOL, KT_BOOL},  {KT_C128, KT_C128},
                                        {KT_U16, KT_U16},   {KT_U64, KT_F32},  {KT_E5M2, KT_E5M2},  {KT_I16, KT_C64},
                                        {KT_BF16, KT_BF16}, {KT_C32, KT_C32},  {KT_E4M3FN, KT_F32}, {KT_I64, KT_I64}};
    const int dtypes = KT_NUM_DTYPES - 1, all = test_all() ? dtypes * dtypes : (int)(sizeof pairs / sizeof *pairs);
    for (int p = 0; p < all; p++) {
        const kt_dtype a = test_all() ? (kt_dtype)(1 + p / dtypes) : pairs[p][0];
        const kt_dtype b = test_all() ? (kt_dtype)(1 + p % dtypes) : pairs[p][1];
        const kt_row  *row;
        for (int i = 0; (row = kt_row_at(i)); i++)
            if (row->way->broadcasts)
                check_row(row, a, b);
    }
    printf("  %d samples of which %d are refused\n", samples, refusals);
    CHECK(samples - refusals > 1000);
}

/* Longer than any tile and long enough for threads: the same bytes whatever the way through memory. */
TEST(long_operands)
{
    static const kt_dtype    dtypes[] = {KT_BOOL, KT_U8,  KT_I32, KT_I64, KT_F16,
                                         KT_BF16, KT_F32, KT_F64, KT_C64, KT_E4M3FN};
    static const char *const rows[] = {"add", "mul", "exp", "eq", "neg", "sqrt", "maximum", "isnan"};
    enum { ROWS = 37, COLUMNS = 3001 };
    const size_t room = (size_t)ROWS * COLUMNS * 16;
    char        *x = malloc(room), *y = malloc(room);
    double      *values = malloc(sizeof(double) * ROWS * COLUMNS);
    REQUIRE(x && y && values);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i % 97 * 0.25;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            KT_SCOPE;
            kt_tensor *a = tensor_of(dtypes[d], KT_SHAPE(ROWS, COLUMNS), values);
            kt_tensor *b = kt_mul(kt_to(a, .dtype = KT_F32), kt_to(a, .dtype = KT_F32)), *row = kt_select(b, 0, 3);
            kt_tensor *turned = kt_t(kt_contiguous(kt_t(a))),
                      *full_row = kt_contiguous(kt_expand(row, KT_SHAPE(ROWS, COLUMNS)));
            const char *kinds = kt_row_find(rows[r])->operands.n == 1 ? "t" : "tt";
            kt_clear(); /* float8 and float32 do not promote: then both ways refuse */
            kt_tensor *want = by_name(rows[r], KT_PLAIN, NULL, kinds, a, full_row);
            char       text[256];
            snprintf(text, sizeof text, "%s", error_line());
            kt_clear();
            for (int way = 0; way < 3; way++) {
                kt_tensor *got =
                    by_name(rows[r], KT_PLAIN, NULL, kinds, way == 0 ? a : turned, way == 1 ? full_row : row);
                CHECK_MSG((got != NULL) == (want != NULL) && strcmp(text, error_line()) == 0, "%s", kt_error());
                kt_clear();
                const size_t bytes = got ? (size_t)kt_numel(got) * kt_dtype_size(kt_dtype_of(got)) : 0;
                CHECK_MSG(!got || (!kt_read(got, x, bytes) && !kt_read(want, y, bytes) && memcmp(x, y, bytes) == 0),
                          "%s of %s, way %d", rows[r], kt_dtype_name(dtypes[d]), way);
            }
        }
    free(x);
    free(y);
    free(values);
}

TEST(a_number_as_the_base)
{
    KT_SCOPE;
    kt_tensor *e = operand(KT_F64, KT_SHAPE(2, 3, 4), 0),
              *two = kt_full(KT_SHAPE(2, 3, 4), KT_FLOAT(2), .dtype = KT_F64);
    kt_tensor *got = by_name("pow_base", KT_PLAIN, NULL, "st", KT_FLOAT(2), laid_out(e, TRANSPOSED));
    CHECK(same_values(got, kt_pow(two, e)));
    kt_tensor *ints = kt_pow_base_s(KT_INT(2), kt_arange(KT_INT(0), KT_INT(4)));
    CHECK_EQ_INT(kt_dtype_of(ints), KT_I64);
    CHECK_NEAR(tensor_at(ints, 3), 8, 0);
}

/* ---- strides of fresh results, as PyTorch lays them out ---- */
static void check_strides(kt_tensor *t, kt_shape want)
{
    if (!CHECK_MSG(t != NULL, "%s", kt_error()))
        return kt_clear();
    for (int64_t i = 0; i < want.n; i++)
        CHECK_EQ_INT(kt_stride(t, i), want.d[i]);
}

static kt_tensor *ones(kt_shape shape) { return kt_ones(shape); }

TEST(strides_of_results)
{
    KT_SCOPE;
    kt_tensor *dense = ones(KT_SHAPE(2, 3, 4)), *turned = kt_permute(ones(KT_SHAPE(4, 2, 3)), KT_SHAPE(1, 2, 0));
    check_strides(kt_exp(turned), KT_SHAPE(3, 1, 6));
    check_strides(kt_add(turned, turned), KT_SHAPE(3, 1, 6));
    check_strides(kt_add(turned, dense), KT_SHAPE(3, 1, 6)); /* the first operand decides */
    check_strides(kt_add(dense, turned), KT_SHAPE(12, 4, 1));
    check_strides(kt_add(turned, ones(KT_SHAPE(4))), KT_SHAPE(3, 1, 6));
    check_strides(kt_add(ones(KT_SHAPE(4)), turned), KT_SHAPE(3, 1, 6)); /* a broadcast dim cannot tell */
    check_strides(kt_add_s(turned, KT_INT(1)), KT_SHAPE(3, 1, 6));
    check_strides(kt_exp(kt_slice(ones(KT_SHAPE(4, 6)), .dim = 1, .step = KT_SOME(2))), KT_SHAPE(3, 1));
    check_strides(kt_exp(kt_t(kt_slice(ones(KT_SHAPE(4, 6)), .dim = 1, .step = KT_SOME(2)))), KT_SHAPE(1, 3));
    check_strides(kt_exp(kt_expand(ones(KT_SHAPE(3, 1)), KT_SHAPE(2, 3, 4))), KT_SHAPE(12, 4, 1));
    check_strides(kt_exp(kt_expand(ones(KT_SHAPE(1, 4)), KT_SHAPE(3, 4))), KT_SHAPE(4, 1));
    check_strides(kt_exp(kt_t(kt_expand(ones(KT_SHAPE(4)), KT_SHAPE(3, 4)))), KT_SHAPE(3, 1));
    check_strides(kt_exp(kt_contiguous(ones(KT_SHAPE(2, 3, 4, 5)), .memory_format = KT_CHANNELS_LAST)),
                  KT_SHAPE(60, 1, 15, 3));
    check_strides(
        kt_add(kt_contiguous(ones(KT_SHAPE(2, 3, 4, 5)), .memory_format = KT_CHANNELS_LAST), ones(KT_SHAPE(3, 1, 1))),
        KT_SHAPE(60, 1, 15, 3));
    check_strides(kt_clone(turned), KT_SHAPE(3, 1, 6));
    check_strides(kt_to(turned, .dtype = KT_F16), KT_SHAPE(3, 1, 6));
    check_strides(kt_zeros_like(turned), KT_SHAPE(3, 1, 6));
    check_strides(kt_clone(kt_expand(ones(KT_SHAPE(3, 1)), KT_SHAPE(3, 4))), KT_SHAPE(4, 1));
    check_strides(kt_exp(kt_as_strided(ones(KT_SHAPE(10)), KT_SHAPE(2, 2), KT_SHAPE(1, 1))), KT_SHAPE(2, 1));
}

/* A body's decision outlasts the operators that it calls, whichever slots of the cache they take. */
TEST(ldexp_of_complex)
{
    KT_SCOPE;
    static const kt_dtype exponents[] = {KT_I8, KT_I16, KT_I32, KT_I64, KT_U8};
    kt_tensor            *z = kt_full(KT_SHAPE(2), KT_COMPLEX(1, 2), .dtype = KT_C64);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
            kt_tensor *scaled = kt_ldexp(z, kt_full(KT_SCALAR, KT_INT(2), .dtype = exponents[i]));
            CHECK_EQ_INT(kt_dtype_of(scaled), KT_C64);
            CHECK_EQ_INT(kt_item(kt_imag(kt_select(scaled, 0, 0))), 8);
        }
}
