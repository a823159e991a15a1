/* call.h - the path of a call: gather, resolve, prepare, run, after.
 *
 *   call -> row -> resolve.c (dtypes) = plan -> tape before -> prepare.c (shapes, outputs, collapse) -> backend run -> after
 *
 * Functions here return owned references and a status. */
#ifndef KT_CALL_CALL_H
#define KT_CALL_CALL_H

#include "base/error.h"
#include "base/warn.h"
#include "call/row.h"
#include "plan/launch.h"
#include "plan/mode.h"
#include "plan/observe.h"
#include "tensor/tensor.h"

/* Everything that a decision depends on, and nothing else. */
typedef struct kt__decision_key {
    uint64_t operands; /* KT__IN_USE, and seven bits for dtype and rank of each of the first nine */
    uint64_t rest;     /* row, form, dtype=, rule, default dtype, the tenth operand, mode */
} kt__decision_key;
#define KT__IN_USE (1ull << 63) /* so that no key is 0, which marks an empty slot of the cache */

/* The operands of one call: tensors and numbers in the kernel's order. */
typedef struct kt__gathered {
    uint8_t    n;
    uint8_t    dtype[KT_MOST_GATHERED];
    uint8_t    rank[KT_MOST_GATHERED]; /* kt__rank_class */
    uint8_t    rule;         /* the row's, unless kt__refine chose another */
    uint8_t    accepts;      /* the same: supported categories of the common dtype, bits of kt_category */
    uint8_t    swap;         /* the kernel takes operands 0 and 1 in the other order (rsub) */
    uint8_t    exact;    /* if this operand is a number or 0-dim, it is not rounded to float16 or bfloat16; 0xff: none */
    uint8_t    alone;    /* the kernel takes operand 0 only; the others chose the kernel (pow) */
    uint8_t    want;         /* dtype= argument, KT_NONE when not given */
    uint8_t    asked;        /* the user wrote dtype=; else out= may have said what is wanted */
    uint16_t   kernel;
    uint8_t    n_param;
    uint32_t   any_grad; /* of the tensors' flags: KT_T_FOLLOWED */
    uint64_t   key;    /* dtypes and ranks of the first nine: `operands` of the cache's key */
    uint8_t    simple; /* all tensors are contiguous, of one size and on one device */
    kt_tensor *first;  /* the first tensor; NULL: all are numbers */
    kt_tensor *t[KT_MOST_GATHERED]; /* NULL: the operand is a number */
    kt_scalar  s[KT_MOST_GATHERED];
    kt_scalar  param[KT_MAX_PARAMS];
    const char *missing; /* PyTorch's name of the kernel, for "not implemented for" */
    /* Checks the call's numbers against the common dtype; NULL: any are accepted. */
    kt_status (*fit)(const kt_call *call, const struct kt__gathered *g, kt_dtype common);
} kt__gathered;

typedef enum kt__rank_class { RANK_DIM = 0, RANK_ZERO = 1, RANK_NUMBER = 2 } kt__rank_class; /* strength in promotion */

_Static_assert((int)KT_MOST_GATHERED < (int)KT_MAX_OPERANDS, "a plan has room for a result beside what was gathered");

/* The lineage record that a decision without an origin made last: a loop asks for the same one again. */
typedef struct kt__recorded {
    uint32_t parent, site;
    uint32_t id; /* 0: none was made */
} kt__recorded;

/* The resolver's answer. */
typedef struct kt__decision {
    uint8_t as[KT_MOST_GATHERED], why[KT_MOST_GATHERED];
    uint8_t common;     /* the promoted dtype that the kernel computes on */
    uint8_t result;     /* dtype of a new result */
    uint8_t second;     /* dtype of a second result */
    uint8_t compute;    /* kt_compute */
    uint8_t origin;     /* operand that the result's dtype comes from; 0xff: none */
    uint8_t why_result; /* reason of the result's dtype if there is no origin */
    uint8_t inner;      /* converts what a body made, which no policy judges (policy.h) */
    kt__recorded recorded;
} kt__decision;

