/* values_int.c - every row of the kernel tables in the integer dtypes, against references in 128 bits: the true
 * result, then cut to the width of the dtype. */
#include "plans.h"

#include <karat/karat.h>

typedef __int128 wide;

static wide p0, p1;

static wide ref_floor_div(wide a, wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
static wide ref_abs(wide a) { return a < 0 ? -a : a; }
static wide ref_gcd(wide a, wide b)
{
    a = ref_abs(a), b = ref_abs(b);
    while (b != 0) {
        const wide m = a % b;
        a = b, b = m;
    }
    return a;
}
static wide ref_lcm(wide a, wide b) { return ref_gcd(a, b) == 0 ? 0 : ref_abs(a / ref_gcd(a, b) * b); }
static wide ref_pow(wide a, wide b)
{
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    unsigned __int128 r = 1; /* wraps, and only the low bits count */
    for (wide i = 0; i < (b < 70 ? b : b % 2 ? 69 : 70); i++)
        r *= (unsigned __int128)a;
    return (wide)r;
}
static wide ref_shift_left(wide a, wide b, int bits) { return b < 0 || b >= bits ? 0 : a * ((wide)1 << b); }
static wide ref_shift_right(wide a, wide b, int bits) { return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b; }

static bool reference(int kernel, wide a, wide b, wide c, int bits, wide *r)
{
    switch (kernel) {
    case KT_K_abs: *r = ref_abs(a); break;
    case KT_K_bitwise_not: *r = ~a; break;
    case KT_K_ceil:
    case KT_K_floor:
    case KT_K_round:
    case KT_K_round_decimals:
    case KT_K_trunc:
    case KT_K_conj_physical:
    case KT_K_nan_to_num: *r = a; break;
    case KT_K_clamp:
        *r = a < p0 ? p0 : a;
        *r = *r > p1 ? p1 : *r;
        break;
    case KT_K_clamp_min: *r = a < p0 ? p0 : a; break;
    case KT_K_clamp_max: *r = a > p0 ? p0 : a; break;
    case KT_K_isfinite: *r = 1; break;
    case KT_K_isinf:
    case KT_K_isnan:
    case KT_K_isneginf:
    case KT_K_isposinf: *r = 0; break;
    case KT_K_logical_not: *r = a == 0; break;
    case KT_K_neg: *r = -a; break;
    case KT_K_relu: *r = a > 0 ? a : 0; break;
    case KT_K_threshold: *r = a <= p0 ? p1 : a; break;
    case KT_K_sgn:
    case KT_K_sign: *r = (a > 0) - (a < 0); break;
    case KT_K_signbit: *r = a < 0; break;
    case KT_K_square: *r = a * a; break;
    case KT_K_add: *r = a + b; break;
    case KT_K_add_scaled: *r = a + p0 * b; break;
    case KT_K_sub: *r = a - b; break;
    case KT_K_sub_scaled: *r = a - p0 * b; break;
    case KT_K_mul: *r = a * b; break;
    case KT_K_bitwise_and: *r = a & b; break;
    case KT_K_bitwise_or: *r = a | b; break;
    case KT_K_bitwise_xor: *r = a ^ b; break;
    case KT_K_bitwise_left_shift: *r = ref_shift_left(a, b, bits); break;
    case KT_K_bitwise_right_shift: *r = ref_shift_right(a, b, bits); break;
    case KT_K_div_trunc: *r = a / b; break;
    case KT_K_div_floor: *r = ref_floor_div(a, b); break;
    case KT_K_fmod: *r = a % b; break;
    case KT_K_remainder: *r = a - b * ref_floor_div(a, b); break;
    case KT_K_eq: *r = a == b; break;
    case KT_K_ne: *r = a != b; break;
    case KT_K_lt: *r = a < b; break;
    case KT_K_le: *r = a <= b; break;
    case KT_K_gt: *r = a > b; break;
    case KT_K_ge: *r = a >= b; break;
    case KT_K_fmax:
    case KT_K_maximum: *r = a > b ? a : b; break;
    case KT_K_fmin:
    case KT_K_minimum: *r = a < b ? a : b; break;
    case KT_K_gcd: *r = ref_gcd(a, b); break;
    case KT_K_lcm: *r = ref_lcm(a, b); break;
    case KT_K_heaviside: *r = a == 0 ? b : a > 0; break;
    case KT_K_logical_and: *r = a != 0 && b != 0; break;
    case KT_K_logical_or: *r = a != 0 || b != 0; break;
    case KT_K_logical_xor: *r = (a != 0) != (b != 0); break;
    case KT_K_pow: *r = ref_pow(a, b); break;
    case KT_K_addcmul: *r = a + p0 * b * c; break;
    case KT_K_clamp_tensor:
        *r = a < b ? b : a;
        *r = *r > c ? c : *r;
        break;
    case KT_K_where: *r = a != 0 ? b : c; break;
    default: return false;
    }
    return true;
}

static wide get(const char *p, kt_dtype d)
{
    const kt_scalar s = kt_scalar_load(p, d);
    return s.is_unsigned ? (wide)(uint64_t)s.v.i : (wide)s.v.i;
}

static wide cut(wide x, kt_dtype d) /* what the dtype keeps */
{
    const int bits = 8 * (int)size_of_dtype(d);
    if (d == KT_BOOL)
        return x != 0;
    const unsigned __int128 low = (unsigned __int128)x & (((unsigned __int128)1 << bits) - 1);
    return kt_dtype_is_signed(d) && low >> (bits - 1) ? (wide)low - ((wide)1 << bits) : (wide)low;
}

static const int64_t special[] = {0,         1,          -1,        2,         -2,           3,      5,     7,
                                  8,         31,         32,        33,        63,           64,     65,    100,
                                  -100,      127,        -128,      255,       32767,        -32768, 65535, INT32_MAX,
                                  INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, INT64_MAX - 1};
enum { NUM_SPECIAL = sizeof special / sizeof *special, N = NUM_SPECIAL * NUM_SPECIAL + 500 };
static char in[3][N * 8], out[N * 8];

static void check_row(int kernel, const char *name, int arity, kt_dtype d)
{
    kt_backend   *cpu = kt__cpu_backend();
    const int64_t w = (int64_t)size_of_dtype(d);
    const bool    divides =
        kernel == KT_K_div_trunc || kernel == KT_K_div_floor || kernel == KT_K_fmod || kernel == KT_K_remainder;
    kt_plan p;
    int     bad = 0;
    wide    want = 0;
    if (!cpu->has(cpu, (kt_kernel_id)kernel, compute_of(d)))
        return;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            const bool    crossed = i < NUM_SPECIAL * NUM_SPECIAL;
            const int64_t x = crossed && k == 0   ? special[i % NUM_SPECIAL]
                              : crossed && k == 1 ? special[i / NUM_SPECIAL]
                                                  : (int64_t)test_below(300) - 150;
            kt_scalar_store(in[k] + i * w, d, KT_INT(x));
            if (divides && k == 1 && get(in[k] + i * w, d) == 0)
                kt_scalar_store(in[k] + i * w, d, KT_INT(1));
        }
    plan_dense(&p, kernel, compute_of(d), arity, (void *[]){out, in[0], in[1], in[2]}, (kt_dtype[]){d, d, d, d}, N);
    p0 = 2, p1 = 100;
    plan_param(&p, KT_INT(2)), plan_param(&p, KT_INT(100));
    if (!CHECK_EQ_INT(run_plan(&p), KT_OK))
        return;
    for (int i = 0; i < N && bad < 3; i++) {
        const wide a = get(in[0] + i * w, d), b = get(in[1] + i * w, d), c = get(in[2] + i * w, d),
                   got = get(out + i * w, d);
        if (!CHECK_MSG(reference(kernel, a, b, c, 8 * (int)w, &want), "%s has no reference", name))
            return;
        if (d == KT_BOOL && kernel == KT_K_bitwise_not)
            continue; /* bools are asked for logical_not */
        if (kernel == KT_K_pow && b > 60 && ref_abs(a) > 1)
            continue; /* the reference multiplies in 128 bits, step by step */
        const wide smallest = -((wide)1 << (8 * w - 1));
        if ((kernel == KT_K_gcd || (kernel == KT_K_lcm && w >= 4)) && (a == smallest || b == smallest))
            continue; /* has no absolute value in its type */
        if (kernel == KT_K_lcm && cut(want, d) != want)
            continue; /* wrapped before its absolute value was taken */
        if (cut(want, d) != got)
            bad += !CHECK_MSG(false, "%s(%lld, %lld, %lld) in %s: got %lld, want %lld", name, (long long)a,
                              (long long)b, (long long)c, kt_dtype_name(d), (long long)got, (long long)cut(want, d));
    }
}

