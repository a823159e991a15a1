/* env.h - the environment variables that Karat reads: one table, for the code, the documentation and `karat doctor`.
 *
 * In: the process environment. Out: values by name. Independent of: what a value is used for. */
#ifndef KT_BASE_ENV_H
#define KT_BASE_ENV_H

#include <karat/base.h>

const char *kt__env(const char *name); /* NULL when unset, empty or not allowed; the name must be in the table */
bool        kt__env_bytes(const char *name, uint64_t *bytes);   /* "512m": false, and *bytes untouched, when unset or no size */
void        kt__env_check(void);                                /* warns on stderr about values and names that are not allowed */
bool        kt__env_parse_bytes(const char *text, uint64_t *bytes);

#endif
