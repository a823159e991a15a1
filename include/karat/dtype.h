/* dtype.h - the 21 dtypes, their limits, promotion and casting levels, and scalars. */
#ifndef KARAT_DTYPE_H
#define KARAT_DTYPE_H

#include <karat/base.h>

KT_BEGIN

/* Values are ABI: never reused. 0 means "not given", so that a zero option is the default. ORDER DTYPE. */
typedef enum kt_dtype {
    KT_NONE      = 0,
    KT_BOOL      = 1,
    KT_U8        = 2,
    KT_I8        = 3,
    KT_I16       = 4,
    KT_I32       = 5,
    KT_I64       = 6,
    KT_U16       = 7,
    KT_U32       = 8,
    KT_U64       = 9,
    KT_F16       = 10,
    KT_BF16      = 11,
    KT_F32       = 12,
    KT_F64       = 13,
    KT_C32       = 14, /* two float16 */
    KT_C64       = 15,
    KT_C128      = 16,
    KT_E4M3FN    = 17, /* float8_e4m3fn */
    KT_E5M2      = 18,
    KT_E4M3FNUZ  = 19,
    KT_E5M2FNUZ  = 20,
    KT_E8M0FNU   = 21,
    KT_NUM_DTYPES = 22 /* one past the last */
} kt_dtype;

/* Bits, lowest category first: ORDER CATEGORY. */
typedef enum kt_category { KT_CAT_BOOL = 1, KT_CAT_INT = 2, KT_CAT_FLOAT = 4, KT_CAT_COMPLEX = 8 } kt_category;

/* NumPy's casting levels; PyTorch's can_cast is same_kind. */
typedef enum kt_casting {
    KT_CAST_UNSAFE     = 0,
    KT_CAST_SAME_KIND  = 1,
    KT_CAST_SAFE       = 2, /* every value of the source survives */
    KT_CAST_EQUIV      = 3,
    KT_CAST_NO         = 4,
    KT_CAST_SAME_VALUE = 5  /* the actual values survive: checked while converting */
} kt_casting;

/* How a value is rounded when cast to a narrower float. */
typedef enum kt_rounding {
    KT_ROUND_TORCH      = 0, /* PyTorch's: through float32 where it does so, each step to nearest even */
    KT_ROUND_ONCE       = 1, /* one rounding, to nearest even */
    KT_ROUND_STOCHASTIC = 2
} kt_rounding;

/* Why a value was converted. Only `explicit` is exempt from policy. The last three create a dtype, they do not convert. */
typedef enum kt_reason {
    KT_WHY_NONE = 0,
    KT_WHY_EXPLICIT,  /* the user asked for it: to, dtype= */
    KT_WHY_PROMOTION, /* an operand, to the dtype that the operator computes in */
    KT_WHY_SCALAR,    /* the same, where a number decided it */
    KT_WHY_AUTOCAST,
    KT_WHY_RESULT,    /* in-place or out=; the dtype that an operator's result must have */
    KT_WHY_ASSIGN,    /* copy_, item assignment, fill_ */
    KT_WHY_INDEX,
    KT_WHY_GRADIENT,
    KT_WHY_LOADING,
    KT_WHY_OPTIMIZER,
    KT_WHY_INTEROP,
    KT_WHY_POLICY,
    KT_BORN,
    KT_BORN_LOADED,
    KT_BORN_INTEROP,
    KT_NUM_REASONS
} kt_reason;

/* A Python or C number ("wrapped number" in PyTorch): weak in promotion. */
typedef enum kt_scalar_kind {
    KT_SCALAR_BOOL    = 1,
    KT_SCALAR_INT     = 2,
    KT_SCALAR_FLOAT   = 3,
    KT_SCALAR_COMPLEX = 4
} kt_scalar_kind;
typedef struct kt_scalar {
    union {
        int64_t i;  /* bool and int */
        double  re; /* float and complex */
    } v;
    double   im;
    uint32_t kind; /* kt_scalar_kind; 0: absent */
    uint32_t is_unsigned; /* kind int, and v.i holds the bits of a uint64_t above INT64_MAX */
} kt_scalar;

