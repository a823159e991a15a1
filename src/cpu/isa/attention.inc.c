/* attention.inc.c - attention in compute type T, forward. A template; includes follow attention_tile.inc.c.
 *
 * In: the operands of attention.h. Out: the output, and the logarithm of each query's sum. A block of queries goes over the keys
 * tile by tile; whenever a larger score appears, what was summed so far is scaled down to it. So one tile of scores is held for
 * each thread, whatever the lengths. Blocks are the unit of work, so the number of threads does not change the bits.
 *
 * M. Milakov and N. Gimelshein, Online normalizer calculation for softmax (2018); M. N. Rabe and C. Staats, Self-attention Does
 * Not Need O(n^2) Memory (2021); T. Dao et al., FlashAttention (2022). */

typedef struct FN(forward) {
    const kt__attention *a;
    FN(rows)             query, key, value, out;
    int64_t              blocks;
    bool                 failed;
} FN(forward);

typedef struct FN(forward_room) {
    T *draws, *turned, *tile, *sum, *keys, *values, *row; /* the block of queries, turned round; scores; [QUERIES][width] */
    T  top[QUERIES], total[QUERIES], factor[QUERIES];
} FN(forward_room);

/* ---- scores of a panel become exponentials less the largest so far ---- */

static TILE_NOINLINE void FN(raise_tops)(T *restrict top, T *restrict factor, const T *restrict panel, int64_t keys)
{
    T most[COLS];
#pragma GCC unroll 4
    for (int j = 0; j < COLS; j += VEC) {
        const FN(vec) *x = (const FN(vec) *)(const void *)(panel + j);
        FN(vec)        so_far = *(const FN(vec) *)(const void *)(top + j);
        int64_t        l = 0;
        /* one comparison in four waits for those before; NaN spoils the sum, so it may be lost here */
        for (; l + 4 <= keys; l += 4, x += 4 * VECS)
            so_far = FN(larger)(FN(larger)(FN(larger)(x[0], x[VECS]), FN(larger)(x[2 * VECS], x[3 * VECS])), so_far);
        for (; l < keys; l++, x += VECS)
            so_far = FN(larger)(x[0], so_far);
        *(FN(vec) *)(void *)(most + j) = so_far;
    }
    KT_EACH
    for (int i = 0; i < COLS; i++) /* all masked so far: nothing is to be scaled, and 0 serves as the largest */
        factor[i] = FN(exp_below)(top[i] - (most[i] == -INFINITY ? 0 : most[i]));
    memcpy(top, most, sizeof most);
}

static TILE_NOINLINE void FN(exponentials)(T *restrict panel, T *restrict total, const T *restrict top, const T *restrict factor,
                                           int64_t keys)
{
    T less[COLS], sum[COLS];
    for (int i = 0; i < COLS; i++)
        less[i] = top[i] == -INFINITY ? 0 : top[i], sum[i] = 0;
    for (int64_t l = 0; l < keys; l++)
        KT_EACH
        for (int i = 0; i < COLS; i++) {
            const T e = FN(exp_below)(panel[l * COLS + i] - less[i]);
            panel[l * COLS + i] = e;
            sum[i] += e;
        }
    for (int i = 0; i < COLS; i++)
        total[i] = total[i] * factor[i] + sum[i];
}

static TILE_NOINLINE void FN(scale_sums)(FN(forward_room) *r, int64_t queries, int64_t width)
{
    for (int64_t i = 0; i < queries; i++) {
        T      *sum = r->sum + i * width;
        const T factor = r->factor[i];
        KT_EACH
        for (int64_t j = 0; j < width; j++)
            sum[j] *= factor;
    }
}

/* ---- a block of queries ---- */

static void FN(finish_block)(const FN(forward) *f, FN(forward_room) *r, int64_t batch, int64_t head, int64_t query,
                             int64_t queries, int64_t width)
{
    const kt__attention *a = f->a;
    for (int64_t i = 0; i < queries; i++) {
        T      *sum = r->sum + i * width;
        const T inverse = r->total[i] == 0 ? 0 : 1 / r->total[i], lse = r->total[i] == 0 ? 0 : r->top[i] + FN(log)(r->total[i]);
        KT_EACH
        for (int64_t j = 0; j < width; j++)
            sum[j] *= inverse;
        FN(store_row)(kt__row_at(&a->out, batch, head, query + i), &f->out, sum);
        memcpy(kt__row_at(&a->lse, batch, head, query + i), &lse, sizeof lse);
    }
}

