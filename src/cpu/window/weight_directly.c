/* weight_directly.c - the gradient of a convolution's weight without columns, in float32 and narrower floats.
 *
 * In: a pass whose `to` is what flowed back. Out: sums over the boxes of some images. A box of the image is copied with its
 * padding, channels innermost, so that what neighbouring taps see of all channels lies side by side; the loop of direct.h then
 * multiplies it by what flowed back, position by position. Sums stay in the tiles that the loop makes until all boxes are done.
 * Independent of: how the sums of parts are added. */
#include "base/error.h"
#include "cpu/window/pass.h"

enum { BOX_BYTES = 1 << 19, MOST_SUMS = 512, LINE = 64 };
/* What BLOCKS of rows multiply at POSITIONS stays in L1, beside their sums. */
enum { BLOCKS = 8, POSITIONS = 80 };

static int64_t extent(const pass *p, int d)
{
    return p->reach[d].move * (p->box_size[d] - 1) + p->reach[d].by_tap * (p->reach[d].taps - 1) + 1;
}

/* Elements of the copied box, and of what flowed back to it, in blocks of rows. */
static int64_t padded_of(const pass *p) { return extent(p, 0) * extent(p, 1) * extent(p, 2) * p->depth; }
static int64_t packed_of(const pass *p)
{
    const int64_t rows = p->build->direct->rows;
    return pieces(p->rows, rows) * rows * kt__volume(p->box_size);
}

bool kt__weight_fits_directly(pass *p)
{
    const kt__cpu_direct *by = p->build->direct;
    if (!by->tile || p->dtype != KT_F32 || 2 * p->rows < by->rows || p->depth * p->reach[2].taps < by->columns / 2 ||
        p->to.batch * p->groups < PARTS / 4)
        return false;
    p->box_size[0] = p->box_size[1] = 1;
    p->box_size[2] = p->reach[2].count < BOX_BYTES / 1024 ? p->reach[2].count : BOX_BYTES / 1024;
    const int64_t row = (padded_of(p) / extent(p, 1) * p->reach[1].move + packed_of(p)) * p->width, most = BOX_BYTES / (row + 1);
    const int64_t n = pieces(p->reach[1].count, most < 1 ? 1 : most);
    p->box_size[1] = n ? pieces(p->reach[1].count, n) : 1;
    for (int d = 0; d < SPACE; d++)
        p->boxes[d] = p->box_size[d] ? pieces(p->reach[d].count, p->box_size[d]) : 0;
    return true;
}

/* Taps along the last dim lie side by side where nothing lies between them: a stretch. */
static int64_t stretch_taps(const pass *p) { return p->reach[2].by_tap == 1 ? p->reach[2].taps : 1; }

static int64_t tile_sums(const pass *p) { return (int64_t)p->build->direct->rows * p->build->direct->columns; }

/* Elements of all tiles: [blocks of rows, stretches, tiles of a stretch, sums of a tile]. */
static int64_t tiles_of_block(const pass *p)
{
    return p->taps / stretch_taps(p) * pieces(stretch_taps(p) * p->depth, p->build->direct->columns);
}
static int64_t tiled_of(const pass *p) { return pieces(p->rows, p->build->direct->rows) * tiles_of_block(p) * tile_sums(p); }

/* Where each begins in the room: tiles, image (and what the loop reads beyond it), what flowed back, positions; and the end. */
typedef struct layout {
    int64_t image, back, at, end;
} layout;

static layout layout_of(const pass *p)
{
    layout l;
    l.image = pieces(tiled_of(p) * p->width, LINE) * LINE;
    l.back = l.image + pieces((padded_of(p) + p->build->direct->columns) * p->width, LINE) * LINE;
    l.at = l.back + pieces(packed_of(p) * p->width, LINE) * LINE;
    l.end = l.at + kt__volume(p->box_size) * (int64_t)sizeof(int64_t);
    return l;
}

int64_t kt__weight_room(const pass *p) { return layout_of(p).end; }

void kt__weight_begin(const pass *p, char *room) { memset(room, 0, (size_t)(tiled_of(p) * p->width)); }

/* ---- copies: rows become columns ---- */

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
enum { FOUR = 4 };

/* to[j * ld + i] = from[i * by_row + j] */
static void turn(float *to, int64_t ld, const float *from, int64_t by_row, int64_t rows, int64_t n)
{
    int64_t i = 0;
    for (; i + FOUR <= rows; i += FOUR) {
        const float *x = from + i * by_row;
        float       *y = to + i;
        int64_t      j = 0;
        for (; j + FOUR <= n; j += FOUR, x += FOUR, y += FOUR * ld) {
            const four a = *(const four *)(const void *)x, b = *(const four *)(const void *)(x + by_row),
                       c = *(const four *)(const void *)(x + 2 * by_row), d = *(const four *)(const void *)(x + 3 * by_row);
            const four ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                       cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            *(four *)(void *)y = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
            *(four *)(void *)(y + ld) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
            *(four *)(void *)(y + 2 * ld) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
            *(four *)(void *)(y + 3 * ld) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
        }
        for (; j < n; j++, x++, y += ld)
            for (int64_t k = 0; k < FOUR; k++)
                y[k] = x[k * by_row];
    }
    for (; i < rows; i++)
        for (int64_t j = 0; j < n; j++)
            to[j * ld + i] = from[i * by_row + j];
}

