/* weight_directly_bf16.c - the gradient of a convolution's weight in bfloat16 without columns, by tiles (kernels.h).
 *
 * In: a pass whose `to` is what flowed back. Out: the weight's gradient, summed in float32 and rounded once. A tile is 16
 * channels of a padded image, at 32 positions as they lie, times what flowed back there to 16 rows, packed as a tile; the
 * positions run to the ends of padded rows, where zeros flowed back. Zero times an infinity of the image is no number: if a sum
 * is none, the caller must make all of them another way, which sees positions of the result alone. Sums of a few images, and of a
 * part of the batch, stay in float32. Independent of: threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/window/padded.h"

#include <string.h>

/* Images that are packed at once stay in the core's own cache; of these, 32 channels and rows at a few steps stay in L1. */
enum { BOX_BYTES = 1 << 19, STEPS = 8, PARTIAL_SUMS = 1 << 23, WIDE = 2 * SIDE, BLOCK = WIDE * WIDE };
enum { LEAST = 64 }; /* weights of a group: of fewer, tiles would be mostly empty */

typedef struct work {
    pass         *p;
    const weight *w;
    packing       packed;
    padded        seen;
    float        *sums;            /* [parts, groups, blocks of channels, blocks of rows, taps, BLOCK] */
    int64_t       channel_blocks, row_blocks, row_tiles;
    int64_t       units, images;   /* of images, times boxes: how many, how many images each */
    int64_t       parts, splits;   /* of units; of blocks of channels */
    int64_t       steps, *taps;    /* at most, of a unit; where taps begin in a plane, in bytes */
    int64_t      *places;          /* of channels and taps in the weight */
    bool          no_number;       /* a sum is none */
} work;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

bool kt__weight_fits_bf16(const pass *p, const weight *w)
{
    const int64_t width = (int64_t)sizeof(uint16_t);
    return has_bf16(p) && plain_bf16(&p->from.x) && plain_bf16(&p->to.x) && plain_bf16(&w->x) &&
           (p->from.step[2] == width || p->from.by_channel == width) && (p->to.step[2] == width || p->to.by_channel == width) &&
           p->to.batch * kt__volume(p->to.size) > 0 && p->depth * p->rows * p->taps >= LEAST;
}

/* ---- a unit: one box of a few images ---- */

typedef struct unit {
    uint16_t *image; /* [images, channels, planes] */
    uint16_t *back;  /* [tiles of rows, steps, TILE] */
    uint16_t *flat;  /* [16 rows, positions] */
    int64_t  *at;    /* where each step begins, in bytes */
    int64_t   steps;
} unit;

/* What flowed back to 16 rows at the box's positions, to the ends of padded rows. */
static void flatten(const work *k, const box *b, int64_t n, int64_t group, int64_t tile, uint16_t *flat, int64_t length)
{
    const pass   *p = k->p;
    const int64_t rows = least(SIDE, p->rows - tile * SIDE);
    int64_t       step[SPACE];
    const char   *from = box_in_result(p, b, n, group * p->rows + tile * SIDE, step);
    const int64_t width = (int64_t)sizeof *flat;
    memset(flat, 0, (size_t)(SIDE * length) * sizeof *flat);
    for (int64_t z = 0; z < b->size[0]; z++)
        for (int64_t y = 0; y < b->size[1]; y++) {
            uint16_t   *to = flat + (z * k->seen.extent[1] + y) * k->seen.extent[2];
            const char *line = from + z * step[0] + y * step[1];
            if (step[2] != width)
                p->build->direct_bf16->spread(to, length, (const uint16_t *)(const void *)line, step[2] / width, b->size[2],
                                              rows);
            else
                for (int64_t r = 0; r < rows; r++)
                    memcpy(to + r * length, line + r * p->to.by_channel, (size_t)b->size[2] * sizeof *to);
        }
}

