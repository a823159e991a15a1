/* together.c - convolutions over small images: some images of the batch are one matrix product.
 *
 * In: a pass whose result has few positions an image. Out: its results, or the sums of the weight's gradient. By itself each
 * image would read all the weights for those few positions. So the columns of some images lie side by side, [channel, tap,
 * image, position], and the product is divided over threads instead of the images. Independent of: how products are made. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/window/pass.h"

#include <string.h>

/* Positions of an image, at most; the same where a window of one tap has nothing better, or where the bytes of the weights, or of
 * their sums, are more than a core keeps from image to image; channels and taps that make a product worth its columns; bytes of
 * columns, and positions that they have at least; places that taps see. */
enum { FEW_POSITIONS = 25, SOME_POSITIONS = 64, MANY_WEIGHTS = 1 << 21, MANY_SUMS = 1 << 19, LEAST_ROWS = 8, LEAST_DEPTH = 16,
       MOST_BYTES = 1 << 22, LEAST_POSITIONS = 64, MOST_SEEN = 1 << 16 };

typedef struct sight { /* what a tap sees from a position of an image */
    int64_t position, from; /* bytes from the first element of the image's channel */
} sight;

typedef struct batch { /* of images that are worked on together */
    pass         *p;
    int64_t       positions, most; /* of an image; images at a time */
    sight        *seen;            /* all of them, tap after tap: those of tap t are [first[t], first[t + 1]) */
    int64_t      *first;
    kt_operand    x;               /* the images: as they are, or converted */
    int64_t       by_image, by_channel, step[SPACE];
    char         *columns, *tile, *converted;
    int64_t       images, stride;  /* now: how many, and bytes of a line of columns */
    const char   *from;
    void         *made;
    size_t        granted;
} batch;

bool kt__fits_together(const pass *p, bool sums)
{
    int64_t positions = 1;
    for (int d = 0; d < SPACE; d++) {
        if (p->reach[d].count <= 0 || p->reach[d].taps <= 0 || p->reach[d].count > SOME_POSITIONS || p->reach[d].taps > MOST_SEEN)
            return false;
        positions *= p->reach[d].count;
    }
    const bool one = p->taps == 1, /* of one image it is a product as it is */
               many = p->rows * p->depth * p->taps * p->width >= (sums ? MANY_SUMS : MANY_WEIGHTS);
    return positions <= (one || many ? SOME_POSITIONS : FEW_POSITIONS) && p->to.batch > one && p->rows >= LEAST_ROWS &&
           p->depth * p->taps >= LEAST_DEPTH && p->taps * positions <= MOST_SEEN;
}

static bool is_plain(const pass *p) { return p->from.x.is == p->dtype && p->from.x.as == p->dtype && !p->from.x.bits; }

/* ---- room: what taps see, columns, a tile of results, images in the dtype of the product ---- */

static int64_t whole_lines(int64_t bytes)
{
    enum { LINE = 64 };
    return pieces(bytes, LINE) * LINE;
}

static bool batch_get(batch *b, pass *p)
{
    int64_t counts[SPACE];
    for (int d = 0; d < SPACE; d++)
        counts[d] = p->reach[d].count;
    *b = (batch){.p = p, .positions = kt__volume(counts), .x = p->from.x, .by_image = p->from.by_batch,
                 .by_channel = p->from.by_channel};
    const int64_t each = p->depth * p->taps * b->positions * p->width, least = pieces(LEAST_POSITIONS, b->positions);
    b->most = MOST_BYTES / each > least ? MOST_BYTES / each : least;
    b->most = b->most < p->to.batch ? b->most : p->to.batch;
    const int64_t seen = whole_lines(p->taps * b->positions * (int64_t)sizeof *b->seen),
                  first = whole_lines((p->taps + 1) * (int64_t)sizeof *b->first), columns = whole_lines(b->most * each),
                  tile = whole_lines(b->most * b->positions * p->rows * p->width),
                  converted = is_plain(p) ? 0 : b->most * p->depth * kt__volume(p->from.size) * p->width;
    if (!(b->made = kt__block_get((size_t)(seen + first + columns + tile + converted), &b->granted)))
        return false;
    b->columns = b->made;
    b->tile = b->columns + columns;
    b->seen = (sight *)(void *)(b->tile + tile);
    b->first = (int64_t *)(void *)((char *)b->seen + seen);
    b->converted = (char *)b->first + first;
    memcpy(b->step, p->from.step, sizeof b->step);
    if (converted) {
        b->x = computed(p, b->converted);
        b->step[2] = p->width, b->step[1] = p->width * p->from.size[2], b->step[0] = b->step[1] * p->from.size[1];
        b->by_channel = p->width * kt__volume(p->from.size), b->by_image = b->by_channel * p->depth;
    }
    return true;
}

