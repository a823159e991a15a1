/* cpu.h - what the processor at hand can do, asked at run time.
 *
 * In: cpuid or the kernel's capability words, KARAT_ISA. Out: bits and answers by build name. Independent of: which
 * kernels exist; choosing among the builds that were compiled belongs to src/cpu. */
#ifndef KT_BASE_CPU_H
#define KT_BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum {
    KT__CPU_AVX2        = 1u << 0, /* AVX2, FMA, F16C, BMI1, BMI2, LZCNT, MOVBE, and the system saves ymm */
    KT__CPU_AVX512      = 1u << 1, /* F, BW, CD, DQ, VL beside the above, and the system saves zmm and masks */
    KT__CPU_AVX512_BF16 = 1u << 2,
    KT__CPU_AVX512_FP16 = 1u << 3,
    KT__CPU_AVX512_VNNI = 1u << 4,
    KT__CPU_AMX_BF16    = 1u << 5, /* tiles too, and the system saves them and lets this process use them */
    KT__CPU_NEON_FP16   = 1u << 6, /* half precision arithmetic, scalar and vector */
    KT__CPU_NEON_BF16   = 1u << 7,
    KT__CPU_NEON_DOT    = 1u << 8,
    KT__CPU_SVE         = 1u << 9
};

uint32_t kt__cpu_bits(void);

/* Can the processor run the build of that name: "base", "avx2", "avx512", "neon82"? False for unknown names and for
 * those of other architectures. */
bool kt__cpu_has(const char *isa_name);

/* KARAT_ISA, when it names a build that this processor can run; else NULL and, in *refused if not NULL, the text that
 * was set (NULL when unset), so that `karat doctor` can tell. */
const char *kt__cpu_wanted(const char **refused);

#endif
