/* waits.c - which operators make the host wait for a device. Every row of the operator table is called on the mirror, forward and
 * backward, with each of its optional arguments, and the counter of waits must not move, except for what is listed here. A row
 * that is added later is held to it too: it must be callable with the arguments that support/any_row.h or the samples below make
 * up. */
#include "harness.h"

#include <karat/device.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>

#include "support/any_row.h"

#ifndef KT_MIRROR_PLUGIN
#define KT_MIRROR_PLUGIN KT_TEST_BUILD_DIR "/backends/mirror.so"
#endif

static kt_device mirror;

static bool load(void)
{
    if (mirror.kind == 0 && CHECK_EQ_INT(kt_backend_load(KT_MIRROR_PLUGIN), KT_OK))
        mirror = kt_device_find("mirror:1");
    return CHECK(mirror.kind > KT_META);
}

/* ---- arguments that any_row.h does not make up ---- */
static void give(kt_call *c, int i, kt_value v)
{
    c->arg[i] = v;
    c->given |= 1u << i;
    c->scalars &= ~(1u << i);
}
#define GIVE(i, member, ...) give(c, i, (kt_value){.member = __VA_ARGS__})
#define INTS(i, ...) \
    give_ints(c, i, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

static void give_ints(kt_call *c, int i, size_t n, const int64_t *values)
{
    static int64_t room[KT_MAX_ARGS][4];
    memcpy(room[i], values, n * sizeof *values);
    GIVE(i, ints, {(int64_t)n, room[i]});
}

static kt_tensor *halves(kt_shape shape) { return kt_full(shape, KT_FLOAT(0.5)); }
static kt_tensor *square(void) { return halves(KT_SHAPE(3, 3)); }
static kt_tensor *row(void) { return halves(KT_SHAPE(3)); }
static kt_tensor *cube(void) { return halves(KT_SHAPE(2, 3, 3)); }
static kt_tensor *pairs(void) { return halves(KT_SHAPE(4, 2)); }
static kt_tensor *counts(void) { return kt_arange(KT_INT(0), KT_INT(3)); } /* 0, 1, 2: indices, classes, counts */
static kt_tensor *number(kt_scalar s, kt_dtype dtype) { return kt_scalar_tensor(s, .dtype = dtype); }

static void clamp(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, row()), GIVE(2, t, row()); }
static void even(kt_call *c) { GIVE(0, t, pairs()); }
static void gated_back(kt_call *c) { GIVE(0, t, halves(KT_SHAPE(4, 1))), GIVE(1, t, pairs()), GIVE(2, i, -1); }
static void nuclear(kt_call *c) { GIVE(0, t, square()), GIVE(1, str, "fro"); }
static void batches(kt_call *c) { GIVE(0, t, cube()), GIVE(1, t, cube()); }
static void on_vector(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, row()); }
static void plus_vector(kt_call *c) { GIVE(0, t, row()), GIVE(1, t, square()), GIVE(2, t, row()); }
static void plus_batches(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, cube()), GIVE(2, t, cube()); }
static void bilinear(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, square()), GIVE(2, t, cube()); }
static void narrow(kt_call *c) { GIVE(2, t, number(KT_INT(1), KT_I64)); }
static void nine(kt_call *c) { INTS(1, 9); }
static void as_complex(kt_call *c) { GIVE(0, t, pairs()); }
static void unflatten(kt_call *c) { GIVE(0, t, pairs()), GIVE(1, i, 0), INTS(2, 2, 2); }
static void to_row(kt_call *c) { INTS(1, 1, 3); }
static void in_two(kt_call *c) { INTS(1, 1, 2); }
static void in_depth(kt_call *c) { GIVE(0, t, cube()), GIVE(1, i, 3); }
static void in_depth_at(kt_call *c) { GIVE(0, t, cube()), INTS(1, 1); }
static void interleaved(kt_call *c) { GIVE(1, t, counts()), GIVE(2, i, 0), GIVE(3, i, 3); }
static void interleaved_rows(kt_call *c) { GIVE(1, t, counts()), GIVE(2, i, 0); }
static void padded(kt_call *c) { INTS(1, 1, 1); }
static void padded_at_edges(kt_call *c) { padded(c), GIVE(2, str, "reflect"); }
static kt_tensor *in_float8(void) { return kt_to(halves(KT_SHAPE(2, 2)), .dtype = KT_E4M3FN); }
static void scaled(kt_call *c)
{
    GIVE(0, t, in_float8()), GIVE(1, t, in_float8()), GIVE(2, t, halves(KT_SCALAR)), GIVE(3, t, halves(KT_SCALAR));
}
static kt_tensor *in_int8(void) { return kt_ones(KT_SHAPE(2, 2), .dtype = KT_I8); }
static void whole(kt_call *c) { GIVE(0, t, in_int8()), GIVE(1, t, in_int8()); }
static kt_tensor *volume(int64_t side) { return halves(KT_SHAPE(1, 1, side, side, side)); }
static void in_fractions(kt_call *c)
{
    GIVE(0, t, volume(2)), INTS(1, 1, 1, 1), INTS(2, 1, 1, 1);
    GIVE(3, t, halves(KT_SHAPE(1, 1, 3)));
}
static void in_fractions_back(kt_call *c)
{
    GIVE(0, t, volume(1)), GIVE(1, t, volume(2)), INTS(2, 1, 1, 1), INTS(3, 1, 1, 1);
    GIVE(4, t, kt_zeros(KT_SHAPE(1, 1, 1, 1, 1), .dtype = KT_I64));
}
static void one_row(kt_call *c) { GIVE(1, t, row()), GIVE(2, i, 0), GIVE(3, i, 1); }
static void one_diagonal(kt_call *c) { GIVE(1, t, row()); }
static void strided(kt_call *c) { GIVE(1, t, row()), INTS(2, 3), INTS(3, 1); }
static void low_high(kt_call *c) { GIVE(0, i, 0), GIVE(1, i, 5); }
static void like_low_high(kt_call *c) { GIVE(1, i, 0), GIVE(2, i, 5); }
static void filled(kt_call *c) { GIVE(3, t, number(KT_FLOAT(2), KT_F32)); }
static void filled_and_cast(kt_call *c) { GIVE(3, t, number(KT_INT(2), KT_I64)); }
static void masked_and_cast(kt_call *c) { GIVE(2, t, number(KT_FLOAT(2), KT_F64)); }
static void unravel(kt_call *c) { GIVE(0, t, counts()), INTS(1, 3, 3); }
static void looked_up(kt_call *c) { GIVE(0, t, counts()), GIVE(1, t, square()); }
static void looked_up_short(kt_call *c) { looked_up(c), GIVE(2, i, 1), GIVE(3, f, 0.1), GIVE(5, b, true); }
static void looked_up_often(kt_call *c) { GIVE(2, i, 1), GIVE(3, b, true); }
static void likelihood(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, counts()), GIVE(4, i, 1); }
static void likelihood_weighted(kt_call *c) { likelihood(c), GIVE(2, t, kt_ones(KT_SHAPE(3))); }
static void likelihood_space(kt_call *c)
{
    GIVE(0, t, halves(KT_SHAPE(1, 3, 1, 3))), GIVE(1, t, kt_reshape(counts(), KT_SHAPE(1, 1, 3)));
}
static void entropy(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, counts()); }
static void batch(kt_call *c)
{
    GIVE(0, t, cube()), GIVE(5, b, true);
    c->given &= ~(1u << 1 | 1u << 2 | 1u << 3 | 1u << 4); /* parameters and running statistics */
}
static void entropy_back(kt_call *c)
{
    GIVE(0, t, row()), GIVE(1, t, square()), GIVE(2, t, counts()), GIVE(3, t, row()), GIVE(4, t, row());
}
static void logits(kt_call *c)
{
    static kt_tensor *list[4];
    list[0] = square(), list[1] = square(), list[2] = list[3] = row();
    GIVE(0, ts, {list, 4});
}
static void told_classes(kt_call *c) { GIVE(0, t, counts()), GIVE(1, i, 3); }
static kt_tensor *positive(void) { return kt_add(kt_eye(3), square()); }
static void definite(kt_call *c) { GIVE(0, t, positive()); }
static void triangles(kt_call *c) { GIVE(0, t, square()), GIVE(1, t, positive()); }
static void factors(kt_call *c) { GIVE(0, t, positive()), GIVE(1, t, kt_arange(KT_INT(1), KT_INT(4), .dtype = KT_I32)); }
static void factors_last(kt_call *c)
{
    GIVE(0, t, square()), GIVE(1, t, positive()), GIVE(2, t, kt_arange(KT_INT(1), KT_INT(4), .dtype = KT_I32));
}
static void last_two(kt_call *c) { INTS(1, 0, 1); }
static void orthogonal(kt_call *c) { GIVE(1, str, "reduced"); }
static void by_two(kt_call *c)
{
    static kt_tensor *list[2];
    list[0] = counts(), list[1] = counts();
    GIVE(1, ts, {list, 2});
    if (kt_row_n_args(c->row) > 2)
        GIVE(2, t, row());
}
static void added_by_two(kt_call *c) { by_two(c), GIVE(3, b, true); }
static void by_mask(kt_call *c)
{
    static kt_tensor *list[1];
    list[0] = kt_gt_s(counts(), KT_INT(0));
    GIVE(1, ts, {list, 1});
    if (kt_row_n_args(c->row) > 2)
        GIVE(2, t, row());
}
static void ranged(kt_call *c) { GIVE(1, i, 4), GIVE(2, s, KT_INT(0)), GIVE(3, s, KT_INT(4)); }
static void limited(kt_call *c) { GIVE(1, i, 4), GIVE(2, f, 0.0), GIVE(3, f, 4.0); }
static void same_value(kt_call *c) { GIVE(1, dtype, KT_F64), GIVE(c->row->id == KT_OP_to ? 5 : 4, str, "same_value"); }

