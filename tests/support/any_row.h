/* any_row.h - a call of any row of the operator table with arguments made from its schema.
 *
 * In: a row and a dtype. Out: a kt_call whose tensors belong to the innermost scope. Rows that such arguments do not suit refuse
 * them; a sweep counts those that ran. */
#ifndef KT_TEST_ANY_ROW_H
#define KT_TEST_ANY_ROW_H

#include <karat/karat.h>
#include <karat/plugin/call.h>

#include "base/scope.h"
#include "call/row.h"
#include "support/any_recurrent.h"
#include "support/by_name.h"

enum { ANY_SIDE = 3 };

static inline kt_tensor *any_tensor(kt_dtype dtype, int64_t rank, int seed)
{
    double        values[ANY_SIDE * ANY_SIDE];
    const bool    whole = kt_dtype_category(dtype) <= KT_CAT_INT;
    const int64_t sizes[2] = {ANY_SIDE, ANY_SIDE};
    for (int i = 0; i < ANY_SIDE * ANY_SIDE; i++)
        values[i] = ((i * 7 + seed * 3) % 5 + 1) * (whole ? 1 : 0.125);
    return tensor_of(dtype, (kt_shape){rank, sizes}, values);
}

static inline kt_tensor *any_index(int64_t rank)
{
    const double  values[] = {2, 0, 1, 1, 2, 0, 0, 1, 2};
    const int64_t sizes[2] = {ANY_SIDE, ANY_SIDE};
    return tensor_of(KT_I64, (kt_shape){rank, sizes}, values);
}

/* Operators over lists take some tensors of one element, or of one for each tensor of a list; NULL: an operand like any other. */
static inline kt_tensor *any_beside_list(const kt_row *row, const char *name, kt_dtype dtype)
{
    static const char *const ones[] = {"lr", "grad_scale", "found_inf", "inv_scale"};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (strcmp(name, ones[i]) == 0)
            return kt_scalar_tensor(KT_FLOAT(0.5), .dtype = KT_F32);
    if (strcmp(row->name, "amp_update_scale") == 0)
        return kt_scalar_tensor(KT_INT(2), .dtype = strcmp(name, "growth_tracker") == 0 ? KT_I32 : KT_F32);
    if (strncmp(row->name, "foreach_", 8) != 0)
        return NULL;
    return strcmp(name, "scalars") == 0 ? kt_ones(KT_SHAPE(2), .dtype = dtype) : kt_ones(KT_SCALAR, .dtype = dtype);
}

static inline bool any_pools(const kt_row *row) { return strstr(row->name, "pool") != NULL; }

static inline bool any_resizes(const kt_row *row) { return strncmp(row->name, "upsample_", 9) == 0; }
static inline bool any_samples(const kt_row *row) { return strncmp(row->name, "grid_sampler", 12) == 0; }

/* How many dims in space the images have that a row takes; 0: it takes none. */
static inline int any_space(const kt_row *row)
{
    const char *name = row->name;
    if (strcmp(name, "conv_tbc") == 0)
        return 0;
    if (strncmp(name, "conv", 4) != 0 && !any_pools(row) && !any_resizes(row) && !any_samples(row) && strcmp(name, "im2col") != 0)
        return 0;
    const char *digit = strpbrk(name, "123");
    return digit ? *digit - '0' : any_samples(row) ? 2 : 1;
}

/* [1, 1, ..., length] */
static inline kt_tensor *any_image(const kt_row *row, kt_dtype dtype, int64_t length, int seed)
{
    const int64_t sizes[] = {1, 1, any_space(row) > 1 ? 1 : length, any_space(row) > 2 ? 1 : length, length};
    return kt_reshape(kt_narrow(any_tensor(dtype, 1, seed), 0, 0, length), ((kt_shape){2 + any_space(row), sizes}));
}

/* Attention takes [batch, head, length, dim]. */
static inline bool any_attends(const kt_row *row) { return strstr(row->name, "attention") != NULL; }

