/* convert.c - plans whose operands have dtypes, bits or roundings that a kernel does not know: those operands are copied into
 * memory of a dtype that it knows, and results copied back. The conversions are the plan's own, so that the values are too.
 *
 * In: a plan, what a kernel knows, how it is launched. Out: that launch, and copies around it. Independent of: what is
 * calculated. */
#include <string.h>

#include "parts.h"

typedef struct stand_in {
    void  *data; /* NULL: the operand is as it should be */
    size_t granted;
} stand_in;

kt_kernel_id copy_kernel;

/* Converted once, if at all, or a bool, which is the same number in every dtype. Bits are applied when an input is loaded. */
static bool is_good(const kt_plan *plan, int at, const known_dtypes *k)
{
    const kt_operand *x = &plan->arg[at];
    const bool        out = at < plan->n_out;
    const bool        once = x->as == x->is || x->as == k->self || (!out && x->is == KT_BOOL);
    return ((out ? k->writes : k->reads) >> x->is & 1) && once && (out || !x->bits);
}

bool operands_known(const kt_plan *plan, const known_dtypes *k)
{
    bool good = true;
    for (int i = 0; i < plan->n_out + plan->n_in && good; i++)
        good = is_good(plan, i, k);
    return good;
}

/* A plan of one copy over the dims of operand `at` that are its own: those of stride 0 have one element. */
static void copy_of(const kt_plan *plan, int at, kt_plan *copy)
{
    memcpy(copy, plan, offsetof(kt_plan, arg));
    copy->n_out = copy->n_in = 1, copy->n_param = 0, copy->rounding = 0, copy->contiguous = 0;
    copy->numel = 1;
    for (int d = 0; d < plan->nd; d++) {
        copy->size[d] = plan->stride[at][d] ? plan->size[d] : 1;
        copy->numel *= copy->size[d];
        copy->stride[1][d] = plan->stride[at][d];
    }
    int64_t step = 1;
    for (int d = plan->nd - 1; d >= 0; d--) { /* dense, in the same order of dims */
        copy->stride[0][d] = copy->size[d] > 1 ? step : 0;
        step *= copy->size[d];
    }
}

/* An immediate is converted by the CPU. */
static kt_status convert_immediate(kt_plan *plan, int at, kt_dtype to)
{
    kt_plan copy;
    copy_of(plan, at, &copy);
    copy.kernel = copy_kernel;
    copy.nd = 0;
    copy.numel = 1;
    copy.contiguous = 1;
    copy.device_index = 0;
    unsigned char value[16] = {0};
    copy.arg[0] = (kt_operand){.data = (char *)value, .is = (uint8_t)to, .as = (uint8_t)to};
    copy.arg[1] = plan->arg[at];
    copy.arg[1].as = (uint8_t)to;
    copy.arg[1].immediate = 0;
    copy.arg[1].data = (char *)plan->imm[at].bytes;
    const kt_status status = host->cpu->run(host->cpu, &copy);
    if (!status) {
        memcpy(plan->imm[at].bytes, value, sizeof value);
        plan->arg[at].is = plan->arg[at].as = (uint8_t)to;
        plan->arg[at].bits = 0;
    }
    return status;
}

/* The copy between an operand and its stand-in of dtype `to`, which gets its memory here. */
static kt_status make_stand_in(kt_plan *plan, int at, kt_dtype to, kt_plan *copy, stand_in *s)
{
    const int width = width_of((int)to);
    copy_of(plan, at, copy);
    const kt_status status =
        memory_alloc(NULL, plan->device_index, plan->stream, (size_t)(copy->numel * width + 1), &s->data, &s->granted);
    if (status)
        return status;
    for (int d = 0; d < plan->nd; d++) {
        copy->stride[0][d] *= width;
        plan->stride[at][d] = copy->stride[0][d];
    }
    copy->arg[0] = (kt_operand){.data = s->data, .is = (uint8_t)to, .as = (uint8_t)to};
    copy->arg[1] = plan->arg[at];
    copy->arg[1].as = (uint8_t)to;
    plan->arg[at] = copy->arg[0];
    plan->arg[at].data = s->data;
    return KT_OK;
}

/* The dtype of a stand-in: what the operator sees or has computed, if the kernel knows it; KT_NONE: a value would have to be
 * converted twice. */
static kt_dtype dtype_of(const kt_plan *plan, int at, const known_dtypes *k)
{
    const kt_operand *x = &plan->arg[at];
    if ((at < plan->n_out ? k->writes : k->reads) >> x->as & 1)
        return (kt_dtype)x->as;
    return x->as == x->is ? k->self : KT_NONE;
}

static kt_status copy_back(const kt_plan *plan, int at, const kt_plan *made)
{
    kt_plan back = *made;
    back.arg[0] = plan->arg[at];
    back.arg[0].as = plan->arg[at].is;
    back.arg[1] = made->arg[0];
    back.arg[1].as = back.arg[0].is;
    for (int d = 0; d < back.nd; d++) {
        back.stride[0][d] = made->stride[1][d];
        back.stride[1][d] = made->stride[0][d];
    }
    return launch_copy(&back);
}

kt_status launch_converted(const kt_plan *plan, const known_dtypes *k, launch_fn *launch, const void *what)
{
    const int n = plan->n_out + plan->n_in;
    kt_plan   good = *plan, copies[4];
    stand_in  made[4] = {{NULL, 0}};
    kt_status status = KT_OK;
    for (int i = 0; i < n; i++)
        if (n > 4 || (!is_good(plan, i, k) && dtype_of(plan, i, k) == KT_NONE))
            return KT_DECLINED;
    for (int i = plan->n_out; i < n && !status; i++) {
        const kt_dtype to = dtype_of(plan, i, k);
        if (is_good(plan, i, k))
            continue;
        if (plan->arg[i].immediate) {
            status = convert_immediate(&good, i, to);
            continue;
        }
        status = make_stand_in(&good, i, to, &copies[i], &made[i]);
        if (!status)
            status = launch_copy(&copies[i]);
    }
    for (int i = 0; i < plan->n_out && !status; i++)
        if (!is_good(plan, i, k))
            status = make_stand_in(&good, i, dtype_of(plan, i, k), &copies[i], &made[i]);
    if (!status)
        status = launch(&good, what);
    for (int i = 0; i < plan->n_out && !status; i++)
        if (made[i].data)
            status = copy_back(plan, i, &copies[i]);
    for (int i = 0; i < n; i++)
        if (made[i].data)
            memory_free(NULL, plan->device_index, made[i].data, made[i].granted);
    return status;
}
