/* attention_bf16_back.inc.c - the gradients of attention in bfloat16 by tiles of the processor. Includes follow
 * attention_panel.inc.c.
 *
 * In: the operands of attention.h. Out: the gradients of query, key and value. The order is that of attention_back.inc.c.
 * Probabilities and the gradients of scores are float32 until they are factors of products: then they are rounded to bfloat16.
 * Sums are float32. How many tasks there are depends on sizes alone, so the number of threads does not change the bits. */

enum { BACK_KEYS = 64, TASKS = 8 }; /* keys of a step; heads are cut into parts if there are fewer tasks */

typedef struct back {
    const kt__attention *a;
    rows                 query, key, value, out, grad, grad_query, grad_key, grad_value;
    int64_t              heads, parts, blocks, all;  /* heads of the keys; keys, padded */
    half                *keys, *turned, *values;     /* packed, [batch, heads] of them */
    float               *sums; /* [batch, heads, parts] of gradients of keys, then of values; NULL: a task has its own */
    bool                 failed;
} back;

typedef struct back_room {
    uint64_t *draws;
    half     *query_columns, *query_rows, *grad_columns, *grad_rows;    /* of a block of queries, as right factors */
    half     *shares, *slopes, *pairs, *rows;                           /* [panel][BACK_KEYS][SPAN]; pairs: slopes */
    float    *scores, *grads, *sum_query, *lines, *sums; /* grads: of the probabilities of a panel */
    float     lse[QUERIES], inner[QUERIES], factor[QUERIES]; /* inner: a row of the output times its gradient */
} back_room;

/* ---- one panel ---- */

/* Of queries from `query` of their block on: scores become probabilities, and the gradients of those the gradients of the scores
 * but for the scale: both rounded, as rows, and the latter as pairs too. `later`: how many places the first key comes after
 * the first query, where keys after a query have no weight, even if its scores are NaN, but the product of that 0 with a
 * gradient that is none; else so low that no key does. */
KT_ALWAYS void slopes_of(back_room *r, int64_t query, int64_t queries, float scale, int64_t keys, int64_t later,
                         const uint64_t *kept, float share)
{
    half *const  shares = r->shares + query * BACK_KEYS, *const slopes = r->slopes + query * BACK_KEYS;
    half *const  pairs = r->pairs + query * BACK_KEYS;
    const float *lse = r->lse + query, *inner = r->inner + query;
    const __m512 times = _mm512_set1_ps(scale), larger = _mm512_set1_ps(share);
    for (int64_t l = 0; l < keys; l += 2) {
        __m512i both[2], joined[2];
#pragma GCC unroll 2
        for (int i = 0; i < 2; i++) {
            const __m512 less = _mm512_loadu_ps(lse + i * SIDE), mean = _mm512_loadu_ps(inner + i * SIDE);
            __m512       p[2], s[2];
#pragma GCC unroll 2
            for (int k = 0; k < 2; k++) {
                const int64_t   at = (l + k) * SPAN + i * SIDE;
                const __mmask16 there = (__mmask16)(up_to(queries) >> i * SIDE);
                const __mmask16 sees = there & (__mmask16)(~blind_to(later + l + k) >> i * SIDE);
                __m512          g = _mm512_loadu_ps(r->grads + at);
                p[k] = exp_below_16(_mm512_fmsub_ps(_mm512_loadu_ps(r->scores + at), times, less));
                p[k] = _mm512_maskz_mov_ps(sees, p[k]);
                const __mmask16 stays = sees & (__mmask16)(kept ? kept[l + k] >> (query + i * SIDE) : ~UINT64_C(0));
                if (kept)
                    g = _mm512_maskz_mul_ps(stays, g, larger);
                s[k] = _mm512_maskz_mul_ps(there, p[k], _mm512_sub_ps(g, mean));
                p[k] = _mm512_maskz_mul_ps(stays, p[k], larger);
            }
            both[i] = pairs_of_floats(p[0], p[1]);
            joined[i] = pairs_of_floats(s[0], s[1]);
            _mm512_storeu_si512(pairs + l * SPAN + 2 * i * SIDE, joined[i]);
        }
        _mm512_storeu_si512(shares + l * SPAN, low_halves(both[0], both[1]));
        _mm512_storeu_si512(shares + (l + 1) * SPAN, high_halves(both[0], both[1]));
        _mm512_storeu_si512(slopes + l * SPAN, low_halves(joined[0], joined[1]));
        _mm512_storeu_si512(slopes + (l + 1) * SPAN, high_halves(joined[0], joined[1]));
    }
}

