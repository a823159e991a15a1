/* module.h - the record of a module: its entries in the order in which they were added, its hooks, its layer's own data.
 *
 * In: nothing. Out: declarations for the files of this folder. Independent of: what a layer computes. */
#ifndef KT_NN_MODULE_H
#define KT_NN_MODULE_H

#include <karat/module.h>

typedef enum kt__entry_kind { KT__PARAMETER, KT__BUFFER, KT__CHILD } kt__entry_kind;

typedef struct kt__entry {
    char          *name;
    kt__entry_kind kind;
    bool           saved; /* of a buffer: persistent */
    kt_tensor     *tensor;
    kt_module     *child;
} kt__entry;

typedef struct kt__module_hook {
    kt_before_call     *before; /* one of the four */
    kt_after_call      *after;
    kt_before_backward *before_backward;
    kt_after_backward  *after_backward;
    void               *context;
} kt__module_hook;

struct kt_module {
    const kt_module_type *type;
    int64_t               refs;
    bool                  training, pinned;
    kt_dtype              pinned_to; /* the dtype of all its floats; KT_NONE: they have several */
    int64_t               n, room; /* of entries */
    kt__entry            *entry;
    int64_t               n_hooks, hook_room;
    kt__module_hook      *hook;
    kt_conversions       *conversions; /* of its calls */
    _Alignas(16) char     own[];
};

enum { KT__PATH_ROOM = 512, KT__MOST_ENTRIES = 1 << 24 };

/* Every tensor once, with its path and the modules that hold it, outermost first. */
typedef struct kt__place {
    const char *path;
    kt_tensor  *tensor;
    bool        pinned; /* a module on the path is */
} kt__place;
typedef kt_status kt__place_visit(const kt__place *place, void *context);
kt_status kt__module_places(const kt_module *m, unsigned which, kt__place_visit *visit, void *context);

kt_status kt__add_hook(kt_module *m, kt__module_hook new);

/* What stands around a call for the hooks in backward (backward.c). */
typedef struct kt__watch kt__watch;
kt_status  kt__watch_inputs(kt_module *m, kt_tensor **in, int n, kt__watch **watch); /* *watch NULL: no hook wants to know */
kt_tensor *kt__watch_output(kt__watch *watch, kt_tensor *result); /* ends the watch, also of a result that is NULL */

#endif
