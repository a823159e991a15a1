/* product.c - plans of matrix products: by the library (blas.c) where operands are matrices that it reads, or can be copied to
 * be; by our own kernel otherwise.
 *
 * In: plans over [batch..., m, n, k]. Out: launches. Independent of: the library's interface. */
#include <string.h>

#include "parts.h"
#include "tables/kernels/product.h"

/* Calls of the library for one plan, of batches that do not lie behind each other: the most, and so many that a copy is less. */
enum { MOST_CALLS = 64, MANY_CALLS = 4 };

/* A matrix as the library sees it, from a plan's operand over the dims `row` and `column`. */
typedef struct view {
    gemm_matrix m;  /* turned: row-major */
    void       *made; /* a copy to be released */
    size_t      granted;
} view;

static bool seen_in_place(const kt_plan *plan, int at, int row, int column, kt_dtype dtype, view *v)
{
    const kt_operand *x = &plan->arg[at];
    const int         d = plan->nd - 3;
    const int64_t     w = width_of((int)dtype), rows = plan->size[d + row], columns = plan->size[d + column];
    const int64_t     by_row = plan->stride[at][d + row], by_column = plan->stride[at][d + column];
    const bool        plain = x->as == dtype || (dtype == KT_E4M3FN && x->as == KT_F32); /* which it is exactly */
    if (x->is != dtype || !plain || x->immediate || x->bits || by_row % w || by_column % w)
        return false;
    v->m.data = x->data;
    v->m.turned = (by_column == w || columns == 1) && (rows == 1 || by_row >= columns * w);
    if (v->m.turned) {
        v->m.ld = rows == 1 ? columns : by_row / w;
        return true;
    }
    v->m.ld = columns == 1 ? rows : by_column / w;
    return (by_row == w || rows == 1) && v->m.ld >= rows;
}

/* Dense, row-major, of that dtype; only what the batch has apart. */
static kt_status copied(const kt_plan *plan, int at, int row, int column, kt_dtype dtype, kt_plan *copy, view *v)
{
    const int     d = plan->nd - 3;
    const int64_t w = width_of((int)dtype);
    memcpy(copy, plan, offsetof(kt_plan, arg));
    copy->n_out = copy->n_in = 1, copy->n_param = 0, copy->rounding = 0, copy->contiguous = 0;
    copy->arg[1] = plan->arg[at];
    copy->arg[1].as = copy->arg[1].as == copy->arg[1].is ? (uint8_t)dtype : copy->arg[1].as;
    copy->nd = 0;
    copy->numel = 1;
    for (int i = 0; i < d + 2; i++) {
        const int from = i < d ? i : i == d ? d + row : d + column;
        copy->stride[1][copy->nd] = plan->stride[at][from];
        copy->size[copy->nd] = i < d && plan->stride[at][from] == 0 ? 1 : plan->size[from];
        copy->numel *= copy->size[copy->nd++];
    }
    int64_t step = w;
    for (int i = copy->nd - 1; i >= 0; i--) {
        copy->stride[0][i] = step;
        step *= copy->size[i];
    }
    const kt_status status =
        memory_alloc(NULL, plan->device_index, plan->stream, (size_t)(copy->numel * w), &v->made, &v->granted);
    if (status)
        return status;
    copy->arg[0] = (kt_operand){.data = v->made, .is = (uint8_t)dtype, .as = (uint8_t)dtype};
    v->m = (gemm_matrix){.data = v->made, .turned = 1, .ld = plan->size[d + column]};
    return launch_copy(copy);
}

static void release(const kt_plan *plan, view *v)
{
    if (v->made)
        memory_free(NULL, plan->device_index, v->made, v->granted);
}

/* By compute type: the dtype whose values are its own. */
static const kt_dtype selves[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32, [KT_IN_F64] = KT_F64, [KT_IN_I32] = KT_I32,
                                                [KT_IN_I64] = KT_I64, [KT_IN_C64] = KT_C64, [KT_IN_C128] = KT_C128};

