/* moves.c - see resample.h: each result is one element, which is moved as bytes. Rows that repeat are copied whole. */
#include "base/thread.h"
#include "cpu/isa/names.h"
#include "cpu/resample/resample.h"

#define T          float
#define ID         f32
#define MATH(name) __builtin_##name##f
#include "cpu/resample/taps.inc.c"
#undef T
#undef ID
#undef MATH
#define T          double
#define ID         f64
#define MATH(name) __builtin_##name
#include "cpu/resample/taps.inc.c"

enum { GRAIN_BYTES = 1 << 17 };

typedef struct moving {
    const kt__resizing *r;
    const int64_t      *at[KT__SPACE_DIMS]; /* by position of the result */
    int                 width;              /* bytes of an element */
    bool                whole;              /* the channels of a position are moved as one piece */
} moving;

/* ---- a line of results ---- */

KT_ALWAYS void gather(char *to, int64_t step, const char *from, int64_t by, const int64_t *at, int64_t n, size_t width)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + at[i] * by, width);
}

static void gather_line(const moving *m, char *to, const char *from)
{
    const kt__resizing *r = m->r;
    const int64_t       n = r->out.size[2], step = r->out.step[2], by = r->in.step[2];
    switch (m->whole ? 0 : m->width) {
    case 1:  gather(to, step, from, by, m->at[2], n, 1); break;
    case 2:  gather(to, step, from, by, m->at[2], n, 2); break;
    case 4:  gather(to, step, from, by, m->at[2], n, 4); break;
    case 8:  gather(to, step, from, by, m->at[2], n, 8); break;
    default: gather(to, step, from, by, m->at[2], n, (size_t)(r->out.channels * m->width)); break;
    }
}

static void move_lines(void *ctx, int64_t begin, int64_t end)
{
    const moving       *m = ctx;
    const kt__resizing *r = m->r;
    const int64_t       channels = m->whole ? 1 : r->out.channels, high = r->out.size[1], deep = r->out.size[0];
    const int64_t       piece = m->width * (m->whole ? r->out.channels : 1);
    const bool          dense = r->out.step[2] == piece;
    const char         *before = NULL; /* the row that the line before was made of */
    char               *made = NULL;
    for (int64_t i = begin; i < end; i++) {
        const int64_t h = i % high, d = i / high % deep, c = i / high / deep % channels, n = i / high / deep / channels;
        char         *to = r->out.x.data + n * r->out.by_batch + c * r->out.by_channel + d * r->out.step[0] + h * r->out.step[1];
        const char   *from = r->in.x.data + n * r->in.by_batch + c * r->in.by_channel + m->at[0][d] * r->in.step[0] +
                           m->at[1][h] * r->in.step[1];
        if (from == before && dense)
            memcpy(to, made, (size_t)(r->out.size[2] * piece));
        else
            gather_line(m, to, from);
        before = from;
        made = to;
    }
}

static void move(moving *m)
{
    const kt__image *o = &m->r->out;
    const int64_t    lines = o->batch * (m->whole ? 1 : o->channels) * o->size[0] * o->size[1];
    const int64_t    bytes = o->size[2] * m->width * (m->whole ? o->channels : 1);
    kt__parallel(lines, GRAIN_BYTES / (bytes + 1) + 1, move_lines, m);
}

/* ---- where elements stand: of float64 it is computed in float64 ---- */

static kt_status move_by_f32(moving *m)
{
    taps_f32 t[KT__SPACE_DIMS] = {0};
    bool     made = true;
    for (int d = 0; d < KT__SPACE_DIMS && made; d++) {
        made = taps_make_f32(&t[d], &m->r->along[d]);
        m->at[d] = t[d].at;
    }
    if (made)
        move(m);
    for (int d = 0; d < KT__SPACE_DIMS; d++)
        taps_free_f32(&t[d]);
    return made ? KT_OK : kt_error_status();
}

static kt_status move_by_f64(moving *m)
{
    taps_f64 t[KT__SPACE_DIMS] = {0};
    bool     made = true;
    for (int d = 0; d < KT__SPACE_DIMS && made; d++) {
        made = taps_make_f64(&t[d], &m->r->along[d]);
        m->at[d] = t[d].at;
    }
    if (made)
        move(m);
    for (int d = 0; d < KT__SPACE_DIMS; d++)
        taps_free_f64(&t[d]);
    return made ? KT_OK : kt_error_status();
}

kt_status kt__resample_moves(const kt__resizing *r)
{
    const int        width = (int)kt__dtype_rows[r->in.x.is].size;
    const kt__image *o = &r->out, *i = &r->in;
    moving           m = {.r = r, .width = width, .whole = r->channels_inner && o->by_channel == width && i->by_channel == width};
    return r->in.x.is == KT_F64 ? move_by_f64(&m) : move_by_f32(&m);
}
