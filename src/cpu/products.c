/* products.c - who makes a matrix product: our own kernels, oneDNN or OpenBLAS; and the way to the libraries.
 *
 * In: a product plan. Out: its result. For a library the operands become dense matrices of one dtype: in place where the
 * library can read them, else copied, which is where any dtype, stride or conjugation goes. The product is cut into pieces
 * by its sizes alone, so that the number of threads does not change the bits. Whatever fails is made by our own kernels.
 * Must not know: either library's interface. */
#include "cpu/products.h"

#include "base/alloc.h"
#include "base/env.h"
#include "base/error.h"
#include "base/thread.h"

#include <stdio.h>
#include <string.h>

/* ---- choices: KARAT_MATMUL and the precision of float32 ---- */
static const char *const makers[] = {"auto", "own", "onednn", "openblas"};
static int               maker = -1; /* atomic; -1: the environment has not been asked */

void kt__product_choose(kt__product_maker wanted)
{
    __atomic_store_n(&maker, (int)wanted, __ATOMIC_RELAXED);
}

static int ask_environment(void)
{
#if defined(__SANITIZE_THREAD__)
    return KT__MAKER_OWN; /* the sanitizer cannot see into the libraries' and OpenMP's synchronisation */
#endif
    const char *text = kt__env("KARAT_MATMUL");
    for (int i = 0; text != NULL && i < 4; i++)
        if (strcmp(text, makers[i]) == 0)
            return i;
    if (text != NULL)
        fprintf(stderr, "karat: KARAT_MATMUL=%s is none of auto, own, onednn, openblas: auto is used\n", text);
    return KT__MAKER_AUTO;
}

static int maker_now(void)
{
    int now = __atomic_load_n(&maker, __ATOMIC_RELAXED);
    if (now < 0) {
        now = ask_environment(); /* two threads may both ask: they find the same */
        __atomic_store_n(&maker, now, __ATOMIC_RELAXED);
    }
    return now;
}

enum { HIGHEST, HIGH, MEDIUM };
static const char *const precisions[] = {"highest", "high", "medium"};
static int               precision; /* atomic */

kt_status kt_set_float32_matmul_precision(const char *name)
{
    for (int i = 0; name != NULL && i < 3; i++)
        if (strcmp(name, precisions[i]) == 0) {
            __atomic_store_n(&precision, i, __ATOMIC_RELAXED);
            return KT_OK;
        }
    return kt_fail(KT_ERR_RUNTIME,
                   "%s is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no "
                   "effect.",
                   name != NULL ? name : "NULL");
}

const char *kt_get_float32_matmul_precision(void)
{
    return precisions[__atomic_load_n(&precision, __ATOMIC_RELAXED)];
}

const char *kt_cpu_matmul(int index)
{
    const char *found[2];
    int         n = 0;
    const int   wanted = maker_now();
    if (wanted == KT__MAKER_OWN)
        return NULL;
    if (wanted != KT__MAKER_OPENBLAS && kt__onednn_name() != NULL)
        found[n++] = kt__onednn_name();
    if (wanted != KT__MAKER_ONEDNN && kt__openblas_name() != NULL)
        found[n++] = kt__openblas_name();
    return index >= 0 && index < n ? found[index] : NULL;
}

/* ---- what makes it ---- */
typedef bool gemm_fn(const kt__gemm *g);

enum { LEAST_WORK = 1 << 17, LEAST_SIDE = 8 }; /* multiplications: below, our own kernels need no longer than the call */

static gemm_fn *library_for(kt_dtype dtype, int wanted)
{
    const bool real = dtype == KT_F32 || dtype == KT_BF16;
    if (wanted != KT__MAKER_OPENBLAS && real && kt__onednn_serves(dtype))
        return kt__onednn_gemm;
    if (wanted != KT__MAKER_ONEDNN && (!real || wanted == KT__MAKER_OPENBLAS) && kt__openblas_serves(dtype))
        return kt__openblas_gemm;
    return NULL;
}

/* The dtype that a library multiplies, KT_NONE if there is none: the compute type's own, but bfloat16 where all that is seen
 * is bfloat16, or float32 may pass for it. */