static void FN(forward_block)(const FN(forward) *f, FN(forward_room) *r, int64_t batch, int64_t head, int64_t query)
{
    const kt__attention *a = f->a;
    const int64_t queries = a->queries - query < QUERIES ? a->queries - query : QUERIES, width = FN(rounded_up)(a->width, COLS),
                  end = FN(keys_seen)(a, query, queries), shared = head / a->group;
    for (int i = 0; i < QUERIES; i++)
        r->top[i] = -INFINITY, r->total[i] = 0;
    FN(turn_block)(r->turned, &f->query, batch, head, query, queries, (T)a->scale, r->row);
    const uint64_t *kept = FN(draw_block)(a, batch, head, query, queries, r->draws);
    for (int64_t first = 0; first < end; first += KEYS) {
        const int64_t count = end - first < KEYS ? end - first : KEYS;
        int64_t       by_key, by_value;
        const T      *keys = FN(block_of)(&f->key, batch, shared, first, count, false, r->keys, &by_key);
        const T      *values = FN(block_of)(&f->value, batch, shared, first, count, true, r->values, &by_value);
        for (int64_t i = 0; i < queries; i += COLS) {
            const int64_t seen = FN(panel_keys)(a, query + i, first, count);
            T *const      panel = r->tile + i * KEYS;
            FN(scores)(panel, a, keys, by_key, r->turned + i * a->depth, batch, head, query + i, first, seen);
            FN(raise_tops)(r->top + i, r->factor + i, panel, seen);
            FN(exponentials)(panel, r->total + i, r->top + i, r->factor + i, seen);
            if (kept)
                FN(drop)(panel, kept + first, i, (T)(1 / a->keep), seen);
            memset(panel + seen * COLS, 0, sizeof(T) * (size_t)((count - seen) * COLS));
        }
        if (first > 0)
            FN(scale_sums)(r, queries, width);
        FN(product_by_query)(r->sum, width, r->tile, values, by_value, queries, width, count,
                             kt__keys_until(a, query + 1) - first, first > 0);
    }
    FN(finish_block)(f, r, batch, head, query, queries, width);
}

/* ---- all blocks: batch, head, block ---- */

static void FN(forward_blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(forward)         *f = ctx;
    const kt__attention *a = f->a;
    const int64_t        depth = FN(rounded_up)(a->depth, COLS), width = FN(rounded_up)(a->width, COLS);
    const int64_t        parts[] = {FN(draw_room)(a), depth * QUERIES,
                                    KEYS * QUERIES, QUERIES * width, KEYS * depth, KEYS * width, depth};
    FN(forward_room)     r;
    T **const            at[] = {&r.draws, &r.turned, &r.tile, &r.sum, &r.keys, &r.values, &r.row};
    size_t               granted = 0;
    T *const             room = FN(divided_room)(at, parts, sizeof parts / sizeof *parts, &granted);
    if (!room) {
        __atomic_store_n(&f->failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (int64_t i = begin; i < end; i++)
        FN(forward_block)(f, &r, i / f->blocks / a->heads, i / f->blocks % a->heads, i % f->blocks * QUERIES);
    kt__block_put(room, granted);
}

static kt_status FN(attention_forward)(const kt__attention *a)
{
    FN(layout)  key, value;
    FN(forward) f = {.a = a, .query = FN(rows_of)(&a->query, a->depth), .out = FN(rows_of)(&a->out, a->width),
                     .blocks = (a->queries + QUERIES - 1) / QUERIES};
    const bool  laid = FN(lay_out)(&key, &a->key, a, a->depth), both = FN(lay_out)(&value, &a->value, a, a->width);
    f.key = key.to, f.value = value.to;
    if (laid && both)
        kt__parallel(a->batch * a->heads * f.blocks, (1 << 18) / (a->keys * (a->depth + a->width) * QUERIES + 1) + 1,
                     FN(forward_blocks), &f);
    kt__block_put(key.made, key.granted);
    kt__block_put(value.made, value.granted);
    return laid && both && !f.failed ? KT_OK : kt__fail_memory((size_t)(a->keys * (a->depth + a->width)) * sizeof(T));
}
