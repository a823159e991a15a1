/* products.c - chooses who computes a matrix product: our own kernels, oneDNN or OpenBLAS; and calls the libraries.
 *
 * In: a product plan. Out: its result. For a library the operands become dense matrices of one dtype: used in place if
 * the library can read them, else copied, which handles any dtype, stride and conjugation. A large
 * operand is copied panel by panel into a few MiB that stay in the caches: a mixed product holds no second copy of it. Our own
 * tiles read float16 and bfloat16 in place where they multiply float32, and convert while they pack. Parts
 * and pieces of the product depend on its sizes alone, so that the number of threads does not change the bits (bfloat16
 * through oneDNN is not cut). If a library fails, our own kernels compute the product.
 * Independent of: the interfaces of both libraries. */
#include "cpu/gemm/panels.h"

#include "base/alloc.h"
#include "base/env.h"
#include "base/error.h"
#include "base/precision.h"
#include "base/ran.h"
#include "base/thread.h"
#include "tables/kernels/copy.h"
#include "tables/kernels/elementwise.h"
#include "tables/kernels/product.h"

#include <stdlib.h>
#include <string.h>

/* ---- sanitizers: the one of threads cannot see into the libraries' synchronisation, so they are never opened there; the one
 * of leaks dies in the thread-local storage of libraries that were opened before the workers, so it must be asked for ---- */
#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
enum { SANITIZED_THREADS = 1 };
#else
enum { SANITIZED_THREADS = 0 };
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { SANITIZED_ADDRESSES = 1 };
#else
enum { SANITIZED_ADDRESSES = 0 };
#endif

/* ---- choices: KARAT_MATMUL ---- */
static const char *const makers[] = {[KT__MAKER_AUTO] = "auto", [KT__MAKER_OWN] = "own", [KT__MAKER_ONEDNN] = "onednn",
                                     [KT__MAKER_OPENBLAS] = "openblas"};
static int               maker = -1; /* atomic; -1: the environment has not been asked */

void kt__product_choose(kt__product_maker wanted)
{
    __atomic_store_n(&maker, (int)wanted, __ATOMIC_RELAXED);
}

static int ask_environment(void)
{
    const char *text = kt__env("KARAT_MATMUL");
    for (int i = 0; text != NULL && i < 4; i++)
        if (strcmp(text, makers[i]) == 0)
            return i;
    return text == NULL && SANITIZED_ADDRESSES ? KT__MAKER_OWN : KT__MAKER_AUTO;
}

static int maker_now(void)
{
    if (SANITIZED_THREADS)
        return KT__MAKER_OWN;
    int now = __atomic_load_n(&maker, __ATOMIC_RELAXED);
    if (now < 0) {
        now = ask_environment(); /* benign race: every thread finds the same */
        __atomic_store_n(&maker, now, __ATOMIC_RELAXED);
    }
    return now;
}