kt_status kt__refine_fold(const kt_call *call, kt__gathered *g); /* fold.c: the same for reductions */
const kt__decision *kt__decide_fold(const kt_call *call, kt__gathered *g, kt__decision *room); /* their kt__way.decide */
/* Sets the lineage of the results of a reduction or scan of `self`. */
void      kt__trace_fold(const kt_call *call, const kt_tensor *self, const kt__decision *d, kt_tensor *const *out, int n);
/* args.c: can dtype `d` hold the number that is argument `at`? */
kt_status kt__argument_fits(const kt_call *call, int at, kt_dtype d);
void      kt__push_param(kt__gathered *g, double value); /* appends a kernel parameter */
void      kt__push_param_rounded(kt__gathered *g, kt_scalar s, kt_dtype d); /* rounded to the dtype */
void      kt__push_param_rounded_int(kt__gathered *g, kt_scalar s, kt_dtype d); /* rounded for integer dtypes, else a double */
kt_status kt__resolve_anew(const kt_call *call, const kt__gathered *g, uint64_t mode, kt__decision_key key, kt__decision *d);
/* Records the dtype of a result, and notes that in `d`: a slot of the thread's cache or the caller's. */
uint32_t  kt__record_result(const kt_call *call, kt__decision *d, const kt_tensor *first, uint32_t site);
kt_dtype  kt__common_dtype(const kt__gathered *g, int first, uint64_t mode, kt_status *status); /* result_type */
/* refusal.c: errors with an explanation below the first line: the operands, the history of their dtypes, fixes. */
kt_status kt__fail_dtype(const kt_call *call, kt_status code, const char *format, ...) KT_PRINTF(3, 4);
kt_status kt__fail_conversion(const kt_call *call, const char *operand, kt_dtype from, kt_dtype to, const char *why);
void      kt__explain_refusal(const kt_call *call); /* adds the explanation to a pending dtype error */
void      kt__explain_failure(const kt_call *call); /* for any other pending error: adds the call, once */
const char *kt__op_text(const kt_call *call, char *room, size_t size);  /* the operator as the caller's language writes it */
const char *kt__policy_text(kt_policy policy, char *room, size_t size); /* as the caller's language writes it */
/* remedy.c: finds fixes for a refused call. `convert`: bits of the operands that should become `to`; 0: not known. */
void kt__find_fixes(const kt_call *call, kt__mistake *m, uint16_t convert, kt_dtype to);
extern KT__HOT_LOCAL bool kt__trying;  /* a trial call runs (remedy.c): its error is not shown */
extern KT__HOT_LOCAL bool kt__refused; /* the trial failed with a dtype error */
extern KT__HOT_LOCAL bool kt__narrowed; /* the trial made an implicit conversion that can lose values */
kt_status kt__fail_overflow(const kt_call *call, kt_dtype d); /* a number that the dtype cannot hold */

/* prepare.c: the operand whose device the call runs on; 0-dim CPU tensors follow the others. */
const kt_tensor *kt__home_of(const kt__gathered *g, bool inplace);

/* ---- the hot part of every call: gathering operands, and the cache of decisions ---- */

