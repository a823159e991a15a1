/* norm.inc.c - layer and root-mean-square norms of rows, and what flows back, in compute type T. A template: the names of T are
 * those of types/, and tile.h is included.
 *
 * In: plans over [rows, elements of a row] whose statistics have stride 0 along a row and whose weights have stride 0 across rows
 * (plugin/backend.h says which operands there are). Out: their results. A row is brought into the core's own cache once; all
 * that is asked of it is asked there. Gradients of the weights are summed while their row is there: in T over a few rows, then
 * in double, by blocks of rows that follow from the sizes alone. Rows of bfloat16s are not converted into a buffer: that would
 * take as long as what is asked of them. Independent of: operators, the number of threads. */
#include "cpu/isa/moments.inc.c"

enum { BLOCKS = 32, LEAST_BLOCK = 32, BATCH = 64, PARTIAL_BYTES = 1 << 25, NEAR = 2048 };
/* blocks of rows at most; rows of a block, since its sums cost as much as a few rows; rows that are summed in T; bytes of the
 * blocks' sums, unless one block has more; bytes that the processor itself looks ahead */

/* On aarch64 lines that are asked for are read before they are written, which takes longer than to wait (Neoverse V1: a twentieth
 * of the time). */
#ifdef __aarch64__
enum { ASKS_TO_WRITE = 0 };
#else
enum { ASKS_TO_WRITE = 1 };
#endif

/* Operands of the plan; absent ones are -1. */
typedef struct FN(norm) {
    const kt_plan *plan;
    int            x, mean, rstd, weight, bias, y, grad, to_weight, to_bias;
    int64_t        rows, length, block;
    double         eps;
    FN(lens)       lens[KT_MAX_OPERANDS];
    const T       *w, *b;    /* dense, or NULL */
    A             *partial;  /* [blocks, 2, length]: the sums for weight and bias */
    bool           centred;  /* else a norm by the root of the mean square */
    bool           halves;   /* rows are bfloat16s, which are read and written where they are; weights and their sums stand in
                                the order of groups (half_group.h) */
    bool           failed;
} FN(norm);

static char *FN(norm_at)(const FN(norm) *p, int operand, int64_t row)
{
    return p->plan->arg[operand].data + row * p->plan->stride[operand][0];
}

/* Where number i of a row of n stands among weights and their sums, in whole tiles and one that may be shorter. */
static int FN(norm_place)(const FN(norm) *p, int i, int n)
{
    const int group = 2 * LANES, first = i / group * group;
    return p->halves && first + group <= n ? first + i % 2 * LANES + i % group / 2 : i;
}

/* ---- pieces of memory ---- */

typedef struct FN(norm_room) { /* of one thread */
    T     *x, *y, *grad, *sums;
    void  *made;
    size_t granted;
} FN(norm_room);

static int64_t FN(norm_line)(const FN(norm) *p) { return (p->length + LANES - 1) / LANES * LANES; }

