/* panels.c - the parts of matrix products by packed panels (gemm/panels.h) that are compiled for each instruction set: register
 * tiles, where a build has them, and what becomes of their sums. Independent of: blocks, threads. */
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "dtype/convert.h"

#include <string.h>

/* What the next tiles read: rows of c, and `bytes` at `soon`. */
KT_ALWAYS void ask_for_next(const float *c, int64_t ldc, int rows, int columns, const char *soon, int64_t bytes)
{
    enum { CACHE_LINE = 64 };
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch(soon + i, 0, 3);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j += CACHE_LINE / (int)sizeof *c)
            __builtin_prefetch(c + i * ldc + j, 0, 3);
}

#if defined(__aarch64__)
#include "cpu/isa/panels_neon.inc.c"
#elif defined(__AVX512F__)
#include "cpu/isa/panels_avx512.inc.c"
#else
#define F32_PANEL  {.tile = NULL}
#define BF16_PANEL {.tile = NULL}
#endif

/* ---- sums become results ---- */
static void finish(void *restrict c, const float *restrict sums, int64_t n, float alpha, float beta, bool narrow)
{
    float    *const wide = c;
    uint16_t *const half = c;
    for (int64_t j = 0; !narrow && j < n; j++)
        wide[j] = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * wide[j];
    for (int64_t j = 0; narrow && j < n; j++)
        half[j] = kt__encode_f32_BF16(beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * kt__decode_BF16(half[j]));
}

const kt__cpu_panels KT__CPU_SYMBOL(panels, KT_ISA) = {.f32 = F32_PANEL, .bf16 = BF16_PANEL, .finish = finish};
