/* direct_bf16.c - the inner loops of convolutions in bfloat16, by the processor's own products of tiles: positions of an image,
 * which lie at given distances, times weights, and an image times what flowed back.
 *
 * In: packed weights, positions of 32 channels each, or rows of channels; distances. Out: sums in float32, each over its steps
 * in order, and rows of bfloat16, rounded once. An instruction set without such products has no such loops.
 * Independent of: geometry. */
#include "base/cpu.h"
#include "cpu/isa/amx.h"
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "cpu/window/direct_bf16.h"

#if defined(KT_AMX)
#include "cpu/isa/direct_amx.inc.c"
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include "cpu/isa/direct_bfmmla.inc.c"
#else
const kt__cpu_direct_bf16 KT__CPU_SYMBOL(direct_bf16, KT_ISA) = {.multiply = NULL};
#endif