/* A row of an operand that is not dense T's goes through a buffer. */
static bool FN(norm_buffers)(const FN(norm) *p, FN(norm_room) *r)
{
    const bool    passed[] = {!p->halves && !p->lens[p->x].direct, !p->halves && p->grad >= 0 && !p->lens[p->grad].direct,
                              !p->halves && p->y >= 0 && !p->lens[p->y].direct, p->partial != NULL, p->partial != NULL};
    const int64_t line = FN(norm_line)(p);
    T            *at[5];
    int64_t       lines = 0;
    for (int i = 0; i < 5; i++)
        lines += passed[i];
    *r = (FN(norm_room)){0};
    if (lines == 0)
        return true;
    if (!(r->made = kt__block_get((size_t)(lines * line) * sizeof(T) + CACHE_LINE, &r->granted)))
        return false;
    T *next = (T *)(((uintptr_t)r->made + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    for (int i = 0; i < 5; i++) {
        at[i] = passed[i] ? next : NULL;
        next += passed[i] ? line : 0;
    }
    r->x = at[0], r->grad = at[1], r->y = at[2], r->sums = at[3];
    return true;
}

/* A row of results that lies in the room's buffer; else it is where it belongs. */
static void FN(norm_write)(const FN(norm) *p, const FN(norm_room) *r, int64_t row)
{
    if (r->y)
        FN(store_line)(FN(norm_at)(p, p->y, row), &p->lens[p->y], r->y, p->length);
}

/* The row of an operand that comes after this one, if rows are dense: NEAR bytes ahead at least. */
static FN(soon) FN(norm_soon)(const FN(norm) *p, int operand, int64_t row)
{
    const FN(lens) *l = &p->lens[operand];
    const int64_t   bytes = p->length * l->step;
    const bool      dense = l->step == kt__dtype_rows[l->is].size && l->step <= (ptrdiff_t)sizeof(T);
    return (FN(soon)){FN(norm_at)(p, operand, row) + (!dense ? 0 : bytes < NEAR ? NEAR : bytes), dense ? l->step : 0};
}

static const void *FN(norm_row)(const FN(norm) *p, int operand, int64_t row, T *room)
{
    const char *at = FN(norm_at)(p, operand, row);
    if (!room)
        return at;
    FN(load_line)(room, &p->lens[operand], at, p->length);
    return room;
}

/* Statistics are Ts as a rule: a call for each of a row would take as long as a tenth of the row. */
KT_ALWAYS bool FN(norm_is_number)(const FN(lens) *l) { return l->is == SELF && !l->rounds && l->bits == 0; }

static T FN(norm_number)(const FN(norm) *p, int operand, int64_t row)
{
    T value = 0;
    if (operand >= 0 && FN(norm_is_number)(&p->lens[operand]))
        memcpy(&value, FN(norm_at)(p, operand, row), sizeof value);
    else if (operand >= 0)
        FN(load_tile)(&value, &p->lens[operand], FN(norm_at)(p, operand, row), 1);
    return value;
}

static void FN(norm_put)(const FN(norm) *p, int operand, int64_t row, T value)
{
    if (operand >= 0 && FN(norm_is_number)(&p->lens[operand]))
        memcpy(FN(norm_at)(p, operand, row), &value, sizeof value);
    else if (operand >= 0)
        FN(store_tile)(FN(norm_at)(p, operand, row), &p->lens[operand], &value, 1);
}

/* ---- forward ---- */

/* A row to make; and the next one, to be summed meanwhile, unless it is NULL: the one waits for memory, the other for its own
 * sums. */
typedef struct FN(apply_row) {
    void       *y;
    const void *x, *next;
    T           mean, rstd;
    FN(soon)    out, soon;
} FN(apply_row);

KT_ALWAYS void FN(apply_tile)(void *restrict y, const void *restrict x, T mean, T rstd, const T *restrict w, const T *restrict b,
                              int n, FN(soon) out, const void *restrict next, FN(about) *about, FN(soon) soon, bool weighed,
                              bool lifted, bool sums, bool halves)
{
    FN(about) own = *about; /* a copy, which stays in registers */
    int       i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const FN(pair) p = FN(pair_at)(x, i, halves);
        FN(lanes)      u = TIMES(LESS(p.a, ALL(mean)), ALL(rstd)), v = TIMES(LESS(p.b, ALL(mean)), ALL(rstd));
        if (ASKS_TO_WRITE)
            FN(ask_to_write)(out, i);
        if (weighed && lifted) {
            u = TIMES_PLUS(u, LANES_AT(w + i), LANES_AT(b + i));
            v = TIMES_PLUS(v, LANES_AT(w + i + LANES), LANES_AT(b + i + LANES));
        } else if (weighed) {
            u = TIMES(u, LANES_AT(w + i)), v = TIMES(v, LANES_AT(w + i + LANES));
        } else if (lifted) {
            u = PLUS(u, LANES_AT(b + i)), v = PLUS(v, LANES_AT(b + i + LANES));
        }
        FN(put_pair)(y, i, (FN(pair)){u, v}, halves);
        if (sums) {
            FN(ask_to_read)(soon, i);
            FN(about_add)(&own, next, i, halves);
        }
    }
    if (sums)
        FN(about_rest)(&own, next, i, n, halves);
    *about = own;
    for (; i < n; i++) {
        const T h = (FN(value_at)(x, i, halves) - mean) * rstd;
        FN(put_value)(y, i, weighed && lifted ? NUMBER_TIMES_PLUS(h, w[i], b[i]) : weighed ? h * w[i] : lifted ? h + b[i] : h,
                      halves);
    }
}

KT_ALWAYS FN(moments) FN(apply_tiles)(const FN(apply_row) *r, const T *w, const T *b, int64_t n, bool centred, bool weighed,
                                      bool lifted, bool sums, bool halves)
{
    FN(moments) m = {0};
    for (int64_t done = 0; done < n; done += TILE) {
        const int   here = n - done < TILE ? (int)(n - done) : TILE;
        const void *next = sums ? FN(values_from)(r->next, done, halves) : NULL;
        FN(about)   about = {0};
        if (sums)
            about = FN(about_guess)(next, here, centred, halves);
        FN(apply_tile)((char *)r->y + done * (halves ? 2 : (int64_t)sizeof(T)), FN(values_from)(r->x, done, halves), r->mean,
                       r->rstd, weighed ? w + done : NULL, lifted ? b + done : NULL, here,
                       (FN(soon)){r->out.at + done * r->out.width, r->out.width}, next, &about,
                       (FN(soon)){r->soon.at + done * r->soon.width, r->soon.width}, weighed, lifted, sums, halves);
        if (sums)
            FN(moments_settle)(&m, about, next, here, centred, halves);
    }
    return m;
}

KT_ALWAYS FN(moments) FN(norm_apply)(const FN(apply_row) *r, const T *w, const T *b, int64_t n, bool centred, bool sums,
                                     bool halves)
{
    if (w && b)
        return FN(apply_tiles)(r, w, b, n, centred, true, true, sums, halves);
    if (w)
        return FN(apply_tiles)(r, w, NULL, n, centred, true, false, sums, halves);
    if (b)
        return FN(apply_tiles)(r, NULL, b, n, centred, false, true, sums, halves);
    return FN(apply_tiles)(r, NULL, NULL, n, centred, false, false, sums, halves);
}

/* The moments of the next row. */
KT_IN_REGISTERS static __attribute__((noinline)) FN(moments)
    FN(apply_halves)(const FN(apply_row) *r, const T *w, const T *b, int64_t n, bool centred)
{
    return r->next ? FN(norm_apply)(r, w, b, n, centred, true, true) : FN(norm_apply)(r, w, b, n, centred, false, true);
}

KT_IN_REGISTERS static __attribute__((noinline)) FN(moments)
    FN(apply_whole)(const FN(apply_row) *r, const T *w, const T *b, int64_t n, bool centred)
{
    return r->next ? FN(norm_apply)(r, w, b, n, centred, true, false) : FN(norm_apply)(r, w, b, n, centred, false, false);
}

static FN(moments) FN(norm_moments)(const FN(norm) *p, const FN(norm_room) *r, int64_t row)
{
    const void *x = FN(norm_row)(p, p->x, row, r->x);
    FN(moments) m = {0};
    if (p->halves)
        FN(moments_of)(&m, x, p->length, p->centred, FN(norm_soon)(p, p->x, row), true);
    else
        FN(moments_of)(&m, x, p->length, p->centred, FN(norm_soon)(p, p->x, row), false);
    return m;
}

KT_IN_REGISTERS static void FN(norm_rows)(void *ctx, int64_t begin, int64_t end)
{
    FN(norm)     *p = ctx;
    FN(norm_room) r;
    if (!FN(norm_buffers)(p, &r)) {
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        return;
    }
    FN(moments) m = FN(norm_moments)(p, &r, begin);
    for (int64_t row = begin; row < end; row++) {
        const A             average = p->centred && m.squares != m.squares ? m.squares : m.mean; /* NaN beside an infinity */
        const T             mean = (T)average, rstd = (T)(1 / __builtin_sqrt(m.squares / (double)p->length + p->eps));
        const bool          has_next = row + 1 < end, sums = has_next && !r.x;
        const FN(apply_row) at = {
            .y = r.y ? (void *)r.y : FN(norm_at)(p, p->y, row),
            .x = r.x ? (const void *)r.x : FN(norm_at)(p, p->x, row),
            .next = sums ? FN(norm_at)(p, p->x, row + 1) : NULL,
            .mean = mean,
            .rstd = rstd,
            .out = FN(norm_soon)(p, p->y, row),
            .soon = FN(norm_soon)(p, p->x, sums ? row + 1 : row),
        };
        m = (p->halves ? FN(apply_halves) : FN(apply_whole))(&at, p->w, p->b, p->length, p->centred);
        FN(norm_write)(p, &r, row);
        FN(norm_put)(p, p->mean, row, mean);
        FN(norm_put)(p, p->rstd, row, rstd);
        if (has_next && !sums)
            m = FN(norm_moments)(p, &r, row + 1);
    }
    kt__block_put(r.made, r.granted);
}

/* ---- back: of g = grad * w, dx = rstd * (g - average of g - xhat * average of g * xhat) ----
 * lift is the first average, and turn the second times -rstd. The first difference comes first: where g is its own average,
 * nothing is left. */

KT_ALWAYS void FN(flow_here)(void *restrict to, const void *restrict x, const void *restrict grad, const T *restrict w, T mean,
                             T rstd, T lift, T turn, int64_t n, FN(soon) out, bool weighed, bool halves)
{
    int64_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const FN(pair) from = FN(pair_at)(x, i, halves);
        FN(pair)       g = FN(pair_at)(grad, i, halves);
        if (ASKS_TO_WRITE)
            FN(ask_to_write)(out, i);
        if (weighed)
            g.a = TIMES(g.a, LANES_AT(w + i)), g.b = TIMES(g.b, LANES_AT(w + i + LANES));
        g.a = TIMES(TIMES_PLUS(LESS(from.a, ALL(mean)), ALL(turn), LESS(g.a, ALL(lift))), ALL(rstd));
        g.b = TIMES(TIMES_PLUS(LESS(from.b, ALL(mean)), ALL(turn), LESS(g.b, ALL(lift))), ALL(rstd));
        FN(put_pair)(to, i, g, halves);
    }
    for (; i < n; i++) {
        const T a = FN(value_at)(grad, i, halves), g = weighed ? a * w[i] : a;
        FN(put_value)(to, i, NUMBER_TIMES_PLUS(FN(value_at)(x, i, halves) - mean, turn, g - lift) * rstd, halves);
    }
}

