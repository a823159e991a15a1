/* attention_back.inc.c - the gradients of attention in compute type T. A template; includes follow attention_tile.inc.c.
 *
 * In: the operands of attention.h. Out: the gradients of query, key and value. The scores are computed again, tile by tile, and
 * become probabilities by the saved logarithms, or by largest scores and sums that are found again. A task is a head of the keys,
 * or a part of the queries that see it: it sums the gradients of all keys and values, and goes over the queries once. The parts'
 * sums are added in order. How many there are depends on sizes alone, so the number of threads does not change the bits.
 *
 * T. Dao et al., FlashAttention (2022). */

enum { TASKS = 8 }; /* heads are cut into parts if there are fewer */

typedef struct FN(back) {
    const kt__attention *a;
    FN(rows)             query, key, value, out, grad, grad_query, grad_key, grad_value;
    int64_t              heads, parts, blocks, depth, width, rows; /* heads of the keys; padded columns, and keys */
    T                   *sums; /* several parts: [batch, heads, parts] of gradients of keys, then of values */
    bool                 failed;
} FN(back);

typedef struct FN(back_room) {
    T *draws, *turned, *grad_turned, *queries, *grads, *scores, *slopes, *keys, *values, *sum_query, *row, *sums;
    T  less[QUERIES], times[QUERIES]; /* a probability is e^(score - less) times; mostly the saved logarithm, and 1 */
    T  inner[QUERIES];                /* a row of the output times its gradient */
} FN(back_room);

/* ---- one panel ---- */

/* Scores become probabilities; slopes, the gradients of those, become the gradients of the scores but for the scale. */
static TILE_NOINLINE void FN(slopes)(T *restrict scores, T *restrict slopes, const T *restrict less, const T *restrict times,
                                     const T *restrict inner, int64_t keys)
{
    for (int64_t l = 0; l < keys; l++)
        KT_EACH
        for (int i = 0; i < COLS; i++) {
            const T p = FN(exp_below)(scores[l * COLS + i] - less[i]) * times[i];
            scores[l * COLS + i] = p;
            slopes[l * COLS + i] = p * (slopes[l * COLS + i] - inner[i]);
        }
}

/* Keys after a query have no weight, even if its scores are NaN. `after`: the first such key of the panel's first query. */
static void FN(hide_later)(T *probabilities, int64_t after, int64_t keys)
{
    for (int64_t l = after > 0 ? after : 0; l < keys; l++)
        for (int64_t i = 0; i < COLS && i < l - after + 1; i++)
            probabilities[l * COLS + i] = 0;
}

/* ---- a block of queries ---- */

/* The sum of products, in as many chains on every instruction set. */
static TILE_NOINLINE T FN(inner_product)(const T *x, const T *y, int64_t n)
{
    enum { CHAINS = 16 };
    T       sum[CHAINS] = {0}, total = 0;
    int64_t done = 0;
    for (; done + CHAINS <= n; done += CHAINS)
        KT_EACH
        for (int j = 0; j < CHAINS; j++)
            sum[j] = FN(fma)(x[done + j], y[done + j], sum[j]);
    for (int j = 0; j < CHAINS; j++)
        total += sum[j];
    for (; done < n; done++)
        total = FN(fma)(x[done], y[done], total);
    return total;
}

/* Instead of rough logarithms: largest scores and sums, as in the forward pass. */
static TILE_NOINLINE void FN(find_sums)(const FN(back) *b, FN(back_room) *r, int64_t batch, int64_t head, int64_t query,
                                        int64_t queries)
{
    const kt__attention *a = b->a;
    const int64_t        end = FN(keys_seen)(a, query, queries);
    T                    top[QUERIES], total[QUERIES], factor[QUERIES];
    for (int i = 0; i < QUERIES; i++)
        top[i] = -INFINITY, total[i] = 0;
    for (int64_t first = 0; first < end; first += KEYS) {
        const int64_t count = FN(lesser)(end - first, KEYS);
        int64_t       by_key;
        const T      *keys = FN(block_of)(&b->key, batch, head / a->group, first, count, false, r->keys, &by_key);
        for (int64_t i = 0; i < queries; i += COLS) {
            const int64_t seen = FN(panel_keys)(a, query + i, first, count);
            FN(scores)(r->scores, a, keys, by_key, r->turned + i * a->depth, batch, head, query + i, first, seen);
            FN(raise_tops)(top + i, factor + i, r->scores, seen);
            FN(exponentials)(r->scores, total + i, top + i, factor + i, seen);
        }
    }
    for (int64_t i = 0; i < queries; i++)
        if (kt__attention_is_rough((double)r->less[i], sizeof(T) == 8))
            r->less[i] = top[i], r->times[i] = 1 / total[i];
}

