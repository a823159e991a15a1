/* wrap.h - the parts of the generated typed wrappers in ops.gen.c. The rules of the public C API are implemented here only:
 * while an error is pending a call does nothing; a result belongs to the innermost scope. */
#ifndef KT_CALL_WRAP_H
#define KT_CALL_WRAP_H

#include <karat/ops.h>

#include "base/scope.h"
#include "call/call.h"

const void *kt__other_options(const void *opts, void *own, size_t known);

static inline void kt__open(kt_call *c, int op, kt_form form)
{
    c->row = &kt__rows[op];
    c->form = (uint8_t)form;
    c->given = 0;
    c->scalars = 0;
    c->out[0] = NULL;
}

/* Options in this library's layout: NULL, `opts` itself, or, from a caller built for another version, the members that both
 * know. */
static inline const void *kt__options(const void *opts, void *own, size_t known)
{
    return KT__LIKELY(!opts || *(const size_t *)opts == known) ? opts : kt__other_options(opts, own, known);
}

#define kt__put(c, i, field, value) ((c)->arg[i].field = (value), (c)->given |= 1u << (i))

static inline void kt__put_tensor(kt_call *c, int i, const kt_tensor *t)
{
    c->arg[i].t = (kt_tensor *)(uintptr_t)t; /* const is about elements; reference counts still change */
    c->given |= 1u << i;
}

static inline void kt__put_either(kt_call *c, int i, kt_scalar s)
{
    c->arg[i].s = s;
    c->given |= 1u << i;
    c->scalars |= 1u << i;
}

static inline void kt__put_tensors(kt_call *c, int i, kt_tensor *const *t, int64_t n)
{
    c->arg[i].ts.t = t;
    c->arg[i].ts.n = n;
    c->given |= 1u << i;
}

static inline void kt__put_scalars(kt_call *c, int i, const kt_scalar *s, int64_t n)
{
    c->arg[i].ss.s = s;
    c->arg[i].ss.n = n;
    c->given |= 1u << i;
}

static inline kt_tensor *kt__close(kt_call *c)
{
    if (kt__failed() || kt_call_run(c))
        return NULL;
    if (KT__UNLIKELY(kt__scope_add(c->out[0]))) {
        kt__unref(c->out[0]);
        return NULL;
    }
    return c->out[0];
}

static inline kt_tensor *kt__close_inplace(kt_call *c)
{
    if (kt__failed() || kt_call_run(c))
        return NULL;
    kt__unref(c->out[0]);
    return c->arg[0].t;
}

static inline kt_tensor *kt__close_out(kt_call *c, kt_tensor *out)
{
    c->out[0] = out;
    if (kt__failed() || kt_call_run(c))
        return NULL;
    kt__unref(c->out[0]);
    return out;
}

/* In: the targets of KT_OUT, else NULLs. Out: the results, or NULLs after an error. */
void      kt__close_several(kt_call *c, kt_tensor **results, int n);
int64_t   kt__close_list(kt_call *c, kt_tensor **results, int64_t room);
kt_status kt__close_written(kt_call *c);

#endif