KT_ALWAYS void FN(norm_flow)(void *to, const void *x, const void *grad, const T *w, T mean, T rstd, T lift, T turn, int64_t n,
                             FN(soon) out, bool halves)
{
    if (w)
        FN(flow_here)(to, x, grad, w, mean, rstd, lift, turn, n, out, true, halves);
    else
        FN(flow_here)(to, x, grad, NULL, mean, rstd, lift, turn, n, out, false, halves);
}

static __attribute__((noinline)) void FN(flow_halves)(void *to, const void *x, const void *grad, const T *w, T mean, T rstd,
                                                      T lift, T turn, int64_t n, FN(soon) out)
{
    FN(norm_flow)(to, x, grad, w, mean, rstd, lift, turn, n, out, true);
}

static __attribute__((noinline)) void FN(flow_whole)(void *to, const void *x, const void *grad, const T *w, T mean, T rstd,
                                                     T lift, T turn, int64_t n, FN(soon) out)
{
    FN(norm_flow)(to, x, grad, w, mean, rstd, lift, turn, n, out, false);
}

static void FN(norm_flush)(A *restrict to, T *restrict sums, int64_t n, bool first)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (first ? 0 : to[i]) + (A)sums[i];
        sums[i] = 0;
    }
}

KT_ALWAYS void FN(norm_back_row)(const FN(norm) *p, const FN(norm_room) *r, int64_t row, bool halves)
{
    const int64_t n = p->length;
    const void   *x = FN(norm_row)(p, p->x, row, r->x), *grad = FN(norm_row)(p, p->grad, row, r->grad);
    const T       mean = FN(norm_number)(p, p->mean, row), rstd = FN(norm_number)(p, p->rstd, row);
    FN(ties)      t = {0};
    FN(ties_of)(&t, x, grad, p->w, mean, rstd, r->sums, r->sums ? r->sums + FN(norm_line)(p) : NULL, n,
                FN(norm_soon)(p, p->x, row), FN(norm_soon)(p, p->grad, row), halves);
    if (p->y < 0)
        return;
    const T        lift = p->centred ? (T)(t.sum / (double)n) : 0, turn = (T)(-rstd * (t.product / (double)n));
    void          *to = r->y ? (void *)r->y : FN(norm_at)(p, p->y, row);
    const FN(soon) out = FN(norm_soon)(p, p->y, row);
    (halves ? FN(flow_halves) : FN(flow_whole))(to, x, grad, p->w, mean, rstd, lift, turn, n, out);
    FN(norm_write)(p, r, row);
}

