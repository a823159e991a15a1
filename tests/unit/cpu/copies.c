/* copies.c - copies and casts between all dtypes, layouts and roundings; fills, eyes, ranges. */
#include "plans.h"

#include "dtype/value.h"

enum { ROOM = 1 << 21 };
static char from[ROOM], to[ROOM], want[ROOM];

static void random_bytes(char *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        p[i] = (char)test_random();
}

TEST(all_pairs)
{
    enum { N = 2500 };
    for (int i = 0; i < NUM_DTYPES; i++)
        for (int j = 0; j < NUM_DTYPES; j++)
            for (int strided = 0; strided < 2; strided++) {
                const kt_dtype a = every_dtype[i], b = every_dtype[j];
                const int64_t  wa = (int64_t)size_of_dtype(a) * (1 + strided),
                              wb = (int64_t)size_of_dtype(b) * (1 + 2 * strided);
                kt_plan p;
                random_bytes(from, N * wa);
                for (int64_t k = 0; k < N && a == KT_BOOL; k++)
                    from[k * wa] &= 1;
                for (int64_t k = 0; k < N; k += 3)
                    fill_random(from + k * wa, a, 1);
                memset(to, 0x77, (size_t)(N * wb)), memset(want, 0x77, (size_t)(N * wb));
                plan_dense(&p, KT_K_copy, compute_of(a), 1, (void *[]){to, from}, (kt_dtype[]){b, a}, N);
                p.stride[0][0] = wb, p.stride[1][0] = wa, p.contiguous = !strided;
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                kt__convert(want, b, wb, from, a, wa, N);
                CHECK_MSG(memcmp(to, want, (size_t)(N * wb)) == 0, "%s to %s, %s", kt_dtype_name(a), kt_dtype_name(b),
                          strided ? "strided" : "dense");
            }
}

TEST(large_integers_to_float32)
{
    enum { N = 1000 };
    int64_t *x = (int64_t *)(void *)from;
    kt_plan  p;
    for (int round = 0; round < 3; round++) { /* all small, one large among them, all large */
        for (int i = 0; i < N; i++)
            x[i] = round == 2 || (round == 1 && i == 700) ? (int64_t)test_random() >> test_below(40)
                                                          : (int64_t)test_below(1 << 20) - 5000;
        plan_dense(&p, KT_K_add, KT_IN_F32, 2, (void *[]){to, from, from}, (kt_dtype[]){KT_F32, KT_I64, KT_I64}, N);
        p.arg[1].as = p.arg[2].as = KT_F32;
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(get_real(to, i * 4, KT_F32), (double)((float)x[i] + (float)x[i]), 0);
    }
}

/* A row of float32 without NaN, and one with a single NaN at each place: those with one may be rounded by other code. All
 * upper halves, and lower ones on both sides of the middle. */
static bool to_bfloat16_agrees(uint32_t *x, int n)
{
    kt_plan p;
    plan_dense(&p, KT_K_copy, KT_IN_F32, 1, (void *[]){to, x}, (kt_dtype[]){KT_BF16, KT_F32}, n);
    if (!CHECK_EQ_INT(run_plan(&p), KT_OK))
        return false;
    kt__convert(want, KT_BF16, 2, (const char *)x, KT_F32, 4, n);
    return CHECK_MSG(memcmp(to, want, (size_t)n * 2) == 0, "float32 to bfloat16, %d from %08x on", n, x[0]);
}

TEST(bfloat16_with_and_without_nan)
{
    static const uint32_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    static uint32_t       x[1 << 16];
    for (uint32_t k = 0; k < 6; k++) {
        int n = 0;
        for (uint32_t upper = 0; upper < 65536; upper++)
            if ((upper & 0x7f80) != 0x7f80)
                x[n++] = upper << 16 | lower[k];
        if (!to_bfloat16_agrees(x, n))
            return;
    }
    enum { N = 77 };
    for (int at = 0; at < N; at++)
        for (uint32_t sign = 0; sign < 2; sign++) {
            for (uint32_t i = 0; i < N; i++)
                x[i] = 0xbf7f0000u + i * 0x4567;
            x[at] = sign << 31 | 0x7f800001u;
            if (!to_bfloat16_agrees(x, N))
                return;
        }
}

