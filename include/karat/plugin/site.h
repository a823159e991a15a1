/* site.h - how a binding tells Karat which line of the user's program is running. A site is (code, offset): for Python a
 * code object and an instruction offset. Versioned apart from the stable headers. */
#ifndef KARAT_PLUGIN_SITE_H
#define KARAT_PLUGIN_SITE_H

#include <karat/base.h>

KT_BEGIN

typedef struct kt_site_source {
    uint32_t abi, size;
    bool   (*now)(uintptr_t *code, int32_t *offset);  /* the innermost line that is the user's; false: not in the binding */
    void   (*hold)(uintptr_t code);                   /* the code was interned: keep it alive for good */
    bool   (*locate)(uintptr_t code, int32_t offset, char *file, size_t room, int *line);
    /* How the line that runs now can write a name of Karat's, such as float32: with what the module is called there. `own`:
     * PyTorch has no such name. May be NULL: karat.NAME. */
    bool   (*spell)(const char *name, bool own, char *text, size_t room);
} kt_site_source;

enum { KT_SITE_ABI = 1 };
KT_API kt_status kt_site_register(const kt_site_source *source); /* one a process; asked when no C site is set */
/* The file and line of a plan's site; the text lives on. "?" and line 0: it is not known. */
KT_API const char *kt_site_file(uint32_t site, int *line);

KT_END
#endif