static inline kt_tensor *any_heads(const char *name, kt_dtype dtype, int seed)
{
    if (strcmp(name, "logsumexp") == 0)
        return kt_reshape(any_tensor(dtype == KT_F64 ? KT_F64 : KT_F32, 1, seed), KT_SHAPE(1, 1, ANY_SIDE));
    if (strcmp(name, "draws") == 0)
        return kt_zeros(KT_SHAPE(1, 625), .dtype = KT_I32);
    if (strcmp(name, "dropout_mask") == 0)
        return kt_gt_s(any_index(2), KT_INT(0));
    return strcmp(name, "attn_mask") == 0 ? any_tensor(dtype, 2, seed)
                                          : kt_reshape(any_tensor(dtype, 2, seed), KT_SHAPE(1, 1, ANY_SIDE, ANY_SIDE));
}

/* Norms take parameters of one dim, and statistics of each row; of what flows back all is wanted. */
static inline bool any_norm(const kt_row *row) { return strcmp(row->section, "normalisation") == 0; }
static inline int  any_statistics(const kt_row *row) { return strstr(row->name, "rms_norm") ? 1 : 2; }

static inline kt_shape any_norm_ints(const kt_row *row, const kt_arg_spec *spec)
{
    static const int64_t shape[] = {ANY_SIDE}, all[] = {1, 1, 1}, first[] = {0};
    if (strcmp(spec->name, "dim") == 0)
        return (kt_shape){1, first};
    return strcmp(spec->name, "output_mask") == 0 ? (kt_shape){any_statistics(row) + 1, all} : (kt_shape){1, shape};
}

/* Of linear algebra: factors of reflectors, pivots, bounds; NULL: an operand like any other. */
static inline kt_tensor *any_of_matrices(const kt_row *row, const char *name, kt_dtype dtype, int seed)
{
    const bool second = strcmp(name, "input2") == 0 && (strcmp(row->name, "orgqr") == 0 || strcmp(row->name, "ormqr") == 0);
    if (strcmp(name, "tau") == 0 || second || (strcmp(row->name, "linalg_tensorsolve") == 0 && strcmp(name, "other") == 0))
        return any_tensor(dtype, 1, seed);
    if (strcmp(row->name, "linalg_ldl_solve") == 0 && strcmp(name, "pivots") == 0)
        return kt_arange(KT_INT(1), KT_INT(ANY_SIDE + 1), .dtype = KT_I32);
    if (strcmp(row->name, "linalg_tensorinv") == 0)
        return kt_unsqueeze(any_tensor(dtype, 2, seed), 1);
    const bool bound = strcmp(name, "rcond") == 0 || strcmp(name, "tol") == 0 || strcmp(name, "atol") == 0 ||
                       strcmp(name, "rtol") == 0;
    return bound && strncmp(row->name, "linalg_", 7) == 0 ? kt_full(KT_SCALAR, KT_FLOAT(0.5), .dtype = dtype) : NULL;
}

/* Of rows that take classes, bags or images in another shape than their other operands; NULL: an operand like any other. */
static inline kt_tensor *any_of_a_kind(const kt_row *row, const char *name, kt_dtype dtype, int seed)
{
    const int  space = any_space(row);
    const bool target = strcmp(name, "target") == 0, bags = strstr(row->name, "embedding_bag") != NULL;
    if (strstr(row->name, "_shuffle") || strstr(row->name, "pixel_"))
        return kt_reshape(any_tensor(dtype, 2, seed), KT_SHAPE(ANY_SIDE, ANY_SIDE, 1));
    if (any_resizes(row) && strcmp(name, "grad_output") == 0)
        return any_image(row, dtype, ANY_SIDE - 1, seed);
    if (any_samples(row) && strcmp(name, "grid") == 0)
        return kt_reshape(kt_narrow(any_tensor(dtype, 2, seed), 1, 0, space),
                          space == 2 ? KT_SHAPE(1, 1, ANY_SIDE, 2) : KT_SHAPE(1, 1, 1, ANY_SIDE, 3));
    if (any_samples(row))
        return any_image(row, dtype, ANY_SIDE, seed);
    if (strcmp(name, "theta") == 0)
        return kt_reshape(kt_narrow(any_tensor(dtype, 2, seed), 0, 0, 2), KT_SHAPE(1, 2, ANY_SIDE));
    if (strcmp(row->name, "conv_tbc") == 0)
        return strcmp(name, "bias") == 0 ? any_tensor(dtype, 1, seed) : kt_unsqueeze(any_tensor(dtype, 2, seed), 0);
    if (strstr(row->name, "weight_norm") && strcmp(name, "g") == 0)
        return any_tensor(dtype, 1, seed);
    if (strcmp(row->name, "embedding_renorm") == 0 && strcmp(name, "indices") == 0)
        return any_index(1);
    if (target && strstr(row->name, "multi_margin"))
        return any_index(1);
    if (target && strstr(row->name, "multilabel_margin"))
        return any_index(2);
    if (target && strstr(row->name, "cosine_embedding"))
        return any_tensor(dtype, 1, seed);
    if (bags && (strcmp(name, "indices") == 0 || strcmp(name, "input") == 0))
        return any_index(strcmp(name, "input") == 0 ? 2 : 1);
    if (bags && strcmp(name, "offsets") == 0)
        return kt_zeros(KT_SHAPE(1), .dtype = KT_I64);
    return bags && strcmp(name, "per_sample_weights") == 0 ? any_tensor(dtype, 1, seed) : NULL;
}