/* From the last block to the first: what was made last is still in the caches. */
KT_IN_REGISTERS static void FN(norm_back_blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(norm)     *p = ctx;
    FN(norm_room) r;
    const int64_t n = p->length, line = FN(norm_line)(p);
    if (!FN(norm_buffers)(p, &r)) {
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        return;
    }
    if (r.sums)
        memset(r.sums, 0, (size_t)(2 * line) * sizeof(T));
    for (int64_t block = end - 1; block >= begin; block--) {
        A            *to = p->partial ? p->partial + block * 2 * n : NULL;
        const int64_t first = block * p->block, stop = first + p->block < p->rows ? first + p->block : p->rows;
        for (int64_t row = first; row < stop; row++) {
            if (p->halves)
                FN(norm_back_row)(p, &r, row, true);
            else
                FN(norm_back_row)(p, &r, row, false);
            if (to && ((row - first) % BATCH == BATCH - 1 || row + 1 == stop)) {
                FN(norm_flush)(to, r.sums, n, row - first < BATCH);
                FN(norm_flush)(to + n, r.sums + line, n, row - first < BATCH);
            }
        }
    }
    kt__block_put(r.made, r.granted);
}

/* The blocks' sums, in their order, become gradient `which` of the weights: tiles [begin, end) of SHORT_TILE. */
typedef struct FN(norm_sums) {
    const FN(norm) *p;
    int             operand, which;
    int64_t         blocks;
} FN(norm_sums);

