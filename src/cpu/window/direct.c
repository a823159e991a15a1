/* direct.c - see direct.h. */
#include "cpu/window/direct.h"

#include "base/alloc.h"

#include <string.h>

enum { BOX_BYTES = 3 << 17, LONGEST = 512, MOST_COLUMNS = 64, MOST_ROWS = 8 };
/* What BLOCKS of rows see in STEPS channels and taps stays in L1, beside their sums, for as many tiles as there is room. */
enum { BLOCKS = 8, STEPS = 144, MOST_TOGETHER = 16 };

static int64_t reach_of(const kt__direct *d, int i)
{
    const int64_t by = d->by_tap[i] < 0 ? -d->by_tap[i] : d->by_tap[i];
    return by * (d->taps[i] - 1);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t pieces(int64_t size, int64_t most) { return (size + most - 1) / most; }

/* Equal parts of at most `most`. */
static int64_t cut(int64_t count, int64_t most) { return pieces(count, pieces(count, most < 1 ? 1 : most)); }

static void lay_out(kt__direct *d)
{
    d->channel = 1;
    for (int i = 0; i < KT__SPACE_DIMS; i++) {
        d->before[i] = d->by_tap[i] < 0 ? reach_of(d, i) : 0;
        d->phase[i] = pieces(d->move[i] * (d->box[i] - 1) + reach_of(d, i) + 1, d->move[i]);
        d->channel *= d->phase[i] * d->move[i];
    }
    d->padded = d->depth * d->channel + d->by->columns;
    d->k = d->depth * d->taps[0] * d->taps[1] * d->taps[2];
}

/* Positions of a box of `size`, counted through to the ends of the padded rows. */
static int64_t counted(const kt__direct *d, const int64_t *size)
{
    return ((size[0] - 1) * d->phase[1] + size[1] - 1) * d->phase[2] + size[2];
}

/* Is there a tap for each phase, and are taps so near to each other that what lies between them may be copied too? Strides and
 * dilations may be as large as an integer: of those that are near, products of sizes are small. */
static bool is_near(const kt__direct *d, const int64_t *count)
{
    bool near = reach_of(d, 0) <= 4 * d->taps[0];
    for (int i = 0; i < KT__SPACE_DIMS; i++)
        near = near && d->move[i] <= d->taps[i] && (i == 0 || reach_of(d, i) / d->move[i] <= 3 * count[i]);
    return near;
}

/* Is at least a part of what is copied and counted wanted? Not of much padding. */
static bool is_wanted(const kt__direct *d)
{
    const int64_t positions = d->box[0] * d->box[1] * d->box[2];
    return counted(d, d->box) <= 2 * positions &&
           d->channel <= 3 * positions * d->move[0] * d->phase[0] * d->move[1] * d->move[2];
}

bool kt__direct_fits(kt__direct *d, const int64_t *count)
{
    if (!d->by->tile || d->depth == 0 || count[0] * count[1] * count[2] == 0 || !is_near(d, count))
        return false;
    d->box[0] = 1;
    d->box[1] = 1;
    d->box[2] = cut(count[2], LONGEST);
    lay_out(d);
    const int64_t row = d->depth * d->phase[0] * d->move[0] * d->phase[2] * d->move[2] * d->move[1] * (int64_t)sizeof(float);
    d->box[1] = cut(count[1], BOX_BYTES / row - reach_of(d, 1) / d->move[1]);
    lay_out(d);
    /* few rows, as of depthwise convolutions, fill a tile badly: still better than columns if its positions are wanted */
    const bool fills = 2 * counted(d, d->box) >= d->by->columns;
    return fills && is_wanted(d);
}

/* Where tap t of dim i stands, in its phase, and which phase that is. */
static int64_t tap_at(const kt__direct *d, int i, int64_t t, int64_t *phase)
{
    const int64_t element = d->before[i] + d->by_tap[i] * t;
    *phase = element % d->move[i];
    return element / d->move[i];
}

static void find_rows(kt__direct *d)
{
    int64_t       *at = d->at;
    const int64_t *ph = d->phase, each = ph[0] * ph[1] * ph[2];
    for (int64_t c = 0; c < d->depth; c++)
        for (int64_t t = 0; t < d->taps[0] * d->taps[1] * d->taps[2]; t++) {
            int64_t       f[KT__SPACE_DIMS];
            const int64_t z = tap_at(d, 0, t / d->taps[2] / d->taps[1], &f[0]), y = tap_at(d, 1, t / d->taps[2] % d->taps[1],
                                                                                          &f[1]),
                          x = tap_at(d, 2, t % d->taps[2], &f[2]);
            *at++ = c * d->channel + ((f[0] * d->move[1] + f[1]) * d->move[2] + f[2]) * each + (z * ph[1] + y) * ph[2] + x;
        }
}

/* Tiles of a box: of all its positions, counted through, or of each row by itself, if that makes no more of them. */
static void cut_tiles(kt__tiling *t, const kt__direct *d, const int64_t *size)
{
    const int64_t total = counted(d, size), through = pieces(total, d->by->columns), by_row = pieces(size[2], d->by->columns),
                  rows = size[0] * size[1];
    memcpy(t->size, size, sizeof t->size);
    t->by_row = by_row * rows <= through;
    t->tiles = t->by_row ? by_row * rows : through;
    t->total = total;
}

bool kt__direct_begin(kt__direct *d, const float *weights, int64_t groups, int64_t by_group, int64_t by_row, int64_t beside)
{
    const int64_t block = d->by->rows, blocks = pieces(d->rows, block);
    const size_t  rows = (size_t)d->k * sizeof *d->at, packed =
        (size_t)(groups * blocks * block * d->k + beside) * sizeof *d->weights;
    if (!(d->made = kt__block_get(rows + packed + sizeof *d->at, &d->granted)))
        return false;
    d->weights = d->made;
    d->at = (int64_t *)(void *)((char *)d->made + (packed + 7) / 8 * 8);
    d->by_group = blocks * block * d->k;
    const int64_t taps = d->k / d->depth, room = MOST_ROWS * MOST_COLUMNS / (block * d->by->columns);
    d->steps = taps * (STEPS > taps ? STEPS / taps : 1);
    d->together = room < 1 ? 1 : least(room, MOST_TOGETHER); /* tiles that a block of weights serves in L1 */
    cut_tiles(&d->tiling, d, d->box);
    d->beside = d->weights + groups * d->by_group;
    find_rows(d);
    for (int64_t g = 0; g < groups; g++)
        for (int64_t r = 0; r < blocks * block; r += block) {
            const int64_t there = least(block, d->rows - r);
            const float  *from = weights + g * by_group + r * by_row;
            float        *to = d->weights + g * d->by_group + r * d->k;
            for (int64_t k = 0; k < d->k; k++, to += block) {
                for (int64_t i = 0; i < there; i++)
                    to[i] = from[i * by_row + k];
                for (int64_t i = there; i < block; i++)
                    to[i] = 0;
            }
        }
    return true;
}

void kt__direct_end(kt__direct *d) { kt__block_put(d->made, d->granted); }

/* A place in a box, padding and all: where it is counted, and in each dim. */
typedef struct place {
    int64_t at, z, y, x;
} place;

static void next_row(const kt__direct *d, place *p)
{
    p->at += d->phase[2] - p->x;
    p->x = 0;
    if (++p->y == d->phase[1])
        p->y = 0, p->z++;
}

/* The tile that begins at p: how many positions it has of the box, side by side; p moves to where the next begins. */
static int tile_at(const kt__direct *d, const kt__tiling *t, const int64_t *step, place *p, kt__stretch *s)
{
    const int64_t first = p->at, end = least(first + d->by->columns, t->total);
    int           n = 0;
    if (t->by_row) {
        const int64_t length = least(d->by->columns, t->size[2] - p->x);
        s[n++] = (kt__stretch){0, length, p->z * step[0] + p->y * step[1] + p->x};
        p->at += length, p->x += length;
        if (p->x == t->size[2])
            next_row(d, p);
        while (p->y >= t->size[1] && p->z < t->size[0])
            next_row(d, p);
        return n;
    }
    while (p->at < end) {
        const int64_t left = d->phase[2] - p->x, stop = p->at + t->size[2] - p->x;
        if (p->x < t->size[2] && p->y < t->size[1] && p->z < t->size[0])
            s[n++] = (kt__stretch){p->at - first, least(stop, end) - p->at, p->z * step[0] + p->y * step[1] + p->x};
        if (p->at + left > end) {
            p->x += end - p->at, p->at = end;
            break;
        }
        next_row(d, p);
    }
    return n;
}

/* Rows of the result lie far apart, where the processor does not foresee that they are written: they are asked for while they are
 * made, some with each part of the sums. Stretches mostly follow each other. */
static void ask_for_rows(const kt__stretch *s, int n, int64_t first, int64_t end, const float *out, int64_t by_row)
{
    enum { LINE = 64 / sizeof(float) };
    for (int i = 0; i < n;) {
        const int64_t from = s[i].to;
        int64_t       to = from + s[i].length;
        while (++i < n && s[i].to == to)
            to += s[i].length;
        for (int64_t r = first; r < end; r++)
            for (int64_t k = from; k < to + LINE - 1; k += LINE)
                __builtin_prefetch(out + r * by_row + (k < to ? k : to - 1), 1, 2);
    }
}

void kt__direct_box(const kt__direct *d, int64_t group, int64_t first_row, int64_t end_row, const float *padded,
                    const int64_t *size, const float *bias, int64_t by_bias, float *out, int64_t by_row, const int64_t *step)
{
    float         sums[BLOCKS * MOST_ROWS * MOST_COLUMNS] __attribute__((aligned(64)));
    kt__stretch   s[MOST_TOGETHER][MOST_COLUMNS];
    int           stretches[MOST_TOGETHER];
    int64_t       begins[MOST_TOGETHER];
    kt__tiling    other;
    const bool    whole = size[0] == d->box[0] && size[1] == d->box[1] && size[2] == d->box[2];
    const int64_t columns = d->by->columns, block = d->by->rows, each = block * columns;
    place         at = {0};
    if (!whole)
        cut_tiles(&other, d, size);
    const kt__tiling *all = whole ? &d->tiling : &other;
    for (int64_t tile = 0; tile < all->tiles; tile += d->together) {
        const int64_t tiles = least(d->together, all->tiles - tile);
        for (int64_t t = 0; t < tiles; t++) {
            begins[t] = at.at;
            stretches[t] = tile_at(d, all, step, &at, s[t]);
        }
        for (int64_t first = first_row; first < end_row; first += BLOCKS * block) {
            const int64_t blocks = least(BLOCKS, pieces(end_row - first, block));
            const float  *weights = d->weights + group * d->by_group + first * d->k;
            memset(sums, 0, (size_t)(blocks * tiles * each) * sizeof *sums);
            for (int64_t k = 0; k < d->k; k += d->steps) {
                const int64_t steps = least(d->steps, d->k - k);
                const int64_t begin = block * k / d->k, end = block * (k + steps) / d->k; /* the rows that are asked for now */
                for (int64_t i = 0, r = first; i < blocks; i++, r += block) {
                    const int64_t rows = least(end_row - r, block);
                    for (int64_t t = 0; t < tiles; t++) {
                        float *const tile_sums = sums + (i * tiles + t) * each;
                        ask_for_rows(s[t], stretches[t], begin, least(end, rows), out + r * by_row, by_row);
                        d->by->tile(tile_sums, weights + (i * d->k + k) * block, padded + begins[t], d->at + k, steps);
                        if (k + steps == d->k)
                            d->by->write_rows(tile_sums, s[t], stretches[t], bias ? bias + r * by_bias : NULL, by_bias, rows,
                                              out + r * by_row, by_row);
                    }
                }
            }
        }
    }
}