TEST(roundings)
{
    enum { N = 2000 };
    static const kt_dtype sources[] = {KT_F64, KT_F32, KT_I64, KT_C128},
                          targets[] = {KT_F16, KT_BF16, KT_F32, KT_E4M3FN, KT_E5M2};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            for (int rounding = KT_ROUND_ONCE; rounding <= KT_ROUND_STOCHASTIC; rounding++) {
                const kt_dtype a = sources[i], b = targets[j];
                kt_plan        p;
                kt__round_rng  rng = {1234, 0};
                fill_random(from, a, N);
                plan_dense(&p, KT_K_copy, compute_of(a), 1, (void *[]){to, from}, (kt_dtype[]){b, a}, N);
                p.rounding = (uint8_t)rounding, p.seed = 1234;
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                kt__convert_rounding(want, b, (ptrdiff_t)size_of_dtype(b), from, a, (ptrdiff_t)size_of_dtype(a), N,
                                     (kt_rounding)rounding, &rng);
                CHECK_MSG(memcmp(to, want, N * size_of_dtype(b)) == 0, "%s to %s, rounding %d", kt_dtype_name(a),
                          kt_dtype_name(b), rounding);
            }
    /* 1 + 2^-11 + 2^-40: the two steps lose the tail, one step does not */
    const double x = 1 + 0x1p-11 + 0x1p-40;
    uint16_t     h;
    kt_plan      p;
    plan_dense(&p, KT_K_copy, KT_IN_F64, 1, (void *[]){&h, (void *)(uintptr_t)&x}, (kt_dtype[]){KT_F16, KT_F64}, 1);
    run_plan(&p);
    CHECK_NEAR(get_real(&h, 0, KT_F16), 1.0, 0);
    p.rounding = KT_ROUND_ONCE;
    run_plan(&p);
    CHECK_NEAR(get_real(&h, 0, KT_F16), 1 + 0x1p-10, 0);
}

/* Crossed layouts of every element size, ragged blocks, other dims around them. */
TEST(transposes)
{
    static const kt_dtype types[] = {KT_U8, KT_F16, KT_F32, KT_F64, KT_C128};
    static const int64_t  shapes[][3] = {{1, 70, 33}, {3, 32, 32}, {2, 100, 65}, {1, 5, 300}, {4, 31, 4}, {1, 128, 96}};
    for (int t = 0; t < 5; t++)
        for (int s = 0; s < 6; s++) {
            const int64_t w = (int64_t)size_of_dtype(types[t]), b = shapes[s][0], m = shapes[s][1], n = shapes[s][2];
            kt_plan       p;
            random_bytes(from, b * m * n * w);
            plan_dense(&p, KT_K_copy, compute_of(types[t]), 1, (void *[]){to, from}, (kt_dtype[]){types[t], types[t]},
                       1);
            plan_shape(&p, 3, (int64_t[]){b, m, n});
            p.stride[1][1] = w, p.stride[1][2] = m * w; /* the source is [b, n, m] */
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            bool same = true;
            for (int64_t i = 0; i < b; i++)
                for (int64_t j = 0; j < m; j++)
                    for (int64_t k = 0; k < n; k++)
                        same &=
                            memcmp(to + ((i * m + j) * n + k) * w, from + ((i * n + k) * m + j) * w, (size_t)w) == 0;
            CHECK_MSG(same, "transpose of %s [%lld, %lld, %lld]", kt_dtype_name(types[t]), (long long)b, (long long)m,
                      (long long)n);
        }
}

TEST(strided_and_broadcast)
{
    static const kt_dtype types[] = {KT_I8, KT_BF16, KT_F32, KT_I64, KT_C128};
    for (int t = 0; t < 5; t++) {
        const int64_t w = (int64_t)size_of_dtype(types[t]);
        kt_plan       p;
        random_bytes(from, 4096 * w);
        plan_dense(&p, KT_K_copy, compute_of(types[t]), 1, (void *[]){to, from}, (kt_dtype[]){types[t], types[t]}, 1);
        plan_shape(&p, 2, (int64_t[]){50, 40});
        p.stride[1][0] = 0, p.stride[1][1] = 3 * w;
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        bool same = true;
        for (int64_t i = 0; i < 50; i++)
            for (int64_t j = 0; j < 40; j++)
                same &= memcmp(to + (i * 40 + j) * w, from + 3 * j * w, (size_t)w) == 0;
        CHECK(same);
    }
}

TEST(large_copy)
{
    kt_plan p;
    random_bytes(from, ROOM);
    plan_dense(&p, KT_K_copy, KT_IN_I32, 1, (void *[]){to, from}, (kt_dtype[]){KT_U8, KT_U8}, ROOM - 3);
    memset(to, 0, ROOM);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_MEM(to, from, ROOM - 3);
    CHECK_EQ_INT(to[ROOM - 1], 0);
}

TEST(fills)
{
    for (int t = 0; t < NUM_DTYPES; t++)
        for (int64_t n = 1; n < 70000; n = n * 6 + 1)
            for (int strided = 0; strided < 2; strided++) {
                const kt_dtype d = every_dtype[t];
                const int64_t  w = (int64_t)size_of_dtype(d);
                double         unit[2];
                kt_plan        p;
                if (n * w * 2 > ROOM)
                    continue;
                memset(to, 0x11, (size_t)(n * w * (1 + strided)));
                plan_dense(&p, KT_K_fill, compute_of(d), 0, (void *[]){to}, (kt_dtype[]){d}, n);
                p.stride[0][0] = w * (1 + strided), p.contiguous = !strided;
                plan_param(&p, KT_FLOAT(2.5));
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                kt_scalar_store(unit, d, KT_FLOAT(2.5));
                bool same = true;
                for (int64_t i = 0; i < n; i++) {
                    same &= memcmp(to + i * p.stride[0][0], unit, (size_t)w) == 0;
                    same &= !strided || i + 1 == n || to[i * 2 * w + w] == 0x11;
                }
                CHECK_MSG(same, "fill of %lld %s", (long long)n, kt_dtype_name(d));
            }
}