static NOINLINE void slopes_of_all(back_room *r, int64_t query, int64_t queries, float scale, int64_t keys, int64_t later)
{
    slopes_of(r, query, queries, scale, keys, later, NULL, 1);
}

static NOINLINE void slopes_of_kept(back_room *r, int64_t query, int64_t queries, float scale, int64_t keys, int64_t later,
                                    const uint64_t *kept, float share)
{
    slopes_of(r, query, queries, scale, keys, later, kept, share);
}

/* ---- a block of queries ---- */

static NOINLINE float inner_product(const half *x, const half *y, int64_t n)
{
    __m512 sum = _mm512_setzero_ps();
    for (int64_t j = 0; j < n; j += SIDE)
        sum = _mm512_fmadd_ps(floats_of(x + j), floats_of(y + j), sum);
    return _mm512_reduce_add_ps(sum);
}

/* The panel of queries from `i` of its block on: as right factors, with their sums. */
static void load_panel(const back *b, back_room *r, place at, int64_t i)
{
    const kt__attention *a = b->a;
    const int64_t        depth = b->query.padded, width = b->grad.padded;
    int64_t              ld, ld_out;
    half *const          room = r->rows, *const beside = r->rows + SPAN * width;
    const half          *from = block_of(&b->query, at.batch, at.head, at.query, at.queries, room, &ld);
    pack_columns(r->query_columns + i * depth, from, ld, depth);
    pack_rows(r->query_rows + i * depth, from, ld, SPAN, depth);
    from = block_of(&b->grad, at.batch, at.head, at.query, at.queries, room, &ld);
    pack_columns(r->grad_columns + i * width, from, ld, width);
    pack_rows(r->grad_rows + i * width, from, ld, SPAN, width);
    const half *out = block_of(&b->out, at.batch, at.head, at.query, at.queries, beside, &ld_out);
    for (int64_t k = 0; k < SPAN; k++) {
        float lse = 0;
        if (k < at.queries)
            memcpy(&lse, kt__row_at(&a->lse, at.batch, at.head, at.query + k), sizeof lse);
        r->lse[i + k] = lse == lse ? lse : NAN;
        r->inner[i + k] = inner_product(out + k * ld_out, from + k * ld, width);
    }
}

static void back_panel(const back *b, back_room *r, place at, int64_t i, const half *keys, const half *values,
                       const uint64_t *kept)
{
    const int64_t depth = b->query.padded, width = b->grad.padded, n = up_to_span(at.count);
    const side    queries = pairs_side(r->query_columns + i * depth, SPAN), grads = pairs_side(r->grad_columns + i * width, SPAN);
    product(r->scores, SPAN, rows_side(keys, depth), queries, n, SPAN, depth / SPAN, false);
    product(r->grads, SPAN, rows_side(values, width), grads, n, SPAN, width / SPAN, false);
    const float   scale = settle(r->scores, b->a, at, n, r->lines);
    const int64_t later = b->a->causal ? at.first - at.query : -n;
    if (kept)
        slopes_of_kept(r, i, at.queries, scale, n, later, kept + at.first, (float)(1 / b->a->keep));
    else
        slopes_of_all(r, i, at.queries, scale, n, later);
}

