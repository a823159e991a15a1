/* tangents.c - the tangents of tensors, by level. In: tensors, their tangents, and when a level begins and ends. Out: the tangent
 * of a tensor, of a view through its base. Independent of: how an operator's tangent is computed (forward.c).
 *
 * A level is one run of forward mode: forward_ad has one, a jvp inside a jvp has another. Levels belong to the process, and the
 * last one ends first; with it its tangents go, wherever they are. A tangent lies in memory as its tensor does, so that any view
 * of the tensor is the same view of the tangent, and a write through a view of the one writes through that view of the other. */
#include <pthread.h>

#include <karat/plugin/node.h>

#include "base/alloc.h"
#include "base/scope.h"
#include "call/wrap.h"
#include "grad/grad.h"

typedef struct kt__tangent {
    struct kt__tangent *next;              /* of the same tensor: a lower level */
    struct kt__tangent *after, **before;   /* of the same level */
    kt_tensor          *of;                /* not owned: the tensor owns this */
    kt_tensor          *value;             /* owned; NULL: a view that does not have its base's tangent (unpacked) */
    int                 level;
} kt__tangent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all lists, of tensors and levels */
static kt__tangent    *of_level[KT__LEVELS];
static int             n_levels;

/* ---- lists ---- */

static kt__tangent **place_of(struct kt_autograd *a, int level)
{
    kt__tangent **at = &a->tangents;
    while (*at && (*at)->level > level)
        at = &(*at)->next;
    return at;
}

static void leave_level(kt__tangent *one)
{
    *one->before = one->after;
    if (one->after)
        one->after->before = one->before;
}

static void put(kt__tangent *one)
{
    kt__unref(one->value);
    kt__pool_put(one, sizeof *one);
}

void kt__tangents_free(kt__tangent *list)
{
    pthread_mutex_lock(&lock);
    for (kt__tangent *one = list; one; one = one->next)
        leave_level(one);
    pthread_mutex_unlock(&lock);
    while (list) {
        kt__tangent *one = list;
        list = one->next;
        put(one);
    }
}

static kt_tensor *own_tangent(const kt_tensor *t, int level) /* owned; NULL: none */
{
    kt_tensor *value = NULL;
    if (!(t->flags & KT_T_DUAL))
        return NULL;
    pthread_mutex_lock(&lock);
    kt__tangent *one = *place_of(t->autograd, level);
    if (one && one->level == level && one->value)
        value = kt__ref(one->value);
    pthread_mutex_unlock(&lock);
    return value;
}

typedef struct of_tensor {
    uint64_t has, lacks; /* lacks: whatever its base has */
} of_tensor;

static of_tensor own_levels(const kt_tensor *t)
{
    of_tensor l = {0, 0};
    if (!(t->flags & KT_T_DUAL))
        return l;
    pthread_mutex_lock(&lock);
    for (const kt__tangent *one = t->autograd->tangents; one; one = one->next)
        *(one->value ? &l.has : &l.lacks) |= 1ull << one->level;
    pthread_mutex_unlock(&lock);
    return l;
}

static kt_status add(kt_tensor *t, kt_tensor *value, int level)
{
    struct kt_autograd *a = kt__autograd_of(t);
    kt__tangent        *one = a ? kt__pool_get(sizeof *one) : NULL;
    if (!one)
        return a ? kt__fail_memory(sizeof *one) : kt_error_status();
    pthread_mutex_lock(&lock);
    kt__tangent **at = place_of(a, level), *had = *at && (*at)->level == level ? *at : NULL;
    if (had)
        leave_level(had);
    *one = (kt__tangent){.next = had ? had->next : *at, .after = of_level[level], .before = &of_level[level], .of = t,
                         .value = value ? kt__ref(value) : NULL, .level = level};
    if (one->after)
        one->after->before = &one->after;
    *at = of_level[level] = one;
    t->flags |= KT_T_DUAL;
    pthread_mutex_unlock(&lock);
    if (had)
        put(had);
    return KT_OK;
}

