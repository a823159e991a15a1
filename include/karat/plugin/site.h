/* site.h - how a binding reports the current line of the user's program. A site is (code, offset): for Python a code
 * object and an instruction offset. Versioned separately from the stable headers. */
#ifndef KARAT_PLUGIN_SITE_H
#define KARAT_PLUGIN_SITE_H

#include <karat/base.h>

KT_BEGIN

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
} kt_site_source;

enum { KT_SITE_ABI = 1 };
KT_API kt_status kt_site_register(const kt_site_source *source); /* one per process; used when no C site is set */
/* The file and line of a plan's site; the text lives on. "?" and line 0: it is not known. */
KT_API const char *kt_site_file(uint32_t site, int *line);
KT_API uintptr_t   kt_site_code(uint32_t site); /* what the binding calls its code by; 0: a line of C, or not known */

KT_END
#endif
