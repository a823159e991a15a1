/* matmul.inc.c - matrix products in compute type T. A template: T, ID, SELF and MUL(a, b) are defined by the
 * includer.
 *
 * In: a plan over [batch..., m, n, k]. Out: beta * c + alpha * a b, calculated in T and cast once at the end. Panels of
 * the operands are packed into T, so any dtype and any stride is served; a register tile of ROWS x COLS sums does the
 * work; small products are computed in registers without packing. An element is the sum over k in order, in blocks of
 * DEPTH, and the order depends on the sizes only: the bits are the same on every instruction set. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"

#if KT_IS_COMPLEX
enum { VEC = 1, VECS = 2, ROWS = 2 };
typedef T FN(vec);
#else
#if defined(__AVX512F__) || defined(__aarch64__)
enum { ROWS = 8 }; /* 32 registers */
#else
enum { ROWS = 4 };
#endif
enum { VEC = KT_VEC_BYTES / sizeof(T), VECS = 2 };
typedef T FN(vec) __attribute__((vector_size(KT_VEC_BYTES), aligned(sizeof(T)), may_alias));
#endif
enum { COLS = VEC * VECS, DEPTH = 256, /* at most a tile, of every type */ BLOCK_M = 128, BLOCK_N = 256 };

/* ---- the register tile: c[ROWS][COLS] = or += a[ROWS][k] * b[k][COLS]; distances in elements ---- */
typedef struct FN(side) {
    const T  *p;
    ptrdiff_t outer, inner; /* a: by row, by k; b: by k (columns are dense) */
} FN(side);