/* A value is first what was computed, then what is stored. */
TEST(fill_through_another_dtype)
{
    kt_plan p;
    float   z = 0;
    plan_dense(&p, KT_K_fill, KT_IN_F32, 0, (void *[]){&z}, (kt_dtype[]){KT_F32}, 1);
    p.arg[0].as = KT_I32;
    plan_param(&p, KT_FLOAT(2.75));
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_NEAR(z, 2, 0);
}

TEST(eyes)
{
    static const int64_t shapes[][2] = {{1, 1}, {5, 7}, {7, 5}, {300, 200}};
    for (int t = 0; t < NUM_DTYPES; t++)
        for (int s = 0; s < 4; s++) {
            const kt_dtype d = every_dtype[t];
            const int64_t  w = (int64_t)size_of_dtype(d), m = shapes[s][0], n = shapes[s][1];
            kt_plan        p;
            if (d == KT_E8M0FNU)
                continue; /* has no zero */
            memset(to, 0x33, (size_t)(m * n * w));
            plan_dense(&p, KT_K_eye, compute_of(d), 0, (void *[]){to}, (kt_dtype[]){d}, 1);
            plan_shape(&p, 2, shapes[s]);
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            bool same = true;
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < n; j++)
                    same &= get_real(to, (i * n + j) * w, d) == (i == j);
            CHECK_MSG(same, "eye(%lld, %lld) in %s", (long long)m, (long long)n, kt_dtype_name(d));
        }
}

static void range(int kernel, kt_dtype d, int64_t n, kt_scalar a, kt_scalar b, kt_scalar c)
{
    kt_plan p;
    plan_dense(&p, kernel, compute_of(d), 0, (void *[]){to}, (kt_dtype[]){d}, n);
    plan_param(&p, a), plan_param(&p, b), plan_param(&p, c);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
}

TEST(ranges)
{
    const int64_t n = 70001;
    range(KT_K_arange, KT_I64, n, KT_INT(-5), KT_INT(3), KT_INT(0));
    for (int64_t i = 0; i < n; i += 123)
        CHECK_EQ_INT(get_real(to, i * 8, KT_I64), -5 + 3 * i);
    range(KT_K_arange, KT_I64, 3, KT_INT(((int64_t)1 << 60) + 1), KT_INT(1), KT_INT(0)); /* exact beyond 2^53 */
    CHECK_EQ_INT(kt_scalar_load(to + 16, KT_I64).v.i, ((int64_t)1 << 60) + 3);
    range(KT_K_arange, KT_F32, n, KT_FLOAT(0.1), KT_FLOAT(0.1), KT_INT(0));
    for (int64_t i = 0; i < n; i += 123)
        CHECK_NEAR(get_real(to, i * 4, KT_F32), (double)(float)(0.1 + 0.1 * (double)i), 0);
    range(KT_K_linspace, KT_F64, 11, KT_FLOAT(-1), KT_FLOAT(1), KT_INT(0));
    for (int64_t i = 0; i < 11; i++)
        CHECK_NEAR(get_real(to, i * 8, KT_F64), -1 + 0.2 * (double)i, 1e-15);
    CHECK_NEAR(get_real(to, 80, KT_F64), 1, 0); /* both ends exact */
    range(KT_K_linspace, KT_F32, 1, KT_FLOAT(3), KT_FLOAT(9), KT_INT(0));
    CHECK_NEAR(get_real(to, 0, KT_F32), 3, 0);
    range(KT_K_linspace, KT_I32, 5, KT_INT(0), KT_INT(10), KT_INT(0));
    static const int32_t fifths[] = {0, 2, 5, 7, 10};
    CHECK_MEM(to, fifths, sizeof fifths);
    range(KT_K_linspace, KT_C64, 3, KT_COMPLEX(0, 0), KT_COMPLEX(1, -2), KT_INT(0));
    CHECK_NEAR(cimag(get_complex(to, 8, KT_C64)), -1, 0);
    range(KT_K_logspace, KT_F64, 4, KT_FLOAT(0), KT_FLOAT(3), KT_FLOAT(10));
    for (int64_t i = 0; i < 4; i++)
        CHECK_NEAR(get_real(to, i * 8, KT_F64), pow(10, (double)i), 1e-12 * pow(10, (double)i));
    range(KT_K_logspace, KT_C128, 2, KT_FLOAT(1), KT_FLOAT(2), KT_FLOAT(2));
    CHECK_NEAR(creal(get_complex(to, 16, KT_C128)), 4, 1e-14);
    range(KT_K_arange, KT_BF16, 5, KT_INT(0), KT_INT(1), KT_INT(0));
    CHECK_NEAR(get_real(to, 8, KT_BF16), 4, 0);
}
