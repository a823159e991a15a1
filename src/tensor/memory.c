/* memory.c - the memory of devices: what tensors use, by device; pinned host memory; generators of devices that draw by
 * themselves. The CPU's own memory is counted by base/alloc. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "tensor/device.h"

typedef struct device_state {
    _Atomic size_t   allocated, allocated_peak;
    _Atomic uint64_t allocated_total, freed_total;
    _Atomic uint64_t count, count_peak, count_total, count_freed;
    _Atomic uint64_t out_of_memory;
    _Atomic bool     used;
    kt_generator    *generator; /* of a device that draws by itself, else NULL */
} device_state;

const kt__holder_hooks *kt__holders;

static device_state *states[KT_MAX_BACKENDS]; /* of each kind `counts` of them; set before the backend can be found */
static int           counts[KT_MAX_BACKENDS];

kt_status kt__devices_begin(int kind, int count, bool draws)
{
    device_state *s = calloc((size_t)(count > 0 ? count : 1), sizeof *s);
    if (!s)
        return kt__fail_memory(sizeof *s);
    for (int i = 0; i < count && draws; i++)
        if (!(s[i].generator = kt__rng_new_on(kind, i))) {
            while (i-- > 0)
                kt_generator_drop(s[i].generator);
            free(s);
            return kt_error_status();
        }
    for (int i = 0; i < count && draws; i++)
        kt__rng_make_default(s[i].generator);
    states[kind] = s;
    counts[kind] = count;
    return KT_OK;
}

static device_state *state_of(kt_device d)
{
    const bool known = (unsigned)d.kind < KT_MAX_BACKENDS && states[d.kind] && d.index >= 0 && d.index < counts[d.kind];
    return known ? &states[d.kind][d.index] : NULL;
}