KT_ALWAYS void FN(register_tile)(T *c, ptrdiff_t ldc, FN(side) a, FN(side) b, int64_t k, bool first)
{
    FN(vec) sum[ROWS][VECS];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < VECS; j++)
            sum[i][j] = (FN(vec)){0};
    for (int64_t l = 0; l < k; l++) {
        FN(vec) row[VECS];
#pragma GCC unroll 2
        for (int j = 0; j < VECS; j++)
            memcpy(&row[j], b.p + l * b.inner + j * VEC, sizeof row[j]);
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++) {
            const T x = a.p[i * a.outer + l * a.inner];
#pragma GCC unroll 2
            for (int j = 0; j < VECS; j++)
                sum[i][j] += MUL(x, row[j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < VECS; j++) {
            FN(vec) *to = (FN(vec) *)(void *)(c + i * ldc + j * VEC);
            if (!first)
                sum[i][j] += *to;
            *to = sum[i][j];
        }
}

static void FN(tile_in_place)(T *c, ptrdiff_t ldc, FN(side) a, FN(side) b, int64_t k)
{
    FN(register_tile)(c, ldc, a, b, k, true);
}

static void FN(tile_packed)(T *c, const T *a, const T *b, int64_t k, bool first)
{
    const FN(side) x = {a, 1, ROWS}, y = {b, 0, COLS};
    if (first)
        FN(register_tile)(c, BLOCK_N, x, y, k, true);
    else
        FN(register_tile)(c, BLOCK_N, x, y, k, false);
}

/* ---- the ragged edge, in the same order of additions: strips of NARROW columns, then one by one ---- */
#if KT_IS_COMPLEX
enum { NARROW = 1 };
typedef T FN(strip);
#else
enum { NARROW = 32 / sizeof(T) };
typedef T FN(strip) __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
#endif

KT_ALWAYS void FN(edge_strip)(T *c, ptrdiff_t ldc, FN(side) a, FN(side) b, int64_t k, const int rows)
{
    FN(strip) sum[ROWS];
    for (int i = 0; i < rows; i++)
        sum[i] = (FN(strip)){0};
    for (int64_t l = 0; l < k; l++) {
        FN(strip) row;
        memcpy(&row, b.p + l * b.inner, sizeof row);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
            sum[i] += MUL(a.p[i * a.outer + l * a.inner], row);
    }
    for (int i = 0; i < rows; i++)
        memcpy(c + i * ldc, &sum[i], sizeof sum[i]);
}

static void FN(edge)(T *c, ptrdiff_t ldc, FN(side) a, FN(side) b, int64_t k, int64_t m, int64_t n)
{
    int64_t done = 0;
    for (; done + NARROW <= n; done += NARROW) {
        const FN(side) y = {b.p + done, 0, b.inner};
        if (m == ROWS)
            FN(edge_strip)(c + done, ldc, a, y, k, ROWS);
        else
            for (int64_t i = 0; i < m; i++)
                FN(edge_strip)(c + i * ldc + done, ldc, (FN(side)){a.p + i * a.outer, 0, a.inner}, y, k, 1);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = done; j < n; j++) {
            T sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += MUL(a.p[i * a.outer + l * a.inner], b.p[l * b.inner + j]);
            c[i * ldc + j] = sum;
        }
}

/* ---- one product ---- */
typedef struct FN(product) {
    const kt_plan *plan;
    int64_t        m, n, k, blocks_m, blocks_n;
    ptrdiff_t      cm, cn, am, ak, bn, bk, em, en; /* bytes */
    FN(lens)       a, b, c, e;                     /* e: what is added */
    T              alpha, beta;
    bool           scales, adds; /* alpha is not 1; there is something to add */
    bool           in_place;     /* sums are the results, and may be written where those belong */
    bool           turned; /* a and b have changed places: a column is made as a row */
    bool           failed;
} FN(product);

enum { OPERANDS = 4 }; /* out, a, b, what is added */

static void FN(locate_batch)(const FN(product) *p, int64_t index, char *at[OPERANDS])
{
    const kt_plan *plan = p->plan;
    const int      n = p->adds ? 4 : 3;
    for (int i = 0; i < n; i++)
        at[i] = plan->arg[i].data;
    for (int d = plan->nd - 4; d >= 0; d--) {
        const int64_t x = index % plan->size[d];
        index /= plan->size[d];
        for (int i = 0; i < n; i++)
            at[i] += x * plan->stride[i][d];
    }
    if (p->turned) {
        char *const a = at[1];
        at[1] = at[2], at[2] = a;
    }
}

/* Sums of row i from column j on, at most a tile of them, become results. */
static void FN(finish_sums)(const FN(product) *p, char *const at[OPERANDS], T *sums, int64_t i, int64_t j, int n)
{
    if (p->scales)
        for (int x = 0; x < n; x++)
            sums[x] = MUL(p->alpha, sums[x]);
    if (p->adds) {
        T add[TILE];
        FN(load_tile)(add, &p->e, at[3] + i * p->em + j * p->en, n);
        for (int x = 0; x < n; x++)
            sums[x] += MUL(p->beta, add[x]);
    }
    FN(store_tile)(at[0] + i * p->cm + j * p->cn, &p->c, sums, n);
}

/* ---- small products: from where the operands lie, or from copies on the stack ---- */
enum { SMALL_WORK = 1 << 18, SMALL_COPY = 8192 / sizeof(T) }; /* multiplications; elements of a copied operand */

KT_ALWAYS void FN(small_tile)(T *c, ptrdiff_t ldc, FN(side) a, FN(side) b, int64_t k, int64_t m, int64_t n)
{
    if (m == ROWS && n == COLS)
        FN(tile_in_place)(c, ldc, a, b, k);
    else
        FN(edge)(c, ldc, a, b, k, m, n);
}

/* Rows of dense Ts. */
static FN(side) FN(copied)(T *to, const char *x, ptrdiff_t by_row, ptrdiff_t step, int64_t rows, int64_t n, FN(lens) l)
{
    l.step = step, l.direct = false;
    for (int64_t i = 0; i < rows; i++)
        FN(load_tile)(to + i * n, &l, x + i * by_row, (int)n);
    return (FN(side)){to, n, n};
}

static void FN(small)(const FN(product) *p, char *const at[OPERANDS])
{
    const ptrdiff_t w = (ptrdiff_t)sizeof(T), ldc = p->cm / w;
    T               copy_a[SMALL_COPY], copy_b[SMALL_COPY], sums[ROWS * COLS];
    FN(side)        a = {(const T *)(const void *)at[1], p->am / w, p->ak / w},
                    b = {(const T *)(const void *)at[2], 0, p->bk / w};
    if (!p->a.direct)
        a = FN(copied)(copy_a, at[1], p->am, p->ak, p->m, p->k, p->a), a.inner = 1;
    if (!p->b.direct || (p->bn != w && p->n > 1))
        b = FN(copied)(copy_b, at[2], p->bk, p->bn, p->k, p->n, p->b);
    for (int64_t i = 0; i < p->m; i += ROWS)
        for (int64_t j = 0; j < p->n; j += COLS) {
            const int64_t m = p->m - i < ROWS ? p->m - i : ROWS, n = p->n - j < COLS ? p->n - j : COLS;
            const FN(side) x = {a.p + i * a.outer, a.outer, a.inner}, y = {b.p + j, 0, b.inner};
            if (p->in_place) {
                FN(small_tile)((T *)(void *)at[0] + i * ldc + j, ldc, x, y, p->k, m, n);
                continue;
            }
            FN(small_tile)(sums, COLS, x, y, p->k, m, n);
            for (int64_t r = 0; r < m; r++)
                FN(finish_sums)(p, at, sums + r * COLS, i + r, j, (int)n);
        }
}

static bool FN(is_small)(const FN(product) *p)
{
    const ptrdiff_t w = (ptrdiff_t)sizeof(T);
    if (p->k > DEPTH || p->m > SMALL_WORK || p->n > SMALL_WORK || p->m * p->n * p->k > SMALL_WORK)
        return false;
    return (p->a.direct || p->m * p->k <= SMALL_COPY) &&
           ((p->b.direct && (p->bn == w || p->n == 1)) || (p->k * p->n <= SMALL_COPY && p->n <= TILE));
}

static void FN(smalls)(void *ctx, int64_t begin, int64_t end)
{
    const FN(product) *p = ctx;
    for (int64_t u = begin; u < end; u++) {
        char *at[OPERANDS];
        FN(locate_batch)(p, u, at);
        FN(small)(p, at);
    }
}

/* ---- large ones, packed ---- */
/* A panel of `lines` lines (rows of a, columns of b) by k elements, as [k][width]: line by line into T, then
 * interleaved. Lines past the end are zero. */
static void FN(pack)(T *to, int width, const char *x, ptrdiff_t by_line, ptrdiff_t by_k, int64_t lines, int64_t k,
                     FN(lens) l)
{
    T tile[DEPTH];
    if (lines < width)
        memset(to, 0, (size_t)(k * width) * sizeof(T));
    if (by_line == kt__dtype_rows[l.is].size && by_k != by_line) { /* lines lie side by side: read across them */
        l.step = by_line, l.direct = false;
        for (int64_t i = 0; i < k; i++)
            FN(load_tile)(to + i * width, &l, x + i * by_k, (int)lines);
        return;
    }
    l.step = by_k, l.direct = false;
    for (int64_t j = 0; j < lines; j++) {
        FN(load_tile)(tile, &l, x + j * by_line, (int)k);
        for (int64_t i = 0; i < k; i++)
            to[i * width + j] = tile[i];
    }
}

typedef struct FN(scratch) {
    T a[(size_t)BLOCK_M * DEPTH], b[(size_t)BLOCK_N * DEPTH], c[(size_t)BLOCK_M * BLOCK_N];
} FN(scratch);

static void FN(block)(const FN(product) *p, FN(scratch) *s, char *const at[OPERANDS], int64_t i0, int64_t j0)
{
    const int64_t m = p->m - i0 < BLOCK_M ? p->m - i0 : BLOCK_M, n = p->n - j0 < BLOCK_N ? p->n - j0 : BLOCK_N;
    for (int64_t l0 = 0; l0 < p->k; l0 += DEPTH) {
        const int64_t k = p->k - l0 < DEPTH ? p->k - l0 : DEPTH;
        for (int64_t i = 0; i < m; i += ROWS)
            FN(pack)
            (s->a + i * DEPTH, ROWS, at[1] + (i0 + i) * p->am + l0 * p->ak, p->am, p->ak, m - i < ROWS ? m - i : ROWS,
             k, p->a);
        for (int64_t j = 0; j < n; j += COLS)
            FN(pack)
            (s->b + j * DEPTH, COLS, at[2] + (j0 + j) * p->bn + l0 * p->bk, p->bn, p->bk, n - j < COLS ? n - j : COLS,
             k, p->b);
        for (int64_t j = 0; j < n; j += COLS)
            for (int64_t i = 0; i < m; i += ROWS)
                FN(tile_packed)(s->c + i * BLOCK_N + j, s->a + i * DEPTH, s->b + j * DEPTH, k, l0 == 0);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j += TILE)
            FN(finish_sums)(p, at, s->c + i * BLOCK_N + j, i0 + i, j0 + j, n - j < TILE ? (int)(n - j) : TILE);
}

static void FN(blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(product) *p = ctx;
    size_t       granted;
    FN(scratch) *s = kt__block_get(sizeof *s, &granted);
    if (s == NULL) {
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        return;
    }
    const int64_t each = p->blocks_m * p->blocks_n;
    for (int64_t u = begin; u < end; u++) {
        char *at[OPERANDS];
        FN(locate_batch)(p, u / each, at);
        FN(block)(p, s, at, u % each / p->blocks_n * BLOCK_M, u % p->blocks_n * BLOCK_N);
    }
    kt__block_put(s, sizeof *s);
}

/* The empty sum. */
static void FN(without_product)(const FN(product) *p, int64_t batch)
{
    T results[TILE];
    for (int64_t u = 0; u < batch; u++) {
        char *at[OPERANDS];
        FN(locate_batch)(p, u, at);
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j += TILE) {
                const int n = p->n - j < TILE ? (int)(p->n - j) : TILE;
                if (p->adds)
                    FN(load_tile)(results, &p->e, at[3] + i * p->em + j * p->en, n);
                for (int x = 0; x < n; x++)
                    results[x] = p->adds ? MUL(p->beta, results[x]) : 0;
                FN(store_tile)(at[0] + i * p->cm + j * p->cn, &p->c, results, n);
            }
    }
}