static inline __attribute__((always_inline)) void kt__gather(const kt_call *call, kt__gathered *g)
{
    const kt_row          *row = call->row;
    const kt__operand_map *map = &row->operands;
    uint32_t               flags = 0;
    int                    n = 0;
    kt_tensor             *first = NULL;
    bool                   simple = true;
    uint64_t               key = 0;
    for (int k = 0; k < map->n; k++) {
        int at = map->at[k];
        if (KT__UNLIKELY(!(call->given >> at & 1)))
            continue;
        uint8_t dtype, rank;
        if (call->scalars >> at & 1) {
            g->t[n] = NULL;
            g->s[n] = call->arg[at].s;
            dtype = (uint8_t)kt__dtype_of_number(g->s[n]);
            rank = RANK_NUMBER;
        } else {
            kt_tensor *t = call->arg[at].t;
            g->t[n] = t;
            dtype = t->dtype;
            rank = t->ndim ? RANK_DIM : t->flags & KT_T_WRAPPED ? RANK_NUMBER : RANK_ZERO;
            flags |= kt__grad_flags(t);
            if (!first)
                first = t;
            simple &= (t->flags & KT_T_CONTIGUOUS) != 0;
            if (t != first)
                simple &= t->backend == first->backend && t->index == first->index && kt__same_sizes(t, first);
        }
        g->dtype[n] = dtype;
        g->rank[n] = rank;
        key |= (uint64_t)(dtype | rank << 5) << 7 * n++; /* a tenth sets at most bit 63, KT__IN_USE; `rest` has it */
    }
    g->key = key;
    g->n = (uint8_t)n;
    g->first = first;
    g->simple = simple;
    g->any_grad = flags & KT_T_FOLLOWED;
    g->rule = row->rule;
    g->accepts = row->accepts;
    g->kernel = row->kernel;
    g->swap = row->swapped;
    g->exact = row->exact;
    g->missing = row->missing;
    g->fit = NULL;
    g->alone = 0;
    g->n_param = 0;
    g->want = KT_NONE;
    g->asked = 0;
}

/* Applies the row's own arguments (alpha=, rounding_mode=, min=), which may change kernel, parameters and rule. */
static inline kt_status kt__refine(const kt_call *call, kt__gathered *g)
{
    return call->row->refine ? call->row->refine(call, g) : KT_OK;
}

/* The argument that is operand `nth`. Absent optional arguments are not counted. */
static inline int kt__operand_argument(const kt_call *call, int nth)
{
    const kt__operand_map *map = &call->row->operands;
    int                    k = 0;
    while (k + 1 < map->n && (!(call->given >> map->at[k] & 1) || nth--))
        k++;
    return map->at[k];
}

/* Decisions are cached per thread. */
enum { KT_DECISIONS = 128 };
typedef struct kt__decided {
    kt__decision_key key; /* 0: empty */
    kt__decision     decision;
} kt__decided;
extern KT__HOT_LOCAL kt__decided *kt__decisions; /* NULL until the thread's first miss */

/* The mode stands at bit 40 of `rest`; dtype= of the user (42) and the form (47) have bits that it leaves free. */
_Static_assert(!(KT_M_DECIDES >> 24) && !(KT_M_DECIDES & (1 << 2 | 1 << 7)), "bits of the key are used twice");

static inline kt__decision_key kt__key_of(const kt_call *call, uint8_t rule, uint64_t nine, unsigned tenth, unsigned want,
                                          unsigned asked, uint64_t mode)
{
    return (kt__decision_key){KT__IN_USE | nine,
                              (uint64_t)call->row->id | (uint64_t)want << 16 | (uint64_t)rule << 21 |
                                  (uint64_t)kt__default_dtype() << 27 | (uint64_t)tenth << 32 |
                                  (mode & KT_M_DECIDES) << 40 | (uint64_t)asked << 42 | (uint64_t)(call->form != KT_PLAIN) << 47};
}

/* A hash of what varies between calls: operator, dtypes, form, autocast state. */
static inline size_t kt__decision_slot(kt__decision_key key)
{
    const uint64_t h = (key.rest ^ key.rest >> 47) ^ (key.operands << 1 ^ key.operands >> 4);
    return h % KT_DECISIONS;
}

static inline const kt__decision *kt__decided_before(kt__decision_key key)
{
    const kt__decided *at = kt__decisions;
    if (KT__UNLIKELY(!at))
        return NULL;
    at += kt__decision_slot(key);
    return KT__LIKELY(at->key.operands == key.operands && at->key.rest == key.rest) ? &at->decision : NULL;
}

