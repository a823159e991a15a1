/* roots.c - roots of unity, by length. In: a length. Out: see fourier.h.
 *
 * A table costs as much as several transforms, so that those used last are kept. Angles are reduced to an eighth of a turn in
 * integers and computed in double: each number is exact to its last bit but one, at any length. */
#include <math.h>
#include <pthread.h>

#include "base/alloc.h"
#include "cpu/fourier/fourier.h"

enum { KEPT_BYTES = 64 << 20, ALIGN = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kt__roots      *list; /* used last first */
static size_t          kept; /* bytes of the list */

static void hold(void) { pthread_mutex_lock(&lock); }
static void let_go(void) { pthread_mutex_unlock(&lock); }
static void watch_forks(void) { pthread_atfork(hold, let_go, let_go); }

/* ---- numbers ---- */

/* exp(-2 pi i k / n) for 0 <= k < n */
static void root(int64_t k, int64_t n, double *re, double *im)
{
    const double pi = 3.14159265358979323846;
    const bool   lower = 2 * (uint64_t)k > (uint64_t)n;
    int64_t      at = lower ? n - k : k; /* up to half a turn */
    const bool   left = 4 * (uint64_t)at > (uint64_t)n;
    const double from_half = left ? (double)n / 2 - (double)at : (double)at; /* up to a quarter; exact below 2^52 */
    const bool   steep = 8 * from_half > (double)n;
    const double angle = steep ? 2 * pi * ((double)n / 4 - from_half) / (double)n : 2 * pi * from_half / (double)n;
    const double c = steep ? sin(angle) : cos(angle), s = steep ? cos(angle) : sin(angle);
    *re = left ? -c : c;
    *im = lower ? s : -s;
}

static void put_root(const kt__roots *r, int64_t at, int64_t k, int64_t n)
{
    double re, im;
    root(k, n, &re, &im);
    if (r->compute == KT_IN_F64) {
        ((double *)r->re)[at] = re;
        ((double *)r->im)[at] = im;
    } else {
        ((float *)r->re)[at] = (float)re;
        ((float *)r->im)[at] = (float)im;
    }
}

/* ---- lengths ---- */

/* The factors of n, 4 before the primes; 0: one is too large. */
static int factors_of(int64_t n, uint8_t *radix)
{
    static const uint8_t tried[] = {4, 2, 3, 5, 7, 11, KT__MOST_RADIX};
    int                  found = 0;
    for (unsigned i = 0; i < sizeof tried; i++)
        while (n % tried[i] == 0) {
            radix[found++] = tried[i];
            n /= tried[i];
        }
    return n == 1 ? found : 0;
}

static void fill_passes(kt__roots *r)
{
    int64_t points = r->n, at = 0;
    for (int i = 0; i < r->passes; i++) {
        const int64_t rest = points / r->radix[i];
        for (int64_t j = 1; j < r->radix[i]; j++)
            for (int64_t p = 0; p < rest; p++)
                put_root(r, at++, j * p % points, points);
        points = rest;
    }
}

static int64_t numbers_of_passes(const kt__roots *r)
{
    int64_t points = r->n, numbers = 0;
    for (int i = 0; i < r->passes; i++) {
        points /= r->radix[i];
        numbers += (r->radix[i] - 1) * points;
    }
    return numbers;
}

/* exp(-pi i k k / n): k k grows by 2k + 1, in steps that stay below 2n */
static void fill_chirp(kt__roots *r)
{
    for (int64_t k = 0, square = 0; k < r->n; k++) {
        put_root(r, k, square, 2 * r->n);
        square += 2 * k + 1;
        square %= 2 * r->n;
    }
}

/* The conjugate chirp at 0 to n - 1 and, the same read backwards, at the end, transformed. */
static bool fill_image(kt__roots *r, kt__fourier_points *points)
{
    const int64_t m = r->inner->n, width = r->compute == KT_IN_F64 ? sizeof(double) : sizeof(float);
    size_t        granted;
    char         *room = kt__block_get(2 * (size_t)(m * width), &granted);
    if (!room)
        return false;
    memset(r->image_re, 0, (size_t)(m * width));
    memset(r->image_im, 0, (size_t)(m * width));
    for (int64_t k = 0; k < r->n; k++)
        for (int back = 0; back <= (k > 0); back++) {
            const int64_t at = back ? m - k : k;
            if (r->compute == KT_IN_F64) {
                ((double *)r->image_re)[at] = ((double *)r->re)[k] / (double)m;
                ((double *)r->image_im)[at] = -((double *)r->im)[k] / (double)m;
            } else {
                ((float *)r->image_re)[at] = ((float *)r->re)[k] / (float)m;
                ((float *)r->image_im)[at] = -((float *)r->im)[k] / (float)m;
            }
        }
    if (points(r->inner, r->image_re, r->image_im, room, room + m * width)) {
        memcpy(r->image_re, room, (size_t)(m * width));
        memcpy(r->image_im, room + m * width, (size_t)(m * width));
    }
    kt__block_put(room, granted);
    return true;
}

/* ---- making and keeping ---- */

static bool matches(const kt__roots *r, int64_t n, kt_compute compute, bool folds)
{
    return r->n == n && r->compute == compute && r->folds == folds;
}

static kt__roots *with_room(const kt__roots *shape, int64_t numbers, int64_t image)
{
    const size_t width = shape->compute == KT_IN_F64 ? sizeof(double) : sizeof(float);
    const size_t array = (numbers * width + ALIGN - 1) / ALIGN * ALIGN, images = (image * width + ALIGN - 1) / ALIGN * ALIGN;
    const size_t head = (sizeof *shape + ALIGN - 1) / ALIGN * ALIGN;
    kt__roots   *r = kt__system_get(head + 2 * array + 2 * images);
    if (!r)
        return NULL;
    *r = *shape;
    r->bytes = head + 2 * array + 2 * images;
    r->re = (char *)r + head;
    r->im = (char *)r->re + array;
    r->image_re = image ? (char *)r->im + array : NULL;
    r->image_im = image ? (char *)r->image_re + images : NULL;
    return r;
}

static void drop(kt__roots *r);

static kt__roots *make(int64_t n, kt_compute compute, bool folds, kt__fourier_points *points)
{
    kt__roots shape = {.n = n, .compute = (uint8_t)compute, .folds = folds, .refs = 1};
    int64_t   numbers = 0, image = 0;
    if (folds) {
        shape.inner = (kt__roots *)(uintptr_t)kt__roots_get(n / 2, compute, false, points);
        numbers = n / 2 + 1;
    } else if (n > 1 && !(shape.passes = (uint8_t)factors_of(n, shape.radix))) {
        for (image = 1; image < 2 * n - 1; image *= 2)
            ;
        shape.inner = (kt__roots *)(uintptr_t)kt__roots_get(image, compute, false, points);
        numbers = n;
    } else {
        numbers = numbers_of_passes(&shape);
    }
    if ((folds || image) && !shape.inner)
        return NULL;
    kt__roots *r = with_room(&shape, numbers, image);
    if (!r) {
        kt__roots_put(shape.inner);
        return NULL;
    }
    if (folds)
        for (int64_t k = 0; k <= n / 2; k++)
            put_root(r, k, k, n);
    else if (image)
        fill_chirp(r);
    else
        fill_passes(r);
    if (image && !fill_image(r, points)) {
        drop(r);
        return NULL;
    }
    return r;
}

static void drop(kt__roots *r)
{
    kt__roots *inner = r->inner;
    kt__system_put(r, r->bytes);
    if (inner)
        kt__roots_put(inner);
}

/* Takes out of the list what nobody uses, the one used longest ago first; under the lock. What is taken out is returned. */
static kt__roots *surplus(void)
{
    kt__roots *out = NULL;
    while (kept > KEPT_BYTES) {
        kt__roots **last = NULL;
        for (kt__roots **at = &list; *at; at = &(*at)->next)
            if ((*at)->refs == 1)
                last = at;
        if (!last)
            break;
        kt__roots *r = *last;
        *last = r->next;
        kept -= r->bytes;
        r->next = out;
        out = r;
    }
    return out;
}

static kt__roots *found(int64_t n, kt_compute compute, bool folds)
{
    for (kt__roots **at = &list; *at; at = &(*at)->next)
        if (matches(*at, n, compute, folds)) {
            kt__roots *r = *at;
            *at = r->next;
            r->next = list;
            list = r;
            r->refs++;
            return r;
        }
    return NULL;
}

const kt__roots *kt__roots_get(int64_t n, kt_compute compute, bool real, kt__fourier_points *points)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const bool            folds = real && n % 2 == 0;
    pthread_once(&once, watch_forks);
    hold();
    kt__roots *r = found(n, compute, folds);
    let_go();
    if (r)
        return r;
    kt__roots *made = make(n, compute, folds, points), *out = NULL;
    if (!made)
        return NULL;
    hold();
    r = found(n, compute, folds); /* another thread may have been quicker */
    if (!r) {
        made->refs = 2; /* the list's and the caller's */
        made->next = list;
        list = made;
        kept += made->bytes;
        out = surplus();
    }
    let_go();
    while (out) {
        kt__roots *next = out->next;
        drop(out);
        out = next;
    }
    if (r)
        drop(made);
    return r ? r : made;
}

void kt__roots_put(const kt__roots *roots)
{
    if (!roots)
        return;
    hold();
    ((kt__roots *)(uintptr_t)roots)->refs--; /* the list's own reference stays */
    let_go();
}
