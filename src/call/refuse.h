/* refuse.h - the lines of tables/refusals.def: which dtypes a row refuses, and the message.
 *
 * In: a call. Out: KT_OK, or the error of the first line whose condition is true. A line is a condition on the dtypes of the
 * row's arguments, compiled by tools/gen_rows.c, and a message. Conditions do not read sizes or elements; instead, a line says
 * at which stage of the call it is tested. */
#ifndef KT_CALL_REFUSE_H
#define KT_CALL_REFUSE_H

#include "call/call.h"

/* When a line is tested; refusals.def explains the stages. Lines of stage BEFORE that a cached decision does not cover (they
 * read out= or an index, or the row has no rule) become STAGE_CALL and are tested at each call, first of all; the generator
 * finds them. */
typedef enum kt__stage { STAGE_CALL, STAGE_BEFORE, STAGE_MIX, STAGE_AFTER, STAGE_CASE, STAGE_KNOWN, STAGE_OUT } kt__stage;

/* What a condition may read. */
typedef struct kt__facts {
    const kt_call      *call;
    const kt__gathered *g;         /* the operands after autocast; NULL: as given */
    uint64_t            mode;
    kt_dtype            result[2]; /* of the first two results, at STAGE_KNOWN and STAGE_OUT */
} kt__facts;

struct kt__refusal_line {
    bool (*when)(const kt__facts *f);
    const char *text; /* arguments' names stand in braces */
    uint8_t     stage;
    int8_t      status;
    int8_t      at; /* the argument that its condition names first */
};

/* ---- functions that conditions compile to ---- */

kt_dtype kt__fact_dtype(const kt__facts *f, int argument); /* KT_NONE: not given, or it has no dtype */
static inline kt_dtype kt__fact_of(const kt__facts *f, int i) /* the same for a tensor argument */
{
    return f->g ? kt__fact_dtype(f, i) : f->call->given >> i & 1 ? (kt_dtype)f->call->arg[i].t->dtype : KT_NONE;
}
bool     kt__narrows(kt_dtype from, kt_dtype to);          /* is the promoted dtype of both other than `to`? */

static inline bool kt__fact_is(kt_dtype d, int categories) { return d && (kt__dtype_rows[d].category & categories) != 0; }
#define kt__fact_accepted(d) kt__fact_is(d, f->call->row->accepts)
static inline bool kt__fact_tensor(const kt__facts *f, int i)
{
    return f->call->given >> i & 1 && !(f->call->scalars >> i & 1);
}
static inline bool kt__fact_indexes(kt_dtype d) { return d == KT_I32 || d == KT_I64; }
/* The first tensor of a list whose dtype is not that of the first; 0: all have one. */
int64_t kt__fact_unlike(const kt__facts *f, int i);
bool    kt__fact_addresses(const kt__facts *f, int i); /* may every tensor of the list be an index or a mask? */
bool    kt__fact_says(const kt__facts *f, int i, const char *word);
static inline double kt__fact_value(const kt__facts *f, int i) { return kt__as_double(kt__arg_scalar(f->call, i)); }
static inline bool kt__fact_empty(const kt__facts *f, int i) { return kt__fact_tensor(f, i) && !f->call->arg[i].t->numel; }
static inline int  kt__fact_dims(const kt__facts *f, int i) { return kt__fact_tensor(f, i) ? f->call->arg[i].t->ndim : 0; }
static inline bool kt__fact_recorded(const kt__facts *f, int i)
{
    return f->mode & KT_M_GRAD && kt__fact_tensor(f, i) && kt__wants_grad(f->call->arg[i].t);
}
static inline bool kt__fact_over_self(const kt__facts *f)
{
    return f->call->form == KT_INPLACE || (f->call->form == KT_OUT && f->call->out[0] == f->call->arg[0].t);
}
static inline kt_dtype kt__fact_out(const kt__facts *f, int i)
{
    const bool converts = kt__policy(f->mode) == KT_PERMISSIVE;
    return f->call->form == KT_OUT && f->call->out[i] && !converts ? (kt_dtype)f->call->out[i]->dtype : KT_NONE;
}

/* The dtype of an argument as the lines of stages CALL to KNOWN read it: its own, but that of all operands together where they
 * must have one dtype and the policy is permissive. A body that asks by itself whether there is a kernel asks for this one. */
kt_dtype kt__seen_dtype(const kt_call *call, int argument);

/* The dtype that the call writes: that of out=, under every policy, else that of the first argument. */
kt_dtype kt__fact_written(const kt__facts *f);

/* ---- tests by stage ---- */

kt_status kt__refuse_slow(const kt_call *call, kt__stage stage);
kt_status kt__refuse_mix(const kt_call *call, const kt__gathered *g);
/* STAGE_CASE: the lines that name this argument. A body calls it where PyTorch checks the argument. */
kt_status kt__refuse_case(const kt_call *call, int argument);
/* STAGE_KNOWN: the result's dtype is known. `g`: the operands; NULL: as given. */
kt_status kt__refuse_known(const kt_call *call, const kt__gathered *g, kt_dtype result);
/* STAGE_OUT: the targets' dtypes against the results' dtypes. */
kt_status kt__refuse_target(const kt_call *call, kt_dtype result, kt_dtype second);

/* The stages before the result's dtype is known. A body with its own shape checks calls this with STAGE_AFTER after them. */
static inline kt_status kt__refuse(const kt_call *call, kt__stage stage)
{
    return KT__LIKELY(!(call->row->stages >> stage & 1)) ? KT_OK : kt__refuse_slow(call, stage);
}

#endif
