/* fault.c - see fault.h. */
#include "dtype/fault.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* In the texts {v}, {s} and {d} stand for value, size and dim, {t} for the dtype that dim names, {x} for dim sizes: 3x4. */
static const struct {
    kt_status   code;
    const char *text;
} known[KT_NUM_FAULTS] = {
    [KT_FAULT_INDEX] = {KT_ERR_INDEX, "index {v} is out of bounds for dimension {d} with size {s}"},
    [KT_FAULT_INDEX_RUNTIME] = {KT_ERR_RUNTIME, "index {v} is out of bounds for dimension {d} with size {s}"},
    [KT_FAULT_INDEX_COPY] = {KT_ERR_INDEX, "index_copy_(): index {v} is out of bounds for dimension {d} with size {s}"},
    [KT_FAULT_INDEX_SELF] = {KT_ERR_INDEX, "index out of range in self"},
    [KT_FAULT_INDEX_DATA] = {KT_ERR_RUNTIME, "INDICES element is out of DATA bounds, id={v} axis_dim={s}"},
    [KT_FAULT_INDEX_ELEMENTS] = {KT_ERR_INDEX, "out of range: tried to access index {v} on a tensor of {s} elements."},
    [KT_FAULT_TARGET] = {KT_ERR_INDEX, "Target {v} is out of bounds."},
    [KT_FAULT_BCE_INPUT] = {KT_ERR_RUNTIME, "all elements of input should be between 0 and 1"},
    [KT_FAULT_BCE_TARGET] = {KT_ERR_RUNTIME, "all elements of target should be between 0 and 1"},
    [KT_FAULT_QUANTILE] = {KT_ERR_RUNTIME, "quantile() q values must be in the range [0, 1]"},
    [KT_FAULT_SORTER] = {KT_ERR_RUNTIME, "torch.searchsorted(): sorter index out of range"},
    [KT_FAULT_CLASS_NEGATIVE] = {KT_ERR_RUNTIME, "Class values must be non-negative."},
    [KT_FAULT_CLASS_LARGE] = {KT_ERR_RUNTIME, "Class values must be smaller than num_classes."},
    [KT_FAULT_COV_FWEIGHTS] = {KT_ERR_RUNTIME, "cov(): fweights cannot be negative"},
    [KT_FAULT_COV_AWEIGHTS] = {KT_ERR_RUNTIME, "cov(): aweights cannot be negative"},
    [KT_FAULT_COV_SUM] = {KT_ERR_RUNTIME, "cov(): weights sum to zero, can't be normalized"},
    [KT_FAULT_DEVIATION] = {KT_ERR_RUNTIME, "normal expects all elements of std >= 0.0"},
    [KT_FAULT_OVERFLOW] = {KT_ERR_RUNTIME, "value cannot be converted to type {t} without overflow"},
    [KT_FAULT_DIVISION] = {KT_ERR_RUNTIME, "ZeroDivisionError"},
    [KT_FAULT_BERNOULLI] = {KT_ERR_RUNTIME, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
                                            "message be improved?  If so, please report an enhancement request to PyTorch.)"},
    [KT_FAULT_POISSON] = {KT_ERR_RUNTIME, "invalid Poisson rate, expected rate to be non-negative"},
    [KT_FAULT_WEIGHT_NEGATIVE] = {KT_ERR_RUNTIME, "invalid multinomial distribution (encountering probability entry < 0)"},
    [KT_FAULT_WEIGHT_INFINITE] = {KT_ERR_RUNTIME,
                                  "invalid multinomial distribution (encountering probability entry = infinity or NaN)"},
    [KT_FAULT_WEIGHT] = {KT_ERR_RUNTIME, "probability tensor contains either `inf`, `nan` or element < 0"},
    [KT_FAULT_WEIGHT_SUM] = {KT_ERR_RUNTIME, "invalid multinomial distribution (sum of probabilities <= 0)"},
    [KT_FAULT_TARGET_RANGE] = {KT_ERR_RUNTIME, "target out of range"},
    [KT_FAULT_LABEL] = {KT_ERR_RUNTIME, "argument #2 'target' is out of range"},
    [KT_FAULT_BAG_INDEX] = {KT_ERR_RUNTIME, "An index of input takes value {v} which is not in the valid range [0, {s})"},
    [KT_FAULT_UNPOOL] = {KT_ERR_RUNTIME, "Found an invalid max index: {v} (output volumes are of size {x})"},
    [KT_FAULT_VARIANCE] = {KT_ERR_VALUE, "var has negative entry/entries"},
};

const char *kt__overflow_name(kt_dtype d)
{
    static const char *const names[KT_NUM_DTYPES] = {
        [KT_U8] = "uint8_t",  [KT_I8] = "int8_t",    [KT_I16] = "int16_t",  [KT_I32] = "int",
        [KT_I64] = "int64_t", [KT_U16] = "uint16_t", [KT_U32] = "uint32_t", [KT_U64] = "uint64_t"};
    return kt__dtype_valid(d) && names[d] ? names[d] : kt_dtype_c_name(d);
}

static int write_sizes(const kt_fault *f, char *to, size_t room)
{
    int at = 0;
    for (int d = (f->dim < 3 ? f->dim : 3) - 1; d >= 0; d--) {
        const long long size = f->size >> d * KT_FAULT_SIZE_BITS & ((1 << KT_FAULT_SIZE_BITS) - 1);
        at += snprintf(to + at, (size_t)at < room ? room - (size_t)at : 0, "%lld%s", size, d ? "x" : "");
        at = (size_t)at < room ? at : (int)room;
    }
    return at;
}

static int write_field(const kt_fault *f, char which, char *to, size_t room)
{
    switch (which) {
    case 'v': return snprintf(to, room, "%lld", (long long)f->value);
    case 's': return snprintf(to, room, "%lld", (long long)f->size);
    case 'd': return snprintf(to, room, "%d", (int)f->dim);
    case 'x': return write_sizes(f, to, room);
    default:  return snprintf(to, room, "%s", kt__overflow_name((kt_dtype)f->dim));
    }
}

/* A kind that this library does not know comes from a plugin that is newer. */
kt_status kt__fault_text(const kt_fault *f, char *text, size_t room)
{
    const bool  is_known = f->kind > KT_FAULT_NONE && f->kind < KT_NUM_FAULTS;
    const char *from = is_known ? known[f->kind].text : "a kernel refused a value";
    size_t      at = 0;
    while (*from && at + 1 < room) {
        if (*from != '{') {
            text[at++] = *from++;
            continue;
        }
        at += (size_t)write_field(f, from[1], text + at, room - at);
        at = at < room ? at : room - 1;
        from += 3; /* {v} */
    }
    text[at] = '\0';
    return is_known ? known[f->kind].code : KT_ERR_RUNTIME;
}

kt_status kt__fail_fault(const kt_fault *f)
{
    char            text[256];
    const kt_status code = kt__fault_text(f, text, sizeof text);
    return kt_fail(code, "%s", text);
}
