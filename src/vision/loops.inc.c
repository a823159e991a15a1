/* loops.inc.c - torchvision's operators in type T. A template: FN(name) is the name of T.
 *
 * Written from the papers: R-CNN (Girshick et al., 2014) for suppression, Fast R-CNN (Girshick, 2015) for pooling of regions,
 * Mask R-CNN (He et al., 2017) for aligned pooling, R-FCN (Dai et al., 2016) for position-sensitive pooling, Deformable
 * Convolutional Networks (Dai et al., 2017; Zhu et al., 2019) for deformed windows. How region borders are rounded, and what
 * stands beyond an image, follows torchvision's results. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "vision/vision.h"

#include <string.h>
#include <tgmath.h>

#ifndef VISION_FOR_BOTH_TYPES
#define VISION_FOR_BOTH_TYPES
enum { GRAIN_CHANNELS = 4, GRAIN_REGIONS = 4, GRAIN_TAPS = 1 };
static inline int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
#endif

/* ---- suppression: of boxes that overlap, the one with the best score stays ---- */

int64_t FN(kt__suppress)(const void *boxes, const int64_t *order, int64_t n, double threshold, int64_t *kept)
{
    const T *const box = boxes;
    int64_t        count = 0;
    for (int64_t i = 0; i < n; i++) {
        const T *const b = box + 4 * order[i], area = (b[2] - b[0]) * (b[3] - b[1]);
        bool           stays = true;
        for (int64_t k = 0; k < count && stays; k++) {
            const T *const o = box + 4 * kept[k];
            const T        left = b[0] > o[0] ? b[0] : o[0], top = b[1] > o[1] ? b[1] : o[1];
            const T        right = b[2] < o[2] ? b[2] : o[2], bottom = b[3] < o[3] ? b[3] : o[3];
            const T        w = right > left ? right - left : 0, h = bottom > top ? bottom - top : 0, shared = w * h;
            stays = !((double)(shared / ((o[2] - o[0]) * (o[3] - o[1]) + area - shared)) > threshold);
        }
        if (stays)
            kept[count++] = order[i];
    }
    return count;
}

/* ---- regions whose bins are averages of interpolated samples ----
 * A sample is a product of a weight for its line and one for its column, so the sums of a bin's samples are weights of lines
 * times weights of columns. */

typedef struct FN(axis) { /* the elements of one dim that a bin reads, and their weights, summed over its samples */
    int64_t first, n;
    T      *weight;
} FN(axis);

typedef struct FN(aligning) {
    const kt__regions       *r;
    const kt__region_arrays *a;
    bool                     failed;
} FN(aligning);

/* The place of a sample: between elements `at` and `at` + 1, `share` towards the second. false: it is beyond the image. */
static inline bool FN(sample_at)(T place, int64_t size, int64_t *at, T *share)
{
    if (!(place >= -1 && place <= (T)size))
        return false;
    if (place < 0)
        place = 0;
    *at = (int64_t)place;
    *share = place - (T)*at;
    if (*at >= size - 1) {
        *at = size - 1;
        *share = 0;
    }
    return true;
}

/* Bins of one dim of a region. `room` holds `size` weights for each bin. */
static void FN(read_axis)(FN(axis) *bins, int64_t n, T start, T length, int64_t samples, int64_t size, T *room)
{
    const T bin = length / (T)n;
    memset(room, 0, (size_t)(n * size) * sizeof *room);
    for (int64_t i = 0; i < n; i++, room += size) {
        int64_t first = size, last = -1;
        for (int64_t k = 0; k < samples; k++) {
            const T place = start + (T)i * bin + ((T)k + (T)0.5) * bin / (T)samples;
            int64_t at;
            T       share;
            if (!FN(sample_at)(place, size, &at, &share))
                continue;
            const int64_t next = at_most(at + 1, size - 1);
            room[at] += 1 - share;
            room[next] += share;
            first = at_most(first, at);
            last = at_least(last, next);
        }
        bins[i] = (FN(axis)){last < 0 ? 0 : first, last < 0 ? 0 : last + 1 - first, last < 0 ? room : room + first};
    }
}