/* ---- rows that may wait. The same list stands in ARCHITECTURE, "What makes the host wait" ---- */
static void give_one(kt_call *c, int i, kt_tensor *t)
{
    static kt_tensor *room[KT_MAX_ARGS][1];
    room[i][0] = t;
    GIVE(i, ts, {room[i], 1});
}
static void segmented(kt_call *c)
{
    GIVE(0, t, square()), GIVE(1, str, "sum"), GIVE(4, t, kt_arange(KT_INT(0), KT_INT(4), .dtype = KT_I64));
}
static void at_places(kt_call *c) { GIVE(0, t, square()), give_one(c, 1, row()), INTS(2, 0); }
static void factored(kt_call *c)
{
    give_one(c, 0, square()), give_one(c, 1, square());
    give_one(c, 2, halves(KT_SHAPE(3, 1))), give_one(c, 3, halves(KT_SHAPE(1, 3)));
    give_one(c, 4, row()), give_one(c, 5, number(KT_INT(1), KT_F32));
}
static void vectors(kt_call *c) { give_one(c, 0, row()), give_one(c, 1, row()); }
static void along_vector(kt_call *c) { give_one(c, 0, row()), GIVE(1, t, row()); }
static void history(kt_call *c)
{
    GIVE(0, t, row()), give_one(c, 1, row()), give_one(c, 2, row()), give_one(c, 3, number(KT_INT(1), KT_F32));
    GIVE(4, t, number(KT_INT(1), KT_F32));
}

