/* error.h - the pending error of a thread, for the layers inside.
 *
 * In: failures, a binding's own exception, a structured record from the lineage layer. Out: one pending error, the
 * first. Independent of: tensors, operators, Python. Failing needs no memory.
 *
 * The public part is in karat/base.h. What it promises: while an error is pending kt_fail changes nothing and returns
 * the pending code; kt_fail_more appends to the text; texts are cut at 4,095 bytes, ending in "...". */
#ifndef KT_BASE_ERROR_H
#define KT_BASE_ERROR_H

#include "base/local.h"

#include <karat/base.h>

extern KT__HOT_LOCAL kt_status kt__error_code; /* written only by error.c */

static inline bool kt__failed(void)
{
    return KT__UNLIKELY(kt__error_code != KT_OK);
}

/* The number that the device's runtime has for the pending error, if one is pending. */
void kt__error_set_device_code(int code);

const char *kt__status_name(kt_status code); /* "RuntimeError": the Python exception; "OK" for KT_OK */

/* An exception of the binding travels as the payload. `release` is called once, unless the payload is taken: at
 * kt_clear, at kt_error_pop, at the end of the thread, or at once when another error is already pending. */
kt_status kt_fail_foreign(void *payload, void (*release)(void *payload));
void     *kt_error_take_foreign(void); /* the payload becomes the caller's; the error stays pending; NULL if none */

/* One structured record beside the text; the new one replaces (and frees) the old one. Without a pending error, or
 * without room, it is freed at once. */
void  kt__error_set_record(void *record, void (*free_record)(void *record));
void *kt__error_record(void);      /* borrowed; NULL if none */
void *kt__error_take_record(void); /* becomes the caller's */

char *kt__no_text(void); /* placeholder for text that could not be allocated; kt_free_string ignores it */

/* Out of memory, or over the limit: PyTorch's text. */
kt_status kt__fail_memory(size_t bytes);

#endif