typedef struct FN(region) {
    int64_t   image;
    FN(axis) *lines, *columns;
    T         samples; /* of a bin */
} FN(region);

static int64_t FN(samples_of)(const kt__regions *r, T length, int64_t bins)
{
    const T n = ceil(length / (T)bins);
    return r->sampling > 0 ? r->sampling : n > 0 ? (n < (T)INT32_MAX ? (int64_t)n : INT32_MAX) : n < 0 ? -1 : 0;
}

/* `room`: axes, then weights, as FN(region_room) counts. */
static FN(region) FN(read_region)(const kt__regions *r, const T *region, void *room)
{
    const T  scale = (T)r->scale, off = r->aligned ? (T)0.5 : 0;
    const T  left = region[1] * scale - off, top = region[2] * scale - off;
    T        w = region[3] * scale - off - left, h = region[4] * scale - off - top;
    FN(axis) *axes = room;
    T        *weights = (T *)(axes + r->rows + r->columns);
    if (r->least_one) {
        w = w > 1 ? w : 1;
        h = h > 1 ? h : 1;
    }
    const int64_t of_h = FN(samples_of)(r, h, r->rows), of_w = FN(samples_of)(r, w, r->columns);
    const int64_t all = r->by_position ? of_h * of_w : at_least(of_h * of_w, 1); /* an empty bin: 0 / 0, as in PyTorch, or 0 */
    FN(read_axis)(axes, r->rows, top, h, of_h, r->height, weights);
    FN(read_axis)(axes + r->rows, r->columns, left, w, of_w, r->width, weights + r->rows * r->height);
    return (FN(region)){(int64_t)region[0], axes, axes + r->rows, (T)all};
}

static size_t FN(region_room)(const kt__regions *r)
{
    return (size_t)(r->rows + r->columns) * sizeof(FN(axis)) + (size_t)(r->rows * r->height + r->columns * r->width) * sizeof(T);
}

/* The channel of the images that a bin of a channel of the result reads. */
static inline int64_t FN(channel_of)(const kt__regions *r, int64_t channel, int64_t i, int64_t j)
{
    return r->by_position ? (channel * r->rows + i) * r->columns + j : channel;
}

static inline int64_t FN(channels_out)(const kt__regions *r)
{
    return r->by_position ? r->channels / (r->rows * r->columns) : r->channels;
}

static void *FN(take_room)(FN(aligning) *w)
{
    void *room = kt__system_get(FN(region_room)(w->r));
    if (!room)
        __atomic_store_n(&w->failed, true, __ATOMIC_RELAXED);
    return room;
}

static void FN(align_some)(void *context, int64_t begin, int64_t end)
{
    FN(aligning)      *w = context;
    const kt__regions *r = w->r;
    const int64_t      plane = r->height * r->width, channels = FN(channels_out)(r), bins = r->rows * r->columns;
    void              *room = FN(take_room)(w);
    if (!room)
        return;
    for (int64_t k = begin; k < end; k++) {
        const FN(region) g = FN(read_region)(r, (const T *)w->a->region + 5 * k, room);
        const T         *images = (const T *)w->a->image + g.image * r->channels * plane;
        T               *to = (T *)w->a->result + k * channels * bins;
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < r->rows; i++)
                for (int64_t j = 0; j < r->columns; j++, to++) {
                    const FN(axis) lines = g.lines[i], columns = g.columns[j];
                    const T *image = images + FN(channel_of)(r, c, i, j) * plane + lines.first * r->width + columns.first;
                    T        sum = 0;
                    for (int64_t y = 0; y < lines.n; y++) {
                        T line = 0;
                        for (int64_t x = 0; x < columns.n; x++)
                            line += columns.weight[x] * image[y * r->width + x];
                        sum += lines.weight[y] * line;
                    }
                    *to = sum / g.samples;
                    if (w->a->place)
                        w->a->place[to - (T *)w->a->result] = (int32_t)FN(channel_of)(r, c, i, j);
                }
    }
    kt__system_put(room, FN(region_room)(r));
}