/* ---- levels ---- */

int64_t kt_dual_level_enter(void)
{
    if (kt__failed())
        return -1;
    pthread_mutex_lock(&lock);
    const int level = n_levels < KT__LEVELS ? n_levels++ : -1;
    pthread_mutex_unlock(&lock);
    if (level < 0)
        kt_fail(KT_ERR_RUNTIME, "there are %d levels of forward mode already", (int)KT__LEVELS);
    return level;
}

kt_status kt_dual_level_exit(int64_t level)
{
    pthread_mutex_lock(&lock);
    const bool   last = level >= 0 && level == n_levels - 1;
    kt__tangent *list = NULL;
    if (last) {
        n_levels--;
        list = of_level[level];
        of_level[level] = NULL;
    }
    for (kt__tangent *one = list; one; one = one->after) {
        *place_of(one->of->autograd, (int)level) = one->next;
        if (!one->of->autograd->tangents)
            one->of->flags &= ~(uint32_t)KT_T_DUAL;
    }
    pthread_mutex_unlock(&lock);
    while (list) { /* which may free tensors, and with them tangents of other levels */
        kt__tangent *one = list;
        list = one->after;
        put(one);
    }
    return last ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "Trying to exit a forward AD level that was not the last one that was created. This is "
                                          "not supported.");
}

int kt__open_levels(void)
{
    pthread_mutex_lock(&lock);
    const int n = n_levels;
    pthread_mutex_unlock(&lock);
    return n;
}

static kt_status check_level(int64_t level, const char *function)
{
    pthread_mutex_lock(&lock);
    const bool there = level >= 0 && level < n_levels;
    pthread_mutex_unlock(&lock);
    return there ? KT_OK : kt_fail(KT_ERR_RUNTIME, "Invalid level given to %s", function);
}

/* ---- reading ---- */

uint64_t kt__levels_of(const kt_tensor *t, uint64_t mode)
{
    const int    ceiling = kt__ceiling(mode);
    const of_tensor mine = own_levels(t);
    const of_tensor base = t->flags & KT_T_VIEW ? own_levels(t->base) : (of_tensor){0, 0};
    return (mine.has | (base.has & ~mine.lacks)) & (ceiling == KT__LEVELS ? ~0ull : (1ull << ceiling) - 1);
}

uint64_t kt__levels_lacked(const kt_tensor *t) { return own_levels(t).lacks; }

kt_status kt__lack_levels(kt_tensor *t, uint64_t levels)
{
    kt_status status = KT_OK;
    for (; levels && !status; levels &= levels - 1)
        status = add(t, NULL, __builtin_ctzll(levels));
    return status;
}

kt_status kt__tangent_at(kt_tensor *t, int level, kt_tensor **tangent)
{
    *tangent = own_tangent(t, level);
    const bool follows = !*tangent && t->flags & KT_T_VIEW && !(own_levels(t).lacks >> level & 1);
    kt_tensor *whole = follows ? own_tangent(t->base, level) : NULL;
    if (!whole)
        return KT_OK;
    /* The base was written to after the view was made: the view's tangent is that part of the base's. */
    kt_status status = kt__seen_as_view(whole, t, tangent);
    if (!status)
        status = add(t, *tangent, level);
    if (status) {
        kt__unref(*tangent);
        *tangent = NULL;
    }
    kt__unref(whole);
    return status;
}

kt_tensor *kt__tangent_shown(const kt_tensor *t)
{
    const uint64_t seen = kt__are_dual(kt__grad_flags(t)) ? kt__levels_of(t, kt__mode()) : 0;
    kt_tensor     *tangent = NULL;
    return seen && !kt__tangent_at((kt_tensor *)(uintptr_t)t, __builtin_ctzll(seen), &tangent) ? tangent : NULL;
}