static bool is_float8(int dtype)
{
    return dtype == KT_E4M3FN || dtype == KT_E5M2 || dtype == KT_E4M3FNUZ || dtype == KT_E5M2FNUZ;
}

/* May the library multiply them as they are? It wants whole blocks of 16. */
static bool in_float8(const kt_plan *plan)
{
    bool good = plan->arg[1].is == KT_E4M3FN && plan->arg[2].is == KT_E4M3FN && plan->compute == KT_IN_F32 &&
                plan->arg[0].is == KT_F32 && plan->nd == 3 && plan->n_in == 2;
    for (int i = 0; i < 3 && good; i++)
        good = plan->size[i] % 16 == 0 && is_aligned(plan->arg[i].data, 16);
    return good;
}

/* The dtype that the library multiplies; KT_NONE: none. Numbers of 8 bits are exact in bfloat16. */
static kt_dtype dtype_for(const kt_plan *plan)
{
    const int a = plan->arg[1].as, b = plan->arg[2].as;
    if (plan->compute == KT_IN_F32 && is_float8(plan->arg[1].is) && is_float8(plan->arg[2].is))
        return KT_BF16;
    if (plan->compute == KT_IN_F64 || plan->compute == KT_IN_C64 || plan->compute == KT_IN_C128)
        return selves[plan->compute];
    if (plan->compute != KT_IN_F32)
        return KT_NONE;
    return a == b && (a == KT_BF16 || a == KT_F16) ? (kt_dtype)a : KT_F32;
}

static bool writes(kt_dtype dtype, int to)
{
    return to == (int)dtype || (to == KT_F32 && (dtype == KT_BF16 || dtype == KT_F16 || dtype == KT_E4M3FN));
}

/* The addend as the result, or as what is added along its columns; else it is copied into the result first. */
static kt_status add(const kt_plan *plan, const view *out, gemm *g, kt_plan *copy, int64_t *c_batch_of)
{
    const int         d = plan->nd - 3;
    const int64_t    *s = plan->stride[3];
    const kt_operand *c = &plan->arg[3], *to = &plan->arg[0];
    const int64_t     w = width_of(to->is);
    const bool        same = c->is == to->is && c->as == to->is && !c->bits && !c->immediate;
    bool              flat = true, alike = same;
    for (int i = 0; i < d; i++)
        flat &= s[i] == 0;
    for (int i = 0; i < d + 2; i++)
        alike &= s[i] == plan->stride[0][i] || plan->size[i] == 1;
    *c_batch_of = 3;
    if (alike) {
        g->c.data = c->data;
        g->c.ld = g->d.ld;
        return KT_OK;
    }
    if (same && flat && g->beta == 1 && plan->compute == KT_IN_F32 && out->m.turned && s[d] == 0 &&
        (s[d + 1] == w || plan->size[d + 1] == 1)) {
        g->bias = c->data;
        g->beta = 0;
        *c_batch_of = 0;
        return KT_OK;
    }
    memcpy(copy, plan, offsetof(kt_plan, arg));
    copy->n_out = copy->n_in = 1, copy->n_param = 0, copy->rounding = 0, copy->contiguous = 0;
    copy->nd = (uint8_t)(d + 2);
    copy->numel = plan->numel;
    copy->arg[0] = *to;
    copy->arg[1] = *c;
    copy->arg[1].as = c->as == c->is ? to->is : c->as;
    memcpy(copy->imm[1].bytes, plan->imm[3].bytes, sizeof copy->imm[1].bytes);
    memcpy(copy->size, plan->size, (size_t)copy->nd * sizeof *copy->size);
    memcpy(copy->stride[0], plan->stride[0], (size_t)copy->nd * sizeof *copy->size);
    memcpy(copy->stride[1], plan->stride[3], (size_t)copy->nd * sizeof *copy->size);
    *c_batch_of = 0;
    return launch_copy(copy);
}