/* Channels of the result are split among threads: two regions may read one element, but two channels never do. */
static void FN(align_back_some)(void *context, int64_t begin, int64_t end)
{
    FN(aligning)      *w = context;
    const kt__regions *r = w->r;
    const int64_t      plane = r->height * r->width, channels = FN(channels_out)(r), bins = r->rows * r->columns;
    void              *room = FN(take_room)(w);
    if (!room)
        return;
    for (int64_t k = 0; k < r->n; k++) {
        const FN(region) g = FN(read_region)(r, (const T *)w->a->region + 5 * k, room);
        T               *images = (T *)w->a->to_image + g.image * r->channels * plane;
        const T         *flow = (const T *)w->a->flow + (k * channels + begin) * bins;
        for (int64_t c = begin; c < end; c++)
            for (int64_t i = 0; i < r->rows; i++)
                for (int64_t j = 0; j < r->columns; j++) {
                    const FN(axis) lines = g.lines[i], columns = g.columns[j];
                    T *image = images + FN(channel_of)(r, c, i, j) * plane + lines.first * r->width + columns.first;
                    const T flowed = *flow++ / g.samples;
                    for (int64_t y = 0; y < lines.n; y++)
                        for (int64_t x = 0; x < columns.n; x++)
                            image[y * r->width + x] += flowed * lines.weight[y] * columns.weight[x];
                }
    }
    kt__system_put(room, FN(region_room)(r));
}

static kt_status FN(run)(const kt__regions *r, const kt__region_arrays *a, int64_t n, int64_t grain,
                         void (*some)(void *, int64_t, int64_t))
{
    FN(aligning) w = {.r = r, .a = a};
    kt__parallel(n, grain, some, &w);
    return w.failed ? kt__fail_memory(FN(region_room)(r)) : KT_OK;
}

kt_status FN(kt__align_regions)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, r->n, GRAIN_REGIONS, FN(align_some));
}

kt_status FN(kt__align_back)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, FN(channels_out)(r), GRAIN_CHANNELS, FN(align_back_some));
}

/* ---- regions whose borders are rounded to elements, and whose bins are windows of elements ---- */

typedef struct FN(bins) {
    int64_t image;
    T       top, left, height, width; /* the region's begin, and a bin's size */
} FN(bins);

typedef struct FN(window) {
    int64_t top, left, bottom, right;
} FN(window);

static FN(bins) FN(read_bins)(const kt__regions *r, const T *region)
{
    const T scale = (T)r->scale, left = round(region[1] * scale), top = round(region[2] * scale);
    const T more = r->by_position ? 0 : 1; /* Fast R-CNN's regions include their last element */
    const T w = round(region[3] * scale) - left + more, h = round(region[4] * scale) - top + more;
    return (FN(bins)){(int64_t)region[0], top, left, (h > 1 ? h : 1) / (T)r->rows, (w > 1 ? w : 1) / (T)r->columns};
}

static inline int64_t FN(inside)(T place, int64_t size) { return place > 0 ? (place < (T)size ? (int64_t)place : size) : 0; }

/* Fast R-CNN rounds a bin's place in the region, R-FCN its place in the image: the same but for the last bits. */
static FN(window) FN(read_window)(const kt__regions *r, const FN(bins) *b, int64_t i, int64_t j, bool back)
{
    const T top = (T)i * b->height, left = (T)j * b->width, bottom = (T)(i + 1) * b->height, right = (T)(j + 1) * b->width;
    if (r->by_position) { /* as in torchvision: an average leaves out the image's last line and column, what flows back not */
        const int64_t lines = r->height - !back, columns = r->width - !back;
        return (FN(window)){FN(inside)(floor(top + b->top), lines), FN(inside)(floor(left + b->left), columns),
                            FN(inside)(ceil(bottom + b->top), lines), FN(inside)(ceil(right + b->left), columns)};
    }
    return (FN(window)){FN(inside)(floor(top) + b->top, r->height), FN(inside)(floor(left) + b->left, r->width),
                        FN(inside)(ceil(bottom) + b->top, r->height), FN(inside)(ceil(right) + b->left, r->width)};
}

