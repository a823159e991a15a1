/* products.c - matmul in every dtype, any stride, batches, small and large, against plain sums of products. */
#define _GNU_SOURCE 1 /* pthread_getattr_np */
#include "cpu/gemm/products.h"
#include "plans.h"

#include <float.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* LeakSanitizer dies in the thread-local storage of the libraries that these tests open; addresses are still checked. */
#if defined(__SANITIZE_ADDRESS__)
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

static char *a, *b, *c, *z, *again;
enum { ROOM = 1 << 23 };

__attribute__((constructor)) static void make_room(void)
{
    a = calloc(1, ROOM), b = calloc(1, ROOM), c = calloc(1, ROOM), z = calloc(1, ROOM), again = calloc(1, ROOM);
}

typedef struct shape {
    int64_t batch, m, n, k;
    bool    at, bt, zt; /* stored the other way round */
} shape;

typedef enum addend { NOTHING, A_MATRIX, A_ROW, A_COLUMN, A_NUMBER, THE_OUTPUT } addend; /* what c is */

typedef struct scaled {
    kt_scalar alpha, beta;
    addend    c;
} scaled;

static void plan_product(kt_plan *p, kt_dtype d, const shape *s)
{
    const int64_t w = (int64_t)size_of_dtype(d), m = s->m, n = s->n, k = s->k;
    plan_dense(p, KT_K_matmul, compute_of(d), 2, (void *[]){z, a, b}, (kt_dtype[]){d, d, d}, 1);
    plan_shape(p, 4, (int64_t[]){s->batch, m, n, k});
    p->contiguous = 0;
    p->numel = s->batch * m * n;
    memcpy(p->stride[0], (int64_t[]){m * n * w, s->zt ? w : n * w, s->zt ? m * w : w, 0}, 32);
    memcpy(p->stride[1], (int64_t[]){m * k * w, s->at ? w : k * w, 0, s->at ? m * w : w}, 32);
    memcpy(p->stride[2], (int64_t[]){n * k * w, 0, s->bt ? k * w : w, s->bt ? w : n * w}, 32);
}

static void plan_scaled(kt_plan *p, const scaled *how)
{
    const int64_t w = (int64_t)size_of_dtype((kt_dtype)p->arg[0].is), m = p->size[1], n = p->size[2];
    if (how->c == NOTHING)
        return;
    plan_param(p, how->alpha), plan_param(p, how->beta);
    p->n_in = 3;
    p->arg[3] = p->arg[0];
    memcpy(p->stride[3], p->stride[0], 32);
    if (how->c == THE_OUTPUT)
        return;
    p->arg[3].data = c;
    memcpy(p->stride[3], (int64_t[]){m * n * w, n * w, w, 0}, 32);
    if (how->c != A_MATRIX)
        p->stride[3][0] = 0;
    if (how->c == A_ROW || how->c == A_NUMBER)
        p->stride[3][1] = 0;
    if (how->c == A_COLUMN || how->c == A_NUMBER)
        p->stride[3][2] = 0;
}

/* One element by the definition, in numbers wider than any dtype: value, sum of sizes, and modulo 2^64. */
typedef struct model {
    long double complex value;
    long double         size;
    uint64_t            wraps;
} model;

/* The operands as wide numbers, read once. */
enum { MOST = 1 << 18 };
static long double complex wide_a[MOST], wide_b[MOST];

static void widen(long double complex *to, const char *from, kt_dtype d, int64_t n)
{
    for (int64_t i = 0; i < n && i < MOST; i++)
        to[i] = get_complex(from, i * (int64_t)size_of_dtype(d), d);
}

static model model_of(const kt_plan *p, const char *added, int64_t u, int64_t i, int64_t j)
{
    const kt_dtype d = (kt_dtype)p->arg[0].is;
    const int64_t  w = (int64_t)size_of_dtype(d);
    model          x = {0, 0, 0};
    for (int64_t l = 0; l < p->size[3]; l++) {
        const int64_t ao = u * p->stride[1][0] + i * p->stride[1][1] + l * p->stride[1][3];
        const int64_t bo = u * p->stride[2][0] + j * p->stride[2][2] + l * p->stride[2][3];
        const long double complex v = wide_a[ao / w], y = wide_b[bo / w], product = v * y;
        x.value += product, x.size += fabsl(creall(product)) + fabsl(cimagl(product));
        x.wraps += (uint64_t)(int64_t)creall(v) * (uint64_t)(int64_t)creall(y);
    }
    if (p->n_param == 0)
        return x;
    const double complex alpha = kt__scalar_c128(&p->param[0]), beta = kt__scalar_c128(&p->param[1]);
    x.value *= alpha, x.size *= cabsl(alpha), x.wraps *= (uint64_t)(int64_t)creal(alpha);
    if (beta != 0) {
        const int64_t        co = u * p->stride[3][0] + i * p->stride[3][1] + j * p->stride[3][2];
        const double complex y = get_complex(added, co, d);
        x.value += (long double complex)beta * y, x.size += cabsl((long double complex)beta * y);
        x.wraps += (uint64_t)(int64_t)creal(beta) * (uint64_t)(int64_t)creal(y);
    }
    return x;
}

