/* record.c - where a dtype was created and changed, as chains of interned records.
 *
 * In: plain values, one change at a time. Out: ids, and the records behind them. Independent of: tensors, operators, how
 * a site is found or printed.
 *
 * A chain of more than KT__LINEAGE_DEPTH records is folded: the first KEEP_FIRST and the last KEEP_LAST stay, and one
 * record stands for those between. Its count is exact up to FOLD_LIMIT and then constant, so that a value converted back
 * and forth in a loop reaches the same ids again: the loop stops adding records. */
#include "lineage/intern.h"
#include "lineage/lineage.h"
#include "plan/observe.h"

#include <stdio.h>
#include <string.h>

enum { KEEP_FIRST = 32, KEEP_LAST = 15, FOLD_LIMIT = 256 };

static uint64_t record_hash(const void *entry)
{
    const kt__record *r = entry;
    const uint64_t    what = (uint64_t)r->why << 16 | (uint64_t)r->from << 8 | r->to;
    return kt__mix(kt__mix(kt__mix((uintptr_t)r->op) + ((uint64_t)r->parent << 32 | r->site)) + (what | (uint64_t)r->like << 32));
}

/* Depth and count follow from the other fields: a fold's text contains its count. */
static bool record_same(const void *a, const void *b)
{
    const kt__record *x = a, *y = b;
    return x->op == y->op && x->parent == y->parent && x->site == y->site && x->why == y->why && x->from == y->from &&
           x->to == y->to && x->like == y->like;
}

static kt__intern records = {
    .entry_bytes = sizeof(kt__record), .hash = record_hash, .same = record_same, .cap = KT__LINEAGE_CAP};

static const kt__record untracked = {.op = "not tracked: no room for more records", .depth = 1};

const kt__record *kt__record_at(uint32_t id)
{
    return id == KT__UNTRACKED ? &untracked : kt__intern_at(&records, id);
}

uint32_t kt__lineage_count(void)
{
    return kt__intern_count(&records);
}

uint32_t kt__lineage_set_cap(uint32_t cap)
{
    return kt__intern_set_cap(&records, cap);
}

/* 0: no room. `r->parent` is 0 or a record at less than the greatest depth. */
static uint32_t link_record(kt__record *r)
{
    const kt__record *parent = kt__record_at(r->parent);
    r->depth = (uint8_t)(parent ? parent->depth + 1 : 1);
    const uint32_t known = kt__intern_find(&records, r);
    return known != 0 || kt__intern_full(&records) ? known : kt__intern_add(&records, r, NULL);
}

/* The id of the same chain with its middle folded, KEEP_FIRST + 1 + KEEP_LAST deep; 0: no room. */
static uint32_t fold(uint32_t id)
{
    const kt__record *last[KEEP_LAST];
    for (int i = KEEP_LAST; i-- > 0;) {
        last[i] = kt__record_at(id);
        id = last[i]->parent;
    }
    kt__record        middle = {.to = kt__record_at(id)->to};
    const kt__record *r = kt__record_at(id);
    for (; r->depth > KEEP_FIRST; r = kt__record_at(id)) {
        middle.folded += r->folded ? r->folded : 1;
        id = r->parent;
    }
    char text[64];
    if (middle.folded > FOLD_LIMIT) {
        middle.folded = FOLD_LIMIT + 1;
        snprintf(text, sizeof text, "... more than %d conversions ...", FOLD_LIMIT);
    } else {
        snprintf(text, sizeof text, "... %d conversions ...", (int)middle.folded);
    }
    middle.op = kt__intern_text(text);
    middle.from = r->to;
    middle.parent = id;
    id = middle.op ? link_record(&middle) : 0;
    for (int i = 0; i < KEEP_LAST && id != 0; i++) {
        kt__record again = *last[i];
        again.parent = id;
        id = link_record(&again);
    }
    return id;
}

/* ---- entry points: arguments stay in registers, slow paths are tail calls ---- */
static inline unsigned slot_of(const char *op, uint32_t what, uint32_t parent, uint32_t site)
{
    const uint32_t key = (uint32_t)(uintptr_t)op ^ parent ^ what << 12 ^ (site << 16 | site >> 16);
    return key * UINT32_C(0x9e3779b1) >> (32 - KT__CACHE_BITS);
}