/* Rows of `count` positions and `channels`, in float32 as they are: to their columns, `line` bytes from position to position. */
static bool turns(const kt_operand *x, const int64_t *from_step, int64_t by_channel)
{
    return x->is == KT_F32 && x->as == KT_F32 && x->bits == 0 && from_step[2] == (int64_t)sizeof(float) &&
           by_channel % (int64_t)sizeof(float) == 0;
}

static void turn_box(char *to, const int64_t *to_step, const char *from, const int64_t *from_step, const int64_t *size,
                     int64_t channels, int64_t by_channel)
{
    for (int64_t z = 0; z < size[0]; z++)
        for (int64_t y = 0; y < size[1]; y++)
            turn((float *)(void *)(to + z * to_step[0] + y * to_step[1]), to_step[2] / (int64_t)sizeof(float),
                 (const float *)(const void *)(from + z * from_step[0] + y * from_step[1]),
                 by_channel / (int64_t)sizeof(float), channels, size[2]);
}

/* The box, channels innermost. */
static kt_status copy_box(const pass *p, const box *b, int64_t n, int64_t channel, char *to)
{
    kt_operand source = p->from.x, target;
    int64_t    low[SPACE], high[SPACE], step[SPACE] = {0, 0, p->depth * p->width};
    bool       whole = true;
    step[1] = step[2] * extent(p, 2);
    step[0] = step[1] * extent(p, 1);
    source.data += n * p->from.by_batch + channel * p->from.by_channel;
    for (int d = 0; d < SPACE; d++) {
        const int64_t from = p->reach[d].from + p->reach[d].move * b->first[d], size = p->from.size[d];
        low[d] = from < 0 ? -from : 0;
        high[d] = size - from < extent(p, d) ? size - from : extent(p, d);
        whole = whole && low[d] == 0 && high[d] == extent(p, d);
    }
    if (!whole)
        memset(to, 0, (size_t)(padded_of(p) * p->width));
    for (int d = 0; d < SPACE; d++) {
        if (low[d] >= high[d])
            return KT_OK;
        to += low[d] * step[d];
        source.data += (p->reach[d].from + p->reach[d].move * b->first[d] + low[d]) * p->from.step[d];
    }
    if (turns(&source, p->from.step, p->from.by_channel)) {
        const int64_t size[SPACE] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
        turn_box(to, step, source.data, p->from.step, size, p->depth, p->from.by_channel);
        return KT_OK;
    }
    kt_plan copy;
    target = computed(p, to);
    copy_begin(&copy, &target, &source);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, high[d] - low[d], step[d], p->from.step[d]);
    copy_dim(&copy, p->depth, p->width, p->from.by_channel);
    return kt__cpu_run_with(p->build, &copy);
}

/* What flowed back to `rows` channels: [positions, rows of a block]. */
static kt_status copy_back(const pass *p, const box *b, int64_t n, int64_t channel, int64_t rows, char *to)
{
    const int64_t block = p->build->direct->rows, line = block * p->width;
    int64_t       step[SPACE];
    kt_operand    source = p->to.x, target = computed(p, to);
    kt_plan       copy;
    source.data = box_in_result(p, b, n, channel, step);
    if (rows < block)
        memset(to, 0, (size_t)(kt__volume(b->size) * line));
    if (turns(&source, step, p->to.by_channel)) {
        const int64_t to_step[SPACE] = {b->size[1] * b->size[2] * line, b->size[2] * line, line};
        turn_box(to, to_step, source.data, step, b->size, rows, p->to.by_channel);
        return KT_OK;
    }
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, b->size[0], b->size[1] * b->size[2] * line, step[0]);
    copy_dim(&copy, b->size[1], b->size[2] * line, step[1]);
    copy_dim(&copy, b->size[2], line, step[2]);
    copy_dim(&copy, rows, p->width, p->to.by_channel);
    return kt__cpu_run_with(p->build, &copy);
}

/* ---- sums ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Sums of a few blocks of rows with one tile's columns, over all positions of a box. back: [blocks, positions, rows]. A box is
 * summed by itself: a sum of all would be less exact. */