/* ---- what tensors use ---- */
static void raise_size(_Atomic size_t *peak, size_t to)
{
    size_t seen = atomic_load_explicit(peak, memory_order_relaxed);
    while (seen < to && !atomic_compare_exchange_weak_explicit(peak, &seen, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void raise_count(_Atomic uint64_t *peak, uint64_t to)
{
    uint64_t seen = atomic_load_explicit(peak, memory_order_relaxed);
    while (seen < to && !atomic_compare_exchange_weak_explicit(peak, &seen, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

#define ADD(field, n) atomic_fetch_add_explicit(&s->field, (n), memory_order_relaxed)
#define SUBTRACT(field, n) atomic_fetch_sub_explicit(&s->field, (n), memory_order_relaxed)
#define READ(field) atomic_load_explicit(&s->field, memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&s->field, (value), memory_order_relaxed)

kt_status kt__device_alloc(kt_device d, size_t bytes, void **data, size_t *granted)
{
    kt_backend     *b = kt__backend(d.kind);
    device_state   *s = state_of(d);
    if (s && kt__devices_lost)
        return kt__fail_lost(b);
    if (s && !READ(used)) {
        kt__device_used();
        STORE(used, true);
    }
    const kt_status status = b->alloc(b, d.index, kt__stream_now(d.kind, d.index), bytes, data, granted);
    if (!s)
        return status;
    if (status) {
        ADD(out_of_memory, 1);
        if (kt__holders)
            kt__holders->explain(d);
        return status;
    }
    ADD(allocated_total, *granted);
    ADD(count_total, 1);
    raise_size(&s->allocated_peak, ADD(allocated, *granted) + *granted);
    raise_count(&s->count_peak, ADD(count, 1) + 1);
    if (*granted >= KT__HELD_LEAST && kt__holders)
        kt__holders->took(d, *data, *granted);
    return KT_OK;
}

bool kt__device_has_worked(kt_device d)
{
    const device_state *s = state_of(d);
    return s && READ(used);
}

void kt__device_free(kt_device d, void *data, size_t granted)
{
    kt_backend   *b = kt__backend(d.kind);
    device_state *s = state_of(d);
    if (s && kt__devices_lost)
        return;
    if (granted >= KT__HELD_LEAST && kt__holders)
        kt__holders->gave(d, data);
    b->free(b, d.index, data, granted);
    if (!s)
        return;
    ADD(freed_total, granted);
    ADD(count_freed, 1);
    SUBTRACT(allocated, granted);
    SUBTRACT(count, 1);
}

/* The state of a device that has one; else NULL and an error. */
static device_state *asked(kt_device *d)
{
    *d = kt__default_device(*d);
    device_state *s = state_of(*d);
    if (!s)
        kt_fail(KT_ERR_RUNTIME, "the memory of device '%s' is not counted", kt_device_name(*d));
    if (s && kt__devices_lost) {
        kt__fail_lost(kt__backend(d->kind));
        return NULL;
    }
    return s;
}

kt_status kt_device_memory_ask(kt_device d, kt_device_memory *out)
{
    const device_state *s = asked(&d);
    kt_backend_memory   m = {0};
    if (!s)
        return kt_error_status();
    if (!out)
        return kt_fail(KT_ERR_TYPE, "expected a place for the figures, got NULL");
    kt_backend *b = kt__backend(d.kind);
    if (b->memory && b->memory->ask(b, d.index, &m))
        return kt_error_status();
    kt_device_memory full = {.size = out->size,
                      .allocated = READ(allocated),
                      .allocated_peak = READ(allocated_peak),
                      .allocated_total = READ(allocated_total),
                      .freed_total = READ(freed_total),
                      .count = READ(count),
                      .count_peak = READ(count_peak),
                      .count_total = READ(count_total),
                      .count_freed = READ(count_freed),
                      .out_of_memory = READ(out_of_memory),
                      .reserved = m.reserved,
                      .reserved_peak = m.reserved_peak,
                      .free = m.free,
                      .total = m.total};
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return KT_OK;
}

kt_status kt_device_memory_pools(kt_device d, kt_memory_pools *out)
{
    kt_memory_pools full = {0};
    if (!asked(&d))
        return kt_error_status();
    if (!out)
        return kt_fail(KT_ERR_TYPE, "expected a place for the figures, got NULL");
    kt_backend *b = kt__backend(d.kind);
    full.known = b->memory && b->memory->pools;
    if (full.known && b->memory->pools(b, d.index, &full))
        return kt_error_status();
    full.size = out->size;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return KT_OK;
}

kt_status kt_device_memory_reset_peaks(kt_device d)
{
    device_state *s = asked(&d);
    if (!s)
        return kt_error_status();
    STORE(allocated_peak, READ(allocated));
    STORE(count_peak, READ(count));
    kt_backend *b = kt__backend(d.kind);
    return b->memory ? b->memory->reset_peaks(b, d.index) : KT_OK;
}

kt_status kt_device_memory_reset_totals(kt_device d)
{
    device_state *s = asked(&d);
    if (!s)
        return kt_error_status();
    STORE(allocated_total, 0);
    STORE(freed_total, 0);
    STORE(count_total, 0);
    STORE(count_freed, 0);
    STORE(out_of_memory, 0);
    kt_backend *b = kt__backend(d.kind);
    if (b->memory && b->memory->reset_totals)
        b->memory->reset_totals(b, d.index);
    return KT_OK;
}

kt_status kt_device_memory_empty(kt_device d)
{
    kt__waiting w;
    if (!asked(&d))
        return kt_error_status();
    kt_backend *b = kt__backend(d.kind);
    if (!b->memory)
        return KT_OK;
    if (kt__wait_begin(d.kind, "empty_cache", true, &w))
        return kt_error_status();
    const kt_status status = b->memory->empty(b, d.index);
    kt__wait_end(&w);
    return status;
}

kt_status kt_device_memory_limit(kt_device d, size_t bytes)
{
    if (!asked(&d))
        return kt_error_status();
    kt_backend *b = kt__backend(d.kind);
    return b->memory ? b->memory->limit(b, d.index, bytes)
                     : kt_fail(KT_ERR_RUNTIME, "the memory of device '%s' cannot be limited", b->name);
}

/* ---- facts ---- */
kt_status kt_device_ask(kt_device d, kt_device_properties *out)
{
    d = kt__default_device(d);
    kt_backend *b = kt__backend(d.kind);
    if (!b || !b->facts || d.index < 0 || d.index >= b->count(b))
        return kt_fail(KT_ERR_RUNTIME, "device '%s' has no properties", kt_device_name(d));
    if (!out)
        return kt_fail(KT_ERR_TYPE, "expected a place for the properties, got NULL");
    kt_device_properties full = {0};
    if (b->facts(b, d.index, &full))
        return kt_error_status();
    full.size = out->size;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return KT_OK;
}

char *kt_device_about(kt_device d)
{
    enum { ROOM = 4096 };
    d = kt__default_device(d);
    kt_backend *b = kt__backend(d.kind);
    char       *text = calloc(1, ROOM);
    if (!text) {
        kt__fail_memory(ROOM);
        return kt__no_text();
    }
    if (b && b->about && d.index >= 0 && d.index < b->count(b) && !kt__devices_lost)
        b->about(b, d.index, text, ROOM);
    return text;
}

/* ---- pinned host memory ---- */
typedef struct pinned_block {
    void  *data;
    size_t granted;
    int    kind;
} pinned_block;

static void release_pinned(void *owner)
{
    pinned_block *p = owner;
    kt_backend   *b = kt__backend(p->kind);
    if (!kt__devices_lost)
        b->host_free(b, p->data, p->granted);
    kt__pool_put(p, sizeof *p);
}

kt_tensor *kt__tensor_pinned(kt_dtype dtype, kt_shape shape, int kind)
{
    int64_t       numel = 1;
    kt_backend   *b = kt__backend(kind);
    pinned_block *p = NULL;
    kt_tensor    *t = NULL;
    if (!b || !b->host_alloc) {
        kt_fail(KT_ERR_RUNTIME, "Cannot access accelerator device when none is available.");
        return NULL;
    }
    if (kt__count(shape, &numel))
        return NULL;
    if (kt__devices_lost) {
        kt__fail_lost(b);
        return NULL;
    }
    kt__device_used();
    const size_t bytes = (size_t)numel * kt__dtype_rows[dtype].size;
    if (!(p = kt__pool_get(sizeof *p))) {
        kt__fail_memory(sizeof *p);
        return NULL;
    }
    p->kind = kind;
    if (!b->host_alloc(b, bytes ? bytes : 1, &p->data, &p->granted)) {
        t = kt__tensor_wrap(p->data, bytes, dtype, shape, release_pinned, p);
        if (!t)
            b->host_free(b, p->data, p->granted);
    }
    if (!t)
        kt__pool_put(p, sizeof *p);
    else
        t->storage->pinned_by = (uint8_t)kind;
    return t;
}

bool kt_is_pinned(const kt_tensor *t) { return t && kt__pinned_by(t) != 0; }

/* ---- generators ---- */
kt_generator *kt_default_generator_of(kt_device d)
{
    const device_state *s = state_of(kt__default_device(d));
    return s && s->generator ? s->generator : kt_default_generator();
}

kt_device kt_generator_device(kt_generator *g)
{
    return g && g->kind ? (kt_device){g->kind, g->index} : (kt_device){KT_CPU, 0};
}

kt_status kt_generator_new_on(kt_device d, kt_generator **made)
{
    d = kt__default_device(d);
    kt_backend *b = kt__backend(d.kind);
    if (!made)
        return kt_fail(KT_ERR_TYPE, "expected a place for the generator, got NULL");
    *made = NULL;
    if (!b || d.index < 0 || d.index >= b->count(b))
        return kt_fail(KT_ERR_RUNTIME, "there is no such device");
    *made = b->draws ? kt__rng_new_on(d.kind, d.index) : kt_generator_new();
    return *made ? KT_OK : kt_error_status();
}