/* ---- writing ---- */

kt_status kt__zeros_of(const kt_tensor *like, kt_dtype dtype, kt_tensor **zeros)
{
    kt_call    c;
    kt_tensor *one = kt__tensor_new(dtype, kt__device(like), (kt_shape){0, NULL});
    if (!one || kt__fill_with(one, KT_INT(0))) {
        kt__unref(one);
        return kt_error_status();
    }
    kt__open(&c, KT_OP_expand, KT_PLAIN);
    kt__put_tensor(&c, 0, one);
    kt__put(&c, 1, ints, kt__sizes(like));
    kt_status status = kt_call_run(&c);
    kt__unref(one);
    if (!status)
        *zeros = c.out[0];
    return status;
}

static bool lies_as(const kt_tensor *tangent, const kt_tensor *t)
{
    if ((tangent->flags ^ t->flags) & (KT_T_CONJ | KT_T_NEG))
        return false;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] > 1 && t->strides[i] != tangent->strides[i])
            return false;
    return true;
}

/* A new tensor that lies as t does, with the elements of `from`; NULL: zeros. */
static kt_status laid_out(const kt_tensor *t, kt_dtype dtype, kt_tensor *from, kt_tensor **made)
{
    int64_t reach = t->numel != 0;
    for (int i = 0; i < t->ndim; i++)
        reach = t->sizes[i] ? reach + (t->sizes[i] - 1) * t->strides[i] : reach;
    kt_tensor *new = kt__tensor_new(dtype, kt__device(from ? from : t), KT_SHAPE(reach));
    if (!new || kt__tensor_set_geometry(new, kt__sizes(t), kt__strides(t), 0)) {
        kt__unref(new);
        return kt_error_status();
    }
    new->flags |= t->flags & (KT_T_CONJ | KT_T_NEG);
    new->lineage = t->lineage;
    if (from ? kt__write_over(KT_OP_copy, new, from) : kt__fill_with(new, KT_INT(0))) {
        kt__unref(new);
        return kt_error_status();
    }
    kt__count_anew(new);
    *made = new;
    return KT_OK;
}

static kt_status check(kt_tensor *t, kt_tensor *tangent, int level)
{
    if (!kt__same_sizes(t, tangent))
        return kt_fail(KT_ERR_RUNTIME,
                       "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
                       "supported. Tensor is of size %s while the given forward gradient is of size %s.",
                       KT__SIZES_TEXT(t), KT__SIZES_TEXT(tangent));
    kt_tensor *its = NULL;
    if (kt__tangent_at(tangent, level, &its))
        return kt_error_status();
    kt__unref(its);
    return its ? kt_fail(KT_ERR_RUNTIME, "Setting a forward grad that itself has a forward gradient at the same level%d is not "
                                         "supported.", level)
               : KT_OK;
}

/* The same of a tangent with examples: each lies as t does. */
static kt_status each_laid_out(const kt_tensor *t, kt_tensor *from, kt_tensor **made)
{
    KT_SCOPE;
    if (laid_out(t, (kt_dtype)from->dtype, NULL, made))
        return kt_error_status();
    kt_tensor *wide = kt__batching.room(*made, from); /* the scope's, or *made */
    wide = wide ? kt__ref(wide) : NULL;
    kt__unref(*made);
    *made = wide;
    if (wide && !kt__write_over(KT_OP_copy, wide, from))
        return KT_OK;
    kt__unref(wide);
    *made = NULL;
    return kt_error_status();
}

kt_status kt__set_tangent(kt_tensor *t, kt_tensor *tangent, int level)
{
    kt_tensor *laid = NULL;
    if (check(t, tangent, level))
        return kt_error_status();
    if (lies_as(tangent, t) || kt__overlaps_itself(t))
        return add(t, tangent, level);
    if (tangent->flags & KT_T_BATCHED ? each_laid_out(t, tangent, &laid) : laid_out(t, (kt_dtype)tangent->dtype, tangent, &laid))
        return kt_error_status();
    kt_status status = add(t, laid, level);
    kt__unref(laid);
    return status;
}

