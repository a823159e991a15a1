/* raw.cuh - V elements as they stand in memory, in registers: loaded by their width alone, so that several loads are on their way
 * before the first is decoded.
 *
 * In: an address and a width of at most 8 bytes, or of 16 where the includer defines RAW_WIDEST so. Out: words, and the elements
 * in them. Independent of: dtypes, layouts. */
#ifndef KARAT_CUDA_RAW_CUH
#define KARAT_CUDA_RAW_CUH

#include <stdint.h>
#include <string.h>

#ifndef RAW_WIDEST
#define RAW_WIDEST 8
#endif
template <int V> struct raw {
    uint32_t word[RAW_WIDEST / 4 * V];
};

template <class S, int V> static __device__ __forceinline__ S raw_get(const raw<V> &r, int i)
{
    S s;
    if (sizeof(S) == 1) {
        const uint8_t x = (uint8_t)(r.word[i / 4] >> 8 * (i % 4));
        memcpy(&s, &x, sizeof(S));
    } else if (sizeof(S) == 2) {
        const uint16_t x = (uint16_t)(r.word[i / 2] >> 16 * (i % 2));
        memcpy(&s, &x, sizeof(S));
    } else if (sizeof(S) == 4) {
        memcpy(&s, &r.word[i], sizeof(S));
    } else if (sizeof(S) == 16) {
        memcpy(&s, &r.word[4 * i], sizeof(S));
    } else {
        const uint64_t x = (uint64_t)r.word[2 * i + 1] << 32 | r.word[2 * i];
        memcpy(&s, &x, sizeof(S));
    }
    return s;
}

/* In order of i: an element of less than a word begins its word anew. */
template <class S, int V> static __device__ __forceinline__ void raw_set(raw<V> &r, int i, S s)
{
    if (sizeof(S) == 1) {
        uint8_t x;
        memcpy(&x, &s, 1);
        r.word[i / 4] = i % 4 ? r.word[i / 4] | (uint32_t)x << 8 * (i % 4) : x;
    } else if (sizeof(S) == 2) {
        uint16_t x;
        memcpy(&x, &s, sizeof(S) < 2 ? sizeof(S) : 2);
        r.word[i / 2] = i % 2 ? r.word[i / 2] | (uint32_t)x << 16 : x;
    } else if (sizeof(S) == 4) {
        memcpy(&r.word[i], &s, sizeof(S) < 4 ? sizeof(S) : 4);
    } else if (sizeof(S) == 16) {
        memcpy(&r.word[4 * i], &s, sizeof(S));
    } else {
        uint64_t x;
        memcpy(&x, &s, sizeof(S) < 8 ? sizeof(S) : 8);
        r.word[2 * i] = (uint32_t)x;
        r.word[2 * i + 1] = (uint32_t)(x >> 32);
    }
}

/* ---- V dense elements, aligned to 16 bytes or to all of them, if those are less ---- */
template <int BYTES, int V> static __device__ __forceinline__ void load_bytes(raw<V> &r, const char *p)
{
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
        const uint4 x = ((const uint4 *)p)[i];
        r.word[4 * i] = x.x, r.word[4 * i + 1] = x.y, r.word[4 * i + 2] = x.z, r.word[4 * i + 3] = x.w;
    }
    if (BYTES == 8) {
        const uint2 x = *(const uint2 *)p;
        r.word[0] = x.x, r.word[1] = x.y;
    } else if (BYTES == 4) {
        r.word[0] = *(const uint32_t *)p;
    } else if (BYTES == 2) {
        r.word[0] = *(const uint16_t *)p;
    } else if (BYTES == 1) {
        r.word[0] = *(const uint8_t *)p;
    }
}

