/* attention_mask.inc.c - the gradient of attention's mask in compute type T. A template; includes follow attention_back.inc.c.
 *
 * In: the operands of attention.h. Out: the gradient of the mask. A task is a tile of it: the scores of all heads, queries and
 * keys that share the tile are computed again, and their gradients are added up in order, so the number of threads does not
 * change the bits, and nothing larger than a tile is held. */

typedef struct FN(mask_back) {
    FN(back) b;
    int64_t  batches, heads, blocks, tiles; /* of the mask: 1 where it is shared */
} FN(mask_back);

typedef struct FN(span) { /* what shares one of `n` parts */
    int64_t begin, end;
} FN(span);

/* The part is one of all, if these are parts; else it is all. */
static FN(span) FN(shared_by)(int64_t part, int64_t parts, int64_t all)
{
    return parts == all ? (FN(span)){part, part + 1} : (FN(span)){0, all};
}

static TILE_NOINLINE void FN(add_panel)(T *restrict sums, const T *restrict panel, int64_t keys, int64_t queries)
{
    for (int64_t l = 0; l < keys; l++)
        for (int64_t i = 0; i < queries; i++)
            sums[l * COLS + i] += panel[l * COLS + i];
}

/* One block of queries and the key tiles of `tiles`. */
static void FN(add_block)(const FN(back) *b, FN(back_room) *r, int64_t batch, int64_t head, int64_t query, FN(span) tiles)
{
    const kt__attention *a = b->a;
    const int64_t        queries = FN(lesser)(a->queries - query, QUERIES), shared = head / a->group;
    int64_t              by_grad;
    const T             *grads = FN(block_of)(&b->grad, batch, head, query, queries, true, r->grads, &by_grad);
    FN(load_block)(b, r, batch, head, query, queries, grads, by_grad);
    FN(place)            at = {batch, head, query, .kept = FN(draw_block)(a, batch, head, query, queries, r->draws)};
    for (int64_t tile = tiles.begin; tile < tiles.end; tile++) {
        at.first = tile * KEYS, at.count = FN(lesser)(a->keys - at.first, KEYS);
        at.keys = FN(block_of)(&b->key, batch, shared, at.first, at.count, false, r->keys, &at.by_key);
        at.values = FN(block_of)(&b->value, batch, shared, at.first, at.count, false, r->values, &at.by_value);
        for (int64_t i = 0; i < queries; i += COLS)
            FN(add_panel)(r->sums + i * KEYS, r->slopes + i * KEYS, FN(back_panel)(b, r, &at, i), FN(lesser)(queries - i, COLS));
    }
}

/* The sums of a tile; those of queries and keys that share an element are added. */
static void FN(store_tile_sums)(const kt__attention *a, const T *sums, int64_t batch, int64_t head, int64_t query, int64_t first)
{
    const kt__matrices *m = &a->grad_mask;
    const FN(lens)      lens = FN(lens_of)(&m->x, m->step[3]);
    const int64_t       rows = m->step[2] ? FN(lesser)(a->queries - query, QUERIES) : 1;
    for (int64_t i = 0; i < rows; i++) {
        T line[KEYS];
        for (int64_t l = 0; l < KEYS; l++) {
            T sum = 0;
            for (int64_t k = i; k < (m->step[2] ? i + 1 : QUERIES); k++)
                sum += sums[k / COLS * KEYS * COLS + l * COLS + k % COLS];
            line[l] = sum;
        }
        for (int64_t l = 1; !m->step[3] && l < KEYS; l++)
            line[0] += line[l];
        FN(store_tile)(kt__row_at(m, batch, head, query + i) + first * m->step[3], &lens, line,
                       m->step[3] ? (int)FN(lesser)(a->keys - first, KEYS) : 1);
    }
}

static void FN(mask_task)(const FN(mask_back) *x, FN(back_room) *r, int64_t at)
{
    const kt__attention *a = x->b.a;
    const int64_t        tile = at % x->tiles, block = at / x->tiles % x->blocks, head = at / x->tiles / x->blocks % x->heads;
    const int64_t        batch = at / x->tiles / x->blocks / x->heads;
    const FN(span)       batches = FN(shared_by)(batch, x->batches, a->batch), heads = FN(shared_by)(head, x->heads, a->heads);
    const FN(span)       blocks = FN(shared_by)(block, x->blocks, x->b.blocks);
    const FN(span)       tiles = FN(shared_by)(tile, x->tiles, (a->keys + KEYS - 1) / KEYS);
    memset(r->sums, 0, sizeof(T) * KEYS * QUERIES);
    for (int64_t i = batches.begin; i < batches.end; i++)
        for (int64_t j = heads.begin; j < heads.end; j++)
            for (int64_t k = blocks.begin; k < blocks.end; k++)
                FN(add_block)(&x->b, r, i, j, k * QUERIES, tiles);
    FN(store_tile_sums)(a, r->sums, batch, head, block * QUERIES, tile * KEYS);
}

static void FN(mask_tasks)(void *ctx, int64_t begin, int64_t end)
{
    FN(mask_back)       *x = ctx;
    const kt__attention *a = x->b.a;
    FN(back_room)        r;
    const int64_t        depth = x->b.depth, width = x->b.width;
    const int64_t        parts[] = {FN(draw_room)(a), depth * QUERIES, width * QUERIES, width * QUERIES, KEYS * QUERIES,
                                    KEYS * QUERIES, KEYS * depth, KEYS * width, depth > width ? depth : width, KEYS * QUERIES};
    T **const            at[] = {&r.draws, &r.turned, &r.grad_turned, &r.grads, &r.scores,
                                 &r.slopes, &r.keys, &r.values, &r.row, &r.sums};
    size_t               granted = 0;
    T *const             room = FN(divided_room)(at, parts, sizeof parts / sizeof *parts, &granted);
    if (!room) {
        __atomic_store_n(&x->b.failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (int64_t i = begin; i < end; i++)
        FN(mask_task)(x, &r, i);
    kt__block_put(room, granted);
}

static kt_status FN(attention_mask_backward)(const kt__attention *a)
{
    const int64_t *step = a->grad_mask.step;
    FN(mask_back)  x = {.b = {.a = a, .blocks = (a->queries + QUERIES - 1) / QUERIES}};
    x.b.query = FN(rows_of)(&a->query, a->depth), x.b.key = FN(rows_of)(&a->key, a->depth);
    x.b.value = FN(rows_of)(&a->value, a->width), x.b.out = FN(rows_of)(&a->out, a->width);
    x.b.grad = FN(rows_of)(&a->grad, a->width);
    x.b.depth = FN(rounded_up)(a->depth, COLS), x.b.width = FN(rounded_up)(a->width, COLS);
    x.batches = step[0] ? a->batch : 1, x.heads = step[1] ? a->heads : 1;
    x.blocks = step[2] ? x.b.blocks : 1, x.tiles = step[3] ? (a->keys + KEYS - 1) / KEYS : 1;
    kt__parallel(x.batches * x.heads * x.blocks * x.tiles, 1, FN(mask_tasks), &x);
    return x.b.failed ? kt__fail_memory(sizeof(T) * (size_t)(QUERIES * KEYS)) : KT_OK;
}
