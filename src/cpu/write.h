/* write.h - how large results reach memory. A store waits for the line that it lands on: of a result that the last cache
 * will keep, the lines of the next tile are asked for while this one is made; one that it will not keep is written past
 * the caches, since a line that is written whole need not be read first. */
#ifndef KT_CPU_WRITE_H
#define KT_CPU_WRITE_H

#include "cpu/kernels.h"
#include "math/core.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { CACHE_LINE = 64 };

/* The dense bytes of a tile to come. */
KT_ALWAYS void fetch_for_reading(const char *x, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch(x + i, 0, 3);
}

KT_ALWAYS void fetch_for_writing(const char *y, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch(y + i, 1, 3);
}

/* A line, and the next one if there are so many bytes: for loops that work on two lines of their type at a time, elements of
 * which are as wide or narrower in memory. later: what is read after much else, into the second cache. */
KT_ALWAYS void fetch_pair(const char *x, ptrdiff_t bytes, const bool later)
{
    if (later)
        __builtin_prefetch(x, 0, 2);
    else
        __builtin_prefetch(x, 0, 3);
    if (later && bytes > CACHE_LINE)
        __builtin_prefetch(x + CACHE_LINE, 0, 2);
    else if (bytes > CACHE_LINE)
        __builtin_prefetch(x + CACHE_LINE, 0, 3);
}

KT_ALWAYS void fetch_pair_for_reading(const char *x, ptrdiff_t bytes) { fetch_pair(x, bytes, false); }

KT_ALWAYS void fetch_pair_for_writing(const char *y, ptrdiff_t bytes)
{
    __builtin_prefetch(y, 1, 3);
    if (bytes > CACHE_LINE)
        __builtin_prefetch(y + CACHE_LINE, 1, 3);
}

/* A row that is long to calculate, a line at a time: far enough ahead that the line is there when its turn comes, past the end of
 * a page, where the processor's own prefetch stops. */
enum { READ_AHEAD = 4096, WRITE_AHEAD = 1024 };
KT_ALWAYS void fetch_ahead(const void *x, const void *y)
{
    __builtin_prefetch((const char *)((uintptr_t)x + READ_AHEAD), 0, 3);
    __builtin_prefetch((const char *)((uintptr_t)y + WRITE_AHEAD), 1, 3);
}

/* Whole lines alone gain. */
KT_ALWAYS bool can_write_past(const char *y, size_t bytes)
{
#ifdef __SSE2__
    return ((uintptr_t)y | bytes) % CACHE_LINE == 0;
#else
    (void)y, (void)bytes;
    return false;
#endif
}

/* x is aligned to lines, as y is. */
KT_ALWAYS void write_past(char *restrict y, const char *restrict x, size_t bytes)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < bytes; i += 64)
        _mm512_stream_si512((void *)(y + i), *(const __m512i *)(const void *)(x + i));
#elif defined(__AVX__)
    for (size_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((__m256i *)(void *)(y + i), *(const __m256i *)(const void *)(x + i));
#elif defined(__SSE2__)
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(y + i), *(const __m128i *)(const void *)(x + i));
#else
    memcpy(y, x, bytes);
#endif
}

/* Before another thread is told that the bytes are there. */
KT_ALWAYS void write_past_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
