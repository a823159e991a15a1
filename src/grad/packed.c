/* packed.c - saved tensors that hooks keep in a form of their own (plugin/node.h). In: a node's saved places, after the call was
 * recorded. Out: the places hold what `pack` gave, and the history of the tensors; kt__unpack asks here. Independent of: what
 * hooks do. */
#include "grad/grad.h"

#include <karat/plugin/node.h>

#include "grad/run.h"

typedef struct kt__pack_level { /* one kt_saved_hooks_push */
    const kt_saved_hooks  *hooks;
    void                  *context;
    struct kt__pack_level *outer;
} kt__pack_level;

typedef struct kt__packed {
    const kt_saved_hooks *hooks;
    void                 *kept;
    kt_tensor            *now;     /* owned: during a run of the node, what it was unpacked to */
    kt_node              *made_by; /* owned: what made the tensor; NULL: it has no history, or is a result of the node itself */
    uint32_t              result;
    uint8_t               of;      /* its kt__saved_kind */
    uint8_t               is;      /* its dtype */
} kt__packed;

KT__HOT_LOCAL kt__pack_level *kt__packs;

kt_status kt_saved_hooks_push(const kt_saved_hooks *hooks, void *context)
{
    if (!hooks || !hooks->pack || !hooks->unpack)
        return kt_fail(KT_ERR_TYPE, "hooks of saved tensors need a function that packs and one that unpacks");
    kt__pack_level *level = kt__pool_get(sizeof *level);
    if (!level)
        return kt__fail_memory(sizeof *level);
    *level = (kt__pack_level){hooks, context, kt__packs};
    kt__packs = level;
    return KT_OK;
}

void *kt_saved_hooks_pop(void)
{
    kt__pack_level *level = kt__packs;
    if (!level)
        return NULL;
    void *context = level->context;
    kt__packs = level->outer;
    kt__pool_put(level, sizeof *level);
    return context;
}

bool kt_has_saved_hooks(void) { return kt__packs != NULL; }

/* What the hooks do is not recorded, and its own saved tensors are not packed. */
static kt_status call_pack(const kt__pack_level *level, kt_tensor *shown, void **kept)
{
    const uint32_t  version = kt__version(shown);
    kt_mode_guard   off = kt_no_grad_open();
    const kt_status status = level->hooks->pack(shown, level->context, kept);
    kt_mode_close(&off);
    if (status || kt__failed())
        return kt__failed() ? kt_error_status() : kt_fail(status, "the hook that packs a saved tensor failed");
    if (kt__version(shown) == version)
        return KT_OK;
    if (level->hooks->release)
        level->hooks->release(*kept);
    return kt_fail(KT_ERR_RUNTIME,
                   "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not be "
                   "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you "
                   "need to perform in-place operations on the input to a pack hook.");
}

kt_status kt__pack(kt_node *node, uint32_t place)
{
    kt__saved            *s = kt__saved_at(node, place);
    const kt__pack_level *level = kt__packs;
    kt__packed           *packed = kt__pool_get(sizeof *packed);
    kt_tensor            *shown = !packed ? NULL : s->kind == SAVED_RESULT ? kt__tensor_alias(s->t) : kt__ref(s->t);
    if (!packed)
        return kt__fail_memory(sizeof *packed);
    *packed = (kt__packed){.hooks = level->hooks, .of = s->kind, .is = s->t->dtype, .result = s->result};
    const bool history = s->kind != SAVED_RESULT && kt__wants_grad(s->t);
    if (!shown || (history && kt__producer(s->t, &packed->made_by, &packed->result)) || call_pack(level, shown, &packed->kept)) {
        kt__unref(shown);
        kt__node_unref(packed->made_by);
        kt__pool_put(packed, sizeof *packed);
        return kt_error_status();
    }
    kt__unref(shown);
    kt__unref(s->t);
    s->packed = packed;
    s->kind = SAVED_PACKED;
    node->packed = true;
    return KT_OK;
}

kt_status kt__pack_all(kt_node *node)
{
    for (uint32_t i = 0; i < kt__n_saved(node); i++)
        if (kt__is_saved(node, i) && kt__saved_at(node, i)->t && kt__saved_at(node, i)->kind != SAVED_PACKED && kt__pack(node, i))
            return kt_error_status();
    return KT_OK;
}

void kt__packed_free(kt__saved *s)
{
    kt__packed *packed = s->packed;
    s->t = NULL;
    s->kind = SAVED_LEAF;
    if (packed->hooks->release)
        packed->hooks->release(packed->kept);
    kt__node_unref(packed->made_by);
    kt__pool_put(packed, sizeof *packed);
}

kt_status kt__unpack_all(kt_node *node, bool history)
{
    for (uint32_t i = 0; i < kt__n_saved(node); i++) {
        kt__saved *s = kt__saved_at(node, i);
        bool       borrowed;
        kt_tensor *t = NULL;
        if (!kt__is_saved(node, i) || !s->t || s->kind != SAVED_PACKED)
            continue;
        if (kt__unpack(node, i, history, &t, &borrowed))
            return kt_error_status();
        s->packed->now = t;
    }
    return KT_OK;
}

void kt__unpack_end(kt_node *node)
{
    for (uint32_t i = 0; i < kt__n_saved(node); i++) {
        kt__saved *s = kt__saved_at(node, i);
        if (!kt__is_saved(node, i) || !s->t || s->kind != SAVED_PACKED)
            continue;
        kt__unref(s->packed->now);
        s->packed->now = NULL;
    }
}

static kt_status check_unpacked(const kt__packed *packed, const kt_tensor *t)
{
    char want[64], got[64];
    if (t->dtype == packed->is)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "a saved tensor was packed as %s and unpacked as %s",
                   kt__type_text((kt_dtype)packed->is, want, sizeof want), kt__type_text((kt_dtype)t->dtype, got, sizeof got));
}

kt_status kt__packed_tensor(kt_node *node, const kt__saved *s, bool history, kt_tensor **t)
{
    const kt__packed *packed = s->packed;
    kt_node          *made_by = packed->of == SAVED_RESULT ? node : packed->made_by;
    kt_tensor        *again = NULL;
    const bool        floats = kt__dtype_rows[packed->is].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
    *t = packed->now ? kt__ref(packed->now) : NULL;
    if (*t)
        return KT_OK;
    if (packed->hooks->unpack(packed->kept, t) || kt__failed() || !*t)
        return kt__failed() ? kt_error_status() : kt_fail(KT_ERR_RUNTIME, "the hook that unpacks a saved tensor failed");
    if (check_unpacked(packed, *t)) {
        kt__unref(*t);
        *t = NULL;
        return kt_error_status();
    }
    if (history && made_by && floats) {
        struct kt_autograd *a = (again = kt__tensor_alias(*t)) ? kt__autograd_of(again) : NULL;
        kt__unref(*t);
        *t = again;
        if (!a) {
            kt__unref(again);
            *t = NULL;
            return kt_error_status();
        }
        a->node = kt__node_ref(made_by);
        a->result = packed->result;
        again->flags = (again->flags | KT_T_REQUIRES_GRAD) & ~(uint32_t)KT_T_LEAF;
    }
    if (s->as == (*t)->dtype)
        return KT_OK;
    kt_tensor      *plain = *t;
    const kt_status status = kt__convert_inside(plain, (kt_dtype)s->as, KT_WHY_GRADIENT, t);
    kt__unref(plain);
    return status;
}