static bool near_model(const char *at, kt_dtype d, const model *want, const kt_finfo *f)
{
    if (f->eps == 0) {
        double unit[2];
        kt_scalar_store(unit, d, KT_INT((int64_t)want->wraps));
        return memcmp(unit, at, size_of_dtype(d)) == 0;
    }
    if (cabsl(want->value) >= f->max)
        return true; /* beyond the dtype: saturates or becomes infinite as the cast does */
    const double      sums = d == KT_F64 || d == KT_C128 ? 0x1p-52 : 0x1p-23;
    const long double off = cabsl(get_complex(at, 0, d) - want->value);
    return off <= 1.01L * f->eps * cabsl(want->value) + sums * 4 * want->size + f->smallest_normal;
}

static void check_scaled(kt_dtype d, const shape *s, const scaled *how)
{
    kt_plan       p;
    const int64_t w = (int64_t)size_of_dtype(d), results = s->batch * s->m * s->n;
    fill_random(a, d, s->batch * s->m * s->k), fill_random(b, d, s->batch * s->n * s->k), fill_random(c, d, results);
    widen(wide_a, a, d, s->batch * s->m * s->k), widen(wide_b, b, d, s->batch * s->n * s->k);
    plan_product(&p, d, s);
    plan_scaled(&p, how);
    memset(z, 0x55, (size_t)(results * w));
    if (how->c == THE_OUTPUT)
        memcpy(z, c, (size_t)(results * w));
    if (!CHECK_EQ_INT(run_plan(&p), KT_OK))
        return;
    kt_finfo f = {.eps = 0};
    if (is_float(d) || is_complex(d))
        kt_dtype_finfo(d, &f);
    const int64_t skip = s->m * s->n * s->k > 1 << 20 ? 7 : 1; /* of large ones some elements, the last ones among them */
    int           bad = 0;
    for (int64_t u = 0; u < s->batch; u++)
        for (int64_t i = s->m - 1; i >= 0; i -= skip)
            for (int64_t j = s->n - 1; j >= 0 && bad < 3; j -= skip) {
                const model want = model_of(&p, c, u, i, j);
                const char *at = z + u * p.stride[0][0] + i * p.stride[0][1] + j * p.stride[0][2];
                bad += !CHECK_MSG(near_model(at, d, &want, &f), "%s %lldx%lldx%lldx%lld at %lld, %lld: %g, want %g",
                                  kt_dtype_name(d), (long long)s->batch, (long long)s->m, (long long)s->n,
                                  (long long)s->k, (long long)i, (long long)j, get_real(at, 0, d),
                                  (double)creall(want.value));
            }
}

static void check_product(kt_dtype d, const shape *s)
{
    check_scaled(d, s, &(scaled){.c = NOTHING});
}

static const shape shapes[] = {{1, 1, 1, 1, 0, 0, 0},   {1, 8, 8, 8, 0, 0, 0},     {1, 3, 5, 7, 0, 0, 0},
                               {1, 17, 33, 9, 0, 1, 0}, {1, 16, 32, 24, 1, 0, 0},  {2, 13, 40, 11, 1, 1, 0},
                               {3, 8, 16, 5, 0, 0, 1},  {1, 1, 50, 30, 0, 0, 0},   {1, 50, 1, 30, 0, 0, 0},
                               {1, 1, 1, 300, 0, 0, 0}, {1, 12, 20, 300, 0, 1, 1}, {5, 4, 4, 4, 0, 0, 0}};

static bool has_products(kt_dtype d)
{
    return d != KT_E8M0FNU && d != KT_BOOL; /* no sign; no arithmetic */
}

TEST(every_dtype)
{
    for (int t = 0; t < NUM_DTYPES; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && has_products(every_dtype[t]); s++)
            check_product(every_dtype[t], &shapes[s]);
}

TEST(scaled_and_added)
{
    static const addend what[] = {A_MATRIX, A_ROW, A_COLUMN, A_NUMBER, THE_OUTPUT};
    for (int t = 0; t < NUM_DTYPES; t++)
        for (size_t s = (size_t)t % 2; s < sizeof shapes / sizeof *shapes && has_products(every_dtype[t]); s += 2) {
            const scaled how[] = {{KT_INT(2), KT_INT(3), what[s % 5]},
                                  {KT_INT(1), KT_INT(1), what[(s + 1) % 5]},
                                  {KT_INT(3), KT_INT(0), what[(s + 2) % 5]},
                                  {KT_INT(0), KT_INT(2), what[(s + 3) % 5]},
                                  {KT_FLOAT(0.25), KT_FLOAT(-1.5), what[(s + 4) % 5]},
                                  {KT_COMPLEX(0.5, -1), KT_COMPLEX(2, 0.25), what[s % 5]}};
            const int    kinds = is_complex(every_dtype[t]) ? 6 : is_float(every_dtype[t]) ? 5 : 4;
            for (int i = 0; i < kinds; i++)
                check_scaled(every_dtype[t], &shapes[s], &how[i]);
        }
}

