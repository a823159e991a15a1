/* weight_directly.c - the gradient of a convolution's weight without columns, in float32 and narrower floats.
 *
 * In: a pass whose `to` is what flowed back. Out: sums over the boxes of one image. A box of the image is copied with its
 * padding, channels innermost, so that what neighbouring taps see of all channels lies side by side; the loop of direct.h then
 * multiplies it by what flowed back, position by position. Independent of: how the sums of parts are added. */
#include "base/error.h"
#include "cpu/window/pass.h"

enum { BOX_BYTES = 1 << 19, MOST_SUMS = 512, LINE = 64 };

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

/* Room for both, for what the loop reads beyond, and for where each position begins. */
int64_t kt__weight_room(const pass *p)
{
    const int64_t numbers = padded_of(p) + p->build->direct->columns + packed_of(p);
    return numbers * p->width + kt__volume(p->box_size) * (int64_t)sizeof(int64_t) + 2 * LINE;
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
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, b->size[0], b->size[1] * b->size[2] * line, step[0]);
    copy_dim(&copy, b->size[1], b->size[2] * line, step[1]);
    copy_dim(&copy, b->size[2], line, step[2]);
    copy_dim(&copy, rows, p->width, p->to.by_channel);
    return kt__cpu_run_with(p->build, &copy);
}

/* Sums of a tile, whose columns are channels of one tap after another from `column` on, go to their places. */
static void add_tile(const pass *p, const float *tile, float *sums, int64_t rows, int64_t tap, int64_t column, int64_t columns)
{
    const int64_t line = p->depth * p->taps, by_tap = p->channels_inner ? p->depth : 1;
    const int64_t by_channel = p->channels_inner ? 1 : p->taps;
    int64_t       place[MOST_SUMS], t = tap + column / p->depth, c = column % p->depth;
    for (int64_t j = 0; j < columns; j++) {
        place[j] = t * by_tap + c * by_channel;
        if (++c == p->depth)
            t++, c = 0;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < columns; j++)
            sums[r * line + place[j]] += tile[r * p->build->direct->columns + j];
}

/* All taps of one block of rows. Taps along the last dim lie side by side where nothing lies between them. */
static void sum_rows(const pass *p, const float *seen, const float *back, const int64_t *at, int64_t positions, int64_t rows,
                     float *sums)
{
    const kt__cpu_direct *by = p->build->direct;
    const reach          *r = p->reach;
    const int64_t         together = r[2].by_tap == 1 ? r[2].taps : 1, length = together * p->depth;
    float                 tile[MOST_SUMS] __attribute__((aligned(64)));
    for (int64_t t = 0; t < p->taps; t += together) {
        const int64_t z = t / r[2].taps / r[1].taps * r[0].by_tap, y = t / r[2].taps % r[1].taps * r[1].by_tap,
                      x = t % r[2].taps * r[2].by_tap;
        const float  *from = seen + ((z * extent(p, 1) + y) * extent(p, 2) + x) * p->depth;
        for (int64_t j = 0; j < length; j += by->columns) {
            by->tile(tile, back, from + j, at, positions);
            add_tile(p, tile, sums, rows, t, j, length - j < by->columns ? length - j : by->columns);
        }
    }
}

kt_status kt__sum_weight_directly(const pass *p, char *room, int64_t n, int64_t group, const box *b, char *sums)
{
    const int64_t block = p->build->direct->rows, positions = kt__volume(b->size);
    char         *back = room + pieces((padded_of(p) + p->build->direct->columns) * p->width, LINE) * LINE;
    int64_t      *at = (int64_t *)(void *)(back + pieces(packed_of(p) * p->width, LINE) * LINE);
    memset(room + padded_of(p) * p->width, 0, (size_t)(p->build->direct->columns * p->width));
    if (copy_box(p, b, n, group * p->depth, room))
        return kt_error_status();
    for (int64_t i = 0; i < positions; i++) {
        const int64_t x = i % b->size[2], y = i / b->size[2] % b->size[1], z = i / b->size[2] / b->size[1];
        at[i] = ((z * p->reach[0].move * extent(p, 1) + y * p->reach[1].move) * extent(p, 2) + x * p->reach[2].move) * p->depth;
    }
    for (int64_t r = 0; r < p->rows; r += block) {
        const int64_t rows = p->rows - r < block ? p->rows - r : block;
        if (copy_back(p, b, n, group * p->rows + r, rows, back))
            return kt_error_status();
        sum_rows(p, (const float *)(const void *)room, (const float *)(const void *)back, at, positions, rows,
                 (float *)(void *)sums + r * p->depth * p->taps);
    }
    return KT_OK;
}