static void FN(norm_total)(void *ctx, int64_t begin, int64_t end)
{
    const FN(norm_sums) *s = ctx;
    const FN(norm)      *p = s->p;
    const FN(lens)      *l = &p->lens[s->operand];
    T                    total[SHORT_TILE];
    for (int64_t done = begin * SHORT_TILE; done < end * SHORT_TILE; done += SHORT_TILE) {
        const int n = p->length - done < SHORT_TILE ? (int)(p->length - done) : SHORT_TILE;
        A         sum[SHORT_TILE] = {0};
        for (int64_t b = 0; b < s->blocks; b++) {
            const A *from = p->partial + (2 * b + s->which) * p->length + done;
            for (int i = 0; i < n; i++)
                sum[i] += from[i];
        }
        for (int i = 0; i < n; i++)
            total[i] = (T)sum[FN(norm_place)(p, i, n)];
        FN(store_tile)(p->plan->arg[s->operand].data + done * l->step, l, total, n);
    }
}

static kt_status FN(norm_back)(FN(norm) *p)
{
    const bool    sums = p->to_weight >= 0 || p->to_bias >= 0;
    const int64_t most = sums ? PARTIAL_BYTES / (2 * p->length * (int64_t)sizeof(A)) + 1 : BLOCKS;
    int64_t       blocks = (p->rows + LEAST_BLOCK - 1) / LEAST_BLOCK;
    size_t        granted = 0;
    blocks = blocks < BLOCKS ? blocks : BLOCKS;
    blocks = blocks < most ? blocks : most;
    p->block = (p->rows + blocks - 1) / blocks;
    blocks = (p->rows + p->block - 1) / p->block;
    const size_t bytes = (size_t)(blocks * 2 * p->length) * sizeof(A);
    if (sums && !(p->partial = kt__block_get(bytes, &granted)))
        return kt__fail_memory(bytes);
    kt__parallel(blocks, KT__GRAIN / (p->block * p->length + 1) + 1, FN(norm_back_blocks), p);
    for (int i = 0; sums && !p->failed && i < 2; i++) {
        FN(norm_sums) s = {p, i == 0 ? p->to_weight : p->to_bias, i, blocks};
        if (s.operand >= 0)
            kt__parallel((p->length + SHORT_TILE - 1) / SHORT_TILE, KT__GRAIN / (SHORT_TILE * blocks) + 1, FN(norm_total), &s);
    }
    kt__block_put(p->partial, granted);
    return KT_OK;
}