/* What is not read may hold anything. */
TEST(zero_factors_read_nothing)
{
    const kt_scalar nan_value = KT_FLOAT((double)NAN);
    const shape     s = {1, 5, 6, 7, 0, 0, 0};
    kt_plan         p;
    fill_random(a, KT_F32, 35), fill_random(b, KT_F32, 42), fill_random(c, KT_F32, 30);
    kt_scalar_store(c, KT_F32, nan_value);
    widen(wide_a, a, KT_F32, 35), widen(wide_b, b, KT_F32, 42);
    plan_product(&p, KT_F32, &s);
    plan_scaled(&p, &(scaled){KT_INT(1), KT_INT(0), A_MATRIX});
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    const model want = model_of(&p, c, 0, 0, 0);
    CHECK_NEAR(get_real(z, 0, KT_F32), (double)creall(want.value), 1e-2);
    kt_scalar_store(c, KT_F32, KT_FLOAT(1.5));
    kt_scalar_store(a, KT_F32, nan_value);
    plan_product(&p, KT_F32, &s);
    plan_scaled(&p, &(scaled){KT_INT(0), KT_INT(2), A_MATRIX});
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_NEAR(get_real(z, 0, KT_F32), 3, 0);
}

TEST(blocks)
{
    static const shape large[] = {{1, 130, 260, 270, 0, 0, 0}, {1, 129, 257, 513, 1, 1, 0}, {2, 70, 300, 40, 0, 1, 1}};
    for (int s = 0; s < 3; s++) {
        check_product(KT_F32, &large[s]);
        check_product(KT_F64, &large[s]);
        check_product(KT_I32, &large[s]);
    }
    for (int s = 0; s < 3; s++)
        check_product(KT_BF16, &large[s]);
    check_product(KT_C64, &large[0]);
    /* more terms than are packed at a time, and no whole number of tiles or of units of them */
    static const shape  deep[] = {{1, 21, 50, 4099, 0, 0, 0}, {1, 40, 13, 4501, 1, 0, 0}, {1, 17, 19, 8194, 0, 1, 0},
                                  {1, 21, 50, 4096, 0, 0, 0}};
    const scaled        how[] = {{KT_FLOAT(0.5), KT_FLOAT(-1.5), A_MATRIX}, {KT_INT(1), KT_INT(1), THE_OUTPUT}};
    for (int s = 0; s < 4; s++) {
        check_product(KT_F32, &deep[s]);
        check_product(KT_BF16, &deep[s]);
        for (int i = 0; i < 2; i++)
            check_scaled(KT_F32, &deep[s], &how[i]);
    }
}

/* Our own kernels give the same number whichever path computes it: in a small product, in a large one, on every build. */
TEST(paths_agree)
{
    const shape   s = {1, 40, 64, 200, 0, 0, 0};
    const int64_t w = 4;
    kt_plan       p, q;
    fill_random(a, KT_F32, s.m * s.k), fill_random(b, KT_F32, s.n * s.k);
    plan_product(&p, KT_F32, &s);
    kt__product_choose(KT__MAKER_OWN);
    CHECK_EQ_INT(run_plan(&p), KT_OK); /* packed */
    for (int64_t i = 0; i + 2 < s.m; i += 13)
        for (int64_t j = 0; j + 3 < s.n; j += 7) {
            float few[6] = {0};
            q = p;
            q.size[1] = 2, q.size[2] = 3, q.numel = 6; /* in registers */
            q.stride[0][1] = 3 * w;
            q.arg[0].data = (char *)few, q.arg[1].data = a + i * s.k * w, q.arg[2].data = b + j * w;
            CHECK_EQ_INT(run_plan(&q), KT_OK);
            CHECK_MEM(few, z + (i * s.n + j) * w, 12);
            CHECK_MEM(few + 3, z + ((i + 1) * s.n + j) * w, 12);
        }
    kt__product_choose(KT__MAKER_AUTO);
}