/* The decision about a call, from the cache or computed into `room`. NULL: refused. */
static inline __attribute__((always_inline)) const kt__decision *kt__resolve(const kt_call *call, const kt__gathered *g,
                                                                             uint64_t mode, kt__decision *room)
{
    if (KT__UNLIKELY(mode & KT_M_AUTOCAST))
        mode = kt__mode_of_call(mode, kt__home_of(g, false));
    const unsigned         tenth = KT__LIKELY(g->n < 10) ? 0 : (unsigned)(g->dtype[9] | g->rank[9] << 5);
    const kt__decision_key key = kt__key_of(call, g->rule, g->key, tenth, g->want, g->asked, mode);
    const kt__decision    *d = kt__decided_before(key);
    if (KT__LIKELY(d != NULL))
        return d;
    return kt__resolve_anew(call, g, mode, key, room) ? NULL : room;
}

/* The lineage of a result whose dtype no operand had; `first` is the operand that its history begins with. */
static inline uint32_t kt__result_lineage(const kt_call *call, const kt__decision *d, const kt_tensor *first)
{
    const uint32_t site = KT__SITE();
    if (KT__LIKELY(d->recorded.parent == first->lineage && d->recorded.site == site && d->recorded.id != 0))
        return d->recorded.id;
    return kt__record_result(call, (kt__decision *)d, first, site);
}

/* The decision about a row with a body. It is made before the body runs, unless the row says `after`; then the body calls
 * this after its shape checks. Any body may call it to read the decision. It is `room`, which lasts; NULL: refused. */
const kt__decision *kt__resolve_in_body(const kt_call *call, kt__decision *room);
const kt__decision *kt__resolve_in_body_as(const kt_call *call, kt_dtype want, kt__decision *room); /* with `want` as dtype= */

/* Is this a valid list of `n` items? */
static inline bool kt__is_list(int64_t n, const void *items, size_t size)
{
    return n >= 0 && (uint64_t)n <= PTRDIFF_MAX / size && (n == 0 || items);
}

/* ---- plans ---- */

/* Sets the part of the plan that the tape reads before the rest exists: the dtype that the kernel sees each input as. */
static inline const kt_plan *kt__seen_as(kt_plan *plan, const kt__gathered *g, const kt__decision *d)
{
    for (int i = 0; g->any_grad && i < g->n; i++)
        plan->arg[1 + i].as = d->as[i];
    return plan;
}

/* prepare.c: shapes, outputs, strides. */
kt_status kt__broadcast(kt_tensor *const *t, int n, int64_t *sizes, int *ndim);
kt_status kt__prepare_elementwise(kt_call *call, const kt__gathered *g, const kt__decision *d, uint64_t mode,
                                  kt_plan *plan, kt_tensor **out);
/* `from` is expanded to the sizes of `to` and converted to its dtype, with that reason. */
kt_status kt__prepare_copy(kt_tensor *to, kt_tensor *from, kt_reason why, kt_plan *plan);
/* a new tensor with the layout of the plan's inputs */
kt_tensor *kt__output_in_order(const kt_plan *plan, kt_dtype dtype, const kt_tensor *on);
/* with the layout of those, which have one size; owned */
kt_tensor *kt__output_beside(kt_tensor *const *t, int n, kt_dtype dtype);
/* Sets the dims for up to three operands of one size: the other dims, collapsed where possible, then `dim`. */
void      kt__plan_lines(kt_plan *plan, kt_tensor *const *t, int n, int64_t dim);
/* Appends the dims of t, which is operand `at` of n: its own block, in which the others do not move. For operands of different
 * sizes; begin with plan->nd = 0. */
void      kt__plan_block(kt_plan *plan, int at, int n, const kt_tensor *t);
void      kt__collapse(kt_plan *plan, bool reorder); /* size/stride are full rank on entry */
const char *kt__device_text(const kt_tensor *t, char *room, size_t size); /* the device as errors name it */
kt_status kt__refuse_devices(const kt_tensor *a, const kt_tensor *b);

/* ---- ways ---- */
kt_status kt__run_elementwise(kt_call *call);
/* The call up to its launch, which is the caller's, as its end is; nothing may want a gradient. *out is owned; NULL without an
 * error: the call must be run by itself. */
