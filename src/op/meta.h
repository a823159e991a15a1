/* meta.h - the device without bytes. */
#ifndef KT_OP_META_H
#define KT_OP_META_H

#include <karat/plugin/backend.h>

kt_backend *kt__meta_backend(void);

#endif
