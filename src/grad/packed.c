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
    kt_tensor            *dual;    /* owned: a tensor without elements that has the tensor's tangents; NULL: it had none */
    uint32_t              result;
    uint8_t               of;      /* its kt__saved_kind */
    uint8_t               is;      /* its dtype */
} kt__packed;

KT__HOT_LOCAL kt__pack_level *kt__packs;

static kt_status refuse_hooks(void)
{
    return kt_fail(KT_ERR_TYPE, "hooks of saved tensors need a function that packs and one that unpacks");
}

kt_status kt_saved_hooks_push(const kt_saved_hooks *hooks, void *context)
{
    if (!hooks || !hooks->pack || !hooks->unpack)
        return refuse_hooks();
    kt__pack_level *level = kt__pool_get(sizeof *level);
    if (!level)
        return kt__fail_memory(sizeof *level);
    *level = (kt__pack_level){hooks, context, kt__packs};
    kt__packs = level;
    kt__records_more = true;
    return KT_OK;
}

void *kt_saved_hooks_pop(void)
{
    kt__pack_level *level = kt__packs;
    if (!level)
        return NULL;
    void *context = level->context;
    kt__packs = level->outer;
    kt__records_more = kt__packs || kt__inducer;
    kt__pool_put(level, sizeof *level);
    return context;
}

bool kt_has_saved_hooks(void) { return kt__packs != NULL; }

int64_t kt_saved_hooks_count(void)
{
    int64_t n = 0;
    for (const kt__pack_level *level = kt__packs; level; level = level->outer)
        n++;
    return n;
}

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

/* What hooks give back may have no tangents, or be another tensor's alias. */
static kt_status keep_tangents(kt__packed *packed, const kt_tensor *t, kt_tensor *shown)
{
    packed->dual = kt__tensor_new((kt_dtype)t->dtype, kt__device(t), KT_SHAPE(0));
    if (!packed->dual || kt__share_tangents(packed->dual, t))
        return kt_error_status();
    return shown == t ? KT_OK : kt__share_tangents(shown, t);
}

/* apart: even an operand is shown without its history. */
static kt_status pack_by(kt_node *node, uint32_t place, const kt__pack_level *level, bool apart)
{
    kt__saved  *s = kt__saved_at(node, place);
    kt__packed *packed = kt__pool_get(sizeof *packed);
    kt_tensor  *shown = !packed ? NULL : apart || s->kind == SAVED_RESULT ? kt__tensor_alias(s->t) : kt__ref(s->t);
    if (!packed)
        return kt__fail_memory(sizeof *packed);
    *packed = (kt__packed){.hooks = level->hooks, .of = s->kind, .is = s->t->dtype, .result = s->result};
    const bool history = s->kind != SAVED_RESULT && kt__wants_grad(s->t);
    const bool lost = shown && kt__is_dual(s->t) && keep_tangents(packed, s->t, shown);
    if (!shown || lost || (history && kt__producer(s->t, &packed->made_by, &packed->result)) ||
        call_pack(level, shown, &packed->kept)) {
        kt__unref(shown);
        kt__node_unref(packed->made_by);
        kt__unref(packed->dual);
        kt__pool_put(packed, sizeof *packed);
        return kt_error_status();
    }
    kt_tensor *was = s->t;
    s->packed = packed;
    s->kind = SAVED_PACKED;
    node->packed = true;
    kt__unref(shown);
    kt__unref(was);
    return KT_OK;
}

kt_status kt__pack(kt_node *node, uint32_t place) { return pack_by(node, place, kt__packs, false); }

kt_status kt_node_pack(kt_node *node, int64_t place, const kt_saved_hooks *hooks, void *context)
{
    if (!node)
        return kt_fail(KT_ERR_TYPE, "expected a node, got NULL");
    if (!hooks || !hooks->pack || !hooks->unpack)
        return refuse_hooks();
    if (node->released)
        return kt_fail(KT_ERR_RUNTIME,
                       "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph "
                       "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
                       "backward through the graph a second time or if you need to access saved variables after calling "
                       "backward.");
    const bool used = place >= 0 && place < kt__n_saved(node) && kt__is_saved(node, (uint32_t)place);
    if (!used || !kt__saved_at(node, (uint32_t)place)->t)
        return kt_fail(KT_ERR_RUNTIME, "Calling register_hooks on a saved tensor with value None is forbidden");
    if (kt__saved_at(node, (uint32_t)place)->kind == SAVED_PACKED)
        return kt_fail(KT_ERR_RUNTIME, "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only "
                                       "one pair of hooks is allowed at a time.");
    return pack_by(node, (uint32_t)place, &(kt__pack_level){.hooks = hooks, .context = context}, true);
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
    kt__unref(packed->dual);
    kt__pool_put(packed, sizeof *packed);
}

kt_status kt__unpack_all(kt_node *node, bool history)
{
    for (uint32_t i = 0; i < kt__n_saved(node); i++) {
        kt__saved *s = kt__saved_at(node, i);
        kt_tensor *t = NULL;
        if (!kt__is_saved(node, i) || !s->t || s->kind != SAVED_PACKED)
            continue;
        if (kt__unpack_as_saved(node, i, history, &t))
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
        kt__replace(&s->packed->now, NULL);
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

/* A result that was written through a view is that part of the base. */
static kt_status with_history(kt_node *node, const kt__packed *packed, kt_tensor *t, kt_tensor **out)
{
    if (packed->of != SAVED_RESULT)
        return kt__with_history(t, packed->made_by, packed->result, out);
    return node->within ? kt__value_with_history(node, t, out) : kt__with_history(t, node, packed->result, out);
}

static kt_status unpack(const kt__packed *packed, kt_tensor **plain)
{
    const kt__naming outer = kt__node_enter(NULL, 0); /* what a hook calls is the user's program */
    const kt_status  status = packed->hooks->unpack(packed->kept, plain);
    kt__named = outer;
    if (status || kt__failed() || !*plain)
        return kt__failed() ? kt_error_status() : kt_fail(KT_ERR_RUNTIME, "the hook that unpacks a saved tensor failed");
    return KT_OK;
}

kt_status kt__packed_tensor(kt_node *node, const kt__saved *s, bool history, kt_tensor **t)
{
    const kt__packed *packed = s->packed;
    kt_tensor        *plain = NULL;
    const bool        floats = kt__dtype_rows[packed->is].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
    *t = packed->now ? kt__ref(packed->now) : NULL;
    if (*t)
        return KT_OK;
    if (unpack(packed, &plain))
        return kt_error_status();
    if (check_unpacked(packed, plain)) {
        kt__unref(plain);
        return kt_error_status();
    }
    const bool recorded = history && floats && (packed->of == SAVED_RESULT || packed->made_by),
               dual = packed->dual && kt__is_dual(packed->dual);
    if (!recorded && !dual) {
        *t = plain;
        return KT_OK;
    }
    kt_status status = recorded ? with_history(node, packed, plain, t) : KT_OK;
    if (!recorded)
        status = (*t = kt__tensor_alias(plain)) ? KT_OK : kt_error_status();
    kt__unref(plain);
    if (!status && dual && (status = kt__share_tangents(*t, packed->dual))) {
        kt__unref(*t);
        *t = NULL;
    }
    return status;
}