static void back_block(const back *b, back_room *r, int64_t batch, int64_t head, int64_t query)
{
    const kt__attention *a = b->a;
    const int64_t queries = lesser(a->queries - query, QUERIES), shared = head / a->group;
    const int64_t end = kt__keys_until(a, query + queries);
    const int64_t depth = b->query.padded, width = b->grad.padded, begin = (batch * b->heads + shared) * b->all;
    const int64_t panels = up_to_span(queries) / SPAN;
    float *const  sum_key = r->sums, *const sum_value = r->sums + b->all * depth;
    for (int64_t i = 0; i < queries; i += SPAN)
        load_panel(b, r, (place){batch, head, query + i, lesser(queries - i, SPAN), 0, 0}, i);
    const uint64_t *kept = draw_block(a, batch, head, query, queries, r->draws);
    for (int64_t first = 0; first < end; first += BACK_KEYS) {
        const int64_t count = lesser(end - first, BACK_KEYS), n = up_to_span(count);
        const half   *keys = b->keys + (begin + first) * depth, *turned = b->turned + (begin + first) * depth;
        for (int64_t i = 0; i < queries; i += SPAN) {
            const place at = {batch, head, query + i, lesser(queries - i, SPAN), first, count};
            back_panel(b, r, at, i, keys, b->values + (begin + first) * width, kept);
            product(r->sum_query + i * depth, SPAN, turned_side(turned, depth), pairs_side(r->pairs + i * BACK_KEYS, SPAN), depth,
                    SPAN, n / SPAN, first > 0);
        }
        product(sum_value + first * width, width, turned_side(r->shares, BACK_KEYS), pairs_side(r->grad_rows, width), n, width,
                panels, true);
        product(sum_key + first * depth, depth, turned_side(r->slopes, BACK_KEYS), pairs_side(r->query_rows, depth), n, depth,
                panels, true);
    }
    for (int64_t i = 0; i < queries; i += SPAN) {
        finish_rows(r->rows, r->sum_query + i * depth, r->factor, depth);
        for (int64_t k = 0; k < lesser(queries - i, SPAN); k++)
            put_row(kt__row_at(&a->grad_query, batch, head, query + i + k), &b->grad_query, r->rows + k * depth);
    }
}

/* ---- tasks: batch, head of the keys, part ---- */

/* A row of the sums of all parts, in order, times `factor`. */
static NOINLINE void finish_row(half *to, const float *sums, int64_t parts, int64_t each, float factor, int64_t n)
{
    for (int64_t j = 0; j < n; j += SIDE) {
        __m512 sum = _mm512_loadu_ps(sums + j);
        for (int64_t part = 1; part < parts; part++)
            sum = _mm512_add_ps(sum, _mm512_loadu_ps(sums + part * each + j));
        sum = _mm512_mul_ps(sum, _mm512_set1_ps(factor));
        _mm256_storeu_si256((__m256i *)(void *)(to + j), bf16_of(sum));
    }
}

/* Rows [begin, end) of a head's gradients. row: room. */
static void store_sums(const back *b, const float *sums, int64_t batch, int64_t head, int64_t begin, int64_t end, half *row)
{
    const int64_t depth = b->key.padded, width = b->value.padded, each = b->all * (depth + width);
    for (int64_t i = begin; i < end; i++) {
        finish_row(row, sums + i * depth, b->parts, each, (float)b->a->scale, depth);
        put_row(kt__row_at(&b->a->grad_key, batch, head, i), &b->grad_key, row);
        finish_row(row, sums + b->all * depth + i * width, b->parts, each, 1, width);
        put_row(kt__row_at(&b->a->grad_value, batch, head, i), &b->grad_value, row);
    }
}

static void back_task(const back *b, back_room *r, int64_t batch, int64_t head, int64_t part)
{
    const kt__attention *a = b->a;
    const int64_t        each = b->all * (b->key.padded + b->value.padded);
    if (b->sums)
        r->sums = b->sums + ((batch * b->heads + head) * b->parts + part) * each;
    memset(r->sums, 0, sizeof(float) * (size_t)each);
    for (int64_t i = 0; i < a->group; i++)
        for (int64_t block = part; block < b->blocks; block += b->parts) /* by turns: later queries see more keys */
            back_block(b, r, batch, head * a->group + i, block * QUERIES);
    if (!b->sums)
        store_sums(b, r->sums, batch, head, 0, a->keys, r->rows);
}

