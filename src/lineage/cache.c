/* cache.c - each thread's cache of records and sites: allocated at its first miss, freed when it ends.
 *
 * In: a thread's first miss. Out: an empty cache, or none. Independent of: what the tables hold. */
#include "base/alloc.h"
#include "lineage/lineage.h"

#include <string.h>

KT__HOT_LOCAL kt__lineage_cache *kt__my_lineage;

static void end_thread(kt__exit_hook *hook)
{
    (void)hook;
    kt__system_put(kt__my_lineage, sizeof *kt__my_lineage);
    kt__my_lineage = NULL;
}

kt__lineage_cache *kt__lineage_cache_open(void)
{
    if (kt__my_lineage)
        return kt__my_lineage;
    kt__lineage_cache *cache = kt__system_get(sizeof *cache);
    if (!cache)
        return NULL;
    memset(cache, 0, sizeof *cache);
    if (!kt__on_thread_exit(&cache->at_exit, end_thread)) {
        kt__system_put(cache, sizeof *cache);
        return NULL;
    }
    return kt__my_lineage = cache;
}