static int64_t calls_of(const kt_plan *plan)
{
    int64_t calls = 1;
    for (int i = 0; i < plan->nd - 4; i++)
        calls *= plan->size[i];
    return calls;
}

/* Do all batches of an operand lie behind each other? */
static bool is_one_row(const kt_plan *plan, const int64_t *stride)
{
    bool row = true;
    for (int i = 0; i < plan->nd - 4; i++)
        row &= stride[i] == stride[i + 1] * plan->size[i + 1];
    return row;
}

/* Would it, if it were copied? */
static bool is_better_copied(const kt_plan *plan, int at)
{
    bool apart = calls_of(plan) >= MANY_CALLS && is_one_row(plan, plan->stride[0]) && !is_one_row(plan, plan->stride[at]);
    for (int i = 0; i < plan->nd - 3; i++)
        apart &= plan->stride[at][i] != 0;
    return apart;
}

/* Batches: all of them by one call of the library where they lie behind each other; else the last of their dims, and those before
 * it by several calls. */
static kt_status multiply(const kt_plan *plan, gemm *g, const view *sides, int64_t c_batch_of, const kt_plan *copies)
{
    const int     d = plan->nd - 3, inner = d - 1;
    const int64_t widths[4] = {width_of((int)g->dtype), width_of((int)g->dtype), width_of((int)g->to), width_of((int)g->to)};
    int64_t       calls = calls_of(plan);
    /* bytes from batch to batch of each matrix, by dim of the batch */
    const int64_t *strides[4];
    for (int i = 0; i < 2; i++)
        strides[i] = sides[i].made ? copies[i].stride[0] : plan->stride[1 + i];
    strides[2] = plan->stride[c_batch_of];
    strides[3] = plan->stride[0];
    gemm_matrix *const matrix[4] = {&g->a, &g->b, &g->c, &g->d};
    const bool         swapped = sides[2].m.turned; /* the library's first matrix is our second */
    bool               one_row = d > 1;
    for (int i = 0; i < 4 && one_row; i++) {
        one_row = is_one_row(plan, strides[i]);
        for (int k = 0; k < d && i < 2 && sides[i].made; k++)
            one_row &= copies[i].size[k] == plan->size[k]; /* what all batches share was copied once */
    }
    g->batches = d ? plan->size[inner] : 1;
    if (one_row) {
        g->batches *= calls;
        calls = 1;
    }
    if (calls > MOST_CALLS || g->batches > INT32_MAX)
        return KT_DECLINED;
    kt_status status = KT_OK;
    for (int64_t call = 0; call < calls && !status; call++) {
        gemm one = *g;
        gemm_matrix *const at[4] = {&one.a, &one.b, &one.c, &one.d};
        for (int i = 0; i < 4; i++) {
            const int      of = i < 2 && swapped ? 1 - i : i;
            const bool     own = i < 2 && sides[of].made;
            int64_t        rest = call, offset = 0;
            for (int k = inner - 1; k >= 0; k--) {
                const bool apart = !own || copies[of].size[k] > 1;
                offset += apart ? rest % plan->size[k] * strides[of][k] : 0;
                rest /= plan->size[k];
            }
            const bool apart = d && (!own || copies[of].size[inner] > 1);
            at[i]->data = matrix[i]->data + offset;
            at[i]->batch = apart ? strides[of][inner] / widths[i] : 0;
        }
        status = blas_gemm(&one, plan);
        if (status == KT_DECLINED && call)
            return host->fail(KT_ERR_RUNTIME, "cuBLASLt took one product of a batch and declined the next");
    }
    return status;
}

static double real_part(const kt_scalar *s) { return s->kind == KT_SCALAR_COMPLEX ? s->v.re : number_of(s); }
static double imaginary_part(const kt_scalar *s) { return s->kind == KT_SCALAR_COMPLEX ? s->im : 0; }

static int64_t then_of(const kt_plan *plan) { return plan->n_param > 2 ? plan->param[2].v.i : KT__THEN_NOTHING; }

