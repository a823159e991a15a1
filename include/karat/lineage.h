/* lineage.h - where a dtype came from. A record exists only where a dtype is born or changes; any other result shares the
 * record of the operand that decided its dtype. */
#ifndef KARAT_LINEAGE_H
#define KARAT_LINEAGE_H

#include <karat/tensor.h>

KT_BEGIN

typedef struct kt_lineage_record {
    size_t      size;    /* of this struct, set by the caller */
    kt_reason   why;
    const char *op;      /* operator or source that did it: "add", "kt_from" */
    kt_dtype    from;    /* KT_NONE for a birth */
    kt_dtype    to;
    const char *file;    /* NULL where the site is unknown */
    int         line;
    uint32_t    parent;  /* id of the record before; 0: none */
} kt_lineage_record;

KT_API uint32_t    kt_lineage_of(const kt_tensor *t);                          /* id; 0: unknown */
KT_API bool        kt_lineage_read(uint32_t id, kt_lineage_record *out);       /* false past the end of a chain */
KT_API char       *kt_explain(const kt_tensor *t);                             /* the chain as text; kt_free_string it */
KT_API const char *kt_reason_name(kt_reason why);                              /* "promotion" */

/* The pending dtype error as data: who was there, and where each dtype came from. */
typedef struct kt_mistake {
    size_t      size;    /* of this struct, set by the caller */
    const char *op;      /* the operator that the user called */
    int         n;
    struct {
        const char *name;    /* of the argument */
        kt_dtype    dtype;   /* KT_NONE for a number */
        uint32_t    lineage; /* its record, for kt_lineage_read; 0 for a number */
    } operand[8];
} kt_mistake;
KT_API bool kt_error_mistake(kt_mistake *out); /* false when no dtype error is pending */

/* A site in C is a file and a line. Define KT_SITES before including karat.h and every call says where it stands. */
typedef struct kt_site {
    const char *file;
    int         line;
} kt_site;
KT_API void kt_site_set(const kt_site *site); /* of this thread's next calls; the struct lives on and stays as it is */

KT_END
#endif