/* Channels from `channel` on, and all rows. */
static void pack_unit(const work *k, unit *u, int64_t index, int64_t group, int64_t channel)
{
    const pass   *p = k->p;
    const int64_t boxes = kt__volume(p->boxes), first = index / boxes * k->images, n = least(k->images, p->to.batch - first);
    const box     b = box_at(p, index % boxes);
    const int64_t each = pieces(kt__padded_flat(&k->seen, b.size), TERMS);
    u->steps = n * each;
    for (int64_t i = 0; i < n; i++) {
        kt__padded_fill(&k->seen, p, &b, first + i, group, channel, u->image + i * k->seen.image);
        for (int64_t s = 0; s < each; s++)
            u->at[i * each + s] = (i * k->seen.image + s * TERMS) * (int64_t)sizeof *u->image;
        for (int64_t t = 0; t < k->row_tiles; t++) {
            flatten(k, &b, first + i, group, t, u->flat, each * TERMS);
            for (int64_t s = 0; s < each; s++)
                p->build->direct_bf16->turn(u->back + (t * u->steps + i * each + s) * TILE, u->flat + s * TERMS, each * TERMS);
        }
    }
}

/* All blocks of some channels: [blocks of channels, blocks of rows, taps, BLOCK]. */
static void add_unit(const work *k, const unit *u, int64_t blocks, float *sums)
{
    const kt__cpu_direct_bf16 *by = k->p->build->direct_bf16;
    const int64_t              by_channel = k->seen.plane * (int64_t)sizeof *u->image;
    for (int64_t s = 0; s < u->steps; s += STEPS)
        for (int64_t c = 0; c < blocks; c++)
            for (int64_t r = 0; r < k->row_blocks; r++)
                for (int64_t t = 0; t < k->seen.taps; t++) {
                    const char *seen = (const char *)(u->image + c * WIDE * k->seen.plane) + k->taps[t];
                    by->add(sums + ((c * k->row_blocks + r) * k->seen.taps + t) * BLOCK, seen, by_channel, u->at + s,
                            u->back + (2 * r * u->steps + s) * TILE, u->steps * TILE, least(STEPS, u->steps - s), 2,
                            (int)least(2, k->row_tiles - 2 * r));
                }
}

/* ---- items: parts, times groups, times splits of the channels ---- */