kt_status kt__plan_elementwise(kt_call *call, kt_plan *plan, kt_tensor **out);
kt_status kt__plan_fold(kt_call *call, kt_plan *plan, kt_tensor **out); /* the same of a reduction to one tensor */
bool kt__run_pair(kt_call *call, kt_status *status); /* two contiguous tensors of one size; false: use the general path */
kt_status kt__run_reduce(kt_call *call);
kt_status kt__run_matmul(kt_call *call);
kt_status kt__run_copy(kt_call *call, kt_reason why); /* copy_, on the tape; of a body's result that is why it is written */

/* After an in-place write: bumps the version, so that backward finds stale saved tensors, and notes the site if a node may have
 * saved the tensor: it has a place in a graph, or owners besides the caller. */
static inline void kt__wrote(kt_tensor *t)
{
    kt__bump_version(t);
    if (t->autograd || (t->base && t->base->autograd) || kt_is_shared(t))
        atomic_store_explicit(&t->storage->written_at, KT__SITE(), memory_order_relaxed);
}

/* ---- the tape's part of a call, the same for every way ---- */
typedef struct kt__taping {
    void *token;
    void *forward; /* forward mode's; set if `on` */
    bool  on;
} kt__taping;
/* any: flags of the tensors, KT_T_FOLLOWED. */
kt_status kt__tape_before(kt_call *call, const kt_plan *plan, uint32_t any, kt__taping *taping);
/* The same; tangents of levels below `floor` are left to calls inside this one. */
kt_status kt__tape_before_above(kt_call *call, const kt_plan *plan, uint32_t any, int floor, kt__taping *taping);
/* A view made under no_grad: the tape does not follow writes through it. */
kt_status kt__unfollowed(kt_tensor *view);
kt_status kt__tape_after(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_status so_far);
/* Ends a call that made or wrote `out`: bumps versions, records. Takes over the references. */
kt_status kt__finish_several(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_tensor *const *out, int n,
                             kt_status status);
kt_status kt__finish(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_tensor *out, kt_status status);

/* ---- arguments ---- */
static inline bool            kt__given(const kt_call *c, int i) { return c->given >> i & 1; }
static inline const kt_value *kt__arg(const kt_call *c, int i)
{
    return kt__given(c, i) ? &c->arg[i] : &kt__arg_spec(c->row, i)->value;
}
static inline int64_t   kt__arg_int(const kt_call *c, int i) { return kt__arg(c, i)->i; }
static inline bool      kt__arg_bool(const kt_call *c, int i) { return kt__arg(c, i)->b; }
static inline kt_shape  kt__arg_ints(const kt_call *c, int i) { return kt__arg(c, i)->ints; }
static inline kt_dtype  kt__arg_dtype(const kt_call *c, int i) { return kt__given(c, i) ? c->arg[i].dtype : KT_NONE; }
static inline kt_scalar kt__arg_scalar(const kt_call *c, int i) { return kt__arg(c, i)->s; }

kt_status kt__wrap_dim(int64_t *dim, int64_t rank); /* negative dims; a 0-dim tensor counts as rank 1 */
kt_status kt__arg_device(const kt_call *c, int i, kt_device *device); /* the default, when not given */

/* ---- calls from inside, owned results ---- */
kt_status kt__call1(int op, kt_tensor *a, kt_tensor **result);
kt_status kt__call2(int op, kt_tensor *a, kt_tensor *b, kt_tensor **result);
kt_status kt__call2s(int op, kt_tensor *a, kt_scalar b, kt_tensor **result);
kt_status kt__copy_into(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding); /* no tape */
/* kt_convert without the policy check: for a temporary of an operator or a formula, or a conversion that was checked before. */
kt_status  kt__convert_inside(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result);
kt_tensor *kt__as_index(kt_tensor *t); /* as int64, recorded by the tape; owned by the scope; NULL after an error */
void kt__warn_of_real_part(kt_dtype from, kt_dtype to); /* if the conversion discards the imaginary part */
/* with the layout of `like` */
kt_tensor *kt__empty_like(kt_tensor *like, kt_dtype dtype, kt_device device, kt_memory_format format);
kt_status kt__fill_with(kt_tensor *to, kt_scalar value);                                      /* no tape */
kt_status kt__fill_new(kt_tensor *to, kt_scalar value); /* of a tensor that was just made, without contents: may be done later */
/* error_order.c. An error is pending: runs a check that PyTorch makes earlier, and reports that check's error instead if it
 * fails. */