static void spectrum(kt_call *c) { GIVE(0, t, kt_to(square(), .dtype = KT_C64)), GIVE(3, i, 4); }
static void in_parts(kt_call *c)
{
    GIVE(0, t, kt_arange(KT_INT(0), KT_INT(16), .dtype = KT_F32)), GIVE(1, i, 4), GIVE(9, b, true);
}
static void from_parts(kt_call *c) { GIVE(0, t, kt_ones(KT_SHAPE(3, 5), .dtype = KT_C64)), GIVE(1, i, 4); }

#define SHAPES "values decide the result's size"
#define MADE   "made of nonzero"
#define BOUNDS "values decide the bounds of the bins"
#define PLACE  "a value decides which part of the memory is meant"
#define DRAWN  "the CPU draws, from values that it reads"
#define ASKED  "the user asks whether values would change"
#define WARNED "a warning depends on a value"
#define NUMBERS "the host passes its elements as numbers"
#define LENGTHS "the host reads the lengths of sequences"
#define SOLVED "an error depends on whether a matrix is singular, or an algorithm has converged"
#define HALVED "the largest norm decides how often matrices are halved and squared"
#define COUNTED "values decide how many classes are compared"
#define GAPS "an error depends on whether the windows leave a gap"
#define STEPPED "the host calculates with the number of a step, a norm or a product"
static const char *const NEVER = NULL;

