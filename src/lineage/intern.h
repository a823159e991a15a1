/* intern.h - an interning table: equal entries have one id, which never changes meaning.
 *
 * In: entries of one fixed size, by value. Out: ids 1, 2, 3, ... in the order of arrival. Independent of: what an entry
 * is.
 *
 * Readers take no lock: an entry never moves and never changes once its id can be seen. Writers take one mutex, shared by
 * all tables, held across fork, and never while allocating (so no other lock is ever taken under it). Entries are never
 * removed. */
#ifndef KT_LINEAGE_INTERN_H
#define KT_LINEAGE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT__INTERN_CHUNKS = 20, KT__INTERN_FIRST = 64 }; /* chunk k holds FIRST << k entries: room for 2^26 */

typedef struct kt__intern_index {
    struct kt__intern_index *older; /* readers may still use it */
    uint32_t                 mask;
    uint32_t                 slot[]; /* ids, open addressing; 0: free */
} kt__intern_index;

typedef struct kt__intern {
    size_t   entry_bytes;
    uint64_t (*hash)(const void *entry);
    bool     (*same)(const void *a, const void *b);
    uint32_t cap; /* the most entries */

    /* written under the mutex, read without it */
    uint32_t          count;
    kt__intern_index *index;
    char             *chunk[KT__INTERN_CHUNKS];
} kt__intern;

uint32_t    kt__intern_find(const kt__intern *table, const void *entry);              /* 0: not there */
uint32_t    kt__intern_add(kt__intern *table, const void *entry, bool *added);        /* 0: full, or no memory */
const void *kt__intern_at(const kt__intern *table, uint32_t id);                      /* NULL: no such id */
uint32_t    kt__intern_count(const kt__intern *table);
bool        kt__intern_full(const kt__intern *table);
uint32_t    kt__intern_set_cap(kt__intern *table, uint32_t cap);                      /* returns the old one */
void        kt__intern_init(void); /* once, before any thread forks */

/* Text: equal text is one pointer, good for the life of the process; NULL when there is no memory. */
const char *kt__intern_text(const char *text);

static inline uint64_t kt__mix(uint64_t x) /* multiply, then fold the high half onto the low one */
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

#endif
