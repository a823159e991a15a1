/* padded.c - see padded.h. */
#include "cpu/window/padded.h"

#include <string.h>

enum { LINE = 64, LONGEST = 2048, FEW = TERMS / 2 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t reach_of(const pass *p, int i)
{
    const int64_t by = p->reach[i].by_tap;
    return (by < 0 ? -by : by) * (p->reach[i].taps - 1);
}

void kt__padded_lay_out(padded *d, const pass *p, int64_t channels)
{
    const int64_t outer = p->reach[0].taps * p->reach[1].taps;
    d->joined = p->depth <= FEW ? outer : 1;
    d->channels = p->depth * d->joined;
    d->taps = p->taps / d->joined;
    for (int i = 0; i < SPACE; i++) {
        const bool    joins = d->joined > 1 && i < SPACE - 1;
        const int64_t move = p->reach[i].move, reached = joins ? 0 : reach_of(p, i);
        d->before[i] = p->reach[i].by_tap < 0 ? reached : 0;
        d->phases[i] = least(move, reached + 1);
        d->extent[i] = d->box[i] + reached / move;
    }
    /* Rows of a tile lie a plane apart, in different sets of the cache. What is read beyond the last row are zeros. */
    const int64_t unit = LINE / (int64_t)sizeof(uint16_t) / d->lanes;
    d->plane = pieces(kt__volume(d->phases) * kt__volume(d->extent) + TERMS, unit) * unit;
    d->plane += d->plane / unit % 2 ? 0 : unit;
    d->planes = channels / d->lanes;
    d->image = d->planes * d->plane * d->lanes;
}

void kt__padded_cut(padded *d, const pass *p, int64_t channels, int64_t bytes)
{
    for (int i = 0; i < SPACE; i++)
        d->box[i] = 1;
    d->box[2] = pieces(p->reach[2].count, pieces(p->reach[2].count, LONGEST));
    kt__padded_lay_out(d, p, channels);
    const int64_t row = d->image / most(d->extent[1], 1) * (int64_t)sizeof(uint16_t);
    const int64_t rows = most(bytes / row - (d->extent[1] - d->box[1]), 1);
    d->box[1] = pieces(p->reach[1].count, pieces(p->reach[1].count, rows));
    kt__padded_lay_out(d, p, channels);
}

int64_t kt__padded_flat(const padded *d, const int64_t *size)
{
    return ((size[0] - 1) * d->extent[1] + size[1] - 1) * d->extent[2] + size[2];
}

int64_t kt__padded_tap(const padded *d, const pass *p, int64_t tap)
{
    int64_t rest = tap, phase = 0, at = 0, by_phase = 1, step = 1;
    for (int i = SPACE - 1; i >= 0; i--) {
        const int64_t taps = d->joined > 1 && i < SPACE - 1 ? 1 : p->reach[i].taps;
        const int64_t element = d->before[i] + p->reach[i].by_tap * (rest % taps);
        rest /= taps;
        phase += element % p->reach[i].move * by_phase;
        at += element / p->reach[i].move * step;
        by_phase *= d->phases[i];
        step *= d->extent[i];
    }
    return phase * step + at;
}

void kt__padded_weight(const padded *d, const pass *p, const packing *k, int64_t *places)
{
    const int64_t yx = p->reach[1].taps * p->reach[2].taps;
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const int64_t at = tap / yx * k->by_tap[0] + tap % yx / p->reach[2].taps * k->by_tap[1] +
                           tap % p->reach[2].taps * k->by_tap[2];
        int64_t      *to = places + tap / d->taps * p->depth * d->taps + tap % d->taps;
        for (int64_t c = 0; c < p->depth; c++)
            to[c * d->taps] = at + c * k->by_channel;
    }
}

/* ---- filling ---- */

typedef struct filling {
    const padded *d;
    const pass   *p;
    const char   *from[TERMS];             /* the channels of a plane, or of some planes */
    int64_t       first[TERMS][SPACE - 1]; /* element of row 0 of phase 0 */
    int64_t       column, low, high;       /* of a row: its first element, and which columns of it the image has */
    int64_t       channels;                /* how many of them there are */
    bool          beside;                  /* they lie side by side in the image */
} filling;

static const uint16_t *row_of(const filling *f, int64_t lane, const int64_t *phase, int64_t z, int64_t y)
{
    const pass   *p = f->p;
    const int64_t at[] = {f->first[lane][0] + phase[0] + z * p->reach[0].move,
                          f->first[lane][1] + phase[1] + y * p->reach[1].move};
    const bool    seen = at[0] >= 0 && at[0] < p->from.size[0] && at[1] >= 0 && at[1] < p->from.size[1];
    return seen ? (const uint16_t *)(const void *)(f->from[lane] + at[0] * p->from.step[0] + at[1] * p->from.step[1]) : NULL;
}

