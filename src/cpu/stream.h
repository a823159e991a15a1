/* stream.h - writing past the caches: a line that is written whole need not be read first, and a large result would be gone
 * from the caches before it is read anyway. Where the machine has no such stores, plain ones. */
#ifndef KT_CPU_STREAM_H
#define KT_CPU_STREAM_H

#include "cpu/math_core.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { KT__STREAM_FROM = 4 << 20 }; /* bytes of a result: more than a core's own cache would keep until they are read */

/* Whole lines alone gain. */
KT_ALWAYS bool can_stream(const char *y, size_t bytes)
{
#ifdef __SSE2__
    return ((uintptr_t)y | bytes) % 64 == 0;
#else
    (void)y, (void)bytes;
    return false;
#endif
}

/* x is 16-aligned. */
KT_ALWAYS void stream_bytes(char *restrict y, const char *restrict x, size_t bytes)
{
#ifdef __SSE2__
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(y + i), *(const __m128i *)(const void *)(x + i));
#else
    memcpy(y, x, bytes);
#endif
}

/* Before another thread is told that the bytes are there. */
KT_ALWAYS void stream_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