static inline kt_scalar kt_scalar_of_int(int64_t i, uint32_t kind)
{
    kt_scalar s = {{0}, 0.0, 0, 0};
    s.v.i = i;
    s.kind = kind;
    return s;
}
static inline kt_scalar kt_scalar_of_float(double re, double im, uint32_t kind)
{
    kt_scalar s = {{0}, 0.0, 0, 0};
    s.v.re = re;
    s.im = im;
    s.kind = kind;
    return s;
}
#define KT_FLAG(b)          kt_scalar_of_int((b) ? 1 : 0, KT_SCALAR_BOOL)
#define KT_INT(i)           kt_scalar_of_int((i), KT_SCALAR_INT)
#define KT_FLOAT(d)         kt_scalar_of_float((d), 0.0, KT_SCALAR_FLOAT)
#define KT_COMPLEX(re, im)  kt_scalar_of_float((re), (im), KT_SCALAR_COMPLEX)

/* ---- names and facts ---- */
KT_API const char *kt_dtype_name(kt_dtype d);          /* "float32": the canonical name, as after "torch." */
KT_API const char *kt_dtype_torch_name(kt_dtype d);    /* "Float": PyTorch's ScalarType, as its errors print it */
KT_API const char *kt_dtype_c_name(kt_dtype d);        /* "float", "c10::Half": PyTorch's C++ spelling in some errors */
KT_API const char *kt_dtype_numpy(kt_dtype d);         /* "<f4"; "" where NumPy has none */
KT_API const char *kt_dtype_safetensors(kt_dtype d);   /* "F32"; "" where the format has none */
KT_API kt_dtype    kt_dtype_find(const char *name);    /* any spelling ("half", "F32", "torch.float32"); else KT_NONE */
KT_API size_t      kt_dtype_size(kt_dtype d);          /* bytes of one element */
KT_API kt_category kt_dtype_category(kt_dtype d);
KT_API bool        kt_dtype_is_signed(kt_dtype d);
KT_API bool        kt_dtype_is_float8(kt_dtype d);
KT_API kt_dtype    kt_dtype_real(kt_dtype d);          /* complex64 -> float32; others themselves */
KT_API kt_dtype    kt_dtype_complex(kt_dtype d);       /* float32 -> complex64, int -> the default's; or KT_NONE */

typedef struct kt_finfo {
    int         bits;
    double      eps, max, min, tiny, smallest_normal, resolution;
    const char *dtype;
} kt_finfo;
typedef struct kt_iinfo {
    int         bits;
    int64_t     min;
    uint64_t    max;
    const char *dtype;
} kt_iinfo;
KT_API kt_status kt_dtype_finfo(kt_dtype d, kt_finfo *out); /* floats, and complex as their real part */
KT_API kt_status kt_dtype_iinfo(kt_dtype d, kt_iinfo *out); /* integers */

/* ---- promotion and casting ---- */
KT_API kt_dtype kt_promote_types(kt_dtype a, kt_dtype b);              /* KT_NONE and an error where PyTorch refuses */
KT_API bool     kt_can_cast(kt_dtype from, kt_dtype to);               /* PyTorch's */
KT_API bool     kt_can_cast_level(kt_dtype from, kt_dtype to, kt_casting level);
KT_API kt_dtype kt_get_default_dtype(void);                            /* float32 until set; process-wide */
KT_API kt_status kt_set_default_dtype(kt_dtype d);

/* ---- one value ---- */
KT_API kt_scalar kt_scalar_load(const void *element, kt_dtype d);      /* exact: an int as int, a float as double */
KT_API void      kt_scalar_store(void *element, kt_dtype d, kt_scalar value);  /* the cast rule: docs/dtype_rules.md, Casts */
KT_API bool      kt_scalar_fits(kt_scalar value, kt_dtype d);          /* can the value be held without overflow? */

KT_END
#endif