TEST(builds_give_the_same_bits)
{
    static const shape    some[] = {{1, 33, 70, 300, 0, 0, 0}, {1, 1, 700, 300, 0, 0, 0}, {1, 700, 1, 301, 0, 0, 0},
                                    {1, 1, 1, 70001, 0, 0, 0}, {3, 9, 21, 17, 1, 1, 0},   {1, 300, 1, 90, 1, 0, 0}};
    static const kt_dtype types[] = {KT_F32, KT_F64, KT_BF16, KT_C64, KT_C128, KT_I64};
    kt__product_choose(KT__MAKER_OWN);
    for (int t = 0; t < 6; t++)
        for (int i = 0; i < 6; i++) {
            const shape  *s = &some[i];
            const size_t  bytes = (size_t)(s->batch * s->m * s->n) * size_of_dtype(types[t]);
            kt_plan       p;
            fill_random(a, types[t], s->batch * s->m * s->k), fill_random(b, types[t], s->batch * s->n * s->k);
            plan_product(&p, types[t], s);
            CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[0], &p), KT_OK);
            memcpy(again, z, bytes);
            for (int build = 1; build < num_builds(); build++) {
                if (!can_run(build))
                    continue;
                memset(z, 0x55, bytes);
                CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[build], &p), KT_OK);
                CHECK_MSG(memcmp(again, z, bytes) == 0, "%s, shape %d, build %s", kt_dtype_name(types[t]), i,
                          kt__cpu_builds[build].name);
            }
        }
    kt__product_choose(KT__MAKER_AUTO);
}

/* ---- the libraries: the same numbers as the definition, whoever makes them ---- */
static const kt__product_maker all_makers[] = {KT__MAKER_AUTO, KT__MAKER_OWN, KT__MAKER_ONEDNN, KT__MAKER_OPENBLAS};
static const kt_dtype          served[] = {KT_F32, KT_BF16, KT_F16, KT_E4M3FN, KT_F64, KT_C64, KT_C128, KT_C32, KT_I16};

TEST(every_maker)
{
    static const shape some[] = {{1, 35, 30, 13, 0, 0, 0}, {1, 32, 24, 32, 1, 0, 0}, {3, 10, 33, 20, 0, 1, 0},
                                 {2, 33, 16, 20, 1, 1, 1}, {1, 2, 150, 17, 0, 0, 0}, {1, 8, 8, 8, 0, 0, 1}};
    for (int i = 0; i < 4; i++) {
        kt__product_choose(all_makers[i]);
        for (size_t t = 0; t < sizeof served / sizeof *served; t++)
            for (int s = 0; s < 6; s++) {
                const addend  what = s % 2 ? THE_OUTPUT : s % 3 ? A_ROW : A_MATRIX;
                const scaled how[] = {{.c = NOTHING}, {KT_INT(1), KT_INT(1), what}, {KT_INT(2), KT_INT(3), what},
                                      {KT_INT(3), KT_INT(0), what}, {KT_COMPLEX(0.5, -1), KT_COMPLEX(2, 0.25), what}};
                check_scaled(served[t], &some[s], &how[(s + i) % 4]);
                check_scaled(served[t], &some[s], &how[is_complex(served[t]) ? 4 : (s + i + 1) % 4]);
            }
    }
    kt__product_choose(KT__MAKER_AUTO);
}