static void sum_tiles(const kt__cpu_direct *by, float *tiles, int64_t by_block, const float *back, const float *from,
                      const int64_t *at, int64_t positions, int64_t blocks)
{
    float         sums[BLOCKS][MOST_SUMS] __attribute__((aligned(64)));
    const int64_t n = (int64_t)by->rows * by->columns;
    memset(sums, 0, (size_t)blocks * sizeof *sums);
    for (int64_t i = 0; i < positions; i += POSITIONS)
        for (int64_t r = 0; r < blocks; r++)
            by->tile(sums[r], back + (r * positions + i) * by->rows, from, at + i, least(POSITIONS, positions - i));
    for (int64_t r = 0; r < blocks; r++)
        for (int64_t k = 0; k < n; k++)
            tiles[r * by_block + k] += sums[r][k];
}

/* All taps of a few blocks of rows. */
static void sum_rows(const pass *p, const float *seen, const float *back, const int64_t *at, int64_t positions, int64_t blocks,
                     float *tiles)
{
    const kt__cpu_direct *by = p->build->direct;
    const reach          *r = p->reach;
    const int64_t         length = stretch_taps(p) * p->depth, by_block = tiles_of_block(p) * tile_sums(p);
    for (int64_t t = 0; t < p->taps; t += stretch_taps(p)) {
        const int64_t z = t / r[2].taps / r[1].taps * r[0].by_tap, y = t / r[2].taps % r[1].taps * r[1].by_tap,
                      x = t % r[2].taps * r[2].by_tap;
        const float  *from = seen + ((z * extent(p, 1) + y) * extent(p, 2) + x) * p->depth;
        for (int64_t j = 0; j < length; j += by->columns, tiles += tile_sums(p))
            sum_tiles(by, tiles, by_block, back, from + j, at, positions, blocks);
    }
}

/* Where a box's positions begin in its copy. */
static void find_positions(const pass *p, const box *b, int64_t *at)
{
    const int64_t step = p->depth * p->reach[2].move;
    for (int64_t z = 0; z < b->size[0]; z++)
        for (int64_t y = 0; y < b->size[1]; y++) {
            const int64_t row = (z * p->reach[0].move * extent(p, 1) + y * p->reach[1].move) * extent(p, 2) * p->depth;
            for (int64_t x = 0; x < b->size[2]; x++)
                *at++ = row + x * step;
        }
}

kt_status kt__sum_weight_directly(const pass *p, char *room, int64_t n, int64_t group, const box *b)
{
    const layout  l = layout_of(p);
    const int64_t block = p->build->direct->rows, positions = kt__volume(b->size), line = block * p->width;
    char         *back = room + l.back;
    int64_t      *at = (int64_t *)(void *)(room + l.at);
    memset(room + l.image + padded_of(p) * p->width, 0, (size_t)(p->build->direct->columns * p->width));
    if (copy_box(p, b, n, group * p->depth, room + l.image))
        return kt_error_status();
    find_positions(p, b, at);
    const int64_t blocks = pieces(p->rows, block);
    for (int64_t i = 0; i < blocks; i++)
        if (copy_back(p, b, n, group * p->rows + i * block, least(block, p->rows - i * block), back + i * positions * line))
            return kt_error_status();
    for (int64_t i = 0; i < blocks; i += BLOCKS)
        sum_rows(p, (const float *)(const void *)(room + l.image), (const float *)(const void *)(back + i * positions * line), at,
                 positions, least(BLOCKS, blocks - i), (float *)(void *)room + i * tiles_of_block(p) * tile_sums(p));
    return KT_OK;
}

/* A tile, whose columns are channels of one tap after another from `column` on, goes to its places. */
static void place_tile(const pass *p, const float *tile, float *sums, int64_t rows, int64_t tap, int64_t column, int64_t columns)
{
    const int64_t line = p->depth * p->taps, by_tap = p->channels_inner ? p->depth : 1;
    const int64_t by_channel = p->channels_inner ? 1 : p->taps;
    int64_t       t = tap + column / p->depth, c = column % p->depth;
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t r = 0; r < rows; r++)
            sums[r * line + t * by_tap + c * by_channel] = tile[r * p->build->direct->columns + j];
        if (++c == p->depth)
            t++, c = 0;
    }
}

void kt__weight_end(const pass *p, const char *room, char *sums)
{
    const int64_t block = p->build->direct->rows, columns = p->build->direct->columns, length = stretch_taps(p) * p->depth;
    const float  *tile = (const float *)(const void *)room;
    for (int64_t r = 0; r < p->rows; r += block)
        for (int64_t t = 0; t < p->taps; t += stretch_taps(p))
            for (int64_t j = 0; j < length; j += columns, tile += tile_sums(p))
                place_tile(p, tile, (float *)(void *)sums + r * p->depth * p->taps, least(block, p->rows - r), t, j,
                           least(columns, length - j));
}
