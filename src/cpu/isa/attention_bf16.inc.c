/* attention_bf16.inc.c - attention in bfloat16 by tiles of the processor, forward. Includes follow attention_panel.inc.c.
 *
 * In: the operands of attention.h. Out: the output, and the logarithm of each query's sum. The order is that of
 * attention.inc.c. Scores, their exponentials and all sums are float32; the exponentials are rounded to bfloat16 for the product
 * with the values. Blocks are the unit of work, so the number of threads does not change the bits. */

enum { KEYS = 128 }; /* of a step */

typedef struct forward {
    const kt__attention *a;
    rows                 query, key, value, out;
    int64_t              blocks, heads, all; /* heads of the keys; keys, padded */
    half                *keys, *values;      /* packed, [batch, heads] of them; NULL: a block does it for itself */
    size_t               granted;
    bool                 failed;
} forward;

typedef struct forward_room {
    uint64_t *draws;
    half     *queries, *pairs, *keys, *values, *rows;
    float    *panel, *sums, *lines; /* sums: [panel][width][SPAN] */
    float     top[QUERIES], total[QUERIES], factor[QUERIES];
} forward_room;

/* ---- scores of a panel become exponentials less the largest so far ---- */

/* Whether a query's largest score so far has grown. Vectors without a query are left out here and below. */
static NOINLINE bool raise_tops(float *top, float *factor, const float *panel, int64_t queries, float scale, int64_t keys)
{
    __mmask16 grown = 0;
    for (int64_t i = 0; i < queries; i += SIDE) {
        const __m512 none = _mm512_set1_ps(-INFINITY), before = _mm512_loadu_ps(top + i);
        __m512       most[4] = {none, none, none, none};
        for (int64_t l = 0; l < keys; l += 4) /* NaN spoils the sum, so it may be lost here */
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++)
                most[k] = _mm512_max_ps(_mm512_loadu_ps(panel + (l + k) * SPAN + i), most[k]);
        const __m512 all = _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3]));
        const __m512 now = _mm512_max_ps(_mm512_mul_ps(all, _mm512_set1_ps(scale)), before);
        /* all masked so far: nothing is to be scaled, and 0 serves as the largest */
        const __m512 less = _mm512_mask_mov_ps(now, _mm512_cmp_ps_mask(now, none, _CMP_EQ_OQ), _mm512_setzero_ps());
        grown |= _mm512_cmp_ps_mask(now, before, _CMP_NEQ_UQ);
        _mm512_storeu_ps(factor + i, exp_below_16(_mm512_sub_ps(before, less)));
        _mm512_storeu_ps(top + i, now);
    }
    return grown != 0;
}