#include "cpu/isa/matvec.inc.c"

static void FN(swap)(ptrdiff_t *x, ptrdiff_t *y)
{
    const ptrdiff_t was = *x;
    *x = *y, *y = was;
}

/* The transposed product. */
static void FN(turn)(FN(product) *p)
{
    const int64_t  m = p->m;
    const FN(lens) a = p->a;
    p->m = p->n, p->n = m, p->a = p->b, p->b = a;
    FN(swap)(&p->am, &p->bn), FN(swap)(&p->ak, &p->bk), FN(swap)(&p->cm, &p->cn), FN(swap)(&p->em, &p->en);
    p->c.step = p->cn, p->e.step = p->en;
    p->turned = true;
}

static int64_t FN(product_of)(const kt_plan *plan, FN(product) *p)
{
    const int       d = plan->nd - 3;
    const ptrdiff_t w = (ptrdiff_t)sizeof(T);
    int64_t         batch = 1;
    memset(p, 0, sizeof *p);
    p->plan = plan;
    p->m = plan->size[d], p->n = plan->size[d + 1], p->k = plan->size[d + 2];
    p->cm = plan->stride[0][d], p->cn = plan->stride[0][d + 1];
    p->am = plan->stride[1][d], p->ak = plan->stride[1][d + 2];
    p->bn = plan->stride[2][d + 1], p->bk = plan->stride[2][d + 2];
    p->alpha = plan->n_param > 0 ? FN(scalar)(&plan->param[0]) : 1;
    p->beta = plan->n_param > 1 ? FN(scalar)(&plan->param[1]) : 1;
    p->scales = p->alpha != 1 && p->alpha != 0;
    p->adds = plan->n_in == 3 && p->beta != 0;
    p->c = FN(lens_of)(&plan->arg[0], p->cn);
    p->a = FN(lens_of)(&plan->arg[1], w);
    p->b = FN(lens_of)(&plan->arg[2], w);
    if (p->adds) {
        p->em = plan->stride[3][d], p->en = plan->stride[3][d + 1];
        p->e = FN(lens_of)(&plan->arg[3], p->en);
    }
    p->in_place = !p->scales && !p->adds && plan->arg[0].is == SELF && !p->c.rounds && (p->n == 1 || p->cn == w);
    for (int i = 0; i < d; i++)
        batch *= plan->size[i];
    return batch;
}

