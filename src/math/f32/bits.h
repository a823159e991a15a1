/* bits.h - the bits of float32, and selects that stay selects.
 *
 * A compiler may turn a condition with a constant arm into a branch, and an ordered comparison into an unordered one, which is
 * several instructions on some processors. A mask leaves it no choice, and a NaN goes the way of "no".
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_BITS_H
#define KT_MATH_F32_BITS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dtype/types.h"

KT_ALWAYS uint32_t bits_f32(float x)       { uint32_t u; memcpy(&u, &x, 4); return u; }
KT_ALWAYS float    of_bits_f32(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }

KT_ALWAYS uint32_t mask_f32(bool yes) { return yes ? ~0u : 0u; }
/* The bits of a where the mask has them set, else those of b. */
KT_ALWAYS float pick_f32(uint32_t mask, float a, float b)
{
    return of_bits_f32(bits_f32(b) ^ ((bits_f32(a) ^ bits_f32(b)) & mask));
}

KT_ALWAYS float at_least_f32(float x, float low) { return pick_f32(mask_f32(x < low), low, x); }
KT_ALWAYS float at_most_f32(float x, float high) { return pick_f32(mask_f32(x > high), high, x); }
KT_ALWAYS float minus_abs_f32(float x)           { return of_bits_f32(bits_f32(x) | 0x80000000u); }
KT_ALWAYS uint32_t sign_mask_f32(float x)        { return mask_f32((int32_t)bits_f32(x) < 0); }
KT_ALWAYS float signed_f32(float x, float sign)  { return copysignf(x, sign); }

/* x, or 0 without the mask; x, or -x with it. Positive numbers have the order of their bits, and NaN is the largest: a minimum of
 * bits is one instruction. */
KT_ALWAYS float    only_f32(uint32_t mask, float x) { return of_bits_f32(bits_f32(x) & mask); }
KT_ALWAYS float    flipped_f32(uint32_t mask, float x) { return of_bits_f32(bits_f32(x) ^ (mask & 0x80000000u)); }
KT_ALWAYS uint32_t size_f32(float x)                { return bits_f32(x) & 0x7fffffffu; }
/* Its sign bit: is |a| not below the number with these bits, or NaN? An addition carries into it: that vectorises everywhere. */
KT_ALWAYS uint32_t beyond_f32(float a, uint32_t bits) { return size_f32(a) + (0x80000000u - bits); }
KT_ALWAYS uint32_t lesser_u32(uint32_t a, uint32_t b)  { return a < b ? a : b; }
KT_ALWAYS uint32_t greater_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* |a|, but at most the number with these bits */
KT_ALWAYS float abs_at_most_f32(float a, uint32_t bits) { return of_bits_f32(lesser_u32(size_f32(a), bits)); }

#endif