static kt_dtype dtype_for(const kt_plan *plan, int wanted, gemm_fn **gemm)
{
    static const kt_dtype own[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32,  [KT_IN_F64] = KT_F64,   [KT_IN_I32] = KT_NONE,
                                                 [KT_IN_I64] = KT_NONE, [KT_IN_U64] = KT_NONE,  [KT_IN_C64] = KT_C64,
                                                 [KT_IN_C128] = KT_C128};
    kt_dtype dtype = own[plan->compute];
    const int a = plan->arg[1].as, b = plan->arg[2].as;
    const bool narrow = (a == KT_BF16 && b == KT_BF16) ||
                        (a == KT_F32 && b == KT_F32 && __atomic_load_n(&precision, __ATOMIC_RELAXED) == MEDIUM);
    if (dtype == KT_F32 && narrow && (*gemm = library_for(KT_BF16, wanted)) != NULL)
        return KT_BF16;
    return dtype != KT_NONE && (*gemm = library_for(dtype, wanted)) != NULL ? dtype : KT_NONE;
}

/* ---- operands as a library reads them ---- */
typedef struct view {
    char   *data;
    int64_t batch; /* bytes from batch to batch */
    int64_t ld;    /* elements from row to row, or from column to column */
    bool    turned, conj;
    void   *made;  /* a copy to be released */
    size_t  granted;
} view;

/* Does operand `at`, over the dims `row` and `column`, lie row by row or column by column? */
static bool seen_in_place(const kt_plan *plan, int at, int row, int column, kt_dtype dtype, view *v)
{
    const kt_operand *x = &plan->arg[at];
    const int         d = plan->nd - 3;
    const int64_t     w = kt__dtype_rows[dtype].size, rows = plan->size[d + row], columns = plan->size[d + column];
    const int64_t     by_row = plan->stride[at][d + row], by_column = plan->stride[at][d + column];
    const bool        conj = x->bits == KT_BIT_CONJ && (dtype == KT_C64 || dtype == KT_C128);
    if (x->is != dtype || x->as != dtype || x->immediate || (x->bits != 0 && !conj) || by_row % w != 0 ||
        by_column % w != 0)
        return false;
    v->data = x->data, v->batch = d > 0 ? plan->stride[at][0] : 0, v->conj = conj, v->made = NULL;
    v->turned = !((by_column == w || columns == 1) && (rows == 1 || by_row >= columns * w));
    if (!v->turned) {
        v->ld = rows == 1 ? columns : by_row / w;
        return !conj;
    }
    v->ld = columns == 1 ? rows : by_column / w;
    return (by_row == w || rows == 1) && v->ld >= rows;
}

static bool seen_as_copy(const kt__cpu_build *build, const kt_plan *plan, int at, int row, int column, kt_dtype dtype,
                         view *v)
{
    kt_plan       copy;
    const int     d = plan->nd - 3;
    const int64_t w = kt__dtype_rows[dtype].size, rows = plan->size[d + row], columns = plan->size[d + column],
                  batches = d > 0 && plan->stride[at][0] != 0 ? plan->size[0] : 1;
    memset(&copy, 0, offsetof(kt_plan, param));
    v->made = kt__block_get((size_t)(batches * rows * columns * w), &v->granted);
    if (v->made == NULL)
        return false;
    copy.kernel = KT_K_copy, copy.compute = kt__dtype_rows[plan->arg[at].is].compute;
    copy.n_out = copy.n_in = 1, copy.nd = 3, copy.numel = batches * rows * columns;
    copy.arg[0].data = v->made, copy.arg[0].is = copy.arg[0].as = (uint8_t)dtype;
    copy.arg[1] = plan->arg[at];
    copy.size[0] = batches, copy.size[1] = rows, copy.size[2] = columns;
    copy.stride[0][0] = rows * columns * w, copy.stride[0][1] = columns * w, copy.stride[0][2] = w;
    copy.stride[1][0] = d > 0 ? plan->stride[at][0] : 0;
    copy.stride[1][1] = plan->stride[at][d + row], copy.stride[1][2] = plan->stride[at][d + column];
    v->data = v->made, v->batch = batches > 1 ? copy.stride[0][0] : 0, v->ld = columns, v->turned = v->conj = false;
    return kt__cpu_run_with(build, &copy) == KT_OK;
}

/* ---- pieces ---- */
typedef struct job {
    gemm_fn *gemm;
    kt__gemm whole;
    int64_t  a_batch, b_batch, c_batch; /* bytes */
    int64_t  pieces_m, pieces_n;
    bool     failed;
} job;

