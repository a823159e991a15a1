/* format.h - one number as text, as Python's repr writes it: shortest digits that read back the same.
 *
 * In: a number or an element. Out: ASCII in the caller's buffer, independent of the locale. Independent of: tensors,
 * columns, print options. */
#ifndef KT_DTYPE_FORMAT_H
#define KT_DTYPE_FORMAT_H

#include "dtype/dtype.h"

enum { KT__FORMAT_MAX = 64 }; /* room enough for any of these, the final NUL included */

/* Each writes at most KT__FORMAT_MAX characters and returns the length. */
int kt__format_double(char *text, double x);        /* "1.0", "1e-05", "-0.0", "inf", "nan" */
int kt__format_int(char *text, int64_t x);
int kt__format_uint(char *text, uint64_t x);
int kt__format_scalar(char *text, kt_scalar value); /* also "True", "(1-2j)"; absent: "None" */
int kt__format_element(char *text, const void *element, kt_dtype d);

#endif