static void sum_items(void *ctx, int64_t begin, int64_t end)
{
    const work   *k = ctx;
    const int64_t images = k->images * k->seen.image, back = k->row_tiles * k->steps * TILE, flat = SIDE * k->steps * TERMS;
    const size_t  bytes = (size_t)(images + back + flat) * sizeof(uint16_t) + (size_t)k->steps * sizeof(int64_t);
    size_t        granted;
    uint16_t     *room = kt__block_get(bytes, &granted);
    unit          u = {.back = room, .image = room + back, .flat = room + back + images,
                       .at = (int64_t *)(void *)(room + back + images + flat)};
    for (int64_t i = begin; room && i < end; i++) {
        const int64_t split = i % k->splits, group = i / k->splits % k->p->groups, part = i / k->splits / k->p->groups;
        const int64_t first = k->channel_blocks * split / k->splits, last = k->channel_blocks * (split + 1) / k->splits;
        const int64_t block = k->row_blocks * k->seen.taps * BLOCK;
        float *const  sums = k->sums + ((part * k->p->groups + group) * k->channel_blocks + first) * block;
        memset(sums, 0, (size_t)((last - first) * block) * sizeof *sums);
        k->p->build->direct_bf16->begin();
        for (int64_t j = k->units * part / k->parts; j < k->units * (part + 1) / k->parts; j++) {
            pack_unit(k, &u, j, group, first * WIDE);
            add_unit(k, &u, last - first, sums);
        }
        k->p->build->direct_bf16->end();
    }
    if (!room)
        __atomic_store_n(&k->p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(room, granted);
}

/* ---- the weight: the sums of all parts, block by block ---- */

static void write_block(const work *k, int64_t group, int64_t channels, int64_t rows, const float *sums)
{
    const int64_t taps = k->seen.taps, many = least(WIDE, k->seen.channels - channels * WIDE);
    for (int64_t r = 0; r < least(WIDE, k->p->rows - rows * WIDE); r++) {
        char *const to = k->w->x.data + group * k->packed.by_group + (rows * WIDE + r) * k->packed.by_row;
        for (int64_t c = 0; c < many; c++) {
            const int64_t *place = k->places + (channels * WIDE + c) * taps;
            const float   *from = sums + ((c / SIDE * 2 + r / SIDE) * SIDE + c % SIDE) * SIDE + r % SIDE;
            for (int64_t t = 0; t < taps; t++)
                *(uint16_t *)(void *)(to + place[t]) = kt__encode_f32_BF16(from[t * BLOCK]);
        }
    }
}

static void write_blocks(void *ctx, int64_t begin, int64_t end)
{
    work         *k = ctx;
    const int64_t each = k->seen.taps * BLOCK, part = k->p->groups * k->channel_blocks * k->row_blocks * each;
    for (int64_t i = begin; i < end; i++) {
        float *const sums = k->sums + i * each;
        bool         no_number = false;
        for (int64_t j = 1; j < k->parts; j++)
            for (int64_t l = 0; l < each; l++)
                sums[l] += sums[j * part + l];
        for (int64_t l = 0; l < each; l++)
            no_number |= sums[l] != sums[l];
        if (no_number)
            __atomic_store_n(&k->no_number, true, __ATOMIC_RELAXED);
        write_block(k, i / k->row_blocks / k->channel_blocks, i / k->row_blocks % k->channel_blocks, i % k->row_blocks, sums);
    }
}

static void plan_units(work *k)
{
    pass *p = k->p;
    k->seen.lanes = 1;
    kt__padded_cut(&k->seen, p, WIDE, BOX_BYTES); /* tells the channels */
    k->channel_blocks = pieces(k->seen.channels, WIDE);
    k->row_tiles = pieces(p->rows, SIDE), k->row_blocks = pieces(p->rows, WIDE);
    const int64_t sums = p->groups * k->channel_blocks * k->row_blocks * k->seen.taps * BLOCK * (int64_t)sizeof *k->sums;
    const int64_t parts = least(PARTS, PARTIAL_SUMS / sums + 1);
    k->splits = least(k->channel_blocks, pieces(2 * kt_get_num_threads(), parts * p->groups)); /* each packs all rows */
    kt__padded_cut(&k->seen, p, pieces(k->channel_blocks, k->splits) * WIDE, BOX_BYTES);
    for (int i = 0; i < SPACE; i++) {
        p->box_size[i] = k->seen.box[i];
        p->boxes[i] = pieces(p->reach[i].count, k->seen.box[i]);
    }
    const int64_t steps = pieces(kt__padded_flat(&k->seen, k->seen.box), TERMS);
    const int64_t each = (k->seen.image + k->row_tiles * steps * TILE) * (int64_t)sizeof(uint16_t);
    k->images = most(1, least(BOX_BYTES / each, pieces(p->to.batch, parts)));
    k->units = pieces(p->to.batch, k->images) * kt__volume(p->boxes);
    k->parts = least(parts, k->units);
    k->steps = k->images * steps;
}

kt_status kt__run_weight_bf16(pass *p, const weight *w, bool *no_number)
{
    work k = {.p = p, .w = w, .packed = packed_as(p, w, false)};
    plan_units(&k);
    const int64_t blocks = p->groups * k.channel_blocks * k.row_blocks;
    const size_t  sums = (size_t)(k.parts * blocks * k.seen.taps * BLOCK) * sizeof *k.sums,
                  bytes = sums + (size_t)((k.seen.channels + 1) * k.seen.taps) * sizeof *k.taps;
    size_t        granted;
    if (!(k.sums = kt__block_get(bytes, &granted)))
        return kt__fail_memory(bytes);
    k.taps = (int64_t *)(void *)((char *)k.sums + sums);
    k.places = k.taps + k.seen.taps;
    kt__padded_weight(&k.seen, p, &k.packed, k.places);
    for (int64_t t = 0; t < k.seen.taps; t++)
        k.taps[t] = kt__padded_tap(&k.seen, p, t) * (int64_t)sizeof(uint16_t);
    const int64_t cost = k.steps * (k.units / k.parts + 1) * k.channel_blocks / k.splits * k.row_blocks * k.seen.taps + 1;
    kt__parallel(k.parts * p->groups * k.splits, (1 << 8) / cost + 1, sum_items, &k);
    if (!p->failed)
        kt__parallel(blocks, (1 << 4) / (k.parts * k.seen.taps) + 1, write_blocks, &k);
    kt__block_put(k.sums, granted);
    *no_number = k.no_number;
    return p->failed ? kt__fail_memory(bytes) : KT_OK;
}