static bool is_complex(const kt_tensor *t) { return kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX; }

/* A view of a tensor that has no tangent yet: all of that gets one, of zeros but for the view's part. */
static kt_status write_through(kt_tensor *view, kt_tensor *tangent, int level)
{
    kt_tensor *whole = NULL, *part = NULL;
    KT_SCOPE;
    const bool turned = is_complex(view) != is_complex(view->base); /* a real view of complex numbers, or the other way */
    kt_status  status = laid_out(view->base, (kt_dtype)(turned ? view->base->dtype : tangent->dtype), NULL, &whole);
    if (!status && tangent->flags & KT_T_BATCHED) { /* with room for the tangent's examples */
        kt_tensor *wide = kt__batching.room(whole, tangent); /* the scope's, or `whole` */
        wide = wide ? kt__ref(wide) : NULL;
        kt__unref(whole);
        whole = wide;
        status = wide ? KT_OK : kt_error_status();
    }
    if (!status)
        status = kt__seen_as_view(whole, view, &part);
    if (!status)
        status = kt__write_over(KT_OP_copy, part, tangent);
    if (!status)
        status = add(view->base, whole, level);
    if (!status)
        status = add(view, part, level);
    kt__unref(whole);
    kt__unref(part);
    return status;
}

/* The views of `base` that have a tangent of the level, owned; NULL without an error: there are none. */
static kt_tensor **views_of(const kt_tensor *base, int level, int64_t *n)
{
    kt_tensor **views = NULL;
    *n = 0;
    pthread_mutex_lock(&lock);
    for (const kt__tangent *one = of_level[level]; one; one = one->after)
        *n += one->value && one->of->flags & KT_T_VIEW && one->of->base == base;
    if (*n && (views = kt__system_get((size_t)*n * sizeof *views))) {
        int64_t at = 0;
        for (const kt__tangent *one = of_level[level]; one; one = one->after)
            if (one->value && one->of->flags & KT_T_VIEW && one->of->base == base)
                views[at++] = kt__ref(one->of);
    }
    pthread_mutex_unlock(&lock);
    if (*n && !views)
        kt__fail_memory((size_t)*n * sizeof *views);
    return views;
}

static kt_status show_in_views(const kt_tensor *base, kt_tensor *whole, int level)
{
    int64_t     n;
    kt_tensor **views = views_of(base, level, &n);
    kt_status   status = n && !views ? kt_error_status() : KT_OK;
    for (int64_t i = 0; views && i < n; i++) {
        kt_tensor *part = NULL;
        if (!status)
            status = kt__seen_as_view(whole, views[i], &part);
        if (!status)
            status = add(views[i], part, level);
        kt__unref(part);
        kt__unref(views[i]);
    }
    if (views)
        kt__system_put(views, (size_t)n * sizeof *views);
    return status;
}

kt_status kt__widen_tangent(kt_tensor *t, const kt_tensor *beside, int level, kt_tensor **tangent)
{
    KT_SCOPE;
    kt_tensor *of = t->flags & KT_T_VIEW ? t->base : t, *whole = own_tangent(of, level);
    if (!whole) { /* the view is dual, its base is not */
        of = t;
        whole = kt__ref(*tangent);
    }
    kt_tensor *wide = kt__batching.room(whole, beside);
    const bool same = wide == whole;
    kt_status  status = wide ? KT_OK : kt_error_status();
    if (!status && !same)
        status = add(of, wide, level);
    kt__unref(whole);
    if (!status && !same)
        status = show_in_views(of, wide, level);
    if (status || same)
        return status;
    kt__unref(*tangent);
    *tangent = NULL;
    return kt__tangent_at(t, level, tangent);
}

