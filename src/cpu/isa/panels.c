/* panels.c - the parts of matrix products by packed panels (gemm/panels.h) that are compiled for each instruction set: register
 * tiles, where a build has them, and what becomes of their sums. Independent of: blocks, threads. */
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "dtype/convert.h"

#include <string.h>

/* A column, tile by tile: each asks for its share of what is read next, and if it adds for the next one's rows of c. */
typedef void tile_fn(float *c, int64_t ldc, const void *a, const void *b, int64_t k, bool adds);

KT_ALWAYS void make_tiles(tile_fn *tile, const int rows, const int columns, float *c, int64_t ldc, const char *a,
                          int64_t by_panel, int64_t count, const void *b, int64_t k, bool adds, const char *soon, int64_t bytes)
{
    enum { CACHE_LINE = 64 };
    const int64_t share = bytes / count;
    for (int64_t x = 0; x < count; x++, c += rows * ldc, a += by_panel, soon += share) {
        for (int64_t i = 0; i < share; i += CACHE_LINE)
            __builtin_prefetch(soon + i, 0, 3);
        for (int i = rows; adds && i < 2 * rows; i++)
            for (int j = 0; j < columns; j += CACHE_LINE / (int)sizeof *c)
                __builtin_prefetch(c + i * ldc + j, 0, 3);
        tile(c, ldc, a, b, k, adds);
    }
}

#define TILES(name, tile, rows, columns)                                                                               \
    static void name(float *c, int64_t ldc, const void *a, int64_t by_panel, int64_t count, const void *b, int64_t k,  \
                     bool adds, const char *soon, int64_t bytes)                                                       \
    {                                                                                                                  \
        make_tiles(tile, rows, columns, c, ldc, a, by_panel, count, b, k, adds, soon, bytes);                          \
    }

#if defined(__aarch64__)
#include "cpu/isa/panels_neon.inc.c"
#elif defined(__AVX512F__)
#include "cpu/isa/panels_avx512.inc.c"
#else
#define F32_PANEL  {.tiles = NULL}
#define BF16_PANEL {.tiles = NULL}
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
