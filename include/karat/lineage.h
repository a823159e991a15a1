/* lineage.h - where a dtype came from. A record exists only where a dtype is created or changes; any other result shares
 * the record of the operand that decided its dtype. */
#ifndef KARAT_LINEAGE_H
#define KARAT_LINEAGE_H

#include <karat/mode.h>
#include <karat/tensor.h>

KT_BEGIN

typedef struct kt_lineage_record {
    size_t      size;    /* of this struct, set by the caller */
    kt_reason   why;
    const char *op;      /* operator or source: "add", "kt_from" */
    kt_dtype    from;    /* KT_NONE where the dtype was created */
    kt_dtype    to;
    const char *file;    /* NULL where the site is unknown */
    int         line;
    uint32_t    parent;  /* id of the record before; 0: none */
    uint32_t    like;    /* of a conversion to another tensor's dtype: id of that tensor's record; 0: none */
} kt_lineage_record;

KT_API uint32_t    kt_lineage_of(const kt_tensor *t);                          /* id; 0: unknown */
KT_API bool        kt_lineage_read(uint32_t id, kt_lineage_record *out);       /* false past the end of a chain */
KT_API char       *kt_explain(const kt_tensor *t);                             /* the chain as text; kt_free_string it */
/* Its last record: it was `op` that did it, on the current line: "Module.half() of head.weight". */
KT_API void        kt_lineage_say(kt_tensor *t, const char *op);
/* The same, and the dtype was that of `like`, whose history is shown with it: a state that was loaded for a parameter. */
KT_API void        kt_lineage_like(kt_tensor *t, const kt_tensor *like, const char *op);
/* It has no past: `op` made it on the current line. why: KT_BORN, KT_BORN_LOADED or KT_BORN_INTEROP; others change nothing. */
KT_API void        kt_lineage_born(kt_tensor *t, kt_reason why, const char *op);
KT_API const char *kt_reason_name(kt_reason why);                              /* "promotion" */

/* ---- the pending error of an operator as data: what its text says below the first line ---- */

/* A proposed fix. Each one was tried on the meta device first. */
typedef enum kt_fix_kind {
    KT_FIX_CAST,         /* convert `operands` to `dtype` */
    KT_FIX_MAKE,         /* create `operands` (the target of out=) with `dtype` */
    KT_FIX_OUT_OF_PLACE, /* call the operator that gives a new tensor: kt_add for kt_add_ */
    KT_FIX_DTYPE,        /* pass dtype= `dtype` */
    KT_FIX_POLICY        /* run the call under `policy` */
} kt_fix_kind;

typedef struct kt_fix {
    kt_fix_kind kind;
    kt_dtype    dtype;    /* KT_NONE where the kind has none */
    kt_policy   policy;   /* of KT_FIX_POLICY */
    uint32_t    operands; /* bit i: operand i */
    bool        loses;    /* can lose values; fixes that keep every value come first, but for float64 that came from NumPy */
    const char *text;     /* as in the error's text: "other.float()" */
} kt_fix;

typedef struct kt_mistake {
    size_t      size;     /* of this struct, set by the caller */
    const char *op;       /* the operator that the user called; NULL: none */
    const char *file;     /* of the call; NULL where the site is unknown */
    int         line;
    int         n, n_fixes;
    struct {
        const char *name;    /* of the argument: "other"; of a list: "tensors[1]" */
        kt_dtype    dtype;   /* KT_NONE for a number */
        kt_shape    shape;   /* empty for a number */
        uint32_t    lineage; /* its record, for kt_lineage_read; 0 for a number */
    } operand[12];
    kt_fix fix[8];
} kt_mistake;
KT_API bool kt_error_mistake(kt_mistake *out); /* false when no operator's error is pending; texts live until kt_clear */
KT_API const char *kt_fix_kind_name(kt_fix_kind kind); /* "cast", "make", "out_of_place", "dtype", "policy" */

/* A site in C is a file and a line. Define KT_SITES before including karat.h and every call sets its file and line. */
typedef struct kt_site {
    const char *file;
    int         line;
} kt_site;
KT_API void kt_site_set(const kt_site *site); /* for this thread's next calls; the struct must live on, unchanged */

KT_END
#endif
