/* by_name.c - see by_name.h. Calls go the same way as a binding's: kt_call_begin and kt_call_run. */
#include "by_name.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "tensor/tensor.h"

/* What a row asks for and a caller that knows no row does not say. */
static void fill_up(const kt_row *row, kt_call *call)
{
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        if (call->given >> i & 1 || spec->has_default || spec->optional)
            continue;
        if (spec->kind == KT_ARG_SCALAR)
            call->arg[i].s = KT_INT(1);
        else if (spec->kind == KT_ARG_BOOL)
            call->arg[i].b = false;
        else
            continue;
        call->given |= 1u << i;
    }
}

static kt_tensor *call_row(const kt_row *row, kt_form form, kt_tensor *out, const char *kinds, bool filled, va_list more)
{
    kt_call call;
    kt_call_begin(&call, row, form);
    for (int i = 0; kinds[i]; i++) {
        kt_value *v = &call.arg[i];
        switch (kinds[i]) {
        case 't': v->t = va_arg(more, kt_tensor *); break;
        case 's':
            v->s = va_arg(more, kt_scalar);
            if (kt_row_arg(row, i) && kt_row_arg(row, i)->kind == KT_ARG_TENSOR_OR_SCALAR)
                call.scalars |= 1u << i;
            break;
        case 'i': v->i = va_arg(more, int64_t); break;
        case 'f': v->f = va_arg(more, double); break;
        case 'b': v->b = va_arg(more, int); break;
        case 'd': v->dtype = (kt_dtype)va_arg(more, int); break;
        case 'v': v->ints = va_arg(more, kt_shape); break;
        case 'l':
            v->ts.t = va_arg(more, kt_tensor *const *);
            v->ts.n = va_arg(more, int64_t);
            break;
        case 'z': v->str = va_arg(more, const char *); break;
        case 'g': v->device = va_arg(more, kt_device); break;
        case 'm': v->format = va_arg(more, int); break;
        default: continue;
        }
        call.given |= 1u << i;
    }
    if (filled)
        fill_up(row, &call);
    if (form == KT_OUT)
        call.out[0] = out;
    if (kt_failed() || kt_call_run(&call))
        return NULL;
    for (int i = 1; i < call.n_out; i++)
        kt_drop(call.out[i]);
    if (kt__scope_add(call.out[0])) {
        kt_drop(call.out[0]);
        return NULL;
    }
    return call.out[0];
}

kt_tensor *by_row(const kt_row *row, kt_form form, kt_tensor *out, const char *kinds, ...)
{
    va_list more;
    va_start(more, kinds);
    kt_tensor *result = call_row(row, form, out, kinds, true, more);
    va_end(more);
    return result;
}

kt_tensor *by_name(const char *name, kt_form form, kt_tensor *out, const char *kinds, ...)
{
    const kt_row *row = kt_row_find(name);
    if (!row) {
        kt_fail(KT_ERR_NOT_IMPLEMENTED, "no operator is called %s", name);
        return NULL;
    }
    va_list more;
    va_start(more, kinds);
    kt_tensor *result = call_row(row, form, out, kinds, false, more);
    va_end(more);
    return result;
}

static int64_t count_of(kt_shape shape)
{
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    return n;
}

kt_tensor *tensor_of(kt_dtype dtype, kt_shape shape, const double *values)
{
    const int64_t n = count_of(shape);
    const size_t  size = kt_dtype_size(dtype);
    char         *bytes = malloc((size_t)n * size + 1);
    if (!bytes)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        kt_scalar_store(bytes + (size_t)i * size, dtype, KT_FLOAT(values[i]));
    kt_tensor *t = kt_from(bytes, shape, dtype);
    free(bytes);
    return t;
}

kt_tensor *tensor_filled(kt_dtype dtype, kt_shape shape, double value)
{
    const int64_t n = count_of(shape);
    double       *values = malloc((size_t)n * sizeof *values + 1);
    for (int64_t i = 0; values && i < n; i++)
        values[i] = value;
    kt_tensor *t = values ? tensor_of(dtype, shape, values) : NULL;
    free(values);
    return t;
}

double tensor_at(const kt_tensor *t, int64_t index)
{
    const size_t size = t ? kt_dtype_size(kt_dtype_of(t)) : 0, bytes = t ? (size_t)kt_numel(t) * size : 0;
    char        *all = malloc(bytes + 1);
    double       value = NAN;
    if (all && t && index < kt_numel(t) && kt_read(t, all, bytes) == KT_OK) {
        const kt_scalar s = kt_scalar_load(all + (size_t)index * size, kt_dtype_of(t));
        value = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re
                : s.is_unsigned                                          ? (double)(uint64_t)s.v.i
                                                                         : (double)s.v.i;
    }
    free(all);
    return value;
}

const char *error_class(kt_status status)
{
    switch (status) {
    case KT_ERR_RUNTIME: return "RuntimeError";
    case KT_ERR_TYPE: return "TypeError";
    case KT_ERR_VALUE: return "ValueError";
    case KT_ERR_INDEX: return "IndexError";
    case KT_ERR_NOT_IMPLEMENTED: return "NotImplementedError";
    case KT_ERR_MEMORY: return "MemoryError";
    case KT_ERR_OS: return "OSError";
    default: return "no error";
    }
}

const char *error_line(void)
{
    static _Thread_local char line[2048];
    snprintf(line, sizeof line, "%s", kt_error());
    line[strcspn(line, "\n")] = 0;
    return line;
}