kt_status kt__write_tangent(kt_tensor *t, kt_tensor *tangent, int level)
{
    kt_tensor *had = NULL;
    if (kt__tangent_at(t, level, &had))
        return kt_error_status();
    if (!had)
        return t->flags & KT_T_VIEW ? write_through(t, tangent, level) : kt__set_tangent(t, tangent, level);
    kt_status status = had == tangent ? KT_OK : kt__write_over(KT_OP_copy, had, tangent);
    kt__unref(had);
    return status;
}

void kt__drop_tangents(kt_tensor *t)
{
    pthread_mutex_lock(&lock);
    kt__tangent *list = t->autograd->tangents;
    t->autograd->tangents = NULL;
    t->flags &= ~(uint32_t)KT_T_DUAL;
    pthread_mutex_unlock(&lock);
    kt__tangents_free(list);
}

kt_status kt__share_tangents(kt_tensor *to, const kt_tensor *from)
{
    kt_status status = KT_OK;
    for (uint64_t left = own_levels(from).has; left && !status; left &= left - 1) {
        const int  level = __builtin_ctzll(left);
        kt_tensor *tangent = own_tangent(from, level);
        status = tangent ? add(to, tangent, level) : KT_OK;
        kt__unref(tangent);
    }
    return status;
}

/* Gives a view what it shows of its base's tangents. */
static kt_status look_into_base(kt_tensor *t)
{
    const of_tensor base = t->flags & KT_T_VIEW ? own_levels(t->base) : (of_tensor){0, 0};
    kt_status       status = KT_OK;
    for (uint64_t left = base.has; left && !status; left &= left - 1) {
        kt_tensor *tangent = NULL;
        status = kt__tangent_at(t, __builtin_ctzll(left), &tangent);
        kt__unref(tangent);
    }
    return status;
}

/* The list is t's from now on. */
static void give(kt_tensor *t, kt__tangent *list)
{
    t->autograd->tangents = list;
    t->flags = list ? t->flags | KT_T_DUAL : t->flags & ~(uint32_t)KT_T_DUAL;
    for (kt__tangent *one = list; one; one = one->next)
        one->of = t;
}