static int64_t edge_of(int64_t size, int64_t pieces, int64_t piece)
{
    const int64_t each = (size + pieces - 1) / pieces, step = (each + 15) / 16 * 16, at = step * piece;
    return at < size ? at : size;
}

static void make_pieces(void *ctx, int64_t begin, int64_t end)
{
    job          *j = ctx;
    const int64_t each = j->pieces_m * j->pieces_n, w = kt__dtype_rows[j->whole.dtype].size,
                  wc = kt__dtype_rows[j->whole.to].size;
    for (int64_t u = begin; u < end; u++) {
        kt__gemm      g = j->whole;
        const int64_t batch = u / each, pm = u % each / j->pieces_n, pn = u % j->pieces_n;
        const int64_t i = edge_of(g.m, j->pieces_m, pm), l = edge_of(g.n, j->pieces_n, pn);
        g.m = edge_of(g.m, j->pieces_m, pm + 1) - i, g.n = edge_of(g.n, j->pieces_n, pn + 1) - l;
        g.a += batch * j->a_batch + i * (g.ta ? 1 : g.lda) * w;
        g.b += batch * j->b_batch + l * (g.tb ? g.ldb : 1) * w;
        g.c += batch * j->c_batch + (i * g.ldc + l) * wc;
        if (g.m > 0 && g.n > 0 && !j->gemm(&g))
            __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
    }
}

enum { PIECE_WORK = 1 << 21, PIECES = 8, PIECE_SIDE = 128 };

/* Columns are halved before rows: the libraries rearrange b for each piece, and hardly a. */
static void cut(job *j, int64_t batch)
{
    const kt__gemm *g = &j->whole;
    j->pieces_m = j->pieces_n = 1;
    while (batch * j->pieces_m * j->pieces_n < PIECES) {
        const int64_t m = g->m / j->pieces_m, n = g->n / j->pieces_n;
        if (m * n * g->k < 2 * PIECE_WORK || (m < 2 * PIECE_SIDE && n < 2 * PIECE_SIDE))
            return;
        if (2 * n >= m)
            j->pieces_n *= 2;
        else
            j->pieces_m *= 2;
    }
}

/* ---- one product ---- */
typedef struct sides {
    view a, b, out;
    bool direct; /* out is written by the library; else it writes sums beside, which are finished by our kernel */
} sides;

static void release(sides *s)
{
    kt__block_put(s->a.made, s->a.granted);
    kt__block_put(s->b.made, s->b.granted);
    kt__block_put(s->out.made, s->out.granted);
}

static void swap_views(view *x, view *y)
{
    const view was = *x;
    *x = *y, *y = was;
}

static kt__c128 factor(const kt_plan *plan, int i)
{
    return plan->n_param > i ? kt__scalar_c128(&plan->param[i]) : 1;
}

static bool adds(const kt_plan *plan)
{
    return plan->n_in == 3 && factor(plan, 1) != 0;
}

/* out = c, for the library to add to. */
static bool lay_addend(const kt__cpu_build *build, const kt_plan *plan)
{
    kt_plan copy;
    memset(&copy, 0, offsetof(kt_plan, param));
    copy.kernel = KT_K_copy, copy.compute = kt__dtype_rows[plan->arg[3].is].compute;
    copy.n_out = copy.n_in = 1, copy.nd = (uint8_t)(plan->nd - 1), copy.numel = plan->numel;
    copy.arg[0] = plan->arg[0], copy.arg[1] = plan->arg[3];
    memcpy(copy.size, plan->size, (size_t)copy.nd * sizeof(int64_t));
    memcpy(copy.stride[0], plan->stride[0], (size_t)copy.nd * sizeof(int64_t));
    memcpy(copy.stride[1], plan->stride[3], (size_t)copy.nd * sizeof(int64_t));
    const bool itself = copy.arg[0].data == copy.arg[1].data && copy.arg[1].bits == 0 &&
                        memcmp(copy.stride[0], copy.stride[1], (size_t)copy.nd * sizeof(int64_t)) == 0;
    return itself || kt__cpu_run_with(build, &copy) == KT_OK;
}

/* May the library write the output itself? bfloat16 is added to only where nothing is lost should the library then say no. */
static bool writes_itself(const kt_plan *plan, kt_dtype dtype, view *out)
{
    const kt_operand *c = &plan->arg[3];
    if (plan->arg[0].bits != 0 || !seen_in_place(plan, 0, 0, 1, dtype, out))
        return false;
    if (dtype == KT_BF16 && factor(plan, 0) != 1)
        return false;
    return !adds(plan) || (c->is == dtype && c->as == dtype && (dtype != KT_BF16 || c->data != plan->arg[0].data));
}