template <int BYTES, int V> static __device__ __forceinline__ void store_bytes(const raw<V> &r, char *p)
{
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++)
        ((uint4 *)p)[i] = make_uint4(r.word[4 * i], r.word[4 * i + 1], r.word[4 * i + 2], r.word[4 * i + 3]);
    if (BYTES == 8)
        *(uint2 *)p = make_uint2(r.word[0], r.word[1]);
    else if (BYTES == 4)
        *(uint32_t *)p = r.word[0];
    else if (BYTES == 2)
        *(uint16_t *)p = (uint16_t)r.word[0];
    else if (BYTES == 1)
        *(uint8_t *)p = (uint8_t)r.word[0];
}

template <int V> static __device__ __forceinline__ void raw_load(raw<V> &r, const char *p, int width)
{
    if (width == 4)
        load_bytes<4 * V>(r, p);
    else if (width == 2)
        load_bytes<2 * V>(r, p);
    else if (width == 1)
        load_bytes<V>(r, p);
    else if (RAW_WIDEST == 16 && width == 16)
        load_bytes<RAW_WIDEST * V>(r, p);
    else
        load_bytes<8 * V>(r, p);
}

template <int V> static __device__ __forceinline__ void raw_store(const raw<V> &r, char *p, int width)
{
    if (width == 4)
        store_bytes<4 * V>(r, p);
    else if (width == 2)
        store_bytes<2 * V>(r, p);
    else if (width == 1)
        store_bytes<V>(r, p);
    else if (RAW_WIDEST == 16 && width == 16)
        store_bytes<RAW_WIDEST * V>(r, p);
    else
        store_bytes<8 * V>(r, p);
}

/* ---- one element for all V ---- */
template <int V> static __device__ __forceinline__ void raw_spread(raw<V> &r, uint64_t bits, int width)
{
    const uint32_t low = (uint32_t)bits, high = width == 8 ? (uint32_t)(bits >> 32) : low;
    const uint32_t word = width == 1 ? (low & 0xff) * 0x01010101u : width == 2 ? (low & 0xffff) * 0x00010001u : low;
#pragma unroll
    for (int i = 0; i < V; i++)
        r.word[2 * i] = word, r.word[2 * i + 1] = width == 8 ? high : word;
}

static __device__ __forceinline__ uint64_t load_one(const char *p, int width)
{
    return width == 4   ? *(const uint32_t *)p
           : width == 2 ? *(const uint16_t *)p
           : width == 1 ? *(const uint8_t *)p
                        : *(const uint64_t *)p;
}

/* ---- n of V elements, one by one; a step of 0 loads the same one again ---- */
template <class S, int V> static __device__ __forceinline__ void gather_as(raw<V> &r, const char *p, int64_t step, int n)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        raw_set<S>(r, i, *(const S *)(p + (i < n ? i : 0) * step));
}

template <class S, int V> static __device__ __forceinline__ void scatter_as(const raw<V> &r, char *p, int64_t step, int n)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        if (i < n)
            *(S *)(p + i * step) = raw_get<S>(r, i);
}

template <int V> static __device__ __forceinline__ void raw_gather(raw<V> &r, const char *p, int width, int64_t step, int n)
{
    if (width == 4)
        gather_as<uint32_t>(r, p, step, n);
    else if (width == 2)
        gather_as<uint16_t>(r, p, step, n);
    else if (width == 1)
        gather_as<uint8_t>(r, p, step, n);
    else if (RAW_WIDEST == 16 && width == 16)
        gather_as<uint4>(r, p, step, n);
    else
        gather_as<uint64_t>(r, p, step, n);
}

template <int V> static __device__ __forceinline__ void raw_scatter(const raw<V> &r, char *p, int width, int64_t step, int n)
{
    if (width == 4)
        scatter_as<uint32_t>(r, p, step, n);
    else if (width == 2)
        scatter_as<uint16_t>(r, p, step, n);
    else if (width == 1)
        scatter_as<uint8_t>(r, p, step, n);
    else if (RAW_WIDEST == 16 && width == 16)
        scatter_as<uint4>(r, p, step, n);
    else
        scatter_as<uint64_t>(r, p, step, n);
}

#endif
