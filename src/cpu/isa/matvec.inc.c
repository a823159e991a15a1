/* matvec.inc.c - matrix times vector, vector times matrix, dot. A part of matmul.inc.c, whose product it shares.
 *
 * In: a product of one row, m == 1 (the caller turns a column into one). Out: that row. Nothing is packed: each element of
 * the matrix is used once, so the memory is the limit. A row-major matrix is added up row by row; otherwise each result
 * is a dot product in DOT_LANES partial sums and chunks. The order of additions depends on k and the layout only. */
#if KT_IS_COMPLEX
enum { DOT_LANE = 4, DOT_LANES = 4 };
#else
enum { DOT_LANE = 64 / sizeof(T), DOT_LANES = 4 * DOT_LANE };
typedef T FN(dot_vec) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
#endif
enum { DOT_CHUNK = 65536, MOST_CHUNKS = 256 };

typedef struct FN(vector) {
    const FN(product) *p;
    const T           *x; /* the vectors, dense: one a batch, or one for all */
    int64_t            by_batch;
} FN(vector);

/* ---- sums of rows ---- */
KT_ALWAYS void FN(add_scaled_rows)(T *restrict sum, const T *const *restrict row, const T *x, int rows, int n)
{
    if (rows == 4) {
        const T *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
        const T  x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
        KT_EACH
        for (int j = 0; j < n; j++)
            sum[j] = sum[j] + MUL(x0, r0[j]) + MUL(x1, r1[j]) + MUL(x2, r2[j]) + MUL(x3, r3[j]);
        return;
    }
    for (int i = 0; i < rows; i++) {
        const T *r = row[i];
        KT_EACH
        for (int j = 0; j < n; j++)
            sum[j] += MUL(x[i], r[j]);
    }
}

enum { STRIP = 2048 / sizeof(T) }; /* columns at a time: sums and four rows stay in L1 */

static void FN(rows_into)(const FN(vector) *v, T *sum, const T *x, const char *b, int n)
{
    const FN(product) *p = v->p;
    T                  tile[4][STRIP];
    FN(lens)           l = p->b;
    l.step = p->bn;
    memset(sum, 0, (size_t)n * sizeof(T));
    for (int64_t i = 0; i < p->k; i += 4) {
        const int rows = p->k - i < 4 ? (int)(p->k - i) : 4;
        const T  *row[4];
        for (int r = 0; r < rows; r++) {
            const char *from = b + (i + r) * p->bk;
            row[r] = l.direct ? (const T *)(const void *)from : tile[r];
            if (!l.direct)
                FN(load_tile)(tile[r], &l, from, n);
        }
        FN(add_scaled_rows)(sum, row, x + i, rows, n);
    }
}

static void FN(by_rows)(void *ctx, int64_t begin, int64_t end)
{
    const FN(vector)     *v = ctx;
    const FN(product) *p = v->p;
    T                  sum[STRIP];
    while (begin < end) {
        const int64_t u = begin / p->n, j = begin % p->n, left = p->n - j < end - begin ? p->n - j : end - begin;
        const int     n = left < STRIP ? (int)left : STRIP;
        char         *at[OPERANDS];
        FN(locate_batch)(p, u, at);
        FN(rows_into)(v, sum, v->x + u * v->by_batch, at[2] + j * p->bn, n);
        FN(finish_sums)(p, at, sum, 0, j, n);
        begin += n;
    }
}

/* ---- dots ---- */
KT_ALWAYS void FN(dot_lanes)(T *part, const T *x, const T *y, int64_t n)
{
    int64_t i = 0;
#if KT_IS_COMPLEX
    for (; i + DOT_LANES <= n; i += DOT_LANES)
        for (int j = 0; j < DOT_LANES; j++)
            part[j] += MUL(x[i + j], y[i + j]);
#else
    FN(dot_vec) sum[4];
    memcpy(sum, part, sizeof sum);
    for (; i + DOT_LANES <= n; i += DOT_LANES)
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            FN(dot_vec) a, b;
            memcpy(&a, x + i + j * DOT_LANE, sizeof a);
            memcpy(&b, y + i + j * DOT_LANE, sizeof b);
            sum[j] += MUL(a, b);
        }
    memcpy(part, sum, sizeof sum);
#endif
    for (int j = 0; i < n; i++, j++)
        part[j] += MUL(x[i], y[i]);
}

KT_ALWAYS T FN(dot_of)(const T *x, const T *y, int n, int lanes)
{
    T part[DOT_LANES / 2];
    for (int j = 0; j < lanes; j++)
        part[j] = 0;
    if (n == lanes) /* known to the compiler */
        for (int j = 0; j < lanes; j++)
            part[j] += MUL(x[j], y[j]);
    else
        for (int j = 0; j < n; j++)
            part[j] += MUL(x[j], y[j]);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            part[j] += part[j + half];
    return part[0];
}

/* At most half of the lanes: the others are 0, and adding them changes nothing. */
static T FN(dot_short)(const T *x, const T *y, int n)
{
    int lanes = DOT_LANES / 2;
    while (lanes / 2 >= n && lanes > 1)
        lanes /= 2;
    switch (lanes) {
    case 1:  return FN(dot_of)(x, y, n, 1);
    case 2:  return FN(dot_of)(x, y, n, 2);
    case 4:  return FN(dot_of)(x, y, n, DOT_LANES < 8 ? 1 : 4);
    case 8:  return FN(dot_of)(x, y, n, DOT_LANES < 16 ? 1 : 8);
    default: return FN(dot_of)(x, y, n, lanes);
    }
}