/* Index `at` of a box of `size`, in each dim. */
static void spread(int64_t at, const int64_t *size, int64_t *in)
{
    for (int d = SPACE - 1; d >= 0; d--) {
        in[d] = at % size[d];
        at /= size[d];
    }
}

static void find_sights(batch *b)
{
    const reach  *r = b->p->reach;
    const int64_t counts[SPACE] = {r[0].count, r[1].count, r[2].count}, taps[SPACE] = {r[0].taps, r[1].taps, r[2].taps};
    int64_t       n = 0, position[SPACE], tap[SPACE];
    for (int64_t t = 0; t < b->p->taps; t++) {
        b->first[t] = n;
        spread(t, taps, tap);
        for (int64_t i = 0; i < b->positions; i++) {
            int64_t from = 0;
            bool    there = true;
            spread(i, counts, position);
            for (int d = 0; d < SPACE; d++) {
                const int64_t at = r[d].from + r[d].by_tap * tap[d] + r[d].move * position[d];
                there = there && at >= 0 && at < b->p->from.size[d];
                from += at * b->step[d];
            }
            if (there)
                b->seen[n++] = (sight){i, from};
        }
    }
    b->first[b->p->taps] = n;
}

static bool sees_all(const batch *b) { return b->first[b->p->taps] == b->p->taps * b->positions; }

/* ---- columns ---- */

static inline void copy_seen(const batch *b, int64_t channel, size_t width)
{
    const int64_t by_image = b->positions * (int64_t)width;
    for (int64_t t = 0; t < b->p->taps; t++) {
        const sight  *seen = b->seen + b->first[t];
        const int64_t n = b->first[t + 1] - b->first[t];
        const char   *from = b->from + channel * b->by_channel;
        char         *to = b->columns + (channel * b->p->taps + t) * b->stride;
        for (int64_t i = 0; i < b->images; i++, from += b->by_image, to += by_image)
            for (int64_t k = 0; k < n; k++)
                memcpy(to + seen[k].position * (int64_t)width, from + seen[k].from, width);
    }
}

static void fill_channels(void *ctx, int64_t begin, int64_t end)
{
    enum { FOUR = 4, EIGHT = 8 }; /* bytes of most elements: copies of a size that is known are moves */
    const batch *b = ctx;
    if (!sees_all(b))
        memset(b->columns + begin * b->p->taps * b->stride, 0, (size_t)((end - begin) * b->p->taps * b->stride));
    for (int64_t c = begin; c < end; c++)
        if (b->p->width == FOUR)
            copy_seen(b, c, FOUR);
        else if (b->p->width == EIGHT)
            copy_seen(b, c, EIGHT);
        else
            copy_seen(b, c, (size_t)b->p->width);
}

/* The images [first, first + b->images) in the dtype of the product. */
static kt_status convert_images(const batch *b, int64_t first, int64_t channel)
{
    const pass *p = b->p;
    kt_operand  source = p->from.x, target = b->x;
    kt_plan     copy;
    source.data += first * p->from.by_batch + channel * p->from.by_channel;
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, b->images, b->by_image, p->from.by_batch);
    copy_dim(&copy, p->depth, b->by_channel, p->from.by_channel);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, p->from.size[d], b->step[d], p->from.step[d]);
    return kt__cpu_run_with(p->build, &copy);
}

/* What the window sees of the images from `first` on, as [channel and tap, image and position]. */
static kt_status see(batch *b, int64_t first, int64_t group, matrix *columns)
{
    const pass *p = b->p;
    if (b->p->taps == 1 && sees_all(b) && b->positions == 1) { /* the images themselves */
        *columns = (matrix){p->from.x, p->from.by_channel, p->from.by_batch};
        for (int d = 0; d < SPACE; d++)
            columns->x.data += p->reach[d].from * p->from.step[d];
        columns->x.data += first * p->from.by_batch + group * p->depth * p->from.by_channel;
        return KT_OK;
    }
    b->stride = b->images * b->positions * p->width;
    b->from = b->x.data;
    if (is_plain(p))
        b->from += first * b->by_image + group * p->depth * b->by_channel;
    else if (convert_images(b, first, group * p->depth))
        return kt_error_status();
    kt__parallel(p->depth, (1 << 14) / (p->taps * b->images * b->positions) + 1, fill_channels, b);
    *columns = (matrix){computed(p, b->columns), b->stride, p->width};
    return KT_OK;
}

