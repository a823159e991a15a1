/* lineage.h - what the files of the lineage layer share, and what tests may set.
 *
 * In: nothing. Out: declarations. Independent of: kernels, the tape, Python.
 *
 * A record {why, op, from, to, site, parent} is interned: the same record is the same id. Id 0 is "unknown";
 * KT__UNTRACKED stands for records that did not fit into the table. */
#ifndef KT_LINEAGE_LINEAGE_H
#define KT_LINEAGE_LINEAGE_H

#include "plan/observe.h" /* KT__UNTRACKED */

#include <karat/lineage.h>

/* Fills the hooks of plan/observe.h. Called once, when the library is loaded. Without lineage (KT_NO_LINEAGE) nothing is
 * recorded; errors still show the call. */
void kt__lineage_init(void);

enum { KT__LINEAGE_CAP = 1 << 20, KT__LINEAGE_DEPTH = 64 };

/* ---- records (record.c) ---- */
typedef struct kt__record {
    const char *op; /* interned; NULL: not said */
    uint32_t    parent, site;
    uint8_t     why, from, to;
    uint8_t     depth;  /* 1 for the first of a chain, at most KT__LINEAGE_DEPTH */
    uint32_t    folded; /* how many records a fold stands for; 0: a plain record */
    uint32_t    like;   /* the record of the tensor whose dtype was asked for; 0: none */
} kt__record;

/* `op` must live and stay unchanged for good: row names, literals, kt__intern_text's results. */
uint32_t          kt__lineage_record(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent);
uint32_t          kt__lineage_like(uint32_t id, uint32_t like, const char *op); /* the record, done here by op, with `like` */
uint32_t          kt__lineage_gradient(uint32_t of, uint32_t had, kt_dtype dtype);
const kt__record *kt__record_at(uint32_t id); /* NULL for 0 and for unknown ids */
const char       *kt__op_shown(const kt__record *r, char *room, size_t size); /* its op as the user writes it */
uint32_t          kt__lineage_count(void);
uint32_t          kt__lineage_set_cap(uint32_t cap); /* tests: returns the old one */

/* ---- sites (site.c) ---- */
struct kt_site_source;
extern KT__HOT_LOCAL const kt_site *kt__site_here;   /* the C site of the thread; NULL: none */
extern KT__HIDDEN const struct kt_site_source *kt__site_source; /* the binding's, set once; atomic */

uint32_t kt__site_now(void);                                      /* 0: unknown */
int      kt__site_stack(uint32_t *lines, int room);               /* the lines that led here, innermost first; how many */
bool     kt__site_text(uint32_t site, char *buffer, size_t room); /* "train.py:41" */
bool     kt__site_place(uint32_t site, const char **file, int *line); /* the path as given; lives on */
bool     kt__in_binding(void);              /* is the current call made by a binding? */
bool     kt__site_in_binding(uint32_t site); /* is it a site of a binding? for site 0: is a binding loaded? */
void     kt__spell(const char *name, bool own, char *text, size_t room); /* a Karat name as the binding's users write it */
uint32_t kt__site_count(void);
/* Asks the binding about the line `site`, which is filled in. */
struct kt_site_question;
bool     kt__site_answer(struct kt_site_question *question, uint32_t site, char *text, size_t room);

/* A program without sites pays two loads. */
static inline bool kt__no_sites(void)
{
    return !kt__site_here && !__atomic_load_n(&kt__site_source, __ATOMIC_RELAXED);
}

/* ---- text (explain.c) ---- */
struct kt__mistake;
void kt__lineage_explain(struct kt__mistake *mistake); /* appends to the pending error; fills in words and site */

/* ---- per-thread cache of both tables (cache.c): a hit is a compare and a load ---- */
enum { KT__CACHE_BITS = 10 };

typedef struct kt__record_slot {
    const char *op;
    uint64_t    whence;   /* parent and site */
    uint32_t    what, id; /* what: why, from and to */
    uint64_t    unused;   /* to 32 bytes, which an address is found in by one shift */
} kt__record_slot;

typedef struct kt__site_slot {
    uintptr_t code;
    uint64_t  where; /* offset, and whether it is a C site */
    uint32_t  id;
} kt__site_slot;

typedef struct kt__lineage_cache {
    kt__record_slot record[1 << KT__CACHE_BITS];
    kt__site_slot   site[1 << KT__CACHE_BITS];
    kt__site_slot   c_site; /* the thread's last C site */
    kt__exit_hook   at_exit;
} kt__lineage_cache;

extern KT__HOT_LOCAL kt__lineage_cache *kt__my_lineage; /* NULL before the thread's first miss */

kt__lineage_cache *kt__lineage_cache_open(void); /* NULL: out of memory */

static inline unsigned kt__cache_slot(uint64_t key)
{
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KT__CACHE_BITS));
}

#endif
