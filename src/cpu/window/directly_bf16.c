/* directly_bf16.c - convolutions of bfloat16 images without columns, by tiles (kernels.h): forward, and back to the image.
 *
 * In: a pass. Out: its results, summed in float32 and rounded once. What a tap sees from 16 positions of 32 channels is a tile as
 * it lies in the padded planes; the weights are packed as tiles of 32 channels and 16 rows, tap after tap. Sums run through
 * all channels and taps in order, so neither boxes nor threads change the bits. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/window/padded.h"

#include <string.h>

/* A box stays in the core's own cache, beside the weights of the rows that are made in one pass over it. */
enum { BOX_BYTES = 3 << 18, WEIGHT_BYTES = 1 << 19, WIDE = 2 * SIDE, BLOCK = WIDE * WIDE };
enum { LEAST = 64 }; /* weights of a group: of fewer, tiles would be mostly empty */

typedef struct work {
    pass         *p;
    const weight *w;
    packing       packed;
    padded        seen;
    uint16_t     *weights; /* [groups, blocks of rows, steps, tiles of a block] */
    float        *bias;    /* NULL: none */
    int64_t       steps, *at;      /* of a sum: blocks of channels, taps of each; where they begin, in bytes */
    int64_t      *places;          /* of channels and taps in the weight */
    int64_t       blocks, tiles;   /* of the rows of a group: two tiles each; tiles */
    int64_t       images, splits;  /* of an item: images at once; into how many the blocks are split */
    bool          in_place, rows_inner; /* results are written where they belong; the rows of a position lie side by side there */
} work;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

bool kt__fits_bf16(const pass *p, const weight *w)
{
    const int64_t width = (int64_t)sizeof(uint16_t);
    return has_bf16(p) && plain_bf16(&p->from.x) && plain_bf16(&p->to.x) && plain_bf16(&w->x) &&
           p->depth * p->rows * p->taps >= LEAST && (p->from.step[2] == width || p->from.by_channel == width);
}

/* ---- weights ---- */

static void pack_tile(const work *k, int64_t group, int64_t tile)
{
    const pass   *p = k->p;
    const int64_t wide = least(2, k->tiles - tile / 2 * 2), rows = least(SIDE, p->rows - tile * SIDE), by_row = k->packed.by_row,
                  word = p->build->direct_bf16->terms;
    uint16_t     *to = k->weights + (group * k->tiles + tile / 2 * 2) * k->steps * TILE + tile % 2 * TILE;
    const char   *from = k->w->x.data + group * k->packed.by_group + tile * SIDE * by_row;
    for (int d = 0; d < SPACE; d++)
        from += p->reach[d].tap * k->w->step[d];
    for (int64_t s = 0; s < k->steps; s++, to += wide * TILE) {
        const int64_t  first = s / k->seen.taps * TERMS, n = least(TERMS, k->seen.channels - first);
        const int64_t *place = k->places + first * k->seen.taps + s % k->seen.taps;
        if (n < TERMS || rows < SIDE)
            memset(to, 0, TILE * sizeof *to);
        for (int64_t i = 0; i < n; i++) {
            const char *at = from + place[i * k->seen.taps];
            for (int64_t r = 0; r < rows; r++, at += by_row)
                to[i / word * SIDE * word + r * word + i % word] = *(const uint16_t *)(const void *)at;
        }
    }
}

static void pack_tiles(void *ctx, int64_t begin, int64_t end)
{
    const work *k = ctx;
    for (int64_t i = begin; i < end; i++)
        pack_tile(k, i / k->tiles, i % k->tiles);
}

static kt_status copy_bias(const work *k)
{
    kt_operand target = computed(k->p, (char *)k->bias), source = k->p->bias;
    kt_plan    copy;
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, k->p->groups * k->p->rows, k->p->width, k->p->by_bias);
    return kt__cpu_run_with(k->p->build, &copy);
}

/* ---- a box ---- */

static int stretches_of(const padded *d, const int64_t *size, const int64_t *step, int64_t first, int64_t end, kt__stretch *s)
{
    int n = 0;
    for (int64_t i = first; i < end;) {
        const int64_t x = i % d->extent[2], y = i / d->extent[2] % d->extent[1], z = i / d->extent[2] / d->extent[1];
        if (x < size[2] && y < size[1])
            s[n++] = (kt__stretch){i - first, least(i - x + size[2], end) - i, z * step[0] + y * step[1] + x * step[2]};
        i += d->extent[2] - x;
    }
    return n;
}

