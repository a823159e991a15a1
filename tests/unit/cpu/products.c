/* products.c - matmul in every dtype, any stride, batches, small and large, against plain sums of products. */
#include "plans.h"

static char *a, *b, *z, *again;
enum { ROOM = 1 << 22 };

__attribute__((constructor)) static void make_room(void)
{
    a = calloc(1, ROOM), b = calloc(1, ROOM), z = calloc(1, ROOM), again = calloc(1, ROOM);
}

typedef struct shape {
    int64_t batch, m, n, k;
    bool    at, bt, zt; /* stored the other way round */
} shape;

static void plan_product(kt_plan *p, kt_dtype d, const shape *s)
{
    const int64_t w = (int64_t)size_of_dtype(d), m = s->m, n = s->n, k = s->k;
    plan_dense(p, KT_K_matmul, compute_of(d), 2, (void *[]){z, a, b}, (kt_dtype[]){d, d, d}, 1);
    plan_shape(p, 4, (int64_t[]){s->batch, m, n, k});
    p->contiguous = 0;
    memcpy(p->stride[0], (int64_t[]){m * n * w, s->zt ? w : n * w, s->zt ? m * w : w, 0}, 32);
    memcpy(p->stride[1], (int64_t[]){m * k * w, s->at ? w : k * w, 0, s->at ? m * w : w}, 32);
    memcpy(p->stride[2], (int64_t[]){n * k * w, 0, s->bt ? k * w : w, s->bt ? w : n * w}, 32);
}

static void check_product(kt_dtype d, const shape *s)
{
    kt_plan       p;
    const int64_t w = (int64_t)size_of_dtype(d);
    fill_random(a, d, s->batch * s->m * s->k), fill_random(b, d, s->batch * s->n * s->k);
    memset(z, 0x55, (size_t)(s->batch * s->m * s->n * w));
    plan_product(&p, d, s);
    if (!CHECK_EQ_INT(run_plan(&p), KT_OK))
        return;
    kt_finfo f = {.eps = 0};
    if (is_float(d) || is_complex(d))
        kt_dtype_finfo(d, &f);
    int bad = 0;
    for (int64_t u = 0; u < s->batch; u++)
        for (int64_t i = 0; i < s->m; i++)
            for (int64_t j = 0; j < s->n && bad < 3; j++) {
                double complex want = 0;
                double         size = 0;
                uint64_t       wraps = 0;
                for (int64_t l = 0; l < s->k; l++) {
                    const int64_t        ao = u * p.stride[1][0] + i * p.stride[1][1] + l * p.stride[1][3];
                    const int64_t        bo = u * p.stride[2][0] + j * p.stride[2][2] + l * p.stride[2][3];
                    const double complex x = get_complex(a, ao, d), y = get_complex(b, bo, d);
                    want += x * y, size += cabs(x * y);
                    wraps += (uint64_t)(int64_t)creal(x) * (uint64_t)(int64_t)creal(y);
                }
                const char          *at = z + u * p.stride[0][0] + i * p.stride[0][1] + j * p.stride[0][2];
                const double complex got = get_complex(at, 0, d);
                if (f.eps == 0) {
                    double unit[2];
                    kt_scalar_store(unit, d, KT_INT((int64_t)wraps));
                    bad += !CHECK_MSG(memcmp(unit, at, (size_t)w) == 0, "%s product at %lld, %lld", kt_dtype_name(d),
                                      (long long)i, (long long)j);
                } else if (cabs(want) < f.max) {
                    const double sums = d == KT_F64 || d == KT_C128 ? 0x1p-52 : 0x1p-23;
                    bad +=
                        !CHECK_MSG(cabs(got - want) <= 1.01 * f.eps * cabs(want) + sums * 4 * size + f.smallest_normal,
                                   "%s product at %lld, %lld: %g, want %g", kt_dtype_name(d), (long long)i,
                                   (long long)j, creal(got), creal(want));
                }
            }
}