static KT_AMX void back_tasks(void *ctx, int64_t begin, int64_t end)
{
    back         *b = ctx;
    const int64_t depth = b->key.padded, width = b->value.padded, most = depth > width ? depth : width;
    const int64_t panel = BACK_KEYS * SPAN, block = BACK_KEYS * QUERIES;
    const int64_t bytes[] = {draw_bytes(b->a), QUERIES * depth * 2, QUERIES * depth * 2, QUERIES * width * 2, QUERIES * width * 2,
                             block * 2, block * 2, block * 2, 2 * SPAN * most * 2, panel * 4, panel * 4, QUERIES * depth * 4,
                             b->a->mask.x.data ? SIDE * BACK_KEYS * 4 : 0, b->sums ? 0 : b->all * (depth + width) * 4};
    back_room     r;
    void **const  at[] = {(void **)&r.draws, (void **)&r.query_columns, (void **)&r.query_rows, (void **)&r.grad_columns,
                          (void **)&r.grad_rows, (void **)&r.shares, (void **)&r.slopes, (void **)&r.pairs, (void **)&r.rows,
                          (void **)&r.scores, (void **)&r.grads, (void **)&r.sum_query, (void **)&r.lines, (void **)&r.sums};
    size_t        granted = 0;
    char *const   room = divided_room(at, bytes, sizeof bytes / sizeof *bytes, &granted);
    if (!room) {
        __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (int i = 0; i < QUERIES; i++)
        r.factor[i] = (float)b->a->scale;
    amx_begin(&amx_whole);
    for (int64_t i = begin; i < end; i++)
        back_task(b, &r, i / b->parts / b->heads, i / b->parts % b->heads, i % b->parts);
    amx_end();
    kt__block_put(room, granted);
}

static void add_parts(void *ctx, int64_t begin, int64_t end)
{
    back         *b = ctx;
    const int64_t depth = b->key.padded, width = b->value.padded, keys = b->a->keys;
    size_t        granted = 0;
    half         *row = kt__block_get((size_t)(depth > width ? depth : width) * sizeof *row, &granted);
    if (!row)
        __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
    for (int64_t i = begin; row && i < end; i++) {
        const int64_t head = i / keys;
        store_sums(b, b->sums + head * b->parts * b->all * (depth + width), head / b->heads, head % b->heads, i % keys,
                   i % keys + 1, row);
    }
    kt__block_put(row, granted);
}

/* Spans of keys: batch, head, span. */
static void pack_all_sides(void *ctx, int64_t begin, int64_t end)
{
    back         *b = ctx;
    const int64_t spans = b->all / SPAN, depth = b->key.padded, width = b->value.padded;
    for (int64_t i = begin; i < end; i++) {
        const int64_t batch = i / spans / b->heads, head = i / spans % b->heads, first = i % spans * SPAN;
        const int64_t count = lesser(b->a->keys - first, SPAN);
        half *const   keys = b->keys + i * SPAN * depth;
        copy_rows(keys, &b->key, batch, head, first, count);
        pack_turned(b->turned + i * SPAN * depth, keys, depth, depth);
        copy_rows(b->values + i * SPAN * width, &b->value, batch, head, first, count);
    }
}

static kt_status attention_backward(const kt__attention *a)
{
    back b = {.a = a, .heads = a->heads / a->group, .blocks = (a->queries + QUERIES - 1) / QUERIES, .all = up_to_span(a->keys)};
    b.query = rows_of(&a->query, a->depth), b.key = rows_of(&a->key, a->depth), b.value = rows_of(&a->value, a->width);
    b.out = rows_of(&a->out, a->width), b.grad = rows_of(&a->grad, a->width);
    b.grad_query = rows_of(&a->grad_query, a->depth), b.grad_key = rows_of(&a->grad_key, a->depth);
    b.grad_value = rows_of(&a->grad_value, a->width);
    const int64_t depth = b.key.padded, width = b.value.padded, heads = a->batch * b.heads, wanted = (TASKS + heads - 1) / heads;
    b.parts = lesser(wanted, b.blocks);
    const int64_t sums = b.parts > 1 ? heads * b.parts * b.all * (depth + width) * (int64_t)sizeof(float) : 0;
    const int64_t keys = heads * b.all * depth * (int64_t)sizeof(half), values = heads * b.all * width * (int64_t)sizeof(half);
    const int64_t bytes[] = {sums, keys, keys, values};
    void **const  at[] = {(void **)&b.sums, (void **)&b.keys, (void **)&b.turned, (void **)&b.values};
    size_t        granted = 0;
    char *const   room = divided_room(at, bytes, sizeof bytes / sizeof *bytes, &granted);
    if (!room)
        return kt__fail_memory((size_t)(sums + 2 * keys + values));
    if (!sums)
        b.sums = NULL;
    kt__parallel(heads * b.all / SPAN, KT__GRAIN / ((2 * depth + width) * SPAN) + 1, pack_all_sides, &b);
    kt__parallel(heads * b.parts, 1, back_tasks, &b);
    if (b.sums && !b.failed)
        kt__parallel(heads * a->keys, KT__GRAIN / ((depth + width) * b.parts) + 1, add_parts, &b);
    kt__block_put(room, granted);
    return b.failed ? kt__fail_memory((size_t)(sums + 2 * keys + values)) : KT_OK;
}
