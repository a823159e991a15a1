/* holders.c - which lines of the program hold the memory of devices: an out-of-memory error names them.
 *
 * In: large blocks that storages take and give back. Out: lines of text. Small blocks are not kept, since reading a line of
 * Python would cost them a tenth of their time; what is left of a device's memory is theirs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "plan/observe.h"
#include "tensor/device.h"

enum { BUCKETS = 1024, SHOWN = 5 };

typedef struct held {
    struct held *next;
    const void  *data;
    size_t       bytes;
    uint32_t     site;
    int16_t      kind, index;
} held;

static held           *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static held **bucket_of(const void *data) { return &buckets[((uintptr_t)data >> 9) % BUCKETS]; }

static void took(kt_device d, const void *data, size_t bytes)
{
    held *h = kt__pool_get(sizeof *h);
    if (!h)
        return; /* it is missing in the text */
    *h = (held){.data = data, .bytes = bytes, .site = KT__SITE(), .kind = (int16_t)d.kind, .index = (int16_t)d.index};
    pthread_mutex_lock(&lock);
    held **at = bucket_of(data);
    h->next = *at;
    *at = h;
    pthread_mutex_unlock(&lock);
}

static void gave(kt_device d, const void *data)
{
    held *found = NULL;
    pthread_mutex_lock(&lock);
    for (held **at = bucket_of(data); *at && !found; at = found ? at : &(*at)->next)
        if ((*at)->data == data && (*at)->kind == d.kind && (*at)->index == d.index) {
            found = *at;
            *at = found->next;
        }
    pthread_mutex_unlock(&lock);
    if (found)
        kt__pool_put(found, sizeof *found);
}

/* ---- by line ---- */
typedef struct line {
    uint32_t site;
    size_t   bytes, blocks;
} line;

static int by_site(const void *a, const void *b)
{
    const uint32_t x = ((const line *)a)->site, y = ((const line *)b)->site;
    return (x > y) - (x < y);
}

static int by_bytes(const void *a, const void *b)
{
    const size_t x = ((const line *)a)->bytes, y = ((const line *)b)->bytes;
    return (x < y) - (x > y);
}

/* Blocks of the device, unsorted; NULL and 0: there are none. */
static line *blocks_on(kt_device d, size_t *n)
{
    size_t count = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const held *h = buckets[i]; h; h = h->next)
            count += h->kind == d.kind && h->index == d.index;
    line *lines = count ? malloc(count * sizeof *lines) : NULL;
    *n = 0;
    for (int i = 0; i < BUCKETS && lines; i++)
        for (const held *h = buckets[i]; h; h = h->next)
            if (h->kind == d.kind && h->index == d.index)
                lines[(*n)++] = (line){h->site, h->bytes, 1};
    return lines;
}

static size_t joined(line *lines, size_t n) /* one of each site, the largest first */
{
    size_t kept = 0;
    qsort(lines, n, sizeof *lines, by_site);
    for (size_t i = 1; i < n; i++) {
        if (lines[i].site == lines[kept].site) {
            lines[kept].bytes += lines[i].bytes;
            lines[kept].blocks++;
        } else {
            lines[++kept] = lines[i];
        }
    }
    qsort(lines, kept + 1, sizeof *lines, by_bytes);
    return kept + 1;
}

static void add_line(const line *l, const char *made, const char *where)
{
    const bool large = l->bytes >= (size_t)1 << 30;
    kt_fail_more("\n    %.2f %s in %zu tensor%s%s%s", (double)l->bytes / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB",
                 l->blocks, l->blocks == 1 ? "" : "s", made, where);
}

static void explain(kt_device d)
{
    char   site[512];
    size_t n = 0;
    line   others = {0};
    pthread_mutex_lock(&lock);
    line *lines = blocks_on(d, &n);
    pthread_mutex_unlock(&lock);
    if (!lines)
        return;
    n = joined(lines, n);
    kt_fail_more("\n  held by:");
    for (size_t i = 0; i < n; i++) {
        if (i >= SHOWN) {
            others.bytes += lines[i].bytes;
            others.blocks += lines[i].blocks;
        } else if (lines[i].site && kt__lineage.site_text && kt__lineage.site_text(lines[i].site, site, sizeof site)) {
            add_line(&lines[i], " made at ", site);
        } else {
            add_line(&lines[i], "", "");
        }
    }
    if (others.blocks)
        add_line(&others, " made elsewhere", "");
    free(lines);
}

const kt__holder_hooks kt__held_by_line = {took, gave, explain};