/* Rows apart, rows upside down, one row for all, one matrix for all batches. */
TEST(odd_strides)
{
    const shape s = {2, 40, 36, 50, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        for (size_t t = 0; t < sizeof served / sizeof *served; t++) {
            const kt_dtype d = served[t];
            const int64_t  w = (int64_t)size_of_dtype(d);
            for (int kind = 0; kind < 4; kind++) {
                kt_plan p;
                int     bad = 0;
                fill_random(a, d, 2 * 40 * 60), fill_random(b, d, 2 * 50 * 40);
                widen(wide_a, a, d, 2 * 40 * 60), widen(wide_b, b, d, 2 * 50 * 40);
                plan_product(&p, d, &s);
                if (kind == 0)
                    p.stride[1][1] = 60 * w, p.stride[2][3] = 40 * w, p.stride[0][1] = 37 * w, p.stride[0][0] = 0, p.size[0] = 1;
                if (kind == 1)
                    p.stride[1][1] = 0, p.stride[2][2] = 0;
                if (kind == 2)
                    p.stride[1][0] = 0, p.stride[2][0] = 0;
                if (kind == 3)
                    p.stride[1][3] = 2 * w, p.stride[1][1] = 0, p.stride[0][2] = 2 * w, p.stride[0][1] = 72 * w,
                    p.stride[0][0] = 40 * 72 * w;
                p.numel = p.size[0] * 40 * 36;
                kt__product_choose(all_makers[i]);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                kt_finfo f = {.eps = 0};
                if (is_float(d) || is_complex(d))
                    kt_dtype_finfo(d, &f);
                for (int64_t u = 0; u < p.size[0]; u++)
                    for (int64_t r = 0; r < 40; r += 3)
                        for (int64_t j = 0; j < 36 && bad < 3; j += 5) {
                            const model want = model_of(&p, c, u, r, j);
                            const char *at = z + u * p.stride[0][0] + r * p.stride[0][1] + j * p.stride[0][2];
                            bad += !CHECK_MSG(near_model(at, d, &want, &f), "%s, kind %d, maker %d, at %lld %lld",
                                              kt_dtype_name(d), kind, i, (long long)r, (long long)j);
                        }
            }
        }
    kt__product_choose(KT__MAKER_AUTO);
}

/* Sizes past the cutting into pieces, checked here and there. */
static void check_pieces(kt_dtype d, const shape *s)
{
    const size_t bytes = (size_t)(s->m * s->n) * size_of_dtype(d);
    const int    threads = kt_get_num_threads();
    kt_plan      p;
    kt_finfo     f;
    kt_dtype_finfo(d, &f);
    fill_random(a, d, s->m * s->k), fill_random(b, d, s->n * s->k);
    widen(wide_a, a, d, s->m * s->k), widen(wide_b, b, d, s->n * s->k);
    plan_product(&p, d, s);
    kt_set_num_threads(1);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    for (int64_t i = 0; i < s->m; i += 11)
        for (int64_t j = i % 7; j < s->n; j += 13) {
            const model want = model_of(&p, c, 0, i, j);
            CHECK_MSG(near_model(z + i * p.stride[0][1] + j * p.stride[0][2], d, &want, &f), "%s at %lld, %lld",
                      kt_dtype_name(d), (long long)i, (long long)j);
        }
    memcpy(again, z, bytes);
    kt_set_num_threads(2);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_MEM(z, again, bytes);
    kt_set_num_threads(threads);
}

TEST(pieces)
{
    static const kt_dtype types[] = {KT_F32, KT_BF16, KT_F16, KT_F64, KT_C64};
    for (int t = 0; t < 5; t++) {
        check_pieces(types[t], &(shape){1, 333, 517, 129, 0, 1, 0});
        check_pieces(types[t], &(shape){1, 301, 139, 402, 1, 0, 0}); /* made transposed, in float32 */
    }
}

/* ---- float32 of all sizes ---- */

/* All 24 bits are used, and numbers of one matrix differ by 2^8. */
static void fill_exponents(char *to, int64_t n, int exponent)
{
    for (int64_t i = 0; i < n; i++) {
        const float x = ldexpf((float)((1 << 23) + (int)test_below(1 << 23)), exponent - 23 - (int)test_below(8));
        memcpy(to + i * 4, &(float){test_below(2) ? x : -x}, 4);
    }
}

static bool near_sum(float got, const model *want, int64_t k)
{
    const long double value = creall(want->value);
    if (isnan(value) || isnan(got))
        return isnan(value) && isnan(got);
    if (isinf(value) || fabsl(value) > FLT_MAX)
        return got == (value > 0 ? INFINITY : -INFINITY);
    return fabsl((long double)got - value) <= 0x1p-22L * sqrtl((long double)k) * want->size + 0x1p-149L * (long double)k;
}

static void check_sums(const shape *s, const char *what, int number)
{
    kt_plan p;
    int     bad = 0;
    widen(wide_a, a, KT_F32, s->m * s->k), widen(wide_b, b, KT_F32, s->n * s->k);
    plan_product(&p, KT_F32, s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    for (int64_t i = 0; i < s->m; i += 3)
        for (int64_t j = i % 5; j < s->n && bad < 3; j += 5) {
            const model want = model_of(&p, c, 0, i, j);
            float       got;
            memcpy(&got, z + i * p.stride[0][1] + j * p.stride[0][2], 4);
            bad += !CHECK_MSG(near_sum(got, &want, s->k), "%s %d at %lld, %lld: %a, not %La", what, number, (long long)i,
                              (long long)j, (double)got, creall(want.value));
        }
}

static const shape of_all_kinds[] = {{1, 131, 140, 97, 0, 0, 0}, {1, 128, 160, 128, 1, 1, 0}, {1, 96, 150, 129, 1, 0, 0},
                                 {1, 150, 64, 160, 0, 1, 1}};

TEST(float32_of_all_exponents)
{
    static const int exponents[][2] = {{0, 0},      {60, 60},   {-50, -20}, {-60, -60}, {-75, -60}, {-70, -75},
                                       {100, -100}, {120, -90}, {-105, 0},  {-120, 60}, {-130, 90}, {-140, 120}};
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int i = 0; i < 4; i++) {
            const shape *s = &of_all_kinds[i];
            fill_exponents(a, s->m * s->k, exponents[e][i % 2]), fill_exponents(b, s->n * s->k, exponents[e][!(i % 2)]);
            check_sums(s, "exponents", (int)e);
        }
}

TEST(float32_that_is_not_finite)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX, 0x1p-149f, -0x1p-120f, 0x1p112f};
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
        for (int i = 0; i < 4; i++) {
            const shape *s = &of_all_kinds[i];
            fill_exponents(a, s->m * s->k, 0), fill_exponents(b, s->n * s->k, 0);
            char *const into = o % 2 ? b : a;
            memcpy(into + (int64_t)test_below((uint32_t)(s->k * 60)) * 4, &odd[o], 4);
            check_sums(s, "number", (int)o);
        }
}

