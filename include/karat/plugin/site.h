/* site.h - how a binding reports the current line of the user's program. A site is (code, offset): for Python a code
 * object and an instruction offset. Versioned separately from the stable headers. */
#ifndef KARAT_PLUGIN_SITE_H
#define KARAT_PLUGIN_SITE_H

#include <karat/base.h>

KT_BEGIN

/* What the explainer of a refused call asks for, in the words of the program's own source. */
typedef enum kt_site_about {
    KT_SITE_OPERAND, /* the operand as the call writes it: "x", "self.fc(x)" */
    KT_SITE_BIRTH,   /* the line that made it, changed so that it has the dtype: "x = zeros(3).double() at train.py:4" */
    KT_SITE_CAST,    /* the cast that changed its dtype, left out: "leave out .half() at train.py:7"; "": it is another's */
    KT_SITE_HOLDER,  /* what holds the operands, cast: "net.double() before train.py:12"; "": no line of the source does that */
    KT_SITE_CALL,    /* the call with dtype=: "x.mean(dtype=torch.float32)"; of an operand: with a cast of that one alone */
    KT_SITE_NEW,     /* the statement without writing into its target: "a = a + b" */
    KT_SITE_AGAIN    /* a line before the call that makes the operand anew: "a = a.float() before train.py:12" */
} kt_site_about;

typedef struct kt_site_question {
    kt_site_about           about;
    uintptr_t               code; /* of the line asked about: the operand's birth or cast, else the refused call */
    int32_t                 offset;
    const kt_tensor *const *wanted, *const *others; /* the operands asked about, and the others of the call */
    int                     n_wanted, n_others;
    int                     at;    /* how many of the others stand before the first that is wanted */
    const char             *cast;  /* what makes it of the dtype, as the binding's users write it: "double()" */
    const char             *dtype; /* "torch.float64" */
} kt_site_question;

typedef struct kt_site_source {
    uint32_t abi, size;
    bool   (*now)(uintptr_t *code, int32_t *offset);  /* the user's innermost line; false: not in the binding */
    void   (*hold)(uintptr_t code);                   /* the code was interned: keep it alive for good */
    bool   (*locate)(uintptr_t code, int32_t offset, char *file, size_t room, int *line);
    /* Spells a Karat name such as float32 as the user's code would, with the module's name there. `own`: PyTorch has no
     * such name. May be NULL: karat.NAME. */
    bool   (*spell)(const char *name, bool own, char *text, size_t room);
    /* The lines that led to the user's innermost one, beginning with it; how many were written. May be NULL. */
    int    (*stack)(uintptr_t *code, int32_t *offset, int room);
    /* Answers a question during the refused call. false: the source does not show it. May be NULL. */
    bool   (*answer)(const kt_site_question *question, char *text, size_t room);
} kt_site_source;

enum { KT_SITE_ABI = 1 };
KT_API kt_status kt_site_register(const kt_site_source *source); /* one per process; used when no C site is set */
/* The file and line of a plan's site; the text lives on. "?" and line 0: it is not known. */
KT_API const char *kt_site_file(uint32_t site, int *line);
KT_API uintptr_t   kt_site_code(uint32_t site); /* what the binding calls its code by; 0: a line of C, or not known */

KT_END
#endif