static kt_status by_library(const kt_plan *plan, kt_dtype dtype)
{
    const int      d = plan->nd - 3;
    const bool     adds = plan->n_in > 2;
    view           sides[3] = {{.made = NULL}};
    kt_plan        copies[3];
    kt_status      status = KT_OK;
    gemm           g = {.dtype = dtype, .to = (kt_dtype)plan->arg[0].is, .alpha = 1, .beta = adds, .k = plan->size[d + 2],
                        .tf32 = plan->tf32 && (dtype == KT_F32 || dtype == KT_C64), .then = then_of(plan)};
    if (plan->n_param) {
        g.alpha = real_part(&plan->param[0]), g.alpha_im = imaginary_part(&plan->param[0]);
        g.beta = adds ? real_part(&plan->param[1]) : 0, g.beta_im = adds ? imaginary_part(&plan->param[1]) : 0;
    }
    if (g.then == KT__THEN_GELU_TANH && dtype == KT_F64) /* the library's is good to 1e-10 alone */
        return KT_DECLINED;
    if (dtype == KT_NONE || !writes(dtype, plan->arg[0].is) || plan->size[d + 2] == 0 || (g.alpha == 0 && g.alpha_im == 0) ||
        !seen_in_place(plan, 0, 0, 1, (kt_dtype)plan->arg[0].is, &sides[2]))
        return KT_DECLINED;
    if (dtype == KT_E4M3FN) { /* it multiplies rows by columns that are dense alone */
        const bool seen = seen_in_place(plan, 1, 0, 2, dtype, &sides[0]) && seen_in_place(plan, 2, 2, 1, dtype, &sides[1]);
        if (!seen || !sides[2].m.turned || !sides[0].m.turned || sides[1].m.turned)
            return KT_DECLINED;
    }
    if (is_better_copied(plan, 1) || !seen_in_place(plan, 1, 0, 2, dtype, &sides[0]))
        status = copied(plan, 1, 0, 2, dtype, &copies[0], &sides[0]);
    if (!status && (is_better_copied(plan, 2) || !seen_in_place(plan, 2, 2, 1, dtype, &sides[1])))
        status = copied(plan, 2, 2, 1, dtype, &copies[1], &sides[1]);
    /* A row-major result is the column-major one of the transposed product. */
    const bool turned = sides[2].m.turned;
    g.m = plan->size[d + turned];
    g.n = plan->size[d + !turned];
    g.a = sides[turned].m;
    g.b = sides[!turned].m;
    g.a.turned = turned ? !g.a.turned : g.a.turned;
    g.b.turned = turned ? !g.b.turned : g.b.turned;
    g.d = sides[2].m;
    g.c = g.d;
    int64_t c_batch_of = 0;
    if (!status && (g.beta != 0 || g.beta_im != 0))
        status = add(plan, &sides[2], &g, &copies[2], &c_batch_of);
    if (!status)
        status = multiply(plan, &g, sides, c_batch_of, copies);
    release(plan, &sides[0]);
    release(plan, &sides[1]);
    return status;
}

/* ---- our own ---- */
static void set_factor(uint64_t (*bits)[2], const kt_scalar *s, int compute)
{
    const double x[2] = {real_part(s), imaginary_part(s)};
    const float  f[2] = {(float)x[0], (float)x[1]};
    if (compute == KT_IN_F32 || compute == KT_IN_C64)
        memcpy(*bits, f, sizeof f);
    else if (compute == KT_IN_F64 || compute == KT_IN_C128)
        memcpy(*bits, x, sizeof x);
    else
        (*bits)[0] = (uint64_t)(s->kind == KT_SCALAR_FLOAT ? (int64_t)x[0] : s->v.i);
}

/* 0, or -0 */
static bool is_nothing(const kt_scalar *s, int compute)
{
    const double x = real_part(s);
    return imaginary_part(s) == 0 && (compute == KT_IN_I32 || compute == KT_IN_I64 ? (int64_t)x == 0 : x == 0);
}

