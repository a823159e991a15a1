/* within.c - passes of a convolution that read nothing beyond the image.
 *
 * In: a pass, as it is before it runs. Out: its results, where a weight is infinite or NaN. Beyond the image lie zeros, and a
 * zero times such a weight is NaN: but a gradient, and a transposed convolution, sum over the positions that exist, as PyTorch
 * does. So the positions are parted by which taps see the image, and each part is a pass with those taps alone.
 * Independent of: how a pass runs. */
#include "cpu/window/within.h"

#include "base/alloc.h"
#include "base/error.h"

enum { CORNERS = 1 << SPACE };

/* The taps that see the image from position j: [low, high). */
static void taps_within(const reach *r, int64_t size, int64_t j, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    for (int64_t t = 0; t < r->taps; t++) {
        const int64_t at = r->from + r->move * j + r->by_tap * t;
        if (at < 0 || at >= size)
            continue;
        *low = *low == *high ? t : *low;
        *high = t + 1;
    }
}

/* The part that begins at position j: which its taps see, and no others. */
static reach part_from(const reach *r, int64_t size, int64_t j)
{
    reach   part = *r;
    int64_t low, high, next, end;
    taps_within(r, size, j, &low, &high);
    for (part.count = 1; j + part.count < r->count; part.count++) {
        taps_within(r, size, j + part.count, &next, &end);
        if (next != low || end != high)
            break;
    }
    part.first += r->step * j, part.tap += r->tap_step * low, part.taps = high - low;
    part.from += r->move * j + r->by_tap * low;
    return part;
}

static bool sees_beyond(const pass *p)
{
    for (int d = 0; d < SPACE; d++)
        for (int end = 0; end < 2; end++) {
            int64_t low, high;
            taps_within(&p->reach[d], p->from.size[d], end ? p->reach[d].count - 1 : 0, &low, &high);
            if (high - low != p->reach[d].taps)
                return true;
        }
    return false;
}

static bool has_nan(const pass *p, const char *values, int64_t count)
{
    bool nan = false;
    if (p->dtype == KT_F64 || p->dtype == KT_C128)
        for (int64_t i = 0; i < count * p->width / (int64_t)sizeof(double); i++)
            nan = nan || __builtin_isnan(((const double *)(const void *)values)[i]);
    else
        for (int64_t i = 0; i < count * p->width / (int64_t)sizeof(float); i++)
            nan = nan || __builtin_isnan(((const float *)(const void *)values)[i]);
    return nan;
}

/* A tap that sees beyond the image anywhere does so from the first position of a dim or from the last one, whatever the other
 * dims are: the corners of one image tell. */
kt_status kt__has_nan_at_corners(const pass *p, bool *nan)
{
    *nan = false;
    if (kt__dtype_rows[p->dtype].category < KT_CAT_FLOAT || p->to.batch == 0 || p->to.channels == 0 || !sees_beyond(p))
        return KT_OK;
    const size_t bytes = (size_t)(p->to.channels * CORNERS * p->width);
    size_t       granted;
    char        *values = kt__block_get(bytes, &granted);
    if (!values)
        return kt__fail_memory(bytes);
    kt_operand target = computed(p, values), source = p->to.x;
    kt_plan    copy;
    int64_t    count = 1;
    for (int d = 0; d < SPACE; d++) {
        source.data += p->reach[d].first * p->to.step[d];
        count *= p->reach[d].count > 1 ? 2 : 1;
    }
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, p->to.channels, count * p->width, p->to.by_channel);
    for (int64_t d = 0, apart = count * p->width; d < SPACE; d++) {
        const reach *r = &p->reach[d];
        apart /= r->count > 1 ? 2 : 1;
        copy_dim(&copy, r->count > 1 ? 2 : 1, apart, (r->count - 1) * r->step * p->to.step[d]);
    }
    const kt_status status = kt__cpu_run_with(p->build, &copy);
    *nan = !status && has_nan(p, values, p->to.channels * count);
    kt__block_put(values, granted);
    return status;
}

kt_status kt__run_within(const pass *p, const weight *w, kt__pass_fn *run)
{
    reach     part[SPACE];
    kt_status status = KT_OK;
    for (int64_t i = 0; i < p->reach[0].count && !status; i += part[0].count) {
        part[0] = part_from(&p->reach[0], p->from.size[0], i);
        for (int64_t j = 0; j < p->reach[1].count && !status; j += part[1].count) {
            part[1] = part_from(&p->reach[1], p->from.size[1], j);
            for (int64_t k = 0; k < p->reach[2].count && !status; k += part[2].count) {
                pass some = *p;
                part[2] = part_from(&p->reach[2], p->from.size[2], k);
                for (int d = 0; d < SPACE; d++)
                    some.reach[d] = part[d];
                status = run(&some, w, true);
            }
        }
    }
    return status;
}
