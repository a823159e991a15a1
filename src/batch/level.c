/* level.c - levels: what is open on a thread, and the way into and out of them. In: tensors with all examples. Out: records that
 * show one of them, and back. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"

KT__HOT_LOCAL kt__level *kt__innermost;

/* The mode word has a bit for calls without tensors, which may draw numbers. */
static void set_innermost(kt__level *level)
{
    kt__innermost = level;
    kt__mode_word = level ? kt__mode() | KT_M_LEVELS : kt__mode() & ~(uint64_t)KT_M_LEVELS;
}

kt__level *kt__level_of(uint32_t id)
{
    kt__level *at = kt__innermost;
    while (at && at->id != id)
        at = at->outer;
    return at;
}

int kt__level_floor(uint32_t id)
{
    const kt__level *level = kt__level_of(id);
    return level ? level->floor : 0;
}

kt__level *kt__level_leave(uint32_t id)
{
    kt__level *was = kt__innermost, *level = kt__level_of(id);
    if (level)
        set_innermost(level->outer);
    return was;
}

void kt__level_return(kt__level *to)
{
    if (to != kt__innermost)
        set_innermost(to);
}

kt_status kt_batch_begin(int64_t size, kt_randomness randomness)
{
    static _Atomic uint32_t last;
    if (kt__failed())
        return kt_error_status();
    if (size < 0)
        return kt_fail(KT_ERR_VALUE, "kt_batch_begin: a batch of %lld examples", (long long)size);
    if ((unsigned)randomness > KT_RANDOM_SAME)
        return kt_fail(KT_ERR_VALUE, "kt_batch_begin: there is no randomness %d", (int)randomness);
    kt__level *level = kt__pool_get(sizeof *level);
    if (!level)
        return kt__fail_memory(sizeof *level);
    const uint32_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    *level = (kt__level){.outer = kt__innermost, .size = size, .id = id,
                         .randomness = (uint8_t)randomness, .floor = (uint8_t)kt__tape.levels()};
    set_innermost(level);
    return KT_OK;
}

/* Runs whatever error is pending: what was begun has to end. */
kt_status kt_batch_end(void)
{
    kt__level *level = kt__innermost;
    if (!level)
        return kt_fail(KT_ERR_RUNTIME, "kt_batch_end: no batch was begun");
    set_innermost(level->outer);
    kt__pool_put(level, sizeof *level);
    return KT_OK;
}

static int64_t depth_of(const kt__level *level)
{
    int64_t n = 0;
    for (; level; level = level->outer)
        n++;
    return n;
}

int64_t kt_batch_depth(void) { return depth_of(kt__innermost); }

bool       kt_is_batched(const kt_tensor *t) { return t && t->flags & KT_T_BATCHED; }
bool       kt_is_batched_here(const kt_tensor *t) { return kt__innermost && kt__at_level(t, kt__innermost->id); }
kt_tensor *kt_batch_value(const kt_tensor *t) { return kt_is_batched(t) ? kt__example_of(t)->value : NULL; }
int64_t    kt_batch_dim(const kt_tensor *t) { return kt_is_batched(t) ? kt__example_of(t)->dim : -1; }
int64_t    kt_batch_level(const kt_tensor *t) { return kt_is_batched(t) ? depth_of(kt__level_of(kt__example_of(t)->level)) : 0; }

int64_t kt_batch_floor(const kt_tensor *t) { return kt_is_batched(t) ? kt__level_floor(kt__example_of(t)->level) : 0; }

kt_randomness kt_batch_randomness(const kt_tensor *t)
{
    const kt__level *level = kt_is_batched(t) ? kt__level_of(kt__example_of(t)->level) : NULL;
    return level ? (kt_randomness)level->randomness : KT_RANDOM_ERROR;
}