static void FN(load_block)(const FN(back) *b, FN(back_room) *r, int64_t batch, int64_t head, int64_t query, int64_t queries,
                           const T *grads, int64_t by_grad)
{
    const kt__attention *a = b->a;
    bool                 rough = false;
    for (int64_t i = 0; i < QUERIES; i++) {
        r->less[i] = r->inner[i] = 0, r->times[i] = 1;
        if (i < queries) {
            const char *out = kt__row_at(&a->out, batch, head, query + i);
            memcpy(&r->less[i], kt__row_at(&a->lse, batch, head, query + i), sizeof(T));
            rough = rough || kt__attention_is_rough((double)r->less[i], sizeof(T) == 8);
            if (!b->out.direct)
                FN(load_row)(r->row, &b->out, out);
            r->inner[i] = FN(inner_product)(b->out.direct ? (const T *)(const void *)out : r->row, grads + i * by_grad, a->width);
        }
    }
    FN(turn_block)(r->turned, &b->query, batch, head, query, queries, (T)a->scale, r->row);
    FN(turn_block)(r->grad_turned, &b->grad, batch, head, query, queries, 1, r->row);
    if (rough)
        FN(find_sums)(b, r, batch, head, query, queries);
}

typedef struct FN(place) { /* of a tile: queries of a head, and `count` keys from `first` on */
    int64_t         batch, head, query, first, count, by_key, by_value;
    const T        *keys, *values;
    const uint64_t *kept; /* of the block of queries; NULL without dropout */
} FN(place);

/* The tile's panel of queries from `i` of their block on: probabilities, and the gradients of its scores. Gives how many of the
 * keys are seen. */
static int64_t FN(back_panel)(const FN(back) *b, FN(back_room) *r, const FN(place) *at, int64_t i)
{
    const kt__attention *a = b->a;
    const int64_t        seen = FN(panel_keys)(a, at->query + i, at->first, at->count);
    T *const             scores = r->scores + i * KEYS, *const slopes = r->slopes + i * KEYS;
    FN(scores)(scores, a, at->keys, at->by_key, r->turned + i * a->depth, at->batch, at->head, at->query + i, at->first, seen);
    FN(panel_product)(slopes, at->values, at->by_value, r->grad_turned + i * a->width, seen, a->width);
    if (at->kept)
        FN(drop)(slopes, at->kept + at->first, i, (T)(1 / a->keep), seen);
    FN(slopes)(scores, slopes, r->less + i, r->times + i, r->inner + i, seen);
    if (a->causal)
        FN(hide_later)(scores, at->query + i + 1 - at->first, seen);
    return seen;
}

static void FN(back_block)(const FN(back) *b, FN(back_room) *r, int64_t batch, int64_t head, int64_t query)
{
    const kt__attention *a = b->a;
    const int64_t queries = FN(lesser)(a->queries - query, QUERIES), end = FN(keys_seen)(a, query, queries),
                  shared = head / a->group;
    T *const      sum_key = r->sums, *const sum_value = r->sums + b->rows * b->depth;
    int64_t       by_query, by_grad;
    const T      *rows = FN(block_of)(&b->query, batch, head, query, queries, true, r->queries, &by_query);
    const T      *grads = FN(block_of)(&b->grad, batch, head, query, queries, true, r->grads, &by_grad);
    FN(load_block)(b, r, batch, head, query, queries, grads, by_grad);
    FN(place)     at = {batch, head, query, .kept = FN(draw_block)(a, batch, head, query, queries, r->draws)};
    for (int64_t first = 0; first < end; first += KEYS) {
        const int64_t count = end - first < KEYS ? end - first : KEYS;
        at.first = first, at.count = count;
        at.keys = FN(block_of)(&b->key, batch, shared, first, count, true, r->keys, &at.by_key);
        at.values = FN(block_of)(&b->value, batch, shared, first, count, false, r->values, &at.by_value);
        for (int64_t i = 0; i < queries; i += COLS) {
            const int64_t seen = FN(back_panel)(b, r, &at, i);
            T *const      scores = r->scores + i * KEYS, *const slopes = r->slopes + i * KEYS;
            if (at.kept)
                FN(drop)(scores, at.kept + first, i, (T)(1 / a->keep), seen);
            memset(scores + seen * COLS, 0, sizeof(T) * (size_t)((count - seen) * COLS));
            memset(slopes + seen * COLS, 0, sizeof(T) * (size_t)((count - seen) * COLS));
        }
        FN(product_by_key)(sum_value + first * b->width, b->width, r->scores, grads, by_grad, count, b->width, queries);
        FN(product_by_key)(sum_key + first * b->depth, b->depth, r->slopes, rows, by_query, count, b->depth, queries);
        FN(product_by_query)(r->sum_query, b->depth, r->slopes, at.keys, at.by_key, queries, b->depth, count,
                             kt__keys_until(a, query + 1) - first, first > 0);
    }
    for (int64_t i = 0; i < queries; i++) {
        T *sum = r->sum_query + i * b->depth;
        for (int64_t j = 0; j < a->depth; j++)
            sum[j] *= (T)a->scale;
        FN(store_row)(kt__row_at(&a->grad_query, batch, head, query + i), &b->grad_query, sum);
    }
}

/* ---- tasks: batch, head of the keys, part ---- */

