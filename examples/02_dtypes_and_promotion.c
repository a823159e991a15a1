/* 02_dtypes_and_promotion.c - the dtypes, and which one a result has.
 *
 * The rules are PyTorch's: two tensors meet in the smallest dtype of the lattice that is above both; a plain number, or
 * a tensor without dims, is weak: it can change the kind (bool, integer, float, complex) but not the width. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

static kt_tensor *filled(kt_dtype dtype)
{
    return kt_full(KT_SHAPE(2), KT_INT(1), .dtype = dtype);
}

int main(void)
{
    KT_SCOPE;

    /* What there is. */
    for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++)
        printf("%-16s %2zu bytes%s\n", kt_dtype_name((kt_dtype)d), kt_dtype_size((kt_dtype)d),
               kt_dtype_is_float8((kt_dtype)d) ? ", for storage: cast it before calculating" : "");
    EXPECT(kt_dtype_find("half") == KT_F16 && kt_dtype_find("torch.bfloat16") == KT_BF16);

    kt_finfo half = {0};
    EXPECT(kt_dtype_finfo(KT_F16, &half) == KT_OK && half.max == 65504);

    /* Tensor with tensor. */
    EXPECT(kt_dtype_of(kt_add(filled(KT_I32), filled(KT_I64))) == KT_I64);
    EXPECT(kt_dtype_of(kt_add(filled(KT_I64), filled(KT_F16))) == KT_F16); /* a float wins over any integer */
    EXPECT(kt_dtype_of(kt_add(filled(KT_U8), filled(KT_I8))) == KT_I16);   /* the first that holds both */
    EXPECT(kt_dtype_of(kt_add(filled(KT_F16), filled(KT_BF16))) == KT_F32);
    EXPECT(kt_dtype_of(kt_add(filled(KT_F64), filled(KT_C64))) == KT_C128);

    /* Tensor with a number: only the kind can change. */
    EXPECT(kt_dtype_of(kt_add_s(filled(KT_F16), KT_FLOAT(1.5))) == KT_F16);
    EXPECT(kt_dtype_of(kt_add_s(filled(KT_I8), KT_INT(1000))) == KT_I8);
    EXPECT(kt_dtype_of(kt_add_s(filled(KT_I8), KT_FLOAT(1.5))) == kt_get_default_dtype());
    EXPECT(kt_dtype_of(kt_add_s(filled(KT_BOOL), KT_INT(1))) == KT_I64);

    /* A tensor without dims is as weak as a number. */
    kt_tensor *zero_dim = kt_full(KT_SCALAR, KT_FLOAT(2), .dtype = KT_F64);
    EXPECT(kt_dtype_of(kt_mul(filled(KT_F32), zero_dim)) == KT_F32);
    EXPECT(kt_dtype_of(kt_mul(filled(KT_I32), zero_dim)) == KT_F64);

    /* Operators that leave the dtype of their operands. */
    EXPECT(kt_dtype_of(kt_div(filled(KT_I64), filled(KT_I64))) == KT_F32); /* true division */
    EXPECT(kt_dtype_of(kt_sum(filled(KT_BOOL))) == KT_I64);                /* room for the count */
    EXPECT(kt_dtype_of(kt_lt(filled(KT_F64), filled(KT_F32))) == KT_BOOL);

    /* The same question without any tensor. */
    EXPECT(kt_promote_types(KT_F16, KT_BF16) == KT_F32);
    EXPECT(kt_can_cast(KT_F64, KT_F32) && !kt_can_cast(KT_F32, KT_I64));        /* PyTorch's: the kind may not fall */
    EXPECT(!kt_can_cast_level(KT_I64, KT_F32, KT_CAST_SAFE));                   /* 2^24 + 1 would not survive */
    EXPECT(kt_can_cast_level(KT_I16, KT_F32, KT_CAST_SAFE));

    /* Where PyTorch has no answer, neither has Karat under its default policy, and says so. Lesson 06 shows another. */
    EXPECT(kt_add(filled(KT_U16), filled(KT_I32)) == NULL);
    EXPECT(strncmp(kt_error(), "Promotion for uint16, uint32, uint64 types is not supported", 59) == 0);
    printf("refused: %s\n", kt_error());
    kt_clear();

    return kt_report(stderr) || wrong;
}
