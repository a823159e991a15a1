/* cpu.c - asks the processor and the system, once.
 *
 * In: cpuid, xgetbv and arch_prctl, or getauxval; KARAT_ISA. Out: bits. Independent of: which kernels exist. */
#include "base/cpu.h"

#include "base/env.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Which register files the system saves on a context switch: an instruction on another one faults or loses its upper half. */
static uint64_t saved_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* Tiles are eight kilobytes of every thread that used them, so Linux wants a process to ask for them, once. */
static bool may_use_tiles(void)
{
#if defined(__linux__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
    return false;
#endif
}

static bool all(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

static uint32_t ask(void)
{
    enum { XMM_YMM = 0x6, MASK_ZMM = 0xe0, TILES = 0x60000 };
    uint32_t a, b, c, d, found = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    const uint32_t osxsave = 1u << 27, avx = 1u << 28, fma = 1u << 12, f16c = 1u << 29, movbe = 1u << 22;
    if (!all(c, osxsave | avx | fma | f16c | movbe))
        return 0;
    const uint64_t saved = saved_state();
    uint32_t       ea, eb, ec, ed;
    if ((saved & XMM_YMM) != XMM_YMM || !__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
        !__get_cpuid(0x80000001u, &ea, &eb, &ec, &ed)) {
        return 0;
    }
    const uint32_t bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8, lzcnt = 1u << 5;
    if (!all(b, bmi1 | avx2 | bmi2) || !all(ec, lzcnt))
        return 0;
    found |= KT__CPU_AVX2;
    uint32_t a1 = 0, b1 = 0, c1 = 0, d1 = 0;
    if (a >= 1)
        __get_cpuid_count(7, 1, &a1, &b1, &c1, &d1);
    const uint32_t f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31;
    if ((saved & MASK_ZMM) == MASK_ZMM && all(b, f | dq | cd | bw | vl)) {
        found |= KT__CPU_AVX512;
        found |= all(c, 1u << 11) ? KT__CPU_AVX512_VNNI : 0;
        found |= all(d, 1u << 23) ? KT__CPU_AVX512_FP16 : 0;
        found |= all(a1, 1u << 5) ? KT__CPU_AVX512_BF16 : 0;
    }
    if ((saved & TILES) == TILES && all(d, 1u << 22 | 1u << 24) && may_use_tiles())
        found |= KT__CPU_AMX_BF16;
    return found;
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static uint32_t ask(void)
{
    const unsigned long fphp = 1ul << 9, asimdhp = 1ul << 10, asimddp = 1ul << 20, sve = 1ul << 22, bf16 = 1ul << 14;
    const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    uint32_t            found = 0;
    found |= (first & (fphp | asimdhp)) == (fphp | asimdhp) ? KT__CPU_NEON_FP16 : 0;
    found |= first & asimddp ? KT__CPU_NEON_DOT : 0;
    found |= first & sve ? KT__CPU_SVE : 0;
    found |= second & bf16 ? KT__CPU_NEON_BF16 : 0;
    return found;
}

#else

static uint32_t ask(void)
{
    return 0;
}

#endif

uint32_t kt__cpu_bits(void)
{
    const uint32_t ASKED = 1u << 31;
    static uint32_t known; /* benign race: every thread finds the same bits */
    uint32_t        bits = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!(bits & ASKED)) {
        bits = ask() | ASKED;
        __atomic_store_n(&known, bits, __ATOMIC_RELAXED);
    }
    return bits & ~ASKED;
}

static const struct {
    const char *name;
    uint32_t    needs; /* all of these; bits of another architecture are never found */
} builds[] = {
    {"base", 0},
    {"avx2", KT__CPU_AVX2},
    {"avx512", KT__CPU_AVX2 | KT__CPU_AVX512},
    {"neon82", KT__CPU_NEON_FP16 | KT__CPU_NEON_BF16 | KT__CPU_NEON_DOT},
};

static const char *runnable(const char *isa_name)
{
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        if (strcmp(builds[i].name, isa_name) == 0)
            return (kt__cpu_bits() & builds[i].needs) == builds[i].needs ? builds[i].name : NULL;
    }
    return NULL;
}

bool kt__cpu_has(const char *isa_name)
{
    return runnable(isa_name) != NULL;
}

const char *kt__cpu_wanted(const char **refused)
{
    const char *set = kt__env("KARAT_ISA"), *name = set ? runnable(set) : NULL;
    if (refused)
        *refused = name ? NULL : set;
    return name;
}