/* ---- results: [row, image and position] ---- */

/* Where they are in the image, if they lie evenly there; else in the tile. */
static bool results_of(const batch *b, int64_t first, int64_t group, matrix *here, kt_operand *there)
{
    const pass *p = b->p;
    *there = p->to.x;
    there->data += first * p->to.by_batch + group * p->rows * p->to.by_channel;
    for (int d = 0; d < SPACE; d++)
        there->data += p->reach[d].first * p->to.step[d];
    const bool even = b->positions == 1;
    *here = even ? (matrix){*there, p->to.by_channel, p->to.by_batch}
                 : (matrix){computed(p, b->tile), b->images * b->positions * p->width, p->width};
    return even;
}

static kt_status move_results(const batch *b, const kt_operand *there, bool into_tile)
{
    const pass      *p = b->p;
    const kt_operand tile = computed(p, b->tile);
    int64_t          step = b->images * b->positions * p->width;
    kt_plan          copy;
    copy_begin(&copy, into_tile ? &tile : there, into_tile ? there : &tile);
    copy_dim(&copy, p->rows, into_tile ? step : p->to.by_channel, into_tile ? p->to.by_channel : step);
    step /= b->images;
    copy_dim(&copy, b->images, into_tile ? step : p->to.by_batch, into_tile ? p->to.by_batch : step);
    for (int d = 0; d < SPACE; d++) {
        const int64_t far = p->reach[d].step * p->to.step[d];
        step /= p->reach[d].count;
        copy_dim(&copy, p->reach[d].count, into_tile ? step : far, into_tile ? far : step);
    }
    return kt__cpu_run_with(p->build, &copy);
}

/* ---- the two of them ---- */

static kt_status run_images(batch *b, int64_t first, int64_t group)
{
    const pass   *p = b->p;
    const matrix  weights = {computed(p, p->weights + group * p->by_group), p->by_row, p->width};
    matrix        columns, out, bias = {p->bias, p->by_bias, 0};
    kt_operand    there;
    const bool    even = results_of(b, first, group, &out, &there);
    bias.x.data += p->bias.data ? group * p->rows * p->by_bias : 0;
    kt_status status = see(b, first, group, &columns);
    if (!status)
        status = kt__multiply(p, &out, &weights, &columns, p->bias.data ? &bias : NULL, p->rows, b->images * b->positions,
                              p->depth * p->taps);
    return status || even ? status : move_results(b, &there, false);
}

static kt_status sum_images(batch *b, int64_t first, int64_t group)
{
    const pass   *p = b->p;
    const int64_t line = p->depth * p->taps;
    const matrix  sums = {computed(p, p->sums + group * p->rows * line * p->width), line * p->width, p->width};
    matrix        columns, back;
    kt_operand    there;
    const bool    even = results_of(b, first, group, &back, &there);
    kt_status     status = see(b, first, group, &columns);
    if (!status && !even)
        status = move_results(b, &there, true);
    const matrix turned = {columns.x, columns.by_column, columns.by_row};
    return status ? status : kt__multiply(p, &sums, &back, &turned, &sums, p->rows, line, b->images * b->positions);
}

static kt_status run(pass *p, kt_status (*of)(batch *b, int64_t first, int64_t group))
{
    batch     b;
    kt_status status = KT_OK;
    if (!batch_get(&b, p))
        return kt__fail_memory(MOST_BYTES);
    find_sights(&b);
    for (int64_t group = 0; group < p->groups && !status; group++)
        for (int64_t n = 0; n < p->to.batch && !status; n += b.most) {
            b.images = p->to.batch - n < b.most ? p->to.batch - n : b.most;
            status = of(&b, n, group);
        }
    kt__block_put(b.made, b.granted);
    return status;
}

kt_status kt__run_together(pass *p) { return run(p, run_images); }

kt_status kt__sum_weight_together(pass *p) { return run(p, sum_images); }