/* Rows [begin, end) of a head: the sums of its parts, added in order to the first part's, are its gradients. */
static void FN(store_sums)(const FN(back) *b, T *sums, int64_t batch, int64_t head, int64_t begin, int64_t end)
{
    const int64_t each = b->rows * (b->depth + b->width);
    for (int64_t i = begin; i < end; i++)
        for (int which = 0; which < 2; which++) {
            const kt__matrices *m = which ? &b->a->grad_value : &b->a->grad_key;
            const int64_t       n = which ? b->width : b->depth;
            T *const            row = sums + (which ? b->rows * b->depth : 0) + i * n;
            for (int64_t part = 1; part < b->parts; part++)
                for (int64_t j = 0; j < n; j++)
                    row[j] += row[part * each + j];
            for (int64_t j = 0; j < n && !which; j++)
                row[j] *= (T)b->a->scale;
            FN(store_row)(kt__row_at(m, batch, head, i), which ? &b->grad_value : &b->grad_key, row);
        }
}

static void FN(back_task)(const FN(back) *b, FN(back_room) *r, int64_t batch, int64_t head, int64_t part)
{
    const kt__attention *a = b->a;
    const int64_t        each = b->rows * (b->depth + b->width);
    if (b->sums)
        r->sums = b->sums + ((batch * b->heads + head) * b->parts + part) * each;
    memset(r->sums, 0, sizeof(T) * (size_t)each);
    for (int64_t i = 0; i < a->group; i++)
        for (int64_t block = part; block < b->blocks; block += b->parts) /* by turns: later queries see more keys */
            FN(back_block)(b, r, batch, head * a->group + i, block * QUERIES);
    if (!b->sums)
        FN(store_sums)(b, r->sums, batch, head, 0, a->keys);
}

static void FN(back_tasks)(void *ctx, int64_t begin, int64_t end)
{
    FN(back)            *b = ctx;
    FN(back_room)        r;
    const int64_t        depth = b->depth, width = b->width;
    const int64_t        parts[] = {FN(draw_room)(b->a), depth * QUERIES, width * QUERIES, depth * QUERIES, width * QUERIES,
                                    KEYS * QUERIES, KEYS * QUERIES, KEYS * depth, KEYS * width, depth * QUERIES,
                                    depth > width ? depth : width, b->sums ? 0 : b->rows * (depth + width)};
    T **const            at[] = {&r.draws, &r.turned, &r.grad_turned, &r.queries, &r.grads, &r.scores, &r.slopes, &r.keys,
                                 &r.values, &r.sum_query, &r.row, &r.sums};
    size_t               granted = 0;
    T *const             room = FN(divided_room)(at, parts, sizeof parts / sizeof *parts, &granted);
    if (!room) {
        __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (int64_t i = begin; i < end; i++)
        FN(back_task)(b, &r, i / b->parts / b->heads, i / b->parts % b->heads, i % b->parts);
    kt__block_put(room, granted);
}

static void FN(add_parts)(void *ctx, int64_t begin, int64_t end)
{
    const FN(back) *b = ctx;
    const int64_t   keys = b->a->keys;
    for (int64_t i = begin; i < end; i++) {
        const int64_t head = i / keys;
        FN(store_sums)(b, b->sums + head * b->parts * b->rows * (b->depth + b->width), head / b->heads, head % b->heads, i % keys,
                       i % keys + 1);
    }
}

static kt_status FN(attention_backward)(const kt__attention *a)
{
    FN(layout) key, value;
    FN(back)   b = {.a = a, .heads = a->heads / a->group, .blocks = (a->queries + QUERIES - 1) / QUERIES, .parts = 1};
    size_t     granted = 0, bytes = 0;
    b.query = FN(rows_of)(&a->query, a->depth), b.out = FN(rows_of)(&a->out, a->width), b.grad = FN(rows_of)(&a->grad, a->width);
    b.grad_query = FN(rows_of)(&a->grad_query, a->depth), b.grad_key = FN(rows_of)(&a->grad_key, a->depth);
    b.grad_value = FN(rows_of)(&a->grad_value, a->width);
    b.depth = FN(rounded_up)(a->depth, COLS), b.width = FN(rounded_up)(a->width, COLS), b.rows = FN(rounded_up)(a->keys, UNIT);
    const int64_t heads = a->batch * b.heads, wanted = (TASKS + heads - 1) / heads;
    b.parts = wanted < b.blocks ? wanted : b.blocks;
    bool ok = FN(lay_out)(&key, &a->key, a, a->depth);
    ok = FN(lay_out)(&value, &a->value, a, a->width) && ok;
    b.key = key.to, b.value = value.to;
    if (b.parts > 1) {
        bytes = (size_t)(heads * b.parts * b.rows * (b.depth + b.width)) * sizeof(T);
        ok = ok && (b.sums = kt__block_get(bytes, &granted));
    }
    if (ok)
        kt__parallel(heads * b.parts, 1, FN(back_tasks), &b);
    if (ok && b.sums)
        kt__parallel(heads * a->keys, KT__GRAIN / ((b.depth + b.width) * b.parts) + 1, FN(add_parts), &b);
    kt__block_put(b.sums, granted);
    kt__block_put(key.made, key.granted);
    kt__block_put(value.made, value.granted);
    return ok && !b.failed ? KT_OK : kt__fail_memory(bytes);
}