/* n positions of all channels. */
static void copy_positions(const filling *f, const uint16_t *const *row, int64_t step, int64_t n, uint16_t *to)
{
    const size_t bytes = (size_t)f->channels * sizeof *to;
    if (f->d->lanes == 1 && f->beside)
        f->p->build->direct_bf16->spread(to, f->d->plane, row[0], step, n, f->channels);
    else if (f->d->lanes == 1 && step == 1)
        memcpy(to, row[0], (size_t)n * sizeof *to);
    else if (f->d->lanes == 1)
        for (int64_t i = 0; i < n; i++)
            to[i] = row[0][i * step];
    else if (!f->beside)
        f->p->build->direct_bf16->gather(to, row, step, n);
    else
        for (int64_t i = 0; i < n; i++, to += TERMS) {
            if (f->channels < TERMS)
                memset(to, 0, TERMS * sizeof *to);
            memcpy(to, row[0] + i * step, bytes);
        }
}

static void fill_row(const filling *f, const int64_t *phase, int64_t z, int64_t y, uint16_t *to)
{
    const int64_t   lanes = f->d->lanes, step = f->p->from.step[2] / (int64_t)sizeof *to, move = f->p->reach[2].move;
    const uint16_t *row[TERMS] = {NULL};
    bool            any = false;
    for (int64_t i = 0; i < (f->beside ? 1 : f->channels); i++) {
        row[i] = row_of(f, i, phase, z, y);
        any = any || row[i];
        row[i] = row[i] ? row[i] + (f->column + phase[2] + f->low * move) * step : NULL;
    }
    const int64_t low = any ? f->low : f->d->extent[2], high = any ? f->high : low, planes = lanes == 1 ? f->channels : 1;
    if (low < high)
        copy_positions(f, row, move * step, high - low, to + low * lanes);
    for (int64_t i = 0; i < planes; i++, to += f->d->plane) {
        memset(to, 0, (size_t)(low * lanes) * sizeof *to);
        memset(to + high * lanes, 0, (size_t)((f->d->extent[2] - high) * lanes) * sizeof *to);
    }
}

/* The plane, or planes, of all channels. */
static void fill_planes(filling *f, uint16_t *to)
{
    const padded *d = f->d;
    const int64_t line = d->extent[2] * d->lanes, phases = kt__volume(d->phases), rows = d->extent[0] * d->extent[1];
    const int64_t move = f->p->reach[2].move, size = f->p->from.size[2], count = d->extent[2];
    for (int64_t i = 0; i < phases; i++) {
        const int64_t phase[SPACE] = {i / d->phases[2] / d->phases[1], i / d->phases[2] % d->phases[1], i % d->phases[2]},
                      first = f->column + phase[2];
        f->low = least(first < 0 ? pieces(-first, move) : 0, count);
        f->high = most(least(first < size ? pieces(size - first, move) : 0, count), f->low);
        for (int64_t z = 0; z < d->extent[0]; z++)
            for (int64_t y = 0; y < d->extent[1]; y++, to += line)
                fill_row(f, phase, z, y, to);
    }
    for (int64_t i = 0; i < (d->lanes == 1 ? f->channels : 1); i++, to += d->plane)
        memset(to, 0, (size_t)(d->plane * d->lanes - phases * rows * line) * sizeof *to);
}

void kt__padded_fill(const padded *d, const pass *p, const box *b, int64_t n, int64_t group, int64_t channel, uint16_t *to)
{
    int64_t origin[SPACE];
    for (int i = 0; i < SPACE; i++)
        origin[i] = p->reach[i].from + p->reach[i].move * b->first[i] - d->before[i];
    const char *const all = p->from.x.data + n * p->from.by_batch + group * p->depth * p->from.by_channel;
    const bool    beside = d->joined == 1 && p->from.by_channel == (int64_t)sizeof *to && p->depth > 1;
    const int64_t end = channel + d->planes * d->lanes, at_once = beside || d->lanes > 1 ? TERMS : 1;
    for (int64_t lane = channel; lane < end; lane += at_once, to += at_once * d->plane) {
        const int64_t lanes = least(at_once, end - lane);
        filling       f = {.d = d, .p = p, .column = origin[2], .channels = most(0, least(lanes, d->channels - lane)),
                           .beside = beside};
        for (int64_t v = 0; v < f.channels; v++) {
            const int64_t tap = (lane + v) / p->depth, taps = p->reach[1].taps;
            f.from[v] = all + (lane + v) % p->depth * p->from.by_channel;
            f.first[v][0] = origin[0] + (d->joined > 1 ? tap / taps * p->reach[0].by_tap : 0);
            f.first[v][1] = origin[1] + (d->joined > 1 ? tap % taps * p->reach[1].by_tap : 0);
        }
        if (f.channels)
            fill_planes(&f, to);
        const int64_t filled = d->lanes == 1 ? f.channels : f.channels ? TERMS : 0;
        memset(to + filled * d->plane, 0, (size_t)((lanes - filled) * d->plane) * sizeof *to);
    }
}
