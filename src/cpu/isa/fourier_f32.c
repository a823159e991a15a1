/* fourier_f32.c - Fourier transforms in compute type float32. */
#include "cpu/isa/types/f32.h"

#include "cpu/isa/fourier.inc.c"

const struct kt__cpu_fourier KT__CPU_PART(fourier, ID, KT_ISA) = {.run = FN(transform_lines)};