static bool look(const kt__cpu_build *build, const kt_plan *plan, kt_dtype dtype, sides *s)
{
    memset(s, 0, sizeof *s);
    if (!seen_in_place(plan, 1, 0, 2, dtype, &s->a) && !seen_as_copy(build, plan, 1, 0, 2, dtype, &s->a))
        return false;
    if (!seen_in_place(plan, 2, 2, 1, dtype, &s->b) && !seen_as_copy(build, plan, 2, 2, 1, dtype, &s->b))
        return false;
    s->direct = writes_itself(plan, dtype, &s->out);
    if (s->direct)
        return !adds(plan) || lay_addend(build, plan);
    const int     d = plan->nd - 3;
    const int64_t m = plan->size[d], n = plan->size[d + 1],
                  w = kt__dtype_rows[dtype == KT_BF16 ? KT_F32 : dtype].size;
    memset(&s->out, 0, sizeof s->out);
    s->out.made = kt__block_get((size_t)((d > 0 ? plan->size[0] : 1) * m * n * w), &s->out.granted);
    s->out.data = s->out.made, s->out.ld = n, s->out.batch = m * n * w;
    return s->out.made != NULL;
}

static bool by_library(const kt__cpu_build *build, const kt_plan *plan, kt_dtype dtype, gemm_fn *gemm)
{
    const int     d = plan->nd - 3;
    const int64_t batch = d > 0 ? plan->size[0] : 1;
    int64_t       m = plan->size[d], n = plan->size[d + 1];
    sides         s;
    job           j = {.gemm = gemm};
    bool          ok = look(build, plan, dtype, &s);
    if (ok) {
        if (s.out.turned) { /* the transposed product lies row by row */
            swap_views(&s.a, &s.b);
            s.a.turned = !s.a.turned, s.b.turned = !s.b.turned;
            const int64_t was = m;
            m = n, n = was;
        }
        const bool scaled = s.direct;
        j.whole = (kt__gemm){dtype, s.direct || dtype != KT_BF16 ? dtype : KT_F32, m, n, plan->size[d + 2], s.a.data,
                             s.b.data, s.out.data, s.a.ld, s.b.ld, s.out.ld, s.a.turned, s.b.turned, s.a.conj, s.b.conj,
                             scaled ? factor(plan, 0) : 1, scaled && adds(plan) ? factor(plan, 1) : 0};
        ok = !((j.whole.conj_a && !j.whole.ta) || (j.whole.conj_b && !j.whole.tb));
    }
    if (ok) {
        j.a_batch = s.a.batch, j.b_batch = s.b.batch, j.c_batch = s.out.batch;
        cut(&j, batch);
        const int64_t pieces = batch * j.pieces_m * j.pieces_n, work = m * n * j.whole.k * batch / pieces + 1;
        kt__parallel(pieces, PIECE_WORK / 4 / work + 1, make_pieces, &j);
        ok = !j.failed;
    }
    if (ok && !s.direct)
        build->type[plan->compute]->finish_product(plan, s.out.made);
    release(&s);
    return ok;
}

/* Large enough, not a vector, not empty, one batch dim at most. */
static bool worth_a_library(const kt_plan *plan, int wanted)
{
    const int     d = plan->nd - 3;
    const int64_t m = plan->size[d], n = plan->size[d + 1], k = plan->size[d + 2];
    if (wanted == KT__MAKER_OWN || d > 1 || plan->numel == 0 || k == 0 || m == 1 || n == 1 || factor(plan, 0) == 0)
        return false;
    if (wanted != KT__MAKER_AUTO)
        return true;
    return m >= LEAST_SIDE && n >= LEAST_SIDE && k >= LEAST_SIDE && m * n * k > LEAST_WORK;
}

kt_status kt__product_run(const kt__cpu_build *build, const kt_plan *plan)
{
    const int wanted = maker_now();
    gemm_fn  *gemm = NULL;
    if (worth_a_library(plan, wanted)) {
        const kt_dtype dtype = dtype_for(plan, wanted, &gemm);
        if (dtype != KT_NONE && by_library(build, plan, dtype, gemm))
            return KT_OK;
    }
    return build->type[plan->compute]->matmul(plan);
}