TEST(float32_times_one_is_exact)
{
    const shape s = {1, 128, 160, 128, 0, 0, 0};
    for (int turned = 0; turned < 2; turned++) {
        kt_plan     p;
        char *const ones = turned ? b : a, *const numbers = turned ? a : b;
        const shape t = turned ? (shape){1, 160, 128, 128, 0, 0, 0} : s;
        memset(ones, 0, 128 * 128 * 4);
        for (int i = 0; i < 128; i++)
            memcpy(ones + (i * 128 + i) * 4, &(float){1}, 4);
        fill_exponents(numbers, 128 * 160, 0);
        plan_product(&p, KT_F32, &t);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_MEM(z, numbers, 128 * 160 * 4);
    }
}

/* "medium": bfloat16 products, float32 sums, at most. */
TEST(precision_of_float32)
{
    const shape s = {1, 64, 64, 96, 0, 0, 0};
    kt_plan     p;
    CHECK_STR(kt_get_float32_matmul_precision(), "highest");
    CHECK_EQ_INT(kt_set_float32_matmul_precision("sloppy"), KT_ERR_RUNTIME);
    CHECK_STR(kt_error(), "sloppy is not one of 'highest', 'high', or 'medium'; the "
                             "currentsetFloat32MatmulPrecision call has no effect.");
    kt_clear();
    CHECK_EQ_INT(kt_set_float32_matmul_precision(NULL), KT_ERR_RUNTIME);
    kt_clear();
    CHECK_STR(kt_get_float32_matmul_precision(), "highest");
    fill_random(a, KT_F32, s.m * s.k), fill_random(b, KT_F32, s.n * s.k);
    widen(wide_a, a, KT_F32, s.m * s.k), widen(wide_b, b, KT_F32, s.n * s.k);
    plan_product(&p, KT_F32, &s);
    for (int level = 0; level < 3; level++) {
        static const char *const names[] = {"medium", "high", "highest"};
        CHECK_EQ_INT(kt_set_float32_matmul_precision(names[level]), KT_OK);
        CHECK_STR(kt_get_float32_matmul_precision(), names[level]);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int64_t i = 0; i < s.m; i += 5)
            for (int64_t j = 0; j < s.n; j += 3) {
                const model want = model_of(&p, c, 0, i, j);
                CHECK_NEAR(get_real(z, (i * s.n + j) * 4, KT_F32), (double)creall(want.value),
                           (double)want.size * (level ? 1e-6 : 0x1p-7));
            }
    }
}

TEST(conjugates)
{
    const shape s = {1, 4, 5, 6, 0, 0, 0};
    kt_plan     p;
    fill_random(a, KT_C64, 24), fill_random(b, KT_C64, 30);
    plan_product(&p, KT_C64, &s);
    p.arg[2].bits = KT_BIT_CONJ;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    double complex want = 0;
    for (int64_t l = 0; l < 6; l++)
        want += get_complex(a, l * 8, KT_C64) * conj(get_complex(b, l * 5 * 8, KT_C64));
    CHECK_NEAR(creal(get_complex(z, 0, KT_C64)), creal(want), 1e-3);
    CHECK_NEAR(cimag(get_complex(z, 0, KT_C64)), cimag(want), 1e-3);
}