static kt_tensor *scoped(kt_tensor *t)
{
    if (t && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

static kt_status check_open(const kt_tensor *t, const char *who)
{
    if (kt__failed())
        return kt_error_status();
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    return kt__innermost ? KT_OK : kt_fail(KT_ERR_RUNTIME, "%s: no batch was begun", who);
}

static kt_tensor *example_of(kt_tensor *t, int64_t dim, int64_t size, uint32_t level)
{
    if (dim < -(int64_t)t->ndim || dim >= t->ndim) {
        kt_fail(KT_ERR_INDEX, "kt_batch_in: dim %lld of a tensor with %d dims", (long long)dim, t->ndim);
        return NULL;
    }
    dim += dim < 0 ? t->ndim : 0;
    if (t->sizes[dim] != size) {
        kt_fail(KT_ERR_VALUE, "kt_batch_in: dim %lld has %lld examples, the batch %lld", (long long)dim,
                (long long)t->sizes[dim], (long long)size);
        return NULL;
    }
    return scoped(kt__tensor_batched(t, (int)dim, level));
}

kt_tensor *kt_batch_in(kt_tensor *t, int64_t dim)
{
    return check_open(t, "kt_batch_in") ? NULL : example_of(t, dim, kt__innermost->size, kt__innermost->id);
}

static kt_status check_batched(const kt_tensor *t, const char *who)
{
    if (kt__failed())
        return kt_error_status();
    return kt_is_batched(t) ? KT_OK : kt_fail(KT_ERR_TYPE, "%s: expected a tensor inside a batch", who);
}

kt_tensor *kt_batch_in_as(kt_tensor *value, int64_t dim, const kt_tensor *t)
{
    if (check_batched(t, "kt_batch_in_as"))
        return NULL;
    const kt__example *b = kt__example_of(t);
    if (!value) {
        kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        return NULL;
    }
    if (value->flags & KT_T_BATCHED && kt__example_of(value)->level >= b->level) {
        kt_fail(KT_ERR_VALUE, "kt_batch_in_as: the value belongs to that batch, or to one inside it");
        return NULL;
    }
    return example_of(value, dim, b->value->sizes[b->dim], b->level);
}

kt_status kt_batch_outside(const kt_tensor *t, void (*run)(void *with), void *with)
{
    if (check_batched(t, "kt_batch_outside"))
        return kt_error_status();
    if (!run)
        return kt_fail(KT_ERR_VALUE, "kt_batch_outside: no function");
    const uint64_t mode = kt__mode(), all = mode & ~KT_M_NO_FORWARD;
    const int      floor = kt__level_floor(kt__example_of(t)->level);
    kt__level     *was = kt__level_leave(kt__example_of(t)->level);
    if (floor < kt__ceiling(all)) /* the levels that began inside follow the examples, not their value */
        kt__mode_word = kt__under_ceiling(kt__mode(), floor);
    run(with);
    kt__mode_word = (kt__mode() & ~KT_M_CEILING) | (mode & KT_M_CEILING);
    kt__level_return(was);
    return kt__failed() ? kt_error_status() : KT_OK;
}

/* One example that is the same for all: repeated without a copy. */
static kt_tensor *repeated(kt_tensor *t, int64_t dim)
{
    int64_t sizes[KT_MAX_DIMS + 1];
    int     n = 0;
    for (int64_t i = 0; i <= t->ndim; i++)
        sizes[i] = i == dim ? kt__innermost->size : t->sizes[n++];
    return kt_expand(kt_unsqueeze(t, dim), ((kt_shape){t->ndim + 1, sizes}));
}

kt_tensor *kt_batch_out(kt_tensor *t, int64_t dim)
{
    if (check_open(t, "kt_batch_out") || kt__wrap_dim(&dim, t->ndim + 1))
        return NULL;
    kt__level *was = kt__innermost;
    kt_tensor *all;
    if (kt__at_level(t, was->id)) {
        const kt__example *b = kt__example_of(t);
        kt__level_leave(was->id);
        all = b->dim == dim ? scoped(kt__ref(b->value)) : kt_movedim(b->value, KT_SHAPE(b->dim), KT_SHAPE(dim));
        kt__level_return(was);
        return t->flags & KT_T_DUAL ? kt__tape.carry(all, t, kt_batch_out, dim) : all;
    }
    return repeated(t, dim);
}