/* Are the row's operands unlike each other in sizes or dtypes, so that only arguments made here suit it? Its first tensor has the
 * dtype that is asked for. */
static inline bool any_is_fitted(const kt_row *row)
{
    static const char *const parts[] = {"multi_margin", "multilabel_margin", "_shuffle", "pixel_", "fused_", "amp_foreach",
                                        "affine_grid", "col2im", "linalg_tensor", "householder", "orgqr", "ormqr", "ldl_solve"};
    if (any_space(row) > 0 || any_is_recurrent(row) || any_norm(row) ||
        (any_attends(row) && strcmp(row->name, "attention_kept") != 0)) /* that one takes draws */
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(row->name, parts[i]))
            return true;
    return strncmp(row->name, "embedding_bag", 13) == 0;
}

/* Some of a row's tensors are known by their names: they want an integer, a truth, an order. */
static inline kt_tensor *any_operand(const kt_row *row, const kt_arg_spec *spec, kt_dtype dtype, int64_t rank, int seed)
{
    const char *name = spec->name;
    const bool  along = strncmp(row->name, "index_", 6) == 0;
    kt_tensor  *beside = any_beside_list(row, name, dtype);
    if (beside)
        return beside;
    if (any_pools(row) && strcmp(name, "random_samples") == 0)
        return kt_full(KT_SHAPE(1, 1, any_space(row)), KT_FLOAT(0.5), .dtype = dtype);
    if (any_pools(row) && strcmp(name, "indices") == 0)
        return kt_reshape(any_index(1), kt_sizes(any_image(row, dtype, ANY_SIDE, seed)));
    if (any_attends(row))
        return any_heads(name, dtype, seed);
    if ((beside = any_of_a_kind(row, name, dtype, seed)) || (beside = any_of_matrices(row, name, dtype, seed)))
        return beside;
    if (any_space(row))
        return any_image(row, dtype, strcmp(name, "grad_output") == 0 && !any_pools(row) ? 1 : ANY_SIDE, seed);
    if (strstr(row->name, "local_response"))
        return kt_unsqueeze(any_tensor(dtype, 2, seed), 0);
    if (any_norm(row) && (strcmp(name, "weight") == 0 || strcmp(name, "bias") == 0 || strncmp(name, "running_", 8) == 0))
        return any_tensor(dtype, 1, seed);
    if (strcmp(name, "index") == 0 || strcmp(name, "indices") == 0)
        return any_index(along ? 1 : rank);
    if (strcmp(name, "mask") == 0 || strcmp(name, "condition") == 0)
        return kt_gt_s(any_index(rank), KT_INT(0));
    if (strcmp(name, "boundaries") == 0 || strcmp(name, "sorted_sequence") == 0)
        return kt_arange(KT_INT(0), KT_INT(ANY_SIDE), .dtype = dtype);
    if (strcmp(name, "sorter") == 0)
        return kt_arange(KT_INT(0), KT_INT(ANY_SIDE));
    if (strcmp(name, "q") == 0)
        return kt_full(KT_SHAPE(ANY_SIDE), KT_FLOAT(0.5), .dtype = dtype);
    return any_tensor(dtype, rank, seed);
}