static kt_status by_kernel(const kt_plan *plan, const void *what)
{
    enum { SIDE = 32 };
    const int      d = plan->nd - 3, row[4] = {0, 0, 2, 0}, column[4] = {1, 2, 1, 1};
    product_args   g = {.m = (uint32_t)plan->size[d], .n = (uint32_t)plan->size[d + 1], .k = (uint32_t)plan->size[d + 2],
                        .nd = (uint32_t)d, .scaled = plan->n_param > 0};
    const known_dtypes known = {product_reads[plan->compute], product_writes[plan->compute], selves[plan->compute]};
    if (!operands_known(plan, &known))
        return launch_converted(plan, &known, by_kernel, what);
    if (d > ARG_DIMS || plan->size[d] > INT32_MAX || plan->size[d + 1] > INT32_MAX || plan->size[d + 2] > INT32_MAX)
        return KT_DECLINED;
    if (plan->n_param) {
        set_factor(&g.factor[0], &plan->param[0], plan->compute);
        set_factor(&g.factor[1], &plan->param[1], plan->compute);
        g.k = is_nothing(&plan->param[0], plan->compute) ? 0 : g.k; /* its factors are not read */
    }
    g.added = plan->n_in > 2 && !(plan->n_param && is_nothing(&plan->param[1], plan->compute));
    uint64_t blocks = blocks_of(g.m, SIDE) * blocks_of(g.n, SIDE);
    for (int i = 0; i < 1 + plan->n_in; i++) {
        g.at[i] = plan->arg[i].data;
        g.is[i] = plan->arg[i].is;
        g.row[i] = plan->stride[i][d + row[i]];
        g.column[i] = plan->stride[i][d + column[i]];
        for (int k = 0; k < d; k++)
            g.stride[i][d - 1 - k] = plan->stride[i][k];
    }
    for (int k = 0; k < d; k++) {
        g.size[d - 1 - k] = (uint32_t)plan->size[k];
        blocks *= (uint64_t)plan->size[k];
    }
    return blocks > INT32_MAX ? KT_DECLINED : launch_kernel(product_kernels[plan->compute], blocks, &g, plan);
}

static kt_status    launch_product(const kt_plan *plan, const void *what);
static kt_kernel_id thens[4]; /* by KT__THEN_...: rows that do it by themselves */

/* The product, then what is made of each result, in place: where the library cannot do both at once. */
static kt_status launch_apart(const kt_plan *plan, const void *what)
{
    kt_plan part = *plan;
    part.n_param = 2;
    kt_status status = launch_product(&part, what);
    part.kernel = thens[then_of(plan)];
    part.n_param = 0;
    part.n_in = 1;
    part.nd = (uint8_t)(plan->nd - 1); /* but for the dim that was summed over */
    part.contiguous = 0;
    part.arg[1] = part.arg[0];
    memcpy(part.stride[1], part.stride[0], sizeof part.stride[0]);
    return status ? status : launch_plan(NULL, &part);
}

static kt_status launch_product(const kt_plan *plan, const void *what)
{
    if (plan->numel == 0)
        return KT_OK;
    for (int i = 0; i < plan->n_param; i++)
        if ((plan->param[i].kind == KT_SCALAR_COMPLEX && plan->compute < KT_IN_C64) || plan->param[i].is_unsigned)
            return KT_DECLINED;
    kt_status status = in_float8(plan) ? by_library(plan, KT_E4M3FN) : KT_DECLINED;
    if (status == KT_DECLINED)
        status = by_library(plan, dtype_for(plan));
    if (status == KT_DECLINED)
        status = then_of(plan) ? launch_apart(plan, what) : by_kernel(plan, what);
    return status;
}

void product_open(void)
{
    thens[KT__THEN_RELU] = host->kernel("relu");
    thens[KT__THEN_GELU] = host->kernel("gelu");
    thens[KT__THEN_GELU_TANH] = host->kernel("gelu_tanh");
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++)
        if (product_kernels[compute])
            launch_serve("matmul", (kt_compute)compute, launch_product, NULL);
}
