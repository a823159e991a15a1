/* by_name.h - calling any row of the operator table by its name, in one line.
 *
 * In: a name, a form and a string that says what the arguments are. Out: the result, owned by the innermost scope, or
 * NULL and a pending error. A name that is not in the table is an error of its own (KT_ERR_NOT_IMPLEMENTED).
 *
 *     by_name("add", KT_PLAIN, NULL, "ts_", a, KT_INT(1))      t tensor, s scalar, i int, f float, b bool, d dtype,
 *     by_name("mul", KT_OUT, out, "tt", a, b)                  v ints (kt_shape), l tensors (pointer, int64_t count),
 *     by_name("clamp", KT_PLAIN, NULL, "t_s", a, KT_INT(3))    z string, g device, m format, _ left to its default */
#ifndef KARAT_TESTS_BY_NAME_H
#define KARAT_TESTS_BY_NAME_H

#include <karat/plugin/call.h>

kt_tensor *by_name(const char *name, kt_form form, kt_tensor *out, const char *kinds, ...);
/* The same of a row out of the table: a number that it asks for and that is not given is 1, a bool is false. */
kt_tensor *by_row(const kt_row *row, kt_form form, kt_tensor *out, const char *kinds, ...);

kt_tensor  *tensor_filled(kt_dtype dtype, kt_shape shape, double value);     /* every element the same; in the scope */
kt_tensor  *tensor_of(kt_dtype dtype, kt_shape shape, const double *values); /* cast as the engine casts a float64 */
double      tensor_at(const kt_tensor *t, int64_t index);                    /* row-major index, real part */
const char *error_class(kt_status status);                                   /* "RuntimeError" */
const char *error_line(void); /* first line of the pending error; static */

#endif