static inline const char *any_text(const kt_row *row, const kt_arg_spec *spec)
{
    if (strcmp(spec->name, "reduce") == 0)
        return strncmp(row->name, "scatter_value", 13) == 0 || strcmp(row->name, "scatter_combine") == 0 ? "add" : "prod";
    if (any_space(row))
        return "same";
    if (strcmp(row->name, "linalg_cond_str") == 0)
        return "fro";
    return strcmp(spec->name, "equation") == 0 ? "ij,jk->ik" : "sum";
}

/* Of images the geometry of a window that fits. */
static inline kt_shape any_ints(const kt_row *row, const kt_arg_spec *spec)
{
    static const int64_t zero[] = {0, 0}, one[] = {1, 1, 1}, image[] = {1, 1, ANY_SIDE}, resized[] = {1, 1, ANY_SIDE - 1};
    static const int64_t whole[] = {1, 1, 1, 1, ANY_SIDE}, affine[] = {1, 1, 2, ANY_SIDE};
    if (strcmp(row->name, "convolution_backward") == 0 && strcmp(spec->name, "output_mask") == 0)
        return (kt_shape){3, one};
    if (any_resizes(row))
        return strcmp(spec->name, "input_size") == 0 ? (kt_shape){2 + any_space(row), whole + ANY_SIDE - any_space(row)}
                                                     : (kt_shape){any_space(row), resized + ANY_SIDE - any_space(row)};
    if (any_samples(row))
        return (kt_shape){2, one};
    if (strcmp(row->name, "affine_grid_generator") == 0)
        return (kt_shape){4, affine};
    if (strcmp(row->name, "im2col") == 0 || strcmp(row->name, "col2im") == 0)
        return strcmp(spec->name, "output_size") == 0 ? (kt_shape){2, image + 1}
                                                      : (kt_shape){2, strcmp(spec->name, "padding") == 0 ? zero : one};
    if (strcmp(row->name, "max_unpool3d") == 0 && strcmp(spec->name, "output_size") != 0)
        return (kt_shape){3, one};
    if (any_pools(row) && strcmp(spec->name, "output_size") == 0)
        return (kt_shape){any_space(row), image + ANY_SIDE - any_space(row)};
    if (spec->alone > 1)
        return (kt_shape){spec->alone, one};
    if (any_space(row) && !any_pools(row) && strstr(spec->name, "_size"))
        return (kt_shape){3, image};
    if (any_norm(row))
        return any_norm_ints(row, spec);
    return (kt_shape){1, any_space(row) && !strstr(spec->name, "padding") ? one : zero};
}