static void FN(pool_some)(void *context, int64_t begin, int64_t end)
{
    const FN(aligning) *w = context;
    const kt__regions  *r = w->r;
    const int64_t       plane = r->height * r->width;
    for (int64_t k = begin; k < end; k++) {
        const FN(bins) b = FN(read_bins)(r, (const T *)w->a->region + 5 * k);
        for (int64_t c = 0; c < r->channels; c++)
            for (int64_t i = 0; i < r->rows; i++)
                for (int64_t j = 0; j < r->columns; j++) {
                    const T         *image = (const T *)w->a->image + (b.image * r->channels + c) * plane;
                    const FN(window) v = FN(read_window)(r, &b, i, j, false);
                    const int64_t    at = ((k * r->channels + c) * r->rows + i) * r->columns + j;
                    int64_t          largest = -1;
                    for (int64_t y = v.top; y < v.bottom; y++)
                        for (int64_t x = v.left; x < v.right; x++)
                            if (largest < 0 || image[y * r->width + x] > image[largest])
                                largest = y * r->width + x;
                    ((T *)w->a->result)[at] = largest < 0 ? 0 : image[largest];
                    w->a->place[at] = (int32_t)largest;
                }
    }
}

static void FN(pool_back_some)(void *context, int64_t begin, int64_t end)
{
    const FN(aligning) *w = context;
    const kt__regions  *r = w->r;
    const int64_t       plane = r->height * r->width, bins = r->rows * r->columns;
    for (int64_t k = 0; k < r->n; k++) {
        const int64_t image = (int64_t)((const T *)w->a->region)[5 * k];
        for (int64_t c = begin; c < end; c++)
            for (int64_t i = 0, at = (k * r->channels + c) * bins; i < bins; i++, at++)
                if (w->a->from[at] >= 0 && w->a->from[at] < plane)
                    ((T *)w->a->to_image)[(image * r->channels + c) * plane + w->a->from[at]] += ((const T *)w->a->flow)[at];
    }
}

kt_status FN(kt__pool_regions)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, r->n, GRAIN_REGIONS, FN(pool_some));
}

kt_status FN(kt__pool_back)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, r->channels, GRAIN_CHANNELS, FN(pool_back_some));
}

static void FN(average_some)(void *context, int64_t begin, int64_t end)
{
    const FN(aligning) *w = context;
    const kt__regions  *r = w->r;
    const int64_t       plane = r->height * r->width, channels = FN(channels_out)(r);
    for (int64_t k = begin; k < end; k++) {
        const FN(bins) b = FN(read_bins)(r, (const T *)w->a->region + 5 * k);
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < r->rows; i++)
                for (int64_t j = 0; j < r->columns; j++) {
                    const int64_t    channel = FN(channel_of)(r, c, i, j);
                    const T         *image = (const T *)w->a->image + (b.image * r->channels + channel) * plane;
                    const FN(window) v = FN(read_window)(r, &b, i, j, false);
                    const int64_t    at = ((k * channels + c) * r->rows + i) * r->columns + j;
                    const bool       empty = v.bottom <= v.top || v.right <= v.left;
                    T                sum = 0;
                    for (int64_t y = v.top; y < v.bottom; y++)
                        for (int64_t x = v.left; x < v.right; x++)
                            sum += image[y * r->width + x];
                    ((T *)w->a->result)[at] = empty ? 0 : sum / (T)((v.bottom - v.top) * (v.right - v.left));
                    w->a->place[at] = (int32_t)channel;
                }
    }
}

