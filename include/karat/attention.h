/* attention.h - the ways that scaled_dot_product_attention may go. */
#ifndef KARAT_ATTENTION_H
#define KARAT_ATTENTION_H

#include <karat/base.h>

KT_BEGIN

/* Numbered as PyTorch's SDPBackend: products and a softmax, or a kernel that holds one tile of scores (FLASH). The others are
 * names of it too, but on the CPU, which has none of them. Process-wide; all are allowed at first. */
typedef enum kt_attention_way {
    KT_ATTENTION_MATH,
    KT_ATTENTION_FLASH,
    KT_ATTENTION_EFFICIENT,
    KT_ATTENTION_CUDNN,
    KT_ATTENTION_OVERRIDEABLE
} kt_attention_way;

KT_API void kt_allow_attention(kt_attention_way way, bool allowed);
KT_API bool kt_attention_allowed(kt_attention_way way);

KT_END
#endif