const char *kt_cpu_matmul(int index)
{
    const char *found[2];
    int         n = 0;
    const int   wanted = maker_now();
    if (wanted == KT__MAKER_OWN)
        return "";
    if (wanted != KT__MAKER_OPENBLAS && kt__onednn_name() != NULL)
        found[n++] = kt__onednn_name();
    if (wanted != KT__MAKER_ONEDNN && kt__openblas_name() != NULL)
        found[n++] = kt__openblas_name();
    return index >= 0 && index < n ? found[index] : "";
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* ---- what makes it ---- */
typedef bool gemm_fn(const kt__gemm *g);

/* Sizes in multiplications. Below LEAST_WORK our own kernels take no longer than a library call; up to MIDDLING OpenBLAS
 * is faster for float32, since its calls cost less than oneDNN's: of a few rows or columns, fewer than LEAST_SIDE, up to
 * MIDDLING_OF_FEW. Our own tiles would be mostly empty there. */
enum { LEAST_WORK = 1 << 12, LEAST_SIDE = 8, LEAST_CONVERTED = 1 << 16, LEAST_ONEDNN = 1 << 15, MANY = 16, MIDDLING = 1 << 20,
       MIDDLING_OF_FEW = 1 << 17 };

static int64_t work_of(const kt_plan *plan) /* of one matrix */
{
    const int d = plan->nd - 3;
    return plan->size[d] * plan->size[d + 1] * plan->size[d + 2];
}

static bool has_few(const kt_plan *plan)
{
    const int d = plan->nd - 3;
    return plan->size[d] < LEAST_SIDE || plan->size[d + 1] < LEAST_SIDE;
}

/* On aarch64 oneDNN borrows other libraries' kernels; without them it runs reference code, at a sixth of OpenBLAS's speed. Our
 * own tiles are faster than either there; elsewhere they serve where no library is found. */
#ifdef __aarch64__
enum { ONEDNN_IS_QUICK = 0, TILES_FIRST = 1 };
#else
enum { ONEDNN_IS_QUICK = 1, TILES_FIRST = 0 };
#endif

static gemm_fn *library_for(const kt__cpu_panels *panels, kt_dtype dtype, int wanted, const kt_plan *plan)
{
    const bool tiles = wanted == KT__MAKER_AUTO && kt__panels_serve(panels, dtype);
    if (tiles && TILES_FIRST)
        return kt__panels_gemm;
    const bool real = dtype == KT_F32 || dtype == KT_BF16;
    const bool small = work_of(plan) <= (has_few(plan) ? MIDDLING_OF_FEW : MIDDLING) || !ONEDNN_IS_QUICK;
    const bool rather_blas = !real || wanted == KT__MAKER_OPENBLAS || (wanted == KT__MAKER_AUTO && small);
    if (wanted != KT__MAKER_ONEDNN && rather_blas && kt__openblas_serves(dtype))
        return kt__openblas_gemm;
    if (wanted != KT__MAKER_OPENBLAS && real && kt__onednn_serves(dtype))
        return kt__onednn_gemm;
    return tiles ? kt__panels_gemm : NULL;
}

/* Is the product large enough for a library to be faster? */
static bool pays(const kt_plan *plan, kt_dtype dtype, gemm_fn *gemm)
{
    const int64_t work = work_of(plan);
    if (gemm == kt__panels_gemm && has_few(plan))
        return false;
    if (plan->arg[1].is != dtype || plan->arg[2].is != dtype)
        return work > LEAST_CONVERTED;
    const bool batch = plan->nd > 3 && plan->size[0] >= MANY; /* one call for many of them */
    return batch || gemm != kt__onednn_gemm || work >= LEAST_ONEDNN;
}

/* The dtype that a library multiplies, KT_NONE if none: the compute type's, but bfloat16 if all operands are, or if
 * float32 may be computed as bfloat16. */
static kt_dtype dtype_for(const kt__cpu_panels *panels, const kt_plan *plan, int wanted, gemm_fn **gemm)
{
    static const kt_dtype own[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32,  [KT_IN_F64] = KT_F64,   [KT_IN_I32] = KT_NONE,
                                                 [KT_IN_I64] = KT_NONE, [KT_IN_U64] = KT_NONE,  [KT_IN_C64] = KT_C64,
                                                 [KT_IN_C128] = KT_C128};
    kt_dtype dtype = own[plan->compute];
    const int a = plan->arg[1].as, b = plan->arg[2].as;
    const bool narrow = (a == KT_BF16 && b == KT_BF16) ||
                        (a == KT_F32 && b == KT_F32 && kt__products_may_be_bf16());
    if (dtype == KT_F32 && narrow && (*gemm = library_for(panels, KT_BF16, wanted, plan)) != NULL)
        return KT_BF16;
    return dtype != KT_NONE && (*gemm = library_for(panels, dtype, wanted, plan)) != NULL ? dtype : KT_NONE;
}

/* ---- operands as a library reads them ---- */
typedef struct view {
    int      at, row, column; /* the operand and its dims in the plan: 0, 1, 2 for m, n, k */
    kt_dtype is;              /* of the data */
    char    *data;            /* NULL: copied panel by panel */
    int64_t  batch;           /* bytes from batch to batch */
    int64_t  ld;              /* elements from row to row, or from column to column */
    bool     turned, conj;
    void    *made; /* a copy to be released */
    size_t   granted;
} view;

/* Is operand `at`, over the dims `row` and `column`, a row-major or column-major matrix of that dtype? */
static bool seen_in_place(const kt_plan *plan, int at, int row, int column, kt_dtype dtype, view *v)
{
    *v = (view){.at = at, .row = row, .column = column, .is = dtype};
    const kt_operand *x = &plan->arg[at];
    const int         d = plan->nd - 3;
    const int64_t     w = kt__dtype_rows[dtype].size, rows = plan->size[d + row], columns = plan->size[d + column];
    const int64_t     by_row = plan->stride[at][d + row], by_column = plan->stride[at][d + column];
    const bool        conj = x->bits == KT_BIT_CONJ && (dtype == KT_C64 || dtype == KT_C128);
    if (x->is != dtype || x->immediate || (x->bits != 0 && !conj) || by_row % w != 0 || by_column % w != 0 ||
        (d > 0 && plan->stride[at][0] % w != 0))
        return false;
    v->data = x->data, v->batch = d > 0 && plan->size[0] > 1 ? plan->stride[at][0] : 0, v->conj = conj;
    v->turned = !((by_column == w || columns == 1) && (rows == 1 || by_row >= columns * w));
    if (!v->turned) {
        v->ld = rows == 1 ? columns : by_row / w;
        return !conj;
    }
    v->ld = columns == 1 ? rows : by_column / w;
    return (by_row == w || rows == 1) && v->ld >= rows;
}

/* Which elements of an operand: matrices of the batch, rows and columns. */
typedef struct box {
    int64_t first, batches, row, rows, column, columns;
} box;

/* Will be copied, in the order in which it lies: what is made from it is what a cast of the whole would be. */
static void seen_by_panels(const kt_plan *plan, int at, int row, int column, kt_dtype dtype, view *v)
{
    const int d = plan->nd - 3;
    *v = (view){.at = at, .row = row, .column = column, .is = dtype};
    v->turned = llabs(plan->stride[at][d + row]) < llabs(plan->stride[at][d + column]);
}

/* The copy of a part, dense, in the memory of the part before if that is enough. */
static bool lay(const kt__cpu_build *build, const kt_plan *plan, kt_dtype dtype, const box *of, view *v)
{
    kt_plan       copy;
    const int     d = plan->nd - 3, inner = v->turned ? 1 : 2;
    const int64_t w = kt__dtype_rows[dtype].size, *from = plan->stride[v->at],
                  by_batch = d > 0 ? from[0] : 0, batches = by_batch != 0 ? of->batches : 1,
                  ld = v->turned ? of->rows : of->columns, matrix = of->rows * of->columns * w;
    const size_t bytes = (size_t)(batches * matrix);
    if (v->made == NULL || v->granted < bytes) {
        kt__block_put(v->made, v->granted);
        v->made = kt__block_get(bytes, &v->granted);
    }
    if (v->made == NULL)
        return false;
    kt__plan_clear(&copy);
    copy.kernel = KT_K_copy, copy.compute = kt__dtype_rows[plan->arg[v->at].is].compute;
    copy.n_out = copy.n_in = 1, copy.nd = 3, copy.numel = batches * of->rows * of->columns;
    copy.arg[0].data = v->made, copy.arg[0].is = copy.arg[0].as = (uint8_t)dtype;
    copy.arg[1] = plan->arg[v->at];
    if (!copy.arg[1].immediate)
        copy.arg[1].data += of->first * by_batch + of->row * from[d + v->row] + of->column * from[d + v->column];
    copy.size[0] = batches, copy.size[3 - inner] = of->rows, copy.size[inner] = of->columns;
    copy.stride[0][0] = matrix, copy.stride[0][1] = ld * w, copy.stride[0][2] = w;
    copy.stride[1][0] = by_batch;
    copy.stride[1][3 - inner] = from[d + v->row], copy.stride[1][inner] = from[d + v->column];
    v->data = v->made, v->batch = batches > 1 ? copy.stride[0][0] : 0, v->ld = ld;
    return kt__cpu_run_with(build, &copy) == KT_OK;
}

/* ---- pieces ---- */
typedef struct job {
    const kt__cpu_build *build;
    gemm_fn             *gemm;
    kt__gemm             whole;
    int64_t              pieces_m, pieces_n;
    int64_t              together; /* matrices of the batch per call, if they are not split */
    bool                 failed;
} job;

static int64_t edge_of(int64_t size, int64_t pieces, int64_t piece)
{
    const int64_t each = (size + pieces - 1) / pieces, step = (each + 15) / 16 * 16, at = step * piece;
    return at < size ? at : size;
}

/* Where both matrices have the terms of a sum row by row, oneDNN takes a fifth longer than where a is row-major, and turning a
 * takes less than that: if the result is high, so that its sums are not much to read and write again for each part, and has the
 * columns that pay for it. A part is too short for oneDNN to copy b, so that rows of b which share places of the caches (4 KiB
 * apart) would be read from there. By measurement, of float32. */
static bool is_faster_turned(const job *j)
{
    const kt__gemm *g = &j->whole;
    const bool      is_large = g->m >= 1024 && g->k >= 1024, shares_places = g->ldb % 1024 == 0;
    return j->gemm == kt__onednn_gemm && g->dtype == KT_F32 && g->to == KT_F32 && g->batch == 1 && g->ta && !g->tb &&
           g->beta == 0 && g->n >= (is_large ? 64 : 256) && g->m >= 2 * g->n && 2 * g->k >= g->m && !shares_places;
}

/* In elements: rows and terms of a that are turned at a time, which the second cache holds; and what keeps rows from sharing a
 * few places of the first one. */
enum { TURNED_ROWS = 256, TURNED_TERMS = 256, APART = 16 };

/* room = rows of a, from `from` on. */
static bool lay_rows(const job *j, const char *from, int64_t by_term, int64_t m, int64_t terms, char *room, int64_t ld)
{
    const int64_t w = sizeof(float);
    kt_plan       copy;
    kt__plan_clear(&copy);
    copy.kernel = KT_K_copy, copy.compute = KT_IN_F32;
    copy.n_out = copy.n_in = 1, copy.nd = 2, copy.numel = m * terms, copy.size[0] = m, copy.size[1] = terms;
    copy.arg[0].data = room, copy.arg[1].data = (char *)(uintptr_t)from;
    copy.arg[0].is = copy.arg[0].as = copy.arg[1].is = copy.arg[1].as = KT_F32;
    copy.stride[0][0] = ld * w, copy.stride[0][1] = w;
    copy.stride[1][0] = w, copy.stride[1][1] = by_term * w;
    return kt__cpu_run_with(j->build, &copy) == KT_OK;
}

/* A piece, its a turned part by part. */
static bool make_turned(const job *j, const kt__gemm *piece)
{
    const int64_t w = sizeof(float), ld = least(TURNED_TERMS, piece->k) + APART;
    size_t        granted;
    char   *const room = kt__block_get((size_t)(least(TURNED_ROWS, piece->m) * ld * w), &granted);
    bool          ok = true;
    if (!room)
        return j->gemm(piece);
    for (int64_t i = 0; i < piece->m; i += TURNED_ROWS)
        for (int64_t k = 0; ok && k < piece->k; k += TURNED_TERMS) {
            kt__gemm g = *piece;
            g.m = least(TURNED_ROWS, piece->m - i), g.k = least(TURNED_TERMS, piece->k - k);
            g.a = room, g.lda = ld, g.ta = false;
            g.b += k * g.ldb * w, g.c += i * g.ldc * w;
            g.beta = k > 0;
            ok = lay_rows(j, piece->a + (k * piece->lda + i) * w, piece->lda, g.m, g.k, room, ld) && j->gemm(&g);
        }
    kt__block_put(room, granted);
    return ok;
}

static void make_pieces(void *ctx, int64_t begin, int64_t end)
{
    job          *j = ctx;
    const bool    turned = is_faster_turned(j);
    const int64_t each = j->pieces_m * j->pieces_n, wa = kt__dtype_rows[j->whole.a_is].size,
                  wb = kt__dtype_rows[j->whole.b_is].size, wc = kt__dtype_rows[j->whole.to].size;
    for (int64_t u = begin; u < end; u++) {
        kt__gemm      g = j->whole;
        const int64_t first = u / each * j->together, pm = u % each / j->pieces_n, pn = u % j->pieces_n;
        const int64_t i = edge_of(g.m, j->pieces_m, pm), l = edge_of(g.n, j->pieces_n, pn);
        g.m = edge_of(g.m, j->pieces_m, pm + 1) - i, g.n = edge_of(g.n, j->pieces_n, pn + 1) - l;
        g.a += (first * g.a_batch + i * (g.ta ? 1 : g.lda)) * wa;
        g.b += (first * g.b_batch + l * (g.tb ? g.ldb : 1)) * wb;
        g.c += (first * g.c_batch + i * g.ldc + l) * wc;
        g.batch = g.batch - first < j->together ? g.batch - first : j->together;
        if (g.m > 0 && g.n > 0 && !(turned ? make_turned(j, &g) : j->gemm(&g)))
            __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
    }
}

enum { PIECES = 64, CUTTABLE = 512, CHUNKS = 8 };

/* The least work of a piece, in multiplications: tens of microseconds. */
static int64_t piece_work(kt_dtype dtype)
{
    return dtype == KT_BF16 ? 1 << 22 : 1 << 20;
}

static bool halves(int64_t side, int64_t pieces)
{
    return side / pieces >= CUTTABLE || (pieces == 1 && side >= CUTTABLE / 4);
}

/* Rows are split before columns: the libraries are slower for narrow results than for short ones. */
static void cut(job *j)
{
    const kt__gemm *g = &j->whole;
    int64_t         work = g->m * g->n * g->k;
    j->pieces_m = j->pieces_n = 1;
    for (; g->batch * j->pieces_m < PIECES && halves(g->m, j->pieces_m) && work / 2 >= piece_work(g->dtype); work /= 2)
        j->pieces_m *= 2;
    for (; g->batch * j->pieces_n < PIECES && j->pieces_m == 1 && halves(g->n, j->pieces_n) &&
           work / 2 >= piece_work(g->dtype);
         work /= 2)
        j->pieces_n *= 2;
    const bool whole = j->pieces_m * j->pieces_n == 1 && j->gemm == kt__onednn_gemm && g->a_batch >= 0 &&
                       g->b_batch >= 0 && g->c_batch > 0;
    j->together = whole ? (g->batch + CHUNKS - 1) / CHUNKS : 1;
}

/* oneDNN rearranges the second matrix of a bfloat16 product: once for all its own threads, but once for each of our pieces. Our
 * own tiles have both matrices packed once, and bits that do not depend on threads. */
static bool shares_itself(const job *j)
{
    const kt__gemm *g = &j->whole;
    if (j->gemm == kt__panels_gemm)
        return g->batch == 1;
    return g->dtype == KT_BF16 && j->gemm == kt__onednn_gemm && g->batch == 1 && !kt__in_parallel() &&
           g->m * g->n * g->k >= piece_work(KT_BF16);
}

/* ---- one product ---- */
typedef struct sides {
    view a, b, out;
    bool direct; /* the library writes out; else it writes sums to a buffer, which our kernel finishes */
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
    kt__plan_clear(&copy);
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

/* May the library write the output itself? It accumulates into bfloat16 only if a failure loses nothing. */
static bool writes_itself(const kt_plan *plan, kt_dtype dtype, view *out)
{
    const kt_operand *c = &plan->arg[3];
    if (plan->arg[0].bits != 0 || plan->arg[0].as != dtype || !seen_in_place(plan, 0, 0, 1, dtype, out))
        return false;
    if (dtype == KT_BF16 && factor(plan, 0) != 1)
        return false;
    return !adds(plan) || (c->is == dtype && c->as == dtype && (dtype != KT_BF16 || c->data != plan->arg[0].data));
}

/* bfloat16 is copied whole: oneDNN shares such a product out among threads itself. */
static bool look_at(const kt__cpu_build *build, const kt_plan *plan, int at, int row, int column, kt_dtype dtype, gemm_fn *gemm,
                    view *v)
{
    const int      d = plan->nd - 3;
    const kt_dtype is = (kt_dtype)plan->arg[at].is, as = (kt_dtype)plan->arg[at].as;
    const bool     converts = gemm == kt__panels_gemm && kt__panels_convert(build->panels, is, dtype);
    if ((as == dtype || as == is) && (is == dtype || converts) && seen_in_place(plan, at, row, column, is, v))
        return true;
    seen_by_panels(plan, at, row, column, dtype, v);
    return dtype != KT_BF16 || lay(build, plan, dtype, &(box){0, d > 0 ? plan->size[0] : 1, 0, plan->size[d + row], 0,
                                                              plan->size[d + column]}, v);
}

static bool look(const kt__cpu_build *build, const kt_plan *plan, kt_dtype dtype, gemm_fn *gemm, sides *s)
{
    memset(s, 0, sizeof *s);
    if (!look_at(build, plan, 1, 0, 2, dtype, gemm, &s->a) || !look_at(build, plan, 2, 2, 1, dtype, gemm, &s->b))
        return false;
    /* a panel may fail for want of memory: what would be lost then must not be written over */
    const bool loses = (s->a.data == NULL || s->b.data == NULL) && adds(plan) && plan->arg[3].data == plan->arg[0].data;
    s->direct = !loses && writes_itself(plan, dtype, &s->out);
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

/* The transposed product: b' a'. */
static void turn(sides *s)
{
    view *const both[] = {&s->a, &s->b};
    swap_views(&s->a, &s->b);
    for (int i = 0; i < 2; i++) {
        const int was = both[i]->row;
        both[i]->row = both[i]->column, both[i]->column = was, both[i]->turned = !both[i]->turned;
    }
}

/* ---- parts: as much of the product as the panels of its operands serve ---- */

/* PANEL elements are 4 MiB of float32. Sums are read and written once for each part of TERMS, two of the blocks in which the
 * libraries do the same; no part is shorter than FEWEST. */
enum { PANEL = 1 << 20, TERMS = 768, FEWEST = TERMS / 2 };

typedef struct steps { /* how much of each dim at a time */
    int64_t batches, m, n;
    bool    cut_terms;
} steps;

static int64_t side_step(int64_t side, int64_t terms)
{
    const int64_t most = PANEL / terms, parts = (side + most - 1) / most, each = (side + parts - 1) / parts;
    return (each + 15) / 16 * 16;
}

static int64_t terms_at(int64_t k, int64_t from)
{
    return k - from - TERMS >= FEWEST ? TERMS : k - from;
}

static steps steps_of(const kt__gemm *g, bool panels_a, bool panels_b)
{
    const int64_t m = panels_a ? g->m : 0, n = panels_b ? g->n : 0, side = m > n ? m : n;
    if (side == 0)
        return (steps){.batches = g->batch, .m = g->m, .n = g->n};
    if (side * g->k <= PANEL)
        return (steps){.batches = PANEL / (side * g->k), .m = g->m, .n = g->n};
    const int64_t terms = g->k < TERMS + FEWEST ? g->k : TERMS + FEWEST;
    return (steps){1, m > 0 ? side_step(m, terms) : g->m, n > 0 ? side_step(n, terms) : g->n, true};
}

/* Where a result has fewer blocks than there are threads, oneDNN 2.6.3 shares out k, and some sums of bfloat16 by AMX come out
 * wrong, from run to run others (21 x 50 of 4096 terms). */
static int threads_for(const kt__gemm *g)
{
    enum { BLOCK_M = 32, BLOCK_N = 64 };
    const int64_t blocks = (g->m + BLOCK_M - 1) / BLOCK_M * ((g->n + BLOCK_N - 1) / BLOCK_N);
    return (int)least(kt_get_num_threads(), blocks);
}

static bool run_whole(job *j)
{
    const kt__gemm *g = &j->whole;
    kt__ran_with = j->gemm == kt__onednn_gemm ? "oneDNN" : j->gemm == kt__openblas_gemm ? "OpenBLAS" : NULL;
    if (shares_itself(j)) {
        j->whole.threads = threads_for(g);
        return j->gemm(g);
    }
    cut(j);
    const int64_t pieces = (g->batch + j->together - 1) / j->together * j->pieces_m * j->pieces_n,
                  work = g->m * g->n * g->k * g->batch / pieces + 1;
    kt__parallel(pieces, piece_work(g->dtype) / 4 / work + 1, make_pieces, j);
    return !j->failed;
}

/* One part: matrices from p->first on, the box of c and the terms that are given. */
typedef struct part {
    int64_t first, batches, i, m, l, n, from, terms;
} part;

static bool run_part(const kt__cpu_build *build, const kt_plan *plan, const kt__gemm *whole, gemm_fn *gemm, const part *p,
                     sides *s, bool panels_a, bool panels_b)
{
    job           j = {.build = build, .gemm = gemm, .whole = *whole};
    kt__gemm     *g = &j.whole;
    const int64_t wa = kt__dtype_rows[g->a_is].size, wb = kt__dtype_rows[g->b_is].size;
    if (panels_a && !lay(build, plan, g->dtype, &(box){p->first, p->batches, p->i, p->m, p->from, p->terms}, &s->a))
        return false;
    if (panels_b && !lay(build, plan, g->dtype, &(box){p->first, p->batches, p->from, p->terms, p->l, p->n}, &s->b))
        return false;
    g->a = s->a.data, g->lda = s->a.ld, g->a_batch = s->a.batch / wa;
    g->b = s->b.data, g->ldb = s->b.ld, g->b_batch = s->b.batch / wb;
    if (!panels_a)
        g->a += p->first * s->a.batch + (p->i * (g->ta ? 1 : g->lda) + p->from * (g->ta ? g->lda : 1)) * wa;
    if (!panels_b)
        g->b += p->first * s->b.batch + (p->l * (g->tb ? g->ldb : 1) + p->from * (g->tb ? 1 : g->ldb)) * wb;
    g->c += (p->first * g->c_batch + p->i * g->ldc + p->l) * kt__dtype_rows[g->to].size;
    g->batch = p->batches, g->m = p->m, g->n = p->n, g->k = p->terms;
    g->beta = p->from > 0 ? 1 : g->beta;
    return run_whole(&j);
}

static bool run_parts(const kt__cpu_build *build, const kt_plan *plan, const kt__gemm *g, gemm_fn *gemm, sides *s)
{
    const bool  panels_a = s->a.data == NULL, panels_b = s->b.data == NULL;
    const steps by = steps_of(g, panels_a, panels_b);
    part        p;
    for (p.first = 0; p.first < g->batch; p.first += by.batches)
        for (p.l = 0; p.l < g->n; p.l += by.n)
            for (p.i = 0; p.i < g->m; p.i += by.m)
                for (p.from = 0; p.from < g->k; p.from += p.terms) {
                    p.batches = least(by.batches, g->batch - p.first);
                    p.m = least(by.m, g->m - p.i), p.n = least(by.n, g->n - p.l);
                    p.terms = by.cut_terms ? terms_at(g->k, p.from) : g->k;
                    if (!run_part(build, plan, g, gemm, &p, s, panels_a, panels_b))
                        return false;
                }
    return true;
}

static bool by_library(const kt__cpu_build *build, const kt_plan *plan, kt_dtype dtype, gemm_fn *gemm)
{
    const int     d = plan->nd - 3;
    int64_t       m = plan->size[d], n = plan->size[d + 1];
    const int64_t k = plan->size[d + 2];
    sides         s;
    bool          ok = look(build, plan, dtype, gemm, &s);
    if (ok && s.out.turned) { /* the transposed product is row-major */
        turn(&s);
        const int64_t was = m;
        m = n, n = was;
    }
    ok = ok && !((s.a.conj && !s.a.turned) || (s.b.conj && !s.b.turned));
    if (ok) {
        const kt_dtype to = s.direct || dtype != KT_BF16 ? dtype : KT_F32;
        const kt__gemm g = {.dtype = dtype, .a_is = s.a.is, .b_is = s.b.is, .to = to, .batch = d > 0 ? plan->size[0] : 1,
                            .m = m, .n = n, .k = k, .c = s.out.data, .ldc = s.out.ld,
                            .c_batch = s.out.batch / kt__dtype_rows[to].size, .ta = s.a.turned, .tb = s.b.turned,
                            .conj_a = s.a.conj, .conj_b = s.b.conj, .alpha = s.direct ? factor(plan, 0) : 1,
                            .beta = s.direct && adds(plan) ? factor(plan, 1) : 0, .threads = 1, .panels = build->panels};
        ok = run_parts(build, plan, &g, gemm, &s);
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
    return k >= LEAST_SIDE && m * n * k > LEAST_WORK;
}

/* The product, then what is made of each result, in place. */
static kt_status product_then(const kt__cpu_build *build, const kt_plan *plan)
{
    static const kt_kernel_id kernels[] = {
        [KT__THEN_RELU] = KT_K_relu, [KT__THEN_GELU] = KT_K_gelu, [KT__THEN_GELU_TANH] = KT_K_gelu_tanh};
    kt_plan step = *plan;
    step.n_param = 2;
    const kt_status status = kt__product_run(build, &step);
    step.kernel = kernels[plan->param[2].v.i];
    step.n_param = 0;
    step.n_in = 1;
    step.nd = plan->nd - 1; /* but for the dim that was summed over */
    step.contiguous = 0;
    step.arg[1] = step.arg[0];
    memcpy(step.stride[1], step.stride[0], sizeof step.stride[0]);
    return status || plan->numel == 0 ? status : kt__cpu_run_with(build, &step);
}

kt_status kt__product_run(const kt__cpu_build *build, const kt_plan *plan)
{
    if (KT__UNLIKELY(plan->n_param == 3))
        return product_then(build, plan);
    const int wanted = maker_now();
    gemm_fn  *gemm = NULL;
    if (worth_a_library(plan, wanted)) {
        const kt_dtype dtype = dtype_for(build->panels, plan, wanted, &gemm);
        if (dtype != KT_NONE && (wanted != KT__MAKER_AUTO || pays(plan, dtype, gemm)) &&
            by_library(build, plan, dtype, gemm))
            return KT_OK;
    }
    return build->type[plan->compute]->matmul(plan);
}
