/* storage.h - which tensors look into the same memory, for bindings that have objects for it (torch's untyped_storage()).
 * Versioned separately from the stable headers. */
#ifndef KARAT_PLUGIN_STORAGE_H
#define KARAT_PLUGIN_STORAGE_H

#include <karat/tensor.h>

KT_BEGIN

/* One for all tensors in a storage, while one of them lives; NULL for NULL. */
KT_API const void *kt_storage_identity(const kt_tensor *t);

KT_END
#endif
