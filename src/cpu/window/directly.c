/* directly.c - convolutions without columns: a box of the image is copied with its padding, phase by phase, and multiplied where
 * it lies (direct.h). In: a pass over row-major images in float32 or narrower floats. Out: its boxes. */
#include "base/error.h"
#include "cpu/window/pass.h"

#include <string.h>

enum { FLOAT_SIZE = sizeof(float) }; /* the width of a pass of these */

/* Packs the weights, and the bias as float32 behind them. */
kt_status kt__begin_directly(pass *p)
{
    const int64_t channels = p->bias.data ? p->groups * p->rows : 0;
    if (!kt__direct_begin(&p->direct, (const float *)(const void *)p->weights, p->groups, p->by_group / p->width,
                          p->by_row / p->width, channels))
        return kt__fail_memory((size_t)(p->direct.k * p->width));
    if (!channels)
        return KT_OK;
    kt_operand target = computed(p, (char *)p->direct.beside), source = p->bias;
    kt_plan    copy;
    p->biases = p->direct.beside;
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, channels, p->width, p->by_bias);
    return kt__cpu_run_with(p->build, &copy);
}

bool kt__fits_directly(pass *p)
{
    kt__direct *d = &p->direct;
    int64_t     count[SPACE];
    *d = (kt__direct){.by = p->rows == 1 ? p->build->direct_row : p->build->direct, .rows = p->rows, .depth = p->depth};
    for (int i = 0; i < SPACE; i++) {
        d->taps[i] = p->reach[i].taps, d->move[i] = p->reach[i].move, d->by_tap[i] = p->reach[i].by_tap;
        count[i] = p->reach[i].count;
    }
    if (p->dtype != KT_F32 || p->channels_inner || p->taps <= 1 || !kt__direct_fits(d, count))
        return false;
    for (int i = 0; i < SPACE; i++) {
        p->box_size[i] = d->box[i];
        p->boxes[i] = pieces(count[i], d->box[i]);
    }
    return true;
}

/* The elements of a phase that are in the image: of what a box sees in dim i, which begins at element `from`. */
static bool phase_in(const pass *p, int i, int64_t from, int64_t phase, int64_t *low, int64_t *high)
{
    const int64_t move = p->direct.move[i], first = from + phase, size = p->from.size[i];
    *low = first < 0 ? (move == 1 ? -first : pieces(-first, move)) : 0;
    *high = first < size ? (move == 1 ? size - first : pieces(size - first, move)) : 0;
    *high = *high < p->direct.phase[i] ? *high : p->direct.phase[i];
    return *low < *high;
}

/* Rows of float32 as they are, too short for a plan of their own; distances in elements. */
static void copy_rows(float *to, const int64_t *to_step, const float *from, const int64_t *from_step, const int64_t *size)
{
    enum { FOUR = 4 };
    for (int64_t z = 0; z < size[0]; z++)
        for (int64_t y = 0; y < size[1]; y++) {
            float *restrict       row = to + z * to_step[0] + y * to_step[1];
            const float *restrict seen = from + z * from_step[0] + y * from_step[1];
            int64_t               x = 0;
            for (; from_step[2] == 1 && x + FOUR <= size[2]; x += FOUR)
                memcpy(row + x, seen + x, FOUR * sizeof *row);
            for (; x < size[2]; x++)
                row[x] = seen[x * from_step[2]];
        }
}

/* Is the image read as it lies, and its rows are short? */
static bool copies_rows(const pass *p)
{
    enum { SHORT = 64 };
    const kt_operand *x = &p->from.x;
    bool              even = p->from.by_channel % FLOAT_SIZE == 0;
    for (int i = 0; i < SPACE; i++)
        even = even && p->from.step[i] % FLOAT_SIZE == 0;
    return x->is == KT_F32 && x->as == KT_F32 && !x->bits && even && p->direct.phase[2] <= SHORT;
}

