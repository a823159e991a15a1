/* amx_in_c.h - AMX's instructions as C functions, for tests on processors with AVX-512 and without AMX (make amx):
 * what surrounds the tiles runs there too. In, out: as the instructions, of whole tiles of bfloat16. */
#ifndef KT_CPU_ISA_AMX_IN_C_H
#define KT_CPU_ISA_AMX_IN_C_H

#include <stdint.h>
#include <string.h>

#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define _tile_loadd(tile, from, by_row)  amx_load(tile, from, by_row)
#define _tile_stored(tile, to, by_row)   amx_store(tile, to, by_row)
#define _tile_zero(tile)                 memset(amx_tiles[tile], 0, sizeof *amx_tiles)
#define _tile_dpbf16ps(sums, a, b)       amx_multiply(sums, a, b)
#define _tile_loadconfig(shape)          amx_take(shape)
#define _tile_release()                  amx_give()

enum { AMX_TILES = 8, AMX_SIDE = 16, AMX_THREADS = 256 }; /* threads that may use tiles at a time: others wait */

typedef uint32_t amx_tile[AMX_SIDE][AMX_SIDE]; /* words: a float32, or two bfloat16s */

static amx_tile           amx_pool[AMX_THREADS][AMX_TILES] __attribute__((unused));
static char               amx_taken[AMX_THREADS] __attribute__((unused));
static __thread amx_tile *amx_tiles __attribute__((unused)); /* this thread's, of the pool */

static inline void __attribute__((unused)) amx_take(const void *shape)
{
    (void)shape;
    for (int i = 0;; i = (i + 1) % AMX_THREADS)
        if (!__atomic_test_and_set(&amx_taken[i], __ATOMIC_ACQUIRE)) {
            amx_tiles = amx_pool[i];
            return;
        }
}

static inline void __attribute__((unused)) amx_give(void)
{
    __atomic_clear(&amx_taken[(amx_tiles - amx_pool[0]) / AMX_TILES], __ATOMIC_RELEASE);
}

static inline void __attribute__((unused)) amx_load(int tile, const void *from, int64_t by_row)
{
    for (int i = 0; i < AMX_SIDE; i++)
        memcpy(amx_tiles[tile][i], (const char *)from + i * by_row, sizeof amx_tiles[tile][i]);
}

static inline void __attribute__((unused)) amx_store(int tile, void *to, int64_t by_row)
{
    for (int i = 0; i < AMX_SIDE; i++)
        memcpy((char *)to + i * by_row, amx_tiles[tile][i], sizeof amx_tiles[tile][i]);
}

static inline float amx_half(uint32_t word, int which) /* 0: the lower bfloat16 */
{
    const uint32_t bits = which ? word & 0xffff0000u : word << 16;
    float          x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void __attribute__((unused)) amx_multiply(int sums, int a, int b)
{
    for (int i = 0; i < AMX_SIDE; i++)
        for (int j = 0; j < AMX_SIDE; j++) {
            float sum;
            memcpy(&sum, &amx_tiles[sums][i][j], sizeof sum);
            for (int k = 0; k < AMX_SIDE; k++)
                for (int half = 0; half < 2; half++)
                    sum += amx_half(amx_tiles[a][i][k], half) * amx_half(amx_tiles[b][k][j], half);
            memcpy(&amx_tiles[sums][i][j], &sum, sizeof sum);
        }
}

#endif