/* Elements [from, to) of the sum. */
static T FN(dot)(const FN(product) *p, const T *x, const char *y, int64_t from, int64_t to)
{
    T          part[DOT_LANES], tile[TILE];
    FN(lens)   l = p->b;
    const bool direct = p->b.direct && p->bk == (ptrdiff_t)sizeof(T);
    if (direct && to - from <= DOT_LANES / 2)
        return FN(dot_short)(x + from, (const T *)(const void *)y + from, (int)(to - from));
    l.step = p->bk;
    memset(part, 0, sizeof part);
    if (direct) {
        FN(dot_lanes)(part, x + from, (const T *)(const void *)y + from, to - from);
    } else {
        for (int64_t i = from; i < to; i += TILE) {
            const int n = to - i < TILE ? (int)(to - i) : TILE;
            l.direct = false;
            FN(load_tile)(tile, &l, y + i * p->bk, n);
            FN(dot_lanes)(part, x + i, tile, n);
        }
    }
    for (int half = DOT_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            part[j] += part[j + half];
    return part[0];
}

typedef struct FN(dot_parts) {
    const FN(product) *p;
    const T           *x;
    const char        *y;
    int64_t            each;
    T                 *part;
} FN(dot_parts);

static void FN(dot_chunks)(void *ctx, int64_t begin, int64_t end)
{
    const FN(dot_parts) *c = ctx;
    for (int64_t i = begin; i < end; i++)
        c->part[i] =
            FN(dot)(c->p, c->x, c->y, i * c->each, (i + 1) * c->each < c->p->k ? (i + 1) * c->each : c->p->k);
}

/* Of one chunk: the results of a batch are finished together. */
static void FN(whole_dots)(const FN(vector) *v, int64_t begin, int64_t end)
{
    const FN(product) *p = v->p;
    T                  sums[STRIP];
    while (begin < end) {
        const int64_t u = begin / p->n, j = begin % p->n, left = p->n - j < end - begin ? p->n - j : end - begin;
        const int     n = left < STRIP ? (int)left : STRIP;
        char         *at[OPERANDS];
        FN(locate_batch)(p, u, at);
        for (int i = 0; i < n; i++)
            sums[i] = FN(dot)(p, v->x + u * v->by_batch, at[2] + (j + i) * p->bn, 0, p->k);
        FN(finish_sums)(p, at, sums, 0, j, n);
        begin += n;
    }
}

static void FN(by_dots)(void *ctx, int64_t begin, int64_t end)
{
    const FN(vector)     *v = ctx;
    const FN(product) *p = v->p;
    int64_t            each = (p->k + MOST_CHUNKS - 1) / MOST_CHUNKS;
    each = each < DOT_CHUNK ? DOT_CHUNK : (each + TILE - 1) / TILE * TILE;
    const int64_t count = (p->k + each - 1) / each;
    if (count == 1) {
        FN(whole_dots)(v, begin, end);
        return;
    }
    for (; begin < end; begin++) {
        const int64_t u = begin / p->n, j = begin % p->n;
        char         *at[OPERANDS];
        T             part[MOST_CHUNKS];
        FN(locate_batch)(p, u, at);
        FN(dot_parts) c = {p, v->x + u * v->by_batch, at[2] + j * p->bn, each, part};
        kt__parallel(count, 1, FN(dot_chunks), &c);
        for (int64_t i = 1; i < count; i++)
            part[0] += part[i];
        FN(finish_sums)(p, at, part, 0, j, 1);
    }
}

/* The vector of each batch as dense Ts. NULL: no memory. */
static T *FN(dense_vectors)(const FN(product) *p, int64_t batches, size_t *granted)
{
    T       *all = kt__block_get((size_t)(batches * p->k) * sizeof(T), granted);
    FN(lens) l = p->a;
    l.step = p->ak, l.direct = false;
    for (int64_t u = 0; u < batches && all != NULL; u++) {
        char *at[OPERANDS];
        FN(locate_batch)(p, u, at);
        for (int64_t i = 0; i < p->k; i += TILE)
            FN(load_tile)(all + u * p->k + i, &l, at[1] + i * p->ak, p->k - i < TILE ? (int)(p->k - i) : TILE);
    }
    return all;
}

static kt_status FN(matvec)(const FN(product) *p, int64_t batch)
{
    const kt_plan  *plan = p->plan;
    const ptrdiff_t w = (ptrdiff_t)sizeof(T);
    size_t          granted = 0;
    T              *made = NULL;
    const bool      one_batch = plan->nd == 4; /* its stride is then the vectors' */
    const ptrdiff_t step = one_batch ? plan->stride[p->turned ? 2 : 1][0] : 0;
    FN(vector)         v = {p, (const T *)(const void *)plan->arg[p->turned ? 2 : 1].data, step / w};
    if (!p->a.direct || (p->k > 1 && p->ak != w) || step % w != 0 || plan->nd > 4) {
        const int64_t batches = batch == 1 || (one_batch && step == 0) ? 1 : batch;
        v.x = made = FN(dense_vectors)(p, batches, &granted);
        v.by_batch = batches == 1 ? 0 : p->k;
        if (made == NULL)
            return kt__fail_memory((size_t)(batches * p->k) * sizeof(T));
    }
    const bool across = p->bn == kt__dtype_rows[p->b.is].size && p->n > 1 && p->bk != p->bn;
    kt__parallel(batch * p->n, KT__GRAIN / p->k + 1, across ? FN(by_rows) : FN(by_dots), &v);
    kt__block_put(made, granted);
    return KT_OK;
}