static void FN(average_back_some)(void *context, int64_t begin, int64_t end)
{
    const FN(aligning) *w = context;
    const kt__regions  *r = w->r;
    const int64_t       plane = r->height * r->width, channels = FN(channels_out)(r);
    for (int64_t k = 0; k < r->n; k++) {
        const FN(bins) b = FN(read_bins)(r, (const T *)w->a->region + 5 * k);
        for (int64_t c = begin; c < end; c++)
            for (int64_t i = 0; i < r->rows; i++)
                for (int64_t j = 0; j < r->columns; j++) {
                    T *image = (T *)w->a->to_image + (b.image * r->channels + FN(channel_of)(r, c, i, j)) * plane;
                    const FN(window) v = FN(read_window)(r, &b, i, j, true);
                    const T flowed = ((const T *)w->a->flow)[((k * channels + c) * r->rows + i) * r->columns + j];
                    for (int64_t y = v.top; y < v.bottom; y++)
                        for (int64_t x = v.left; x < v.right; x++)
                            image[y * r->width + x] += flowed / (T)((v.bottom - v.top) * (v.right - v.left));
                }
    }
}

kt_status FN(kt__average_regions)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, r->n, GRAIN_REGIONS, FN(average_some));
}

kt_status FN(kt__average_back)(const kt__regions *r, const kt__region_arrays *a)
{
    return FN(run)(r, a, FN(channels_out)(r), GRAIN_CHANNELS, FN(average_back_some));
}

/* ---- deformed windows: each tap of the window looks at a place of its own ---- */

typedef struct FN(deforming) {
    const kt__windows       *w;
    const kt__window_arrays *a;
} FN(deforming);

typedef struct FN(look) { /* a place between four elements, or as many of them as are in the image */
    int     n;
    int64_t at[4];
    T       weight[4], down[4], right[4]; /* how the weights change with the place */
} FN(look);

static FN(look) FN(look_at)(const kt__windows *w, T y, T x)
{
    FN(look) l = {0};
    if (!(y > -1 && y < (T)w->height && x > -1 && x < (T)w->width))
        return l;
    const int64_t top = (int64_t)floor(y), left = (int64_t)floor(x);
    const T       low[2] = {1 - (y - (T)top), y - (T)top}, near[2] = {1 - (x - (T)left), x - (T)left};
    for (int i = 0; i < 4; i++) {
        const int64_t line = top + i / 2, column = left + i % 2;
        if (line < 0 || line >= w->height || column < 0 || column >= w->width)
            continue;
        l.at[l.n] = line * w->width + column;
        l.weight[l.n] = low[i / 2] * near[i % 2];
        l.down[l.n] = (i / 2 ? 1 : -1) * near[i % 2];
        l.right[l.n] = (i % 2 ? 1 : -1) * low[i / 2];
        l.n++;
    }
    return l;
}

/* Where tap `tap` of position p of a group looks; *seen: how much of it counts. */
static FN(look) FN(look_of)(const FN(deforming) *d, int64_t group, int64_t tap, int64_t p, T *seen)
{
    const kt__windows *w = d->w;
    const int64_t      taps = w->kernel_h * w->kernel_w, positions = w->out_h * w->out_w, at = group * taps + tap;
    const T           *offset = (const T *)d->a->offset + 2 * at * positions + p;
    *seen = w->masked ? ((const T *)d->a->mask)[at * positions + p] : 1;
    return FN(look_at)(w, (T)(p / w->out_w * w->stride_h - w->pad_h + tap / w->kernel_w * w->dilation_h) + offset[0],
                       (T)(p % w->out_w * w->stride_w - w->pad_w + tap % w->kernel_w * w->dilation_w) + offset[positions]);
}