/* ---- plans ---- */

/* Operands in the order of the kernel's list; bit k of `has`: its k-th is there. */
static void FN(norm_operands)(FN(norm) *p, int *const *list, int n)
{
    const int64_t has = p->plan->param[1].v.i;
    int           at = 0;
    for (int k = 0; k < n; k++) {
        const bool there = has >> k & 1;
        *list[k] = there ? at : -1;
        if (there)
            p->lens[at] = FN(lens_of)(&p->plan->arg[at], p->plan->stride[at][1]);
        at += there;
    }
}

/* Weights as dense T's: `*room` is used where they are not. */
static const T *FN(norm_weights)(const FN(norm) *p, int operand, T **room)
{
    if (operand < 0)
        return NULL;
    const char *from = p->plan->arg[operand].data;
    if (p->lens[operand].direct && !p->halves)
        return (const T *)(const void *)from;
    T *to = *room, tile[TILE];
    for (int64_t done = 0; done < p->length; done += TILE) {
        const int n = p->length - done < TILE ? (int)(p->length - done) : TILE;
        FN(load_tile)(tile, &p->lens[operand], from + done * p->lens[operand].step, n);
        for (int i = 0; i < n; i++)
            to[done + FN(norm_place)(p, i, n)] = tile[i];
    }
    *room += p->length;
    return to;
}

static bool FN(norm_is_halves)(const FN(norm) *p, int operand)
{
    const FN(lens) *l = &p->lens[operand < 0 ? 0 : operand];
    return operand < 0 || (SELF == KT_F32 && l->is == KT_BF16 && l->step == 2 && !l->rounds && l->bits == 0);
}

static kt_status FN(norm_run)(const kt_plan *plan)
{
    const bool   back = plan->kernel == KT_K_layer_norm_backward || plan->kernel == KT_K_rms_norm_backward;
    FN(norm)     p = {.plan = plan, .rows = plan->size[0], .length = plan->size[1], .bias = -1, .grad = -1, .to_weight = -1,
                      .to_bias = -1, .eps = kt__scalar_f64(&plan->param[0]),
                      .centred = plan->kernel == KT_K_layer_norm || plan->kernel == KT_K_layer_norm_backward};
    if (back)
        FN(norm_operands)(&p, (int *[]){&p.y, &p.to_weight, &p.to_bias, &p.grad, &p.x, &p.mean, &p.rstd, &p.weight}, 8);
    else
        FN(norm_operands)(&p, (int *[]){&p.y, &p.mean, &p.rstd, &p.x, &p.weight, &p.bias}, 6);
    p.halves = FN(norm_is_halves)(&p, p.x) && FN(norm_is_halves)(&p, p.y) && FN(norm_is_halves)(&p, p.grad);
    const bool   copied = (p.weight >= 0 && (p.halves || !p.lens[p.weight].direct)) ||
                        (p.bias >= 0 && (p.halves || !p.lens[p.bias].direct));
    const size_t bytes = copied ? 2 * (size_t)p.length * sizeof(T) : 0;
    size_t       granted = 0;
    T           *made = copied ? kt__block_get(bytes, &granted) : NULL, *room = made;
    if (copied && !made)
        return kt__fail_memory(bytes);
    p.w = FN(norm_weights)(&p, p.weight, &room);
    p.b = FN(norm_weights)(&p, p.bias, &room);
    kt_status status = KT_OK;
    if (back)
        status = FN(norm_back)(&p);
    else
        kt__parallel(p.rows, KT__GRAIN / p.length + 1, FN(norm_rows), &p);
    kt__block_put(made, granted);
    return p.failed ? kt__fail_memory((size_t)p.length * 3 * sizeof(T)) : status;
}