static NOINLINE void exponentials(half *pairs, float *total, const float *panel, const float *top, const float *factor,
                                  int64_t queries, float scale, int64_t keys)
{
    const __m512 times = _mm512_set1_ps(scale);
    for (int64_t i = 0; i < queries; i += SIDE) {
        const __m512 most = _mm512_loadu_ps(top + i), none = _mm512_set1_ps(-INFINITY), all = _mm512_set1_ps(INFINITY);
        /* inf less inf is NaN, though the product were rounded after the sum */
        __m512 less = _mm512_mask_mov_ps(most, _mm512_cmp_ps_mask(most, none, _CMP_EQ_OQ), _mm512_setzero_ps());
        less = _mm512_mask_mov_ps(less, _mm512_cmp_ps_mask(most, all, _CMP_EQ_OQ), _mm512_set1_ps(NAN));
        __m512 sum[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
        for (int64_t l = 0; l < keys; l += 2) {
            const __m512 x = exp_below_16(_mm512_fmsub_ps(_mm512_loadu_ps(panel + l * SPAN + i), times, less));
            const __m512 y = exp_below_16(_mm512_fmsub_ps(_mm512_loadu_ps(panel + (l + 1) * SPAN + i), times, less));
            sum[0] = _mm512_add_ps(sum[0], x);
            sum[1] = _mm512_add_ps(sum[1], y);
            _mm512_storeu_si512(pairs + l * SPAN + 2 * i, pairs_of_floats(x, y));
        }
        const __m512 before = _mm512_mul_ps(_mm512_loadu_ps(total + i), _mm512_loadu_ps(factor + i));
        _mm512_storeu_ps(total + i, _mm512_add_ps(before, _mm512_add_ps(sum[0], sum[1])));
    }
}

static NOINLINE void scale_sums(float *sums, const float *factor, int64_t width)
{
    const __m512 first = _mm512_loadu_ps(factor), second = _mm512_loadu_ps(factor + SIDE);
    for (int64_t j = 0; j < width; j++) {
        float *x = sums + j * SPAN;
        _mm512_storeu_ps(x, _mm512_mul_ps(_mm512_loadu_ps(x), first));
        _mm512_storeu_ps(x + SIDE, _mm512_mul_ps(_mm512_loadu_ps(x + SIDE), second));
    }
}

/* Pairs of queries from `query` of their block on: what is not kept is 0. What is kept is multiplied in the end. */
static NOINLINE void drop(half *pairs, const uint64_t *kept, int64_t query, int64_t keys, int64_t count)
{
    for (int64_t l = 0; l < keys; l++)
        for (int i = 0; i < SPAN && l < count; i++)
            if (!(kept[l] >> (query + i) & 1))
                pairs[l / 2 * 2 * SPAN + 2 * i + l % 2] = 0;
}

/* ---- a block of queries ---- */

static void finish_block(const forward *f, forward_room *r, int64_t batch, int64_t head, int64_t query, int64_t queries)
{
    const kt__attention *a = f->a;
    const float          kept = a->draws ? (float)(1 / a->keep) : 1;
    for (int64_t i = 0; i < queries; i++) {
        const float lse = r->total[i] == 0 ? 0 : r->top[i] + FN(log)(r->total[i]);
        r->factor[i] = r->total[i] == 0 ? 0 : kept / r->total[i];
        memcpy(kt__row_at(&a->lse, batch, head, query + i), &lse, sizeof lse);
    }
    for (int64_t i = 0; i < queries; i += SPAN) {
        finish_rows(r->rows, r->sums + i * f->value.padded, r->factor + i, f->value.padded);
        for (int64_t k = 0; k < lesser(queries - i, SPAN); k++)
            put_row(kt__row_at(&a->out, batch, head, query + i + k), &f->out, r->rows + k * f->value.padded);
    }
}

/* The values of `count` keys of a head as a left factor. */
static void pack_values(const forward *f, half *values, int64_t batch, int64_t head, int64_t first, int64_t count, half *room)
{
    for (int64_t l = 0; l < count; l += SPAN) {
        int64_t     ld;
        const half *from = block_of(&f->value, batch, head, first + l, lesser(count - l, SPAN), room, &ld);
        pack_turned(values + l * f->value.padded, from, ld, f->value.padded);
    }
}

static void forward_panel(const forward *f, forward_room *r, place at, int64_t i, side keys, side values, const uint64_t *kept)
{
    const int64_t depth = f->key.padded, width = f->value.padded, seen = panel_keys(f->a, at.query, at.first, at.count);
    float *const  sums = r->sums + i * width;
    if (seen == 0)
        return;
    product(r->panel, SPAN, keys, pairs_side(r->queries + i * depth, SPAN), seen, SPAN, depth / SPAN, false);
    const float scale = settle(r->panel, f->a, at, seen, r->lines);
    if (raise_tops(r->top + i, r->factor + i, r->panel, at.queries, scale, seen) && at.first > 0)
        scale_sums(sums, r->factor + i, width);
    exponentials(r->pairs, r->total + i, r->panel, r->top + i, r->factor + i, at.queries, scale, seen);
    if (kept)
        drop(r->pairs, kept + at.first, i, seen, at.count);
    product(sums, SPAN, values, pairs_side(r->pairs, SPAN), width, SPAN, seen / SPAN, at.first > 0);
}

static void forward_block(const forward *f, forward_room *r, int64_t batch, int64_t head, int64_t query)
{
    const kt__attention *a = f->a;
    const int64_t queries = lesser(a->queries - query, QUERIES), shared = head / a->group;
    const int64_t end = kt__keys_until(a, query + queries);
    const int64_t depth = f->key.padded, width = f->value.padded, begin = (batch * f->heads + shared) * f->all;
    for (int i = 0; i < QUERIES; i++)
        r->top[i] = -INFINITY, r->total[i] = r->factor[i] = 0;
    for (int64_t i = 0; i < queries; i += SPAN) {
        int64_t     ld;
        const half *from = block_of(&f->query, batch, head, query + i, lesser(queries - i, SPAN), r->rows, &ld);
        pack_columns(r->queries + i * depth, from, ld, depth);
    }
    const uint64_t *kept = draw_block(a, batch, head, query, queries, r->draws);
    for (int64_t first = 0; first < end; first += KEYS) {
        const int64_t count = lesser(end - first, KEYS);
        const half   *keys, *values = r->values;
        int64_t       ld = depth;
        if (f->keys) {
            keys = f->keys + (begin + first) * depth, values = f->values + (begin + first) * width;
        } else {
            keys = block_of(&f->key, batch, shared, first, count, r->keys, &ld);
            pack_values(f, r->values, batch, shared, first, count, r->rows);
        }
        for (int64_t i = 0; i < queries; i += SPAN) {
            const place at = {batch, head, query + i, lesser(queries - i, SPAN), first, count};
            forward_panel(f, r, at, i, rows_side(keys, ld), turned_side(values, width), kept);
        }
    }
    finish_block(f, r, batch, head, query, queries);
}

/* ---- all blocks: batch, head, block ---- */

static KT_AMX void forward_blocks(void *ctx, int64_t begin, int64_t end)
{
    forward             *f = ctx;
    const kt__attention *a = f->a;
    const int64_t        depth = f->key.padded, width = f->value.padded, packed = f->keys ? 0 : KEYS;
    const int64_t        bytes[] = {draw_bytes(a), QUERIES * depth * 2, KEYS * SPAN * 2, packed * depth * 2, packed * width * 2,
                                    SPAN * (depth > width ? depth : width) * 2, KEYS * SPAN * 4, QUERIES * width * 4,
                                    a->mask.x.data ? SIDE * KEYS * 4 : 0};
    forward_room         r;
    void **const         at[] = {(void **)&r.draws, (void **)&r.queries, (void **)&r.pairs, (void **)&r.keys, (void **)&r.values,
                                 (void **)&r.rows, (void **)&r.panel, (void **)&r.sums, (void **)&r.lines};
    size_t               granted = 0;
    char *const          room = divided_room(at, bytes, sizeof bytes / sizeof *bytes, &granted);
    if (!room) {
        __atomic_store_n(&f->failed, true, __ATOMIC_RELAXED);
        return;
    }
    amx_begin(&amx_whole);
    for (int64_t i = begin; i < end; i++)
        forward_block(f, &r, i / f->blocks / a->heads, i / f->blocks % a->heads, i % f->blocks * QUERIES);
    amx_end();
    kt__block_put(room, granted);
}

/* Spans of keys: batch, head, span. */
static void pack_spans(void *ctx, int64_t begin, int64_t end)
{
    forward      *f = ctx;
    const int64_t spans = f->all / SPAN, depth = f->key.padded, width = f->value.padded;
    size_t        granted = 0;
    half         *room = kt__block_get((size_t)(SPAN * width) * sizeof(half), &granted);
    if (!room)
        __atomic_store_n(&f->failed, true, __ATOMIC_RELAXED);
    for (int64_t i = begin; room && i < end; i++) {
        const int64_t batch = i / spans / f->heads, head = i / spans % f->heads, first = i % spans * SPAN;
        const int64_t count = lesser(f->a->keys - first, SPAN);
        copy_rows(f->keys + i * SPAN * depth, &f->key, batch, head, first, count);
        pack_values(f, f->values + i * SPAN * width, batch, head, first, count, room);
    }
    kt__block_put(room, granted);
}

static kt_status attention_forward(const kt__attention *a)
{
    forward f = {.a = a, .query = rows_of(&a->query, a->depth), .key = rows_of(&a->key, a->depth),
                 .value = rows_of(&a->value, a->width), .out = rows_of(&a->out, a->width),
                 .blocks = (a->queries + QUERIES - 1) / QUERIES, .heads = a->heads / a->group, .all = up_to_span(a->keys)};
    const int64_t each = f.key.padded + f.value.padded, lines = a->batch * f.heads * f.all;
    const size_t  bytes = (size_t)(lines * each) * sizeof(half);
    if (a->queries > QUERIES) {
        if (!(f.keys = kt__block_get(bytes, &f.granted)))
            return kt__fail_memory(bytes);
        f.values = f.keys + lines * f.key.padded;
        kt__parallel(lines / SPAN, KT__GRAIN / (each * SPAN) + 1, pack_spans, &f);
    }
    if (!f.failed)
        kt__parallel(a->batch * a->heads * f.blocks, (1 << 20) / (a->keys * each * QUERIES + 1) + 1, forward_blocks, &f);
    kt__block_put(f.keys, f.granted);
    return f.failed ? kt__fail_memory(bytes) : KT_OK;
}