kt_status kt__report_earlier_error(kt_status (*check)(const void *), const void *what);
/* The same for a failed in-place or out= call: autograd's checks come first. */
kt_status kt__report_first_error(const kt_call *call);
kt_status   kt__refuse_forward_out(const kt_call *call); /* the same for forward mode */
kt_status   kt__refuse_recording(const kt_call *call); /* target.c: PyTorch's error for out= with tensors that require grad */
/* Autograd's check of out= before anything is allocated. */
kt_status   kt__check_history(const kt_call *call);
kt_status   kt__fail_inference(void); /* PyTorch's error for a write to an inference tensor outside of that mode */
bool        kt__is_watched(const kt_call *call); /* does the tape check what this call writes to? */
uint32_t    kt__input_flags(const kt_call *call); /* or of the inputs' flags: KT_T_FOLLOWED */
static inline bool kt__any_requires_grad(const kt_call *call) { return kt__input_flags(call) & KT_T_REQUIRES_GRAD; }
static inline bool kt__wants_grad(const kt_tensor *t) { return t && kt__grad_flags(t) & KT_T_REQUIRES_GRAD; }
/* Does anything follow what is computed from tensors with these flags: the tape, or forward mode? */
static inline bool kt__are_dual(uint32_t flags) { return flags & KT_T_DUAL && kt__ceiling(kt__mode()) && !kt__born_flags; }
static inline bool kt__are_followed(uint32_t flags)
{
    return (flags & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD && !kt__born_flags) || kt__are_dual(flags);
}
static inline bool kt__is_followed(const kt_tensor *t) { return t && kt__are_followed(kt__grad_flags(t)); }
/* The outermost call on this thread, which the user wrote: errors name it. NULL: none, or a call that runs one kernel and
 * opens no frame. */
extern KT__HOT_LOCAL const kt_call *kt__frame;
/* In whose name the thread works. */
typedef struct kt__naming {
    const kt_row *plans; /* the row that plans name: in backward the operator whose node runs, whatever its formula calls, else
                            the outermost call's; NULL: neither, and a plan names the row of its own call */
    const kt_row *node;  /* whose node backward runs; NULL: none, or a binding's node, which is the user's program */
    uint32_t      site;  /* where that node was recorded; 0: none, or unknown */
} kt__naming;
extern KT__HOT_LOCAL kt__naming kt__named;

static inline kt__naming kt__node_enter(const kt_row *row, uint32_t site) /* what `kt__named` is to be set to afterwards */
{
    const kt__naming outer = kt__named;
    kt__named = (kt__naming){row, row, row ? site : 0};
    return outer;
}

typedef struct kt__outer { /* what a frame is closed with */
    const kt_call *frame;
    const kt_row  *plans;
} kt__outer;

static inline kt__outer kt__frame_open(const kt_call *call)
{
    const kt__outer outer = {kt__frame, kt__named.plans};
    if (!outer.frame)
        kt__frame = call;
    if (!outer.plans)
        kt__named.plans = call->row;
    return outer;
}
static inline void kt__frame_close(kt__outer outer)
{
    kt__frame = outer.frame;
    kt__named.plans = outer.plans;
}
/* The row that this call's plans name. */
static inline const kt_row *kt__row_called(const kt_call *call) { return kt__named.plans ? kt__named.plans : call->row; }
/* The row for plans that serve a call without being one (copies, fills); `own` if there is none. */
static inline const kt_row *kt__row_served(int own) { return kt__named.plans ? kt__named.plans : &kt__rows[own]; }

#endif
