/* meta.h - the meta device: shapes and dtypes without memory. */
#ifndef KT_PLAN_META_H
#define KT_PLAN_META_H

#include <karat/plugin/backend.h>

kt_backend *kt__meta_backend(void);
kt_status   kt__fail_on_meta(const char *op); /* for rows whose result shape depends on values */

#endif