static KT__COLD uint32_t intern_record(const char *op, uint32_t what, uint32_t parent, uint32_t site)
{
    kt__record r = {.why = (uint8_t)(what >> 16), .from = (uint8_t)(what >> 8), .to = (uint8_t)what, .parent = parent,
                    .site = site};
    const kt__record *before = kt__record_at(parent);
    if (!before) {
        r.parent = 0;
    } else if (before->depth >= KT__LINEAGE_DEPTH) {
        r.parent = fold(parent);
        if (r.parent == 0)
            return KT__UNTRACKED;
    }
    r.op = op ? kt__intern_text(op) : NULL;
    const uint32_t id = op && !r.op ? 0 : link_record(&r);
    if (id == 0) {
        return KT__UNTRACKED; /* not cached: a later attempt may find memory */
    }
    kt__lineage_cache *cache = kt__lineage_cache_open();
    if (cache) {
        const uint64_t whence = (uint64_t)parent << 32 | site;
        cache->record[slot_of(op, what, parent, site)] = (kt__record_slot){.op = op, .whence = whence, .what = what, .id = id};
    }
    return id;
}

static inline uint32_t look_up(const char *op, uint32_t what, uint32_t parent, uint32_t site)
{
    const kt__lineage_cache *cache = kt__my_lineage;
    if (KT__LIKELY(cache != NULL)) {
        const uint64_t         whence = (uint64_t)parent << 32 | site;
        const kt__record_slot *slot = &cache->record[slot_of(op, what, parent, site)];
        if (KT__LIKELY(slot->op == op && slot->whence == whence && slot->what == what))
            return slot->id;
    }
    return intern_record(op, what, parent, site);
}

KT__HOT static __attribute__((noinline)) uint32_t record_here(const char *op, uint32_t what, uint32_t parent)
{
    return look_up(op, what, parent, kt__site_now());
}

KT__HOT uint32_t kt__lineage_record(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent)
{
    const uint32_t what = (uint32_t)why << 16 | (uint32_t)from << 8 | (uint32_t)to;
    return kt__no_sites() ? look_up(op, what, parent, 0) : record_here(op, what, parent);
}

uint32_t kt__lineage_like(uint32_t id, uint32_t like, const char *op)
{
    const kt__record *last = kt__record_at(id);
    if (!last || id == KT__UNTRACKED)
        return id;
    kt__record r = *last;
    r.op = kt__intern_text(op);
    r.like = kt__record_at(like) && like != KT__UNTRACKED ? like : 0;
    r.site = kt__no_sites() ? 0 : kt__site_now();
    const uint32_t known = r.op ? link_record(&r) : 0;
    return known ? known : KT__UNTRACKED;
}

/* One record with the dtype that the gradient was cast from, if any. */
uint32_t kt__lineage_gradient(uint32_t of, uint32_t had, kt_dtype dtype)
{
    const kt__record *last = kt__record_at(had);
    const bool        cast = last && last->why == KT_WHY_GRADIENT && last->to == dtype;
    return kt__lineage_record(KT_WHY_GRADIENT, "backward", cast ? (kt_dtype)last->from : dtype, dtype, of);
}

/* ---- the public face ---- */
const char *kt__op_shown(const kt__record *r, char *room, size_t size)
{
    const kt_row *row = r->op ? kt_row_find(r->op) : NULL;
    return row ? kt__row_display_name(row, kt__site_in_binding(r->site), room, size) : r->op;
}

const char *kt_reason_name(kt_reason why)
{
    static const char *const names[KT_NUM_REASONS] = {
        [KT_WHY_NONE] = "none",           [KT_WHY_EXPLICIT] = "explicit", [KT_WHY_PROMOTION] = "promotion",
        [KT_WHY_SCALAR] = "scalar",       [KT_WHY_AUTOCAST] = "autocast", [KT_WHY_RESULT] = "result",
        [KT_WHY_ASSIGN] = "assign",       [KT_WHY_INDEX] = "index",       [KT_WHY_GRADIENT] = "gradient",
        [KT_WHY_LOADING] = "loading",     [KT_WHY_OPTIMIZER] = "optimizer", [KT_WHY_INTEROP] = "interop",
        [KT_WHY_POLICY] = "policy",       [KT_BORN] = "born",             [KT_BORN_LOADED] = "loaded",
        [KT_BORN_INTEROP] = "interop birth",
    };
    return (unsigned)why < KT_NUM_REASONS ? names[why] : "unknown";
}

bool kt_lineage_read(uint32_t id, kt_lineage_record *out)
{
    const kt__record *r = kt__record_at(id);
    if (!r || !out)
        return false;
    char        room[64];
    const char *op = r->op ? kt__intern_text(kt__op_shown(r, room, sizeof room)) : NULL;
    kt_lineage_record full = {.size = out->size, .why = (kt_reason)r->why, .op = op, .from = (kt_dtype)r->from,
                              .to = (kt_dtype)r->to, .parent = r->parent, .like = r->like};
    if (r->site == 0 || !kt__site_place(r->site, &full.file, &full.line)) {
        full.file = NULL;
        full.line = 0;
    }
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return true;
}