typedef struct place { /* of a box: where row 0 of its first position goes, and the steps from there, in elements */
    uint16_t *at;
    int64_t   by_row, step[SPACE];
} place;

/* Some blocks of rows, of one image's box. */
static void multiply_box(const work *k, const uint16_t *planes, const int64_t *size, int64_t group, int64_t from, int64_t to,
                         const place *out, bool rows_inner)
{
    const kt__cpu_direct_bf16 *by = k->p->build->direct_bf16;
    const int64_t              rows = k->p->rows, flat = kt__padded_flat(&k->seen, size);
    float                      sums[BLOCK] __attribute__((aligned(64)));
    kt__stretch            s[WIDE];
    for (int64_t i = 0; i < flat; i += WIDE) {
        const int n = stretches_of(&k->seen, size, out->step, i, least(i + WIDE, flat), s);
        for (int64_t b = from; b < to; b++) {
            const int64_t row = b * WIDE, many = least(WIDE, rows - row);
            const float  *bias = k->bias ? k->bias + group * rows + row : NULL;
            by->multiply(sums, (const char *)(planes + TERMS * i), k->at,
                         k->weights + (group * k->tiles + 2 * b) * k->steps * TILE, k->steps, flat - i > SIDE ? 2 : 1,
                         many > SIDE ? 2 : 1);
            if (rows_inner)
                by->write_positions(sums, s, n, bias, many, out->at + row, out->step[2]);
            else
                by->write_rows(sums, s, n, bias, many, out->at + row * out->by_row, out->by_row);
        }
    }
}

static kt_status move_rows(const work *k, const box *b, char *to, const int64_t *to_step, const uint16_t *from,
                           const int64_t *from_step, int64_t rows)
{
    kt_operand target = k->p->to.x, source = target;
    kt_plan    copy;
    target.data = to, source.data = (char *)(uintptr_t)from;
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, rows, k->p->to.by_channel, kt__volume(b->size) * (int64_t)sizeof *from);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, b->size[d], to_step[d], from_step[d] * (int64_t)sizeof *from);
    return kt__cpu_run_with(k->p->build, &copy);
}

/* Rows [from, to) in blocks, of one image. tile: room for them where the result is not dense. */
static kt_status make_rows(const work *k, const uint16_t *planes, const box *b, int64_t n, int64_t group, int64_t from,
                           int64_t to, uint16_t *tile)
{
    const pass   *p = k->p;
    const int64_t width = (int64_t)sizeof *tile, positions = kt__volume(b->size);
    int64_t       step[SPACE];
    char         *at = box_in_result(p, b, n, group * p->rows, step);
    if (k->in_place) {
        const place out = {(uint16_t *)(void *)at, p->to.by_channel / width, {step[0] / width, step[1] / width, step[2] / width}};
        multiply_box(k, planes, b->size, group, from, to, &out, k->rows_inner);
        return KT_OK;
    }
    const place out = {tile - from * WIDE * positions, positions, {b->size[1] * b->size[2], b->size[2], 1}};
    multiply_box(k, planes, b->size, group, from, to, &out, false);
    return move_rows(k, b, at + from * WIDE * p->to.by_channel, step, tile, out.step, least(to * WIDE, p->rows) - from * WIDE);
}

/* ---- items: groups of images, times groups, times boxes, times splits of the rows ---- */

static kt_status make_item(const work *k, int64_t item, uint16_t *images, uint16_t *tile)
{
    const pass   *p = k->p;
    const int64_t boxes = kt__volume(p->boxes), split = item % k->splits, at = item / k->splits % boxes,
                  group = item / k->splits / boxes % p->groups, first = item / k->splits / boxes / p->groups * k->images;
    const int64_t n = least(k->images, p->to.batch - first), begin = k->blocks * split / k->splits,
                  end = k->blocks * (split + 1) / k->splits;
    const int64_t together = most(1, WEIGHT_BYTES / (k->steps * 2 * TILE * (int64_t)sizeof *images));
    const box     b = box_at(p, at);
    kt_status     status = KT_OK;
    for (int64_t i = 0; i < n; i++)
        kt__padded_fill(&k->seen, p, &b, first + i, group, 0, images + i * k->seen.image);
    p->build->direct_bf16->begin();
    for (int64_t row = begin; row < end; row += together)
        for (int64_t i = 0; i < n && !status; i++)
            status = make_rows(k, images + i * k->seen.image, &b, first + i, group, row, least(row + together, end), tile);
    p->build->direct_bf16->end();
    return status;
}