/* Argument i, given. */
static inline void any_argument(kt_call *c, int i, kt_dtype dtype, int64_t rank)
{
    static const kt_scalar ones[] = {{{1}, 0, KT_SCALAR_INT, 0}, {{1}, 0, KT_SCALAR_INT, 0}};
    static kt_tensor    *lists[KT_MAX_ARGS][2];
    const kt_arg_spec   *spec = kt_row_arg(c->row, i);
    if (any_of_recurrent(c, i, dtype))
        return;
    c->given |= 1u << i;
    c->scalars &= ~(1u << i);
    switch (spec->kind) {
    case KT_ARG_TENSOR:
    case KT_ARG_TENSOR_OR_SCALAR: c->arg[i].t = any_operand(c->row, spec, dtype, rank, i); return;
    case KT_ARG_TENSORS:
        lists[i][0] = spec->holes ? any_index(1) : any_tensor(dtype, rank, i);
        lists[i][1] = any_tensor(dtype, rank, i + 1);
        if (strcmp(spec->name, "statistics") == 0)
            lists[i][0] = lists[i][1] = kt_narrow(any_tensor(dtype, 2, i), 1, 0, 1);
        if (strcmp(spec->name, "running") == 0)
            lists[i][0] = lists[i][1] = any_tensor(dtype, 1, i);
        if (strcmp(spec->name, "state_steps") == 0)
            lists[i][0] = lists[i][1] = kt_ones(KT_SCALAR, .dtype = dtype);
        c->arg[i].ts.t = lists[i];
        c->arg[i].ts.n = spec->holes || any_attends(c->row) || (any_norm(c->row) && any_statistics(c->row) == 1) ? 1 : 2;
        if (strcmp(spec->name, "draws") == 0 || strcmp(spec->name, "followed") == 0)
            c->arg[i].ts.n = 0;
        return;
    case KT_ARG_SCALAR: c->arg[i].s = KT_INT(1); return;
    case KT_ARG_SCALARS:
        c->arg[i].ss.s = ones;
        c->arg[i].ss.n = 2;
        return;
    case KT_ARG_INT:
        if (any_norm(c->row) && (strcmp(spec->name, "N") == 0 || strcmp(spec->name, "C") == 0)) {
            c->arg[i].i = ANY_SIDE;
            return;
        }
        c->arg[i].i = strstr(spec->name, "dim") || strcmp(spec->name, "interpolation_mode") == 0 ? 0 : 1;
        return;
    case KT_ARG_INTS: c->arg[i].ints = any_ints(c->row, spec); return;
    case KT_ARG_FLOAT: c->arg[i].f = any_attends(c->row) && strcmp(spec->name, "dropout_p") == 0 ? 0 : 0.5; return;
    case KT_ARG_BOOL: /* amsgrad: its list is not empty; no_stats: there are no others to use */
        c->arg[i].b = strcmp(spec->name, "amsgrad") == 0 || strcmp(c->row->name, "native_batch_norm_legit_no_stats") == 0;
        return;
    case KT_ARG_DTYPE: c->arg[i].dtype = dtype; return;
    case KT_ARG_DEVICE: c->arg[i].device = (kt_device){KT_CPU, 0}; return;
    case KT_ARG_FORMAT: c->arg[i].format = KT_CONTIGUOUS_FORMAT; return;
    case KT_ARG_STRING: c->arg[i].str = any_text(c->row, spec); return;
    default: c->given &= ~(1u << i); /* the default generator */
    }
}

/* With the arguments that it must have and no others. */
static inline void any_call(kt_call *c, const kt_row *row, kt_form form, kt_dtype dtype, int64_t rank)
{
    kt_call_begin(c, row, form);
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        if (!spec->has_default && !spec->optional)
            any_argument(c, i, dtype, rank);
    }
}

/* Runs it; the results belong to the innermost scope afterwards. A list counts as results too, as far as there is room. */
static inline bool any_run(kt_call *c, kt_tensor **results, int room, int *n)
{
    *n = 0;
    if (kt_failed() || kt_call_run(c))
        return false;
    for (int i = 0; i < c->n_out; i++)
        if (!kt__scope_add(c->out[i]) && *n < room)
            results[(*n)++] = c->out[i];
    for (int64_t i = 0; i < c->n_list; i++)
        if (c->list[i] && !kt__scope_add(kt_keep(c->list[i])) && *n < room)
            results[(*n)++] = c->list[i];
    if (c->list)
        kt_call_free_list(c);
    return !kt_failed();
}

/* The same dtype, sizes and bytes, of results that are small enough to be read whole. */
enum { ANY_ROW_BYTES = 64 * 16 };

static inline bool same_values(const kt_tensor *a, const kt_tensor *b)
{
    char x[ANY_ROW_BYTES], y[ANY_ROW_BYTES];
    if (!a || !b || kt_ndim(a) != kt_ndim(b) || kt_dtype_of(a) != kt_dtype_of(b))
        return false;
    for (int64_t i = 0; i < kt_ndim(a); i++)
        if (kt_size(a, i) != kt_size(b, i))
            return false;
    const size_t bytes = (size_t)kt_numel(a) * kt_dtype_size(kt_dtype_of(a));
    return bytes <= ANY_ROW_BYTES && !kt_read(a, x, bytes) && !kt_read(b, y, bytes) && memcmp(x, y, bytes) == 0;
}

#endif