/* With the arguments of any_row.h. */
static const struct {
    const char *row, *why;
} waiting[] = {
    {"nonzero", SHAPES}, {"argwhere", SHAPES}, {"nonzero_numpy", SHAPES}, {"where_self", SHAPES}, {"masked_select", SHAPES},
    {"unique", SHAPES}, {"unique_dim", SHAPES}, {"unique_consecutive", SHAPES}, {"bincount", SHAPES},
    {"repeat_interleave", SHAPES}, {"repeat_interleave_tensor", SHAPES}, {"tensor_split_tensor", SHAPES},
    {"nn_one_hot", SHAPES}, {"nonzero_static", MADE}, {"masked_scatter", MADE}, {"histc", BOUNDS}, {"histogram", BOUNDS},
    {"cov", WARNED}, {"bernoulli", DRAWN}, {"bernoulli_tensor", DRAWN}, {"poisson", DRAWN}, {"multinomial", DRAWN},
    {"binomial", DRAWN}, {"standard_gamma", DRAWN}, {"sample_dirichlet", DRAWN},
    {"ctc_loss_of_tensor", LENGTHS}, {"ctc_loss_tensor", LENGTHS}, {"nn_ctc_loss_tensor", LENGTHS},
    {"step_adam", STEPPED}, {"step_adagrad", STEPPED}, {"step_adamax", STEPPED}, {"step_nadam", STEPPED}, {"step_radam", STEPPED},
    {"step_asgd", STEPPED},
    {"multilabel_margin_loss", COUNTED}, {"multilabel_margin_loss_backward", COUNTED}, {"nn_multilabel_margin_loss", COUNTED},
    {"foreach_addcmul_tensor", NUMBERS}, {"foreach_addcdiv_tensor", NUMBERS}, {"linspace_ends", NUMBERS},
    {"logspace_ends", NUMBERS},
    {"linalg_lu_factor", SOLVED}, {"linalg_inv", SOLVED}, {"inverse", SOLVED}, {"linalg_solve", SOLVED},
    {"linalg_eigh_of", SOLVED}, {"linalg_eigh", SOLVED}, {"linalg_eigvalsh", SOLVED}, {"linalg_svd_of", SOLVED},
    {"linalg_svd", SOLVED}, {"linalg_svdvals", SOLVED}, {"svd", SOLVED}, {"linalg_adjugate", SOLVED},
    {"cholesky_inverse", SOLVED},
    {"linalg_eig", SOLVED}, {"linalg_eigvals_of", SOLVED}, {"linalg_eigvals", SOLVED}, {"linalg_ldl_factor", SOLVED},
    {"linalg_pinv_tensor", SOLVED}, {"linalg_pinv", SOLVED}, {"linalg_pinv_rcond_tensor", SOLVED}, {"linalg_pinv_rcond", SOLVED},
    {"pinverse", SOLVED}, {"linalg_matrix_rank_tensor", SOLVED}, {"linalg_matrix_rank", SOLVED},
    {"linalg_matrix_rank_tol_tensor", SOLVED}, {"linalg_matrix_rank_tol", SOLVED}, {"linalg_cond", SOLVED},
    {"linalg_lstsq", SOLVED}, {"linalg_tensorinv", SOLVED}, {"linalg_tensorsolve", SOLVED}, {"nuclear_norm", SOLVED},
    {"linalg_matrix_exp", HALVED}, {"matrix_exp", HALVED},
    {"svd_lowrank", SOLVED}, {"pca_lowrank", SOLVED}, {"lobpcg_of", SOLVED},
};
enum { WAITING = sizeof waiting / sizeof *waiting };