static void make_items(void *ctx, int64_t begin, int64_t end)
{
    const work   *k = ctx;
    const int64_t seen = k->images * k->seen.image, made = k->in_place ? 0 : k->p->rows * kt__volume(k->p->box_size);
    size_t        granted;
    uint16_t     *room = kt__block_get((size_t)(seen + made) * sizeof *room, &granted);
    bool          ok = room != NULL;
    for (int64_t i = begin; ok && i < end; i++)
        ok = make_item(k, i, room, room + seen) == KT_OK;
    if (!ok)
        __atomic_store_n(&k->p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(room, granted);
}

static void plan_items(work *k)
{
    pass         *p = k->p;
    const int64_t threads = kt_get_num_threads();
    k->seen.lanes = TERMS;
    kt__padded_cut(&k->seen, p, TERMS, BOX_BYTES); /* tells the channels */
    const int64_t channels = pieces(k->seen.channels, TERMS) * TERMS;
    kt__padded_cut(&k->seen, p, channels, BOX_BYTES);
    for (int i = 0; i < SPACE; i++) {
        p->box_size[i] = k->seen.box[i];
        p->boxes[i] = pieces(p->reach[i].count, k->seen.box[i]);
    }
    k->steps = channels / TERMS * k->seen.taps;
    k->tiles = pieces(p->rows, SIDE), k->blocks = pieces(p->rows, WIDE);
    const int64_t room = BOX_BYTES / (k->seen.image * (int64_t)sizeof(uint16_t) + 1);
    k->images = most(1, least(room, p->to.batch / (2 * threads)));
    const int64_t items = pieces(p->to.batch, k->images) * p->groups * kt__volume(p->boxes);
    k->splits = items < 2 * threads && threads > 1 ? least(k->blocks, pieces(2 * threads, items)) : 1;
}

static void find_steps(const work *k)
{
    const int64_t width = TERMS * (int64_t)sizeof(uint16_t);
    for (int64_t s = 0; s < k->steps; s++)
        k->at[s] = (s / k->seen.taps * k->seen.plane + kt__padded_tap(&k->seen, k->p, s % k->seen.taps)) * width;
}

kt_status kt__run_bf16(pass *p, const weight *w, bool back)
{
    work k = {.p = p, .w = w, .packed = packed_as(p, w, back)};
    if (p->to.batch * kt__volume((const int64_t[]){p->reach[0].count, p->reach[1].count, p->reach[2].count}) == 0)
        return KT_OK;
    plan_items(&k);
    k.rows_inner = p->to.by_channel == (int64_t)sizeof(uint16_t) && kt__channels_last(&p->to);
    k.in_place = k.rows_inner || p->reach[2].step * p->to.step[2] == (int64_t)sizeof(uint16_t);
    const size_t  weights = (size_t)(p->groups * k.tiles * k.steps * TILE) * sizeof *k.weights,
                  biases = (size_t)(p->bias.data ? (p->groups * p->rows + 1) / 2 * 2 : 0) * sizeof *k.bias,
                  bytes = weights + biases + (size_t)(k.steps + k.seen.channels * k.seen.taps) * sizeof *k.at;
    size_t        granted;
    void         *made = kt__block_get(bytes, &granted);
    if (!made)
        return kt__fail_memory(bytes);
    k.weights = made;
    k.bias = biases ? (float *)(void *)((char *)made + weights) : NULL;
    k.at = (int64_t *)(void *)((char *)made + weights + biases);
    k.places = k.at + k.steps;
    find_steps(&k);
    kt__padded_weight(&k.seen, p, &k.packed, k.places);
    kt_status     status = k.bias ? copy_bias(&k) : KT_OK;
    const int64_t items = pieces(p->to.batch, k.images) * p->groups * kt__volume(p->boxes) * k.splits,
                  cost = k.steps * k.tiles * kt__volume(p->box_size) * k.images / k.splits + 1;
    kt__parallel(p->groups * k.tiles, (1 << 6) / k.steps + 1, pack_tiles, &k);
    if (!status)
        kt__parallel(items, (1 << 13) / cost + 1, make_items, &k);
    kt__block_put(made, granted);
    return p->failed ? kt__fail_memory((size_t)k.seen.image) : status;
}
