/* conversions.h - which conversions the calls of a thread make: of what dtype to which, why, on which line, how often. A module's
 * calls collect theirs (karat.explain(module) in Python, kt_module_conversions in C); other code may do so too:
 *
 *     kt_conversions *seen = NULL;
 *     kt_collecting   before = kt_collect(KT_COLLECT_REGION, (kt_collecting){&seen, 0});
 *     kt_mul(bf16, f32);
 *     kt_collect(KT_COLLECT_REGION, before);
 *     kt_conversion c = {.size = sizeof c};
 *     for (int64_t i = 0; kt_conversions_read(seen, i, &c); i++)
 *         printf("%s: %s -> %s, %s:%d\n", c.op, kt_dtype_name(c.from), kt_dtype_name(c.to), c.file, c.line);
 *     kt_conversions_free(seen); */
#ifndef KARAT_CONVERSIONS_H
#define KARAT_CONVERSIONS_H

#include <karat/mode.h>
#include <karat/tensor.h>

KT_BEGIN

typedef struct kt_conversions kt_conversions; /* one entry for each kind of conversion on a line, in the order of first use */

typedef struct kt_conversion {
    size_t      size;         /* of this struct, set by the caller */
    int         phase;        /* as said to kt_collect */
    const char *op;           /* the operator that was called */
    kt_dtype    from, to;
    kt_reason   why;          /* KT_WHY_EXPLICIT: the program asked for it */
    const char *file;         /* NULL where the site is unknown */
    int         line;
    uint64_t    count, bytes; /* how often, and the bytes of all that was converted, as they were before */
} kt_conversion;

typedef struct kt_collecting {
    kt_conversions **into;  /* *into is made by the first conversion; NULL: nobody wants to know */
    int              phase; /* of the collector's own */
} kt_collecting;

/* Two may collect at the same time on a thread: the innermost call of a module, and who watches a part of the program (a region
 * of autocast). */
typedef enum kt_collector { KT_COLLECT_MODULE, KT_COLLECT_REGION, KT_NUM_COLLECTORS } kt_collector;
/* The conversions of this thread's next calls go there. Returns where they went before, to be restored. Out of memory: some are
 * not collected. */
KT_API kt_collecting kt_collect(kt_collector who, kt_collecting next);
KT_API bool          kt_conversions_read(const kt_conversions *c, int64_t i, kt_conversion *out); /* false past the end */
KT_API void          kt_conversions_free(kt_conversions *c);

KT_END
#endif