/* With other arguments: each changes what any_call made. */
static const struct {
    const char *row;
    void      (*make)(kt_call *c);
    const char *why;
} samples[] = {
    {"clamp", clamp, NEVER}, {"glu", even, NEVER}, {"glu_backward", gated_back, NEVER}, {"norm_str", nuclear, NEVER},
    {"linalg_norm_str", nuclear, NEVER}, {"matmul_batched", batches, NEVER}, {"bmm", batches, NEVER}, {"mv", on_vector, NEVER},
    {"int_mm", whole, NEVER},
    {"addmv", plus_vector, NEVER}, {"baddbmm", plus_batches, NEVER}, {"addbmm", plus_batches, NEVER},
    {"segment_reduce", segmented, NEVER},
    {"gradient_at", at_places, NEVER}, {"bilinear", bilinear, NEVER}, {"narrow_tensor", narrow, PLACE}, {"view", nine, NEVER},
    {"unsafe_view", nine, NEVER},
    {"reshape", nine, NEVER}, {"view_copy", nine, NEVER}, {"view_as_complex", as_complex, NEVER},
    {"view_as_complex_copy", as_complex, NEVER}, {"unflatten", unflatten, NEVER}, {"sum_to_size", to_row, NEVER},
    {"split_sizes", in_two, NEVER}, {"split_with_sizes", in_two, NEVER}, {"unsafe_split_with_sizes", in_two, NEVER},
    {"split_with_sizes_copy", in_two, NEVER}, {"dsplit", in_depth, NEVER}, {"dsplit_indices", in_depth_at, NEVER},
    {"interleave", interleaved, SHAPES}, {"repeat_interleave_tensor", interleaved_rows, SHAPES},
    {"fractional_max_pool3d", in_fractions, NEVER}, {"fractional_max_pool3d_backward", in_fractions_back, NEVER},
    {"constant_pad_nd", padded, NEVER}, {"nn_pad", padded, NEVER}, {"pad_edges", padded_at_edges, NEVER},
    {"pad_around", padded, NEVER}, {"scaled_mm", scaled, NEVER}, {"select_scatter", one_row, NEVER},
    {"diagonal_scatter", one_diagonal, NEVER}, {"as_strided_scatter", strided, NEVER}, {"randint_low", low_high, NEVER},
    {"randint_like_low", like_low_high, NEVER}, {"index_fill_tensor", filled, NEVER},
    {"index_fill_tensor", filled_and_cast, NEVER}, {"masked_fill_tensor", masked_and_cast, NEVER},
    {"unravel_index", unravel, NEVER}, {"nn_embedding", looked_up, NEVER}, {"nn_embedding", looked_up_short, NEVER},
    {"embedding", looked_up_often, NEVER}, {"nll_loss", likelihood, NEVER}, {"nll_loss", likelihood_weighted, NEVER},
    {"nll_loss2d", likelihood_space, NEVER}, {"nn_nll_loss", likelihood, NEVER}, {"nn_cross_entropy", entropy, NEVER},
    {"cross_entropy", entropy, NEVER}, {"cross_entropy_backward", entropy_back, NEVER},
    {"native_batch_norm", batch, NEVER}, {"batch_norm", batch, NEVER}, {"nn_batch_norm", batch, NEVER},
    {"instance_norm", batch, NEVER}, {"nn_instance_norm", batch, NEVER},
    {"bce_logits", logits, NEVER}, {"nn_one_hot", told_classes, NEVER}, {"index", by_two, NEVER}, {"index_put", by_two, NEVER},
    {"index_put", added_by_two, NEVER}, {"index", by_mask, SHAPES}, {"index_put", by_mask, SHAPES},
    {"histc", ranged, NEVER}, {"histogram", limited, NEVER}, {"to", same_value, ASKED},
    {"linalg_cholesky", definite, SOLVED}, {"cholesky", definite, SOLVED},
    {"linalg_cholesky_ex", definite, NEVER}, {"cholesky_solve", triangles, NEVER}, {"lu_unpack", factors, NEVER},
    {"linalg_lu_solve", factors, NEVER}, {"lu_solve", factors_last, NEVER}, {"linalg_qr", orthogonal, NEVER},
    {"nuclear_norm_dim", last_two, SOLVED},
    {"to_copy", same_value, ASKED}, {"step_adafactor", factored, STEPPED}, {"lbfgs_flat", vectors, NEVER},
    {"lbfgs_move", along_vector, NEVER}, {"lbfgs_direction", history, STEPPED},
    {"fft_c2r", spectrum, NEVER}, {"stft", in_parts, NEVER}, {"istft", from_parts, GAPS},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* ---- one call on the mirror ---- */
enum { NONE = -1 };

typedef struct trial {
    const kt_row *row;
    kt_dtype      dtype;
    int64_t       rank;
    kt_form       form;
    bool          grad;
    int           sample;   /* NONE: as any_call makes it */
    int           optional; /* an argument that is given too; NONE: no other */
} trial;

enum { MOST_RESULTS = 16, LONGEST_LIST = 8 };
typedef kt_tensor *argument_lists[KT_MAX_ARGS][LONGEST_LIST];

static kt_tensor *moved(kt_tensor *t, bool grad)
{
    kt_tensor *there = t ? kt_to(t, .device = mirror, .copy = true) : NULL;
    if (there && grad && kt_dtype_category(kt_dtype_of(t)) >= KT_CAT_FLOAT)
        kt_set_requires_grad(there, true);
    return there;
}

/* Of packed sequences: PyTorch has them on the CPU. */
static bool is_the_hosts(const char *name) { return strcmp(name, "batch_sizes") == 0 || strcmp(name, "lengths") == 0; }

static void move_arguments(kt_call *c, bool grad, argument_lists lists)
{
    for (int i = 0; i < kt_row_n_args(c->row); i++) {
        const kt_arg_kind kind = kt_row_arg(c->row, i)->kind;
        if (is_the_hosts(kt_row_arg(c->row, i)->name))
            continue;
        if (kind == KT_ARG_DEVICE)
            GIVE(i, device, mirror);
        if (!(c->given >> i & 1) || c->scalars >> i & 1)
            continue;
        if (kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR)
            c->arg[i].t = moved(c->arg[i].t, grad);
        for (int64_t k = 0; kind == KT_ARG_TENSORS && k < c->arg[i].ts.n; k++)
            lists[i][k] = moved(c->arg[i].ts.t[k], grad);
        if (kind == KT_ARG_TENSORS)
            c->arg[i].ts.t = lists[i];
    }
}

/* Gradients of everything that has one. */
static bool run_back(kt_tensor *const *results, int n)
{
    kt_tensor *loss = NULL;
    for (int i = 0; i < n && !kt_failed(); i++) {
        if (!kt_requires_grad(results[i]))
            continue;
        kt_tensor *real = kt_dtype_category(kt_dtype_of(results[i])) == KT_CAT_COMPLEX ? kt_view_as_real(results[i]) : results[i];
        kt_tensor *sum = kt_sum(real, .dtype = KT_F32);
        loss = loss ? kt_add(loss, sum) : sum;
    }
    return loss && !kt_failed() && kt_backward(loss) == KT_OK;
}

static char last_error[512];

static void take_error(void)
{
    snprintf(last_error, sizeof last_error, "%.*s", (int)strcspn(kt_error(), "\n"), kt_error());
    kt_clear();
}

typedef struct outcome {
    int      ran, back; /* calls, and those with gradients */
    uint64_t waits;     /* of calls that ran */
} outcome;

static void make_call(kt_call *c, const trial *t, kt_form form, argument_lists lists)
{
    any_call(c, t->row, form, t->dtype, t->rank);
    if (t->sample >= 0)
        samples[t->sample].make(c);
    if (t->optional >= 0)
        any_argument(c, t->optional, t->dtype, t->rank);
    move_arguments(c, t->grad, lists);
}

/* What out= gets: tensors like the results of the plain call. */
static void make_targets(kt_call *c, const trial *t)
{
    argument_lists lists;
    kt_call        plain;
    kt_tensor     *results[MOST_RESULTS];
    int            n = 0;
    make_call(&plain, t, KT_PLAIN, lists);
    any_run(&plain, results, MOST_RESULTS, &n);
    for (int i = 0; i < n && i < kt_row_n_results(t->row); i++)
        c->out[i] = kt_empty_like(results[i]);
}

static void attempt(const trial *t, outcome *o)
{
    KT_SCOPE;
    argument_lists lists;
    kt_call        c;
    kt_tensor     *results[MOST_RESULTS];
    int            n = 0;
    bool           ran = false, back = false;
    make_call(&c, t, t->form, lists);
    if (t->form == KT_OUT)
        make_targets(&c, t);
    kt_device_sync(mirror);
    const uint64_t before = kt_host_waits();
    if (any_run(&c, results, MOST_RESULTS, &n)) {
        back = t->grad && run_back(results, n);
        ran = !kt_failed();
    }
    const uint64_t waits = kt_host_waits() - before;
    if (kt_failed())
        take_error();
    if (kt_device_sync(mirror)) { /* wrong values: that is no call of the row */
        take_error();
        ran = false;
    }
    o->ran += ran;
    o->back += ran && back;
    o->waits += ran ? waits : 0;
}

/* ---- all rows ---- */
static void sweep_forms(trial t, outcome *o)
{
    for (int form = KT_PLAIN; form <= KT_OUT; form++) {
        t.form = (kt_form)form;
        t.grad = false;
        if (!kt_row_has_form(t.row, t.form))
            continue;
        attempt(&t, o);
        t.grad = true;
        if (form == KT_PLAIN)
            attempt(&t, o);
    }
}

static void sweep_row(const kt_row *r, outcome *o)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_I64, KT_BOOL, KT_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int64_t rank = 0; rank <= 2; rank++)
            sweep_forms((trial){.row = r, .dtype = dtypes[d], .rank = rank, .sample = NONE, .optional = NONE}, o);
    for (int i = 0; i < kt_row_n_args(r); i++)
        if (kt_row_arg(r, i)->has_default || kt_row_arg(r, i)->optional)
            for (int64_t rank = 0; rank <= 2; rank++)
                sweep_forms((trial){.row = r, .dtype = KT_F32, .rank = rank, .sample = NONE, .optional = i}, o);
}

