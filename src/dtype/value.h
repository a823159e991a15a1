/* value.h - conversion of rows of elements by dtype: the reference that every build has.
 *
 * In: pointers, strides in bytes, dtypes. Out: converted elements, or whether values survive.
 * The CPU backend has faster loops over the same dtype/convert.h. Independent of: tensors, operators. */
#ifndef KT_DTYPE_VALUE_H
#define KT_DTYPE_VALUE_H

#include "dtype/dtype.h"

/* n elements of `from` at src into `to` at dst, by the cast rule. src and dst do not overlap, unless they
 * are the same elements of the same size. */
void kt__convert(void *dst, kt_dtype to, ptrdiff_t dst_stride, const void *src, kt_dtype from, ptrdiff_t src_stride,
                 int64_t n);

/* The random numbers of stochastic rounding: element i draws from (seed, counter + i), so that a result depends neither
 * on the order of the elements nor on how a row is split among threads. */
typedef struct kt__round_rng {
    uint64_t seed, counter;
} kt__round_rng;

/* The same with a rounding. KT_ROUND_ONCE: one rounding to nearest even, straight from the source's value.
 * KT_ROUND_STOCHASTIC: up with the probability of the fraction cut off; a value that the target holds stays. Past the
 * largest number the next step of the same size counts as the neighbour, and reaching it is an overflow (infinity or
 * NaN, as the target has); an integer of more than 53 bits is first rounded to float64, to nearest. Into float64 both
 * are the plain rule. rng may be NULL unless stochastic; its counter moves on by n. */
void kt__convert_rounding(void *dst, kt_dtype to, ptrdiff_t dst_stride, const void *src, kt_dtype from,
                          ptrdiff_t src_stride, int64_t n, kt_rounding rounding, kt__round_rng *rng);

/* Does every one of the n values survive the cast to `to` and back? NaN survives where the target has one; the sign of
 * zero does not count. */
bool kt__same_value(kt_dtype to, const void *src, kt_dtype from, ptrdiff_t src_stride, int64_t n);

#endif