static const shape shapes[] = {{1, 1, 1, 1, 0, 0, 0},   {1, 8, 8, 8, 0, 0, 0},     {1, 3, 5, 7, 0, 0, 0},
                               {1, 17, 33, 9, 0, 1, 0}, {1, 16, 32, 24, 1, 0, 0},  {2, 13, 40, 11, 1, 1, 0},
                               {3, 8, 16, 5, 0, 0, 1},  {1, 1, 50, 30, 0, 0, 0},   {1, 50, 1, 30, 0, 0, 0},
                               {1, 1, 1, 300, 0, 0, 0}, {1, 30, 30, 300, 0, 1, 1}, {5, 4, 4, 4, 0, 0, 0}};

TEST(every_dtype)
{
    for (int t = 0; t < NUM_DTYPES; t++) {
        if (every_dtype[t] == KT_E8M0FNU || every_dtype[t] == KT_BOOL)
            continue; /* no sign; no arithmetic */
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            check_product(every_dtype[t], &shapes[s]);
    }
}

TEST(blocks)
{
    static const shape large[] = {{1, 130, 260, 270, 0, 0, 0}, {1, 129, 257, 513, 1, 1, 0}, {2, 70, 300, 40, 0, 1, 1}};
    for (int s = 0; s < 3; s++) {
        check_product(KT_F32, &large[s]);
        check_product(KT_F64, &large[s]);
        check_product(KT_I32, &large[s]);
    }
    check_product(KT_BF16, &large[0]);
    check_product(KT_C64, &large[0]);
}

/* The same number whichever path computes it: alone, in a small product, in a large one, with any layout. */
TEST(paths_agree)
{
    const shape   s = {1, 40, 64, 200, 0, 0, 0};
    const int64_t w = 4;
    kt_plan       p, q;
    fill_random(a, KT_F32, s.m * s.k), fill_random(b, KT_F32, s.n * s.k);
    plan_product(&p, KT_F32, &s);
    CHECK_EQ_INT(run_plan(&p), KT_OK); /* packed */
    for (int64_t i = 0; i < s.m; i += 13)
        for (int64_t j = 0; j < s.n; j += 7) {
            float one = 0;
            q = p;
            q.size[1] = q.size[2] = 1, q.numel = s.k; /* one element */
            q.arg[0].data = (char *)&one, q.arg[1].data = a + i * s.k * w, q.arg[2].data = b + j * w;
            CHECK_EQ_INT(run_plan(&q), KT_OK);
            CHECK_MEM(&one, z + (i * s.n + j) * w, 4);
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
    s.k = 5, s.n = 0;
    plan_product(&p, KT_F32, &s);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_EQ_INT(z[96], 0x44);
}

TEST(one_thread_and_two)
{
    const shape s = {1, 300, 520, 300, 0, 0, 0};
    const int   threads = kt_get_num_threads();
    kt_plan     p;
    fill_random(a, KT_F32, s.m * s.k), fill_random(b, KT_F32, s.n * s.k);
    plan_product(&p, KT_F32, &s);
    kt_set_num_threads(1);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    memcpy(again, z, (size_t)(s.m * s.n * 4));
    kt_set_num_threads(2);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_MEM(z, again, (size_t)(s.m * s.n * 4));
    kt_set_num_threads(threads);
}

TEST(without_memory)
{
    const shape s = {1, 130, 130, 130, 0, 0, 0};
    kt_plan     p;
    fill_random(a, KT_F32, s.m * s.k), fill_random(b, KT_F32, s.n * s.k);
    plan_product(&p, KT_F32, &s);
    kt_memory_trim();
    kt_memory_fail_after(0);
    const kt_status status = run_plan(&p);
    kt_memory_fail_after(-1);
    CHECK(status == KT_OK || status == KT_ERR_MEMORY);
    kt_clear();
    CHECK_EQ_INT(run_plan(&p), KT_OK);
}