kt_status kt__exchange_tangents(kt_tensor *a, kt_tensor *b)
{
    if (look_into_base(a) || look_into_base(b))
        return kt_error_status();
    if (!kt__autograd_of(a) || !kt__autograd_of(b))
        return kt_error_status();
    pthread_mutex_lock(&lock);
    kt__tangent *list = a->autograd->tangents;
    give(a, b->autograd->tangents);
    give(b, list);
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

kt_tensor *kt__carry_tangents(kt_tensor *t, kt_tensor *from, kt_tensor *(*changed)(kt_tensor *tangent, int64_t with),
                              int64_t with)
{
    for (uint64_t left = kt_dual_levels(from); left && t; left &= left - 1) {
        const int  level = __builtin_ctzll(left);
        kt_tensor *tangent = NULL;
        if (kt__tangent_at(from, level, &tangent))
            return NULL;
        kt_tensor *other = changed(tangent, with);
        kt__unref(tangent);
        t = other ? kt_make_dual(t, other, level) : NULL;
    }
    return t;
}

/* ---- dual tensors ---- */

bool kt_forward_enabled(void) { return kt__ceiling(kt__mode()) && !kt__born_flags; }

void kt_set_forward_enabled(bool on)
{
    kt__mode_word = on ? kt__mode() & ~KT_M_NO_FORWARD : kt__mode() | KT_M_NO_FORWARD;
}


static kt_status check_dtype(const kt_tensor *t, const char *what)
{
    if (kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        return KT_OK;
    return kt_fail(KT_ERR_VALUE, "Expected %s to be floating point or complex, but got: torch.%s", what,
                   kt_dtype_name((kt_dtype)t->dtype));
}

static kt_status check_dual(kt_tensor *t, int64_t level, const char *function)
{
    if (kt__failed())
        return kt_error_status();
    return t ? check_level(level, function) : kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
}

kt_tensor *kt_make_dual(kt_tensor *t, kt_tensor *tangent, int64_t level)
{
    if (check_dual(t, level, "_make_dual") || check_dual(tangent, level, "_make_dual"))
        return NULL;
    if (check_dtype(t, "primal") || check_dtype(tangent, "tangent"))
        return NULL;
    if (kt__levels_of(t, kt__mode()) >> level & 1) {
        kt_fail(KT_ERR_RUNTIME, "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level %d "
                                "is not supported.", (int)level);
        return NULL;
    }
    if (tangent->storage == t->storage) /* a write to the tensor would change it */
        tangent = kt_clone(tangent);
    kt_tensor *dual = tangent ? kt_view(t, kt__sizes(t)) : NULL;
    return dual && kt_forward_enabled() && kt__set_tangent(dual, tangent, (int)level) ? NULL : dual;
}

kt_status kt_unpack_dual(kt_tensor *t, int64_t level, kt_tensor **primal, kt_tensor **tangent)
{
    if (!primal || !tangent)
        return kt_fail(KT_ERR_TYPE, "kt_unpack_dual: a pointer for a result is NULL");
    *primal = *tangent = NULL;
    if (check_dual(t, level, "_fw_primal"))
        return kt_error_status();
    const bool has = kt__levels_of(t, kt__mode()) >> level & 1;
    if (has && kt__tangent_at(t, (int)level, tangent))
        return kt_error_status();
    if (*tangent && kt__scope_add(*tangent)) {
        kt__unref(*tangent);
        *tangent = NULL;
        return kt_error_status();
    }
    *primal = kt_alias(t);
    if (*primal && has)
        return kt__lack_levels(*primal, 1ull << level);
    return *primal ? KT_OK : kt_error_status();
}

/* ---- nodes of bindings ---- */

kt_status kt__tell_saved(kt_node *node, uint32_t result, const kt_tensor *t)
{
    kt_status status = KT_OK;
    for (uint32_t place = 0; place < kt__n_saved(node) && !status; place++) {
        kt__saved *s = kt__is_saved(node, place) ? kt__saved_at(node, place) : NULL;
        if (s && s->t && s->kind == SAVED_RESULT && s->result == result)
            status = kt__share_tangents(s->t, t);
    }
    return status;
}

uint64_t kt_dual_levels(const kt_tensor *t)
{
    return t && kt__are_dual(kt__grad_flags(t)) ? kt__levels_of(t, kt__mode()) : 0;
}

kt_status kt_tangent_of(kt_tensor *t, int64_t level, kt_tensor **tangent)
{
    if (!tangent)
        return kt_fail(KT_ERR_TYPE, "kt_tangent_of: the pointer for the tangent is NULL");
    *tangent = NULL;
    return check_dual(t, level, "kt_tangent_of") ? kt_error_status() : kt__tangent_at(t, (int)level, tangent);
}

kt_status kt_tangent_set(kt_tensor *t, kt_tensor *tangent, int64_t level, bool written)
{
    if (check_dual(t, level, "kt_tangent_set") || check_dual(tangent, level, "kt_tangent_set") || check_dtype(t, "primal") ||
        check_dtype(tangent, "tangent") ||
        (written ? kt__write_tangent(t, tangent, (int)level) : kt__set_tangent(t, tangent, (int)level)))
        return kt_error_status();
    const struct kt_autograd *a = t->autograd;
    return a && a->node ? kt__tell_saved(a->node, a->result, t) : KT_OK;
}

kt_mode_guard kt_below_level_open(int64_t level)
{
    const kt_mode_guard guard = {kt__mode()};
    const int           ceiling = kt__ceiling(guard.saved);
    if (level >= 0 && level < ceiling)
        kt__mode_word = kt__under_ceiling(guard.saved, (int)level);
    return guard;
}