static const char *reason_for(const char *name)
{
    for (int i = 0; i < WAITING; i++)
        if (strcmp(waiting[i].row, name) == 0)
            return waiting[i].why;
    return NEVER;
}

static void check_waits(const char *name, const outcome *o, const char *why)
{
    CHECK_MSG(!o->waits || why, "%s makes the host wait: no operator may, unless its result depends on it (see the lists above)",
              name);
    CHECK_MSG(o->waits || !why, "%s is listed as one that waits (%s) and does not", name, why);
}

TEST(no_row_waits_but_those_in_the_list)
{
    if (!load())
        return;
    int rows = 0, backward = 0;
    for (int i = 0; kt_row_at(i); i++) {
        const kt_row *r = kt_row_at(i);
        const char   *name = kt_row_name(r);
        outcome       made_up = {0}, all;
        sweep_row(r, &made_up);
        check_waits(name, &made_up, reason_for(name));
        all = made_up;
        for (int k = 0; k < SAMPLES; k++) {
            outcome o = {0};
            if (strcmp(samples[k].row, name) != 0)
                continue;
            sweep_forms((trial){.row = r, .dtype = KT_F32, .rank = 2, .sample = k, .optional = NONE}, &o);
            CHECK_MSG(o.ran, "%s: its sample is refused: %s", name, last_error);
            check_waits(name, &o, samples[k].why);
            all.ran += o.ran, all.back += o.back;
        }
        rows += all.ran > 0;
        backward += all.back > 0;
        CHECK_MSG(all.ran, "%s: nothing here calls it (%s): it needs a sample", name, last_error);
    }
    printf("waits: %d rows called, %d of them with gradients; %d wait\n", rows, backward, WAITING);
    CHECK(backward > 300);
}

/* Names in code in the section of the document. */
static bool is_documented(const char *text, const char *name)
{
    char marked[80];
    snprintf(marked, sizeof marked, "`%s`", name);
    return strstr(text, marked) != NULL;
}

TEST(the_document_has_the_same_list)
{
    static char text[200000];
    FILE       *f = fopen(KT_TEST_SOURCE_DIR "/ARCHITECTURE.md", "r");
    REQUIRE(f != NULL);
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    char *section = strstr(text, "### What makes the host wait");
    REQUIRE(section != NULL);
    char *end = strstr(section + 4, "\n#");
    if (end)
        *end = '\0';
    for (int i = 0; i < WAITING; i++)
        CHECK_MSG(is_documented(section, waiting[i].row), "ARCHITECTURE does not say that %s waits", waiting[i].row);
    for (int i = 0; i < SAMPLES; i++)
        CHECK_MSG(!samples[i].why || is_documented(section, samples[i].row), "ARCHITECTURE does not say that %s waits",
                  samples[i].row);
}
