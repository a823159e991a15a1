/* system.h - the lowest layer of the allocator: the limit, injected failures, the system's functions.
 *
 * In: sizes. Out: memory from the system, or NULL. Independent of: caches, threads' heaps. */
#ifndef KT_BASE_SYSTEM_H
#define KT_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT__MAP_MIN = 4 << 20 }; /* from here on: mapped, near a multiple of 2 MiB, on huge pages where the system has them */

/* `mapped` blocks are those of KT__MAP_MIN bytes and more, unless caches are off. When the limit or the system refuses,
 * `trim` is called and the request repeated, once; an injected failure is final. */
void *kt__floor_get(size_t bytes, size_t align, bool mapped, void (*trim)(void));
void  kt__floor_put(void *p, size_t bytes, bool mapped);

uint64_t kt__floor_held(void);        /* bytes taken from the system and not given back */
uint64_t kt__floor_allocations(void); /* requests that the system granted */
uint64_t kt__floor_limit(void);
void     kt__floor_set_limit(uint64_t bytes);

#endif
