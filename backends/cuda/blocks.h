/* blocks.h - a map from the address of a block of memory to what is known of it. Open addressing; the caller holds its lock. */
#ifndef KARAT_CUDA_BLOCKS_H
#define KARAT_CUDA_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct block_map {
    struct { void *key, *value; } *at; /* a key of NULL: free. A value of NULL: was removed */
    size_t room, used;                 /* room: a power of two; used: removed ones too */
} block_map;

static inline size_t block_map_place(const block_map *m, const void *key)
{
    size_t i = (size_t)(((uint64_t)(uintptr_t)key >> 9) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);
    while (m->at[i].key && m->at[i].key != key)
        i = (i + 1) & (m->room - 1);
    return i;
}

static inline void *block_map_find(const block_map *m, const void *key)
{
    return m->room ? m->at[block_map_place(m, key)].value : NULL;
}

static inline bool block_map_grow(block_map *m)
{
    size_t live = 0;
    for (size_t i = 0; i < m->room; i++)
        live += m->at[i].value != NULL;
    block_map next = {.room = m->room ? m->room : 512};
    while (next.room < 4 * (live + 1))
        next.room *= 2;
    if (!(next.at = calloc(next.room, sizeof *next.at)))
        return false;
    for (size_t i = 0; i < m->room; i++)
        if (m->at[i].value) {
            next.at[block_map_place(&next, m->at[i].key)] = m->at[i];
            next.used++;
        }
    free(m->at);
    *m = next;
    return true;
}

/* False: no memory. */
static inline bool block_map_put(block_map *m, void *key, void *value)
{
    if (2 * (m->used + 1) > m->room && !block_map_grow(m))
        return false;
    const size_t i = block_map_place(m, key);
    m->used += m->at[i].key == NULL;
    m->at[i].key = key;
    m->at[i].value = value;
    return true;
}

static inline void *block_map_take(block_map *m, const void *key)
{
    if (!m->room)
        return NULL;
    const size_t i = block_map_place(m, key);
    void        *value = m->at[i].value;
    m->at[i].value = NULL;
    return value;
}

#endif