static void FN(columns_some)(void *context, int64_t begin, int64_t end) /* taps of all groups */
{
    const FN(deforming) *d = context;
    const kt__windows   *w = d->w;
    const int64_t        taps = w->kernel_h * w->kernel_w, positions = w->out_h * w->out_w, plane = w->height * w->width;
    const int64_t        of_group = w->channels / w->groups;
    for (int64_t i = begin; i < end; i++)
        for (int64_t p = 0; p < positions; p++) {
            const int64_t  group = i / taps, tap = i % taps;
            T              seen;
            const FN(look) l = FN(look_of)(d, group, tap, p, &seen);
            for (int64_t c = group * of_group; c < (group + 1) * of_group; c++) {
                const T *image = (const T *)d->a->image + c * plane;
                T        sum = 0;
                for (int k = 0; k < l.n; k++)
                    sum += l.weight[k] * image[l.at[k]];
                ((T *)d->a->columns)[(c * taps + tap) * positions + p] = sum * seen;
            }
        }
}

void FN(kt__deformed_columns)(const kt__windows *w, const kt__window_arrays *a)
{
    FN(deforming) d = {w, a};
    kt__parallel(w->groups * w->kernel_h * w->kernel_w, GRAIN_TAPS, FN(columns_some), &d);
}

static void FN(offset_some)(void *context, int64_t begin, int64_t end) /* taps of all groups */
{
    const FN(deforming) *d = context;
    const kt__windows   *w = d->w;
    const int64_t        taps = w->kernel_h * w->kernel_w, positions = w->out_h * w->out_w, plane = w->height * w->width;
    const int64_t        of_group = w->channels / w->groups;
    for (int64_t i = begin; i < end; i++)
        for (int64_t p = 0; p < positions; p++) {
            const int64_t  group = i / taps, tap = i % taps;
            T              seen, down = 0, right = 0, value = 0;
            const FN(look) l = FN(look_of)(d, group, tap, p, &seen);
            for (int64_t c = group * of_group; c < (group + 1) * of_group; c++) {
                const T *image = (const T *)d->a->image + c * plane;
                const T  flow = ((const T *)d->a->flow)[(c * taps + tap) * positions + p];
                for (int k = 0; k < l.n; k++) {
                    down += flow * l.down[k] * image[l.at[k]];
                    right += flow * l.right[k] * image[l.at[k]];
                    value += flow * l.weight[k] * image[l.at[k]];
                }
            }
            if (d->a->to_offset) {
                ((T *)d->a->to_offset)[2 * i * positions + p] = down * seen;
                ((T *)d->a->to_offset)[(2 * i + 1) * positions + p] = right * seen;
            }
            if (d->a->to_mask)
                ((T *)d->a->to_mask)[i * positions + p] = value;
        }
}

static void FN(image_some)(void *context, int64_t begin, int64_t end) /* channels */
{
    const FN(deforming) *d = context;
    const kt__windows   *w = d->w;
    const int64_t        taps = w->kernel_h * w->kernel_w, positions = w->out_h * w->out_w, plane = w->height * w->width;
    const int64_t        of_group = w->channels / w->groups;
    for (int64_t first = begin, after; first < end; first = after) {
        const int64_t group = first / of_group;
        after = at_most(end, (group + 1) * of_group);
        for (int64_t tap = 0; tap < taps; tap++)
            for (int64_t p = 0; p < positions; p++) {
                T              seen;
                const FN(look) l = FN(look_of)(d, group, tap, p, &seen);
                for (int64_t c = first; c < after; c++) {
                    const T flow = ((const T *)d->a->flow)[(c * taps + tap) * positions + p] * seen;
                    for (int k = 0; k < l.n; k++)
                        ((T *)d->a->to_image)[c * plane + l.at[k]] += flow * l.weight[k];
                }
            }
    }
}

void FN(kt__deformed_back)(const kt__windows *w, const kt__window_arrays *a)
{
    FN(deforming) d = {w, a};
    if (a->to_offset || a->to_mask)
        kt__parallel(w->groups * w->kernel_h * w->kernel_w, GRAIN_TAPS, FN(offset_some), &d);
    if (a->to_image)
        kt__parallel(w->channels, GRAIN_CHANNELS, FN(image_some), &d);
}