TEST(rows)
{
    static const kt_dtype ints[] = {KT_BOOL, KT_U8, KT_I8, KT_I16, KT_I32, KT_I64, KT_U16, KT_U32, KT_U64};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
#define UN(name, ...)  check_row(KT_K_##name, #name, 1, ints[k]);
#define BIN(name, ...) check_row(KT_K_##name, #name, 2, ints[k]);
#define TER(name, ...) check_row(KT_K_##name, #name, 3, ints[k]);
#include "tables/kernels/elementwise.def"
    }
}

/* The smallest number has no absolute value: what comes of it is PyTorch's, whatever the kernel calculates in. */
TEST(gcd_of_the_smallest)
{
    static const struct {
        kt_dtype dtype;
        int64_t  smallest;
    } all[] = {{KT_I8, INT8_MIN}, {KT_I16, INT16_MIN}, {KT_I32, INT32_MIN}, {KT_I64, INT64_MIN}};
    for (int k = 0; k < 4; k++) {
        KT_SCOPE;
        const int64_t m = all[k].smallest, a[] = {m, m, m, 0, m, 6}, b[] = {m, 0, 2, m, -6, m}, want[] = {m, m, 2, m, -2, -2};
        int64_t       got[6] = {0};
        kt_tensor    *x = kt_to(kt_from(a, KT_SHAPE(6), KT_I64), .dtype = all[k].dtype);
        kt_tensor    *y = kt_to(kt_from(b, KT_SHAPE(6), KT_I64), .dtype = all[k].dtype);
        CHECK_EQ_INT(kt_read(kt_to(kt_gcd(x, y), .dtype = KT_I64), got, sizeof got), KT_OK);
        for (int i = 0; i < 6; i++)
            CHECK_EQ_INT(got[i], want[i]);
    }
}