static kt_status FN(matmul)(const kt_plan *plan)
{
    FN(product)   p;
    const int64_t batch = FN(product_of)(plan, &p);
    if (p.m == 0 || p.n == 0 || batch == 0)
        return KT_OK;
    if (p.k == 0 || p.alpha == 0) {
        FN(without_product)(&p, batch);
        return KT_OK;
    }
    if (p.n == 1 && p.m > 1)
        FN(turn)(&p);
    if (p.m == 1)
        return FN(matvec)(&p, batch);
    if (FN(is_small)(&p)) {
        kt__parallel(batch, 8 * KT__GRAIN / (p.m * p.n * p.k) + 1, FN(smalls), &p);
        return KT_OK;
    }
    p.blocks_m = (p.m + BLOCK_M - 1) / BLOCK_M, p.blocks_n = (p.n + BLOCK_N - 1) / BLOCK_N;
    const int64_t work = p.k * (p.m < BLOCK_M ? p.m : BLOCK_M) * (p.n < BLOCK_N ? p.n : BLOCK_N);
    kt__parallel(batch * p.blocks_m * p.blocks_n, 8 * KT__GRAIN / (work + 1) + 1, FN(blocks), &p);
    return p.failed ? kt__fail_memory(sizeof(FN(scratch))) : KT_OK;
}

/* ---- sums that another made: dense Ts over [batch, m, n], which are spoilt ---- */
typedef struct FN(made) {
    const FN(product) *p;
    T                 *sums;
} FN(made);

static void FN(finish_rows)(void *ctx, int64_t begin, int64_t end)
{
    const FN(made)    *x = ctx;
    const FN(product) *p = x->p;
    for (int64_t r = begin; r < end; r++) {
        char *at[OPERANDS];
        FN(locate_batch)(p, r / p->m, at);
        for (int64_t j = 0; j < p->n; j += TILE)
            FN(finish_sums)(p, at, x->sums + r * p->n + j, r % p->m, j, p->n - j < TILE ? (int)(p->n - j) : TILE);
    }
}

static void FN(finish_product)(const kt_plan *plan, void *sums)
{
    FN(product)   p;
    const int64_t batch = FN(product_of)(plan, &p);
    FN(made)      x = {&p, sums};
    kt__parallel(batch * p.m, KT__GRAIN / (p.n + 1) + 1, FN(finish_rows), &x);
}
