/* intern.c - the table of intern.h: entries in chunks that double, an index by hash that is replaced when half full.
 *
 * In: entries. Out: ids. Independent of: what an entry is; tensors, operators. */
#include "lineage/intern.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

enum { INDEX_FIRST = 256, TEXTS_CAP = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_table(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_table(void)
{
    pthread_mutex_unlock(&lock);
}

void kt__intern_init(void)
{
    static bool done;
    if (!__atomic_exchange_n(&done, true, __ATOMIC_RELAXED))
        pthread_atfork(lock_table, unlock_table, unlock_table);
}

/* Chunk k begins with id FIRST * (2^k - 1) + 1. */
static unsigned chunk_of(uint32_t id, uint32_t *within)
{
    const uint32_t block = (id - 1) / KT__INTERN_FIRST + 1;
    const unsigned k = 31 - (unsigned)__builtin_clz(block);
    *within = id - 1 - KT__INTERN_FIRST * ((1u << k) - 1);
    return k;
}

static char *place_of(const kt__intern *table, uint32_t id)
{
    uint32_t       within;
    const unsigned k = chunk_of(id, &within);
    char          *chunk = __atomic_load_n(&table->chunk[k], __ATOMIC_ACQUIRE);
    return chunk ? chunk + within * table->entry_bytes : NULL;
}

const void *kt__intern_at(const kt__intern *table, uint32_t id)
{
    return id == 0 || id > kt__intern_count(table) ? NULL : place_of(table, id);
}

uint32_t kt__intern_count(const kt__intern *table)
{
    return __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
}

bool kt__intern_full(const kt__intern *table)
{
    return kt__intern_count(table) >= __atomic_load_n(&table->cap, __ATOMIC_RELAXED);
}

uint32_t kt__intern_set_cap(kt__intern *table, uint32_t cap)
{
    return __atomic_exchange_n(&table->cap, cap, __ATOMIC_RELAXED);
}

/* The index is never more than half full, so a free slot ends every search. */
uint32_t kt__intern_find(const kt__intern *table, const void *entry)
{
    const kt__intern_index *index = __atomic_load_n(&table->index, __ATOMIC_ACQUIRE);
    if (!index)
        return 0;
    for (uint32_t i = (uint32_t)table->hash(entry);; i++) {
        const uint32_t id = __atomic_load_n(&index->slot[i & index->mask], __ATOMIC_ACQUIRE);
        if (id == 0 || table->same(place_of(table, id), entry))
            return id;
    }
}

static void publish(const kt__intern *table, kt__intern_index *index, uint32_t id)
{
    uint32_t i = (uint32_t)table->hash(place_of(table, id));
    while (index->slot[i & index->mask] != 0) { /* only writers change a slot, and we hold the mutex */
        i++;
    }
    __atomic_store_n(&index->slot[i & index->mask], id, __ATOMIC_RELEASE);
}

static size_t index_bytes(uint32_t slots)
{
    return sizeof(kt__intern_index) + (size_t)slots * sizeof(uint32_t);
}

/* Both functions below allocate with the mutex released, and free the memory if another thread was first. */
static bool grow_index(kt__intern *table, const kt__intern_index *old)
{
    const uint32_t    slots = old ? 2 * (old->mask + 1) : INDEX_FIRST;
    kt__intern_index *index = kt__system_get(index_bytes(slots));
    if (!index)
        return false;
    memset(index, 0, index_bytes(slots));
    index->mask = slots - 1;
    lock_table();
    const bool first = table->index == old;
    if (first) {
        for (uint32_t id = 1; id <= table->count; id++)
            publish(table, index, id);
        index->older = table->index;
        __atomic_store_n(&table->index, index, __ATOMIC_RELEASE);
    }
    unlock_table();
    if (!first)
        kt__system_put(index, index_bytes(slots));
    return true;
}

static bool grow_chunk(kt__intern *table, unsigned k)
{
    const size_t bytes = (size_t)KT__INTERN_FIRST << k;
    char        *chunk = kt__system_get(bytes * table->entry_bytes);
    if (!chunk)
        return false;
    lock_table();
    const bool first = table->chunk[k] == NULL;
    if (first)
        __atomic_store_n(&table->chunk[k], chunk, __ATOMIC_RELEASE);
    unlock_table();
    if (!first)
        kt__system_put(chunk, bytes * table->entry_bytes);
    return true;
}

uint32_t kt__intern_add(kt__intern *table, const void *entry, bool *added)
{
    if (added)
        *added = false;
    for (;;) {
        lock_table();
        uint32_t id = kt__intern_find(table, entry);
        if (id != 0 || kt__intern_full(table)) {
            unlock_table();
            return id;
        }
        kt__intern_index *index = table->index;
        uint32_t          within;
        id = table->count + 1;
        const unsigned k = chunk_of(id, &within);
        const bool     need_index = !index || 2 * (uint64_t)id > index->mask;
        const bool     need_chunk = k >= KT__INTERN_CHUNKS || !table->chunk[k];
        if (!need_index && !need_chunk) {
            memcpy(place_of(table, id), entry, table->entry_bytes);
            __atomic_store_n(&table->count, id, __ATOMIC_RELEASE);
            publish(table, index, id);
            unlock_table();
            if (added)
                *added = true;
            return id;
        }
        unlock_table();
        const bool room = k < KT__INTERN_CHUNKS;
        if (!room || (need_index && !grow_index(table, index)) || (need_chunk && !grow_chunk(table, k)))
            return 0;
    }
}

/* ---- text ---- */
typedef struct text_entry {
    const char *text;
    size_t      length;
} text_entry;

static uint64_t text_hash(const void *entry)
{
    const text_entry *e = entry;
    uint64_t          h = e->length;
    for (size_t i = 0; i < e->length; i++)
        h = (h ^ (unsigned char)e->text[i]) * UINT64_C(0x100000001b3);
    return kt__mix(h);
}

static bool text_same(const void *a, const void *b)
{
    const text_entry *x = a, *y = b;
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

static kt__intern texts = {.entry_bytes = sizeof(text_entry), .hash = text_hash, .same = text_same, .cap = TEXTS_CAP};

const char *kt__intern_text(const char *text)
{
    text_entry     entry = {text, strlen(text)};
    const uint32_t known = kt__intern_find(&texts, &entry);
    if (known != 0)
        return ((const text_entry *)kt__intern_at(&texts, known))->text;
    if (kt__intern_full(&texts))
        return NULL;
    char *copy = kt__system_get(entry.length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, entry.length + 1);
    entry.text = copy;
    bool           added;
    const uint32_t id = kt__intern_add(&texts, &entry, &added);
    if (!added) { /* no room, or another thread was first */
        kt__system_put(copy, entry.length + 1);
    }
    return id != 0 ? ((const text_entry *)kt__intern_at(&texts, id))->text : NULL;
}