static kt_status copy_phase(const pass *p, const int64_t *from, int64_t n, int64_t channel, const int64_t *phase, char *to)
{
    const kt__direct *d = &p->direct;
    const int64_t     step[SPACE] = {d->phase[1] * d->phase[2] * p->width, d->phase[2] * p->width, p->width};
    int64_t           low[SPACE], high[SPACE];
    kt_operand        source = p->from.x, target;
    source.data += n * p->from.by_batch + channel * p->from.by_channel;
    for (int i = 0; i < SPACE; i++) {
        if (!phase_in(p, i, from[i], phase[i], &low[i], &high[i]))
            return KT_OK;
        source.data += (from[i] + phase[i] + d->move[i] * low[i]) * p->from.step[i];
        to += low[i] * step[i];
    }
    if (copies_rows(p)) {
        int64_t to_step[SPACE], from_step[SPACE], size[SPACE];
        for (int i = 0; i < SPACE; i++) {
            to_step[i] = step[i] / FLOAT_SIZE;
            from_step[i] = d->move[i] * p->from.step[i] / FLOAT_SIZE;
            size[i] = high[i] - low[i];
        }
        for (int64_t c = 0; c < p->depth; c++)
            copy_rows((float *)(void *)to + c * d->channel, to_step,
                      (const float *)(const void *)(source.data + c * p->from.by_channel), from_step, size);
        return KT_OK;
    }
    kt_plan copy;
    target = computed(p, to);
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, p->depth, d->channel * p->width, p->from.by_channel);
    for (int i = 0; i < SPACE; i++)
        copy_dim(&copy, high[i] - low[i], step[i], d->move[i] * p->from.step[i]);
    return kt__cpu_run_with(p->build, &copy);
}

static kt_status fill_padded(const pass *p, const box *b, int64_t n, int64_t channel, char *padded)
{
    const kt__direct *d = &p->direct;
    int64_t           from[SPACE];
    kt_status         status = KT_OK;
    bool              whole = true;
    for (int i = 0; i < SPACE; i++) {
        from[i] = p->reach[i].from + p->reach[i].move * b->first[i] - d->before[i];
        whole = whole && from[i] >= 0 && from[i] + d->move[i] * d->phase[i] <= p->from.size[i];
    }
    if (!whole)
        memset(padded, 0, (size_t)(d->depth * d->channel * p->width));
    const int64_t each = kt__volume(d->phase) * p->width;
    for (int64_t f = 0; f < kt__volume(d->move) && !status; f++) {
        const int64_t phase[SPACE] = {f / d->move[2] / d->move[1], f / d->move[2] % d->move[1], f % d->move[2]};
        status = copy_phase(p, from, n, channel, phase, padded + f * each);
    }
    return status;
}

/* Are results written where they belong? */
static bool writes_in_place(const pass *p)
{
    const int64_t last = p->reach[SPACE - 1].step * p->to.step[SPACE - 1];
    return p->to.x.is == KT_F32 && last == FLOAT_SIZE && p->to.by_channel % FLOAT_SIZE == 0;
}

enum { CUT_ROWS = 64, FEW_ITEMS = 16 };

int64_t kt__direct_cuts(const pass *p, int64_t items)
{
    const int64_t most = p->rows / CUT_ROWS, wanted = items > 0 ? FEW_ITEMS / items : 1;
    return !writes_in_place(p) || most < 2 || wanted < 2 ? 1 : most < wanted ? most : wanted;
}

kt_status kt__run_directly(const pass *p, const scratch *s, int64_t n, int64_t group, const box *b, int64_t cut)
{
    int64_t       step[SPACE], dense[SPACE], elements[SPACE];
    const int64_t row = tile_steps(p, b, dense), each = pieces(pieces(p->rows, p->cuts), CUT_ROWS) * CUT_ROWS;
    const int64_t first = p->cuts > 1 ? cut * each : 0, end = p->cuts > 1 && first + each < p->rows ? first + each : p->rows;
    kt_operand    out = p->to.x;
    out.data = box_in_result(p, b, n, group * p->rows, step);
    const bool    in_place = writes_in_place(p);
    const int64_t by_row = in_place ? p->to.by_channel : row;
    for (int i = 0; i < SPACE; i++)
        elements[i] = (in_place ? step[i] : dense[i]) / FLOAT_SIZE;
    if (first >= end)
        return KT_OK;
    if (fill_padded(p, b, n, group * p->depth, s->columns))
        return kt_error_status();
    const float *bias = p->biases ? p->biases + group * p->rows : NULL;
    float       *to = (float *)(void *)(in_place ? out.data : s->tile);
    kt__direct_box(&p->direct, group, first, end, (const float *)(const void *)s->columns, b->size, bias, 1, to,
                   by_row / FLOAT_SIZE, elements);
    const kt_operand tile = computed(p, s->tile);
    return in_place ? KT_OK : move_tile(p, b, &out, step, p->to.by_channel, &tile, dense, row);
}