/* Operands of one dtype seen as another, as autocast does. */
TEST(seen_as_another_dtype)
{
    const shape s = {1, 9, 10, 11, 0, 0, 0};
    kt_plan     p;
    fill_random(a, KT_F32, 99), fill_random(b, KT_F32, 110);
    plan_product(&p, KT_F32, &s);
    p.arg[0].is = KT_BF16, p.stride[0][1] = 20, p.stride[0][2] = 2;
    p.arg[0].as = p.arg[1].as = p.arg[2].as = KT_BF16;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    memcpy(again, z, 180);
    for (int i = 0; i < 110; i++) { /* the same after casting by hand */
        kt_scalar_store(a + 2 * i, KT_BF16, kt_scalar_load(a + 4 * (i < 99 ? i : 0), KT_F32));
        kt_scalar_store(b + 2 * i, KT_BF16, kt_scalar_load(b + 4 * i, KT_F32));
    }
    plan_product(&p, KT_BF16, &s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_MEM(again, z, 180);
}

/* Operands of two dtypes: the result is that of casting first. `whole`: numbers whose sums are exact, so that they are the
 * same in any order; a library may choose another one for panels. */
static void check_mixed(const shape *s, kt_dtype da, kt_dtype db, kt_dtype to, bool whole)
{
    const int64_t na = s->batch * s->m * s->k, nb = s->batch * s->n * s->k,
                  wa = (int64_t)size_of_dtype(da), wb = (int64_t)size_of_dtype(db), w = (int64_t)size_of_dtype(to);
    const size_t  bytes = (size_t)(s->batch * s->m * s->n * w);
    kt_plan       p;
    if (!whole)
        fill_random(a, da, na), fill_random(b, db, nb);
    for (int64_t i = 0; i < na && whole; i++)
        kt_scalar_store(a + wa * i, da, KT_INT(i * 7 % 17 - 8));
    for (int64_t i = 0; i < nb && whole; i++)
        kt_scalar_store(b + wb * i, db, KT_INT(i * 5 % 13 - 6));
    plan_product(&p, to, s);
    p.arg[1].is = (uint8_t)da, p.arg[2].is = (uint8_t)db;
    for (int i = 0; i < 4; i++)
        p.stride[1][i] = p.stride[1][i] / w * wa, p.stride[2][i] = p.stride[2][i] / w * wb;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    memcpy(again, z, bytes);
    for (int64_t i = na - 1; i >= 0 && da != to; i--) /* a cast is wider than what it is made from */
        kt_scalar_store(a + w * i, to, kt_scalar_load(a + wa * i, da));
    for (int64_t i = nb - 1; i >= 0 && db != to; i--)
        kt_scalar_store(b + w * i, to, kt_scalar_load(b + wb * i, db));
    memset(z, 0x55, bytes);
    plan_product(&p, to, s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_MEM(z, again, bytes);
}

TEST(mixed_operands)
{
    static const shape small[] = {{1, 40, 50, 60, 0, 0, 0}, {1, 140, 300, 1000, 0, 1, 0}, {1, 300, 70, 800, 1, 0, 1},
                                  {40, 33, 40, 70, 0, 0, 0}, {3, 150, 140, 300, 0, 1, 0}},
                       large[] = {{1, 140, 600, 2000, 0, 0, 0}, {1, 600, 140, 2048, 1, 1, 1}, {1, 17, 400, 5000, 1, 0, 1},
                                  {1, 1100, 24, 1000, 0, 1, 0}, {1, 20, 24, 50000, 0, 1, 0}, {9, 150, 140, 1000, 0, 1, 0}};
    static const kt__product_maker who[] = {KT__MAKER_AUTO, KT__MAKER_ONEDNN, KT__MAKER_OPENBLAS};
    static const kt_dtype          mixes[][3] = {{KT_F32, KT_F16, KT_F32}, {KT_BF16, KT_F32, KT_F32}, {KT_BF16, KT_F16, KT_F32}};
    for (int m = 0; m < 9; m++) {
        const kt_dtype *d = mixes[m % 3];
        kt__product_choose(who[m / 3]);
        for (size_t i = 0; i < sizeof small / sizeof *small; i++)
            check_mixed(&small[i], d[0], d[1], d[2], false);
        for (size_t i = m % 3; i < sizeof large / sizeof *large && m < 6; i += 3) /* each mix some, by two makers */
            check_mixed(&large[i], d[0], d[1], d[2], true);
    }
    kt__product_choose(KT__MAKER_AUTO);
    check_mixed(&(shape){1, 100, 260, 4000, 0, 1, 0}, KT_F64, KT_F32, KT_F64, true);
    check_mixed(&(shape){1, 260, 100, 4000, 0, 0, 0}, KT_I32, KT_F64, KT_F64, true);
    check_mixed(&(shape){1, 140, 250, 1000, 0, 1, 0}, KT_F32, KT_C64, KT_C64, true);
}

/* The child of a fork has one thread, and the libraries that its parent has opened. */
TEST(after_a_fork)
{
    static const kt_dtype types[] = {KT_F32, KT_BF16, KT_F64};
    const shape           s = {1, 160, 170, 130, 0, 0, 0};
    kt_plan               p;
    for (int t = 0; t < 3; t++) {
        const size_t bytes = (size_t)(s.m * s.n) * size_of_dtype(types[t]);
        fill_random(a, types[t], s.m * s.k), fill_random(b, types[t], s.n * s.k);
        plan_product(&p, types[t], &s);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        memcpy(again, z, bytes);
        const pid_t child = fork();
        if (child == 0) {
            memset(z, 0x55, bytes);
            _exit(run_plan(&p) == KT_OK && memcmp(again, z, bytes) == 0 ? 0 : 1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_EQ_INT(status, 0);
    }
}

/* ---- signals: a library's kernel may have no stack that a handler could use ---- */
static char                 *stack_begin, *stack_end;
static pthread_t             tester;
static volatile sig_atomic_t handled, astray; /* by the thread that tests; of these, off its stack */

static void on_signal(int number)
{
    const char *here = __builtin_frame_address(0);
    if (number == SIGPROF && pthread_equal(pthread_self(), tester)) {
        handled = handled + 1;
        astray = astray + (here < stack_begin || here >= stack_end);
    }
}

static void find_stack(void)
{
    pthread_attr_t attr;
    void          *begin;
    size_t         size;
    tester = pthread_self();
    REQUIRE(pthread_getattr_np(tester, &attr) == 0 && pthread_attr_getstack(&attr, &begin, &size) == 0);
    pthread_attr_destroy(&attr);
    stack_begin = begin, stack_end = stack_begin + size;
}

static double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec * 1e-6;
}

TEST(while_signals_arrive)
{
    const shape            some[] = {{1, 1024, 256, 512, 0, 0, 0}, {1, 512, 256, 1024, 1, 0, 0}, {4, 256, 200, 256, 0, 1, 0}};
    const struct itimerval each = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct sigaction       was, on = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigset_t               before, after;
    find_stack();
    sigaction(SIGPROF, &on, &was);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int i = 0; i < 12; i++) {
        const shape *s = &some[i % 3];
        const size_t bytes = (size_t)(s->batch * s->m * s->n * 4);
        const double end = seconds() + 0.25;
        kt_plan      p;
        kt__product_choose(all_makers[i / 3]);
        fill_random(a, KT_F32, s->batch * s->m * s->k), fill_random(b, KT_F32, s->batch * s->n * s->k);
        plan_product(&p, KT_F32, s);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        memcpy(again, z, bytes);
        setitimer(ITIMER_PROF, &each, NULL);
        do
            CHECK_EQ_INT(run_plan(&p), KT_OK);
        while (seconds() < end);
        setitimer(ITIMER_PROF, &never, NULL);
        CHECK_MEM(z, again, bytes);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigaction(SIGPROF, &was, NULL);
    kt__product_choose(KT__MAKER_AUTO);
    CHECK(handled > 0);
    CHECK_EQ_INT(astray, 0);
    for (int i = 1; i < 32; i++)
        CHECK_EQ_INT(sigismember(&after, i), sigismember(&before, i));
}

TEST(empty)
{
    shape   s = {2, 3, 4, 0, 0, 0, 0};
    kt_plan p;
    memset(z, 0x44, 1000);
    plan_product(&p, KT_F32, &s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    for (int i = 0; i < 24; i++)
        CHECK_NEAR(get_real(z, i * 4, KT_F32), 0, 0);
    CHECK_EQ_INT(z[96], 0x44);
    check_scaled(KT_BF16, &s, &(scaled){KT_INT(2), KT_FLOAT(0.5), A_ROW});
    s.k = 5, s.n = 0;
    memset(z, 0x44, 1000);
    plan_product(&p, KT_F32, &s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_EQ_INT(z[96], 0x44);
}

/* Blocks are cut by the threads, and k into parts by the sizes; the last rows and columns fill no tile. All bits of the factors
 * are used, so that sums in another order differ. */
TEST(any_number_of_threads)
{
    static const shape ragged[] = {{1, 300, 520, 300, 0, 0, 0}, {1, 100, 300, 1100, 0, 0, 0}, {1, 301, 61, 1030, 1, 0, 0},
                                   {1, 333, 129, 1100, 0, 1, 0}};
    const int          threads = kt_get_num_threads();
    for (int i = 0; i < 4; i++) {
        const shape *s = &ragged[i];
        kt_plan      p;
        fill_exponents(a, s->m * s->k, 0), fill_exponents(b, s->n * s->k, 0);
        plan_product(&p, KT_F32, s);
        for (int n = 1; n <= 8; n++) {
            kt_set_num_threads(n);
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            if (n == 1)
                memcpy(again, z, (size_t)(s->m * s->n * 4));
            CHECK_MEM(z, again, (size_t)(s->m * s->n * 4));
        }
    }
    kt_set_num_threads(threads);
}

TEST(without_memory)
{
    static const kt_dtype types[] = {KT_F32, KT_BF16, KT_F16, KT_F64, KT_I32};
    const shape           s = {1, 130, 130, 130, 0, 1, 1};
    for (int t = 0; t < 5; t++)
        for (int n = 0; n < 4; n++) {
            kt_plan p;
            fill_random(a, types[t], s.m * s.k), fill_random(b, types[t], s.n * s.k);
            plan_product(&p, types[t], &s);
            p.stride[2][2] = 0; /* to be copied */
            kt_memory_trim();
            kt_memory_fail_after(n);
            const kt_status status = run_plan(&p);
            kt_memory_fail_after(-1);
            CHECK(status == KT_OK || status == KT_ERR_MEMORY);
            CHECK_EQ_INT(kt_error_status(), status);
            kt_clear();
            CHECK_EQ_INT(run_plan(&p), KT_OK);
        }
}
