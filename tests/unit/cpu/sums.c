/* sums.c - sums over any set of dims, in every dtype: values, accuracy, empty sums, one thread and two. */
#include "plans.h"

static char *from, *to, *again;
enum { ROOM = 1 << 24 };

__attribute__((constructor)) static void make_room(void)
{
    from = calloc(1, ROOM), to = calloc(1, ROOM), again = calloc(1, ROOM);
}

/* Sums the dense source over the dims in `gone` (a bit set). */
static kt_status sum(kt_dtype out, kt_dtype in, int nd, const int64_t *size, unsigned gone, kt_plan *p)
{
    int64_t step = (int64_t)size_of_dtype(out);
    plan_dense(p, KT_K_sum, compute_of(out), 1, (void *[]){to, from}, (kt_dtype[]){out, in}, 1);
    p->arg[1].as = (uint8_t)out;
    plan_shape(p, nd, size);
    p->contiguous = 0;
    for (int d = nd - 1; d >= 0; d--) {
        p->stride[0][d] = gone >> d & 1 ? 0 : step;
        step *= gone >> d & 1 ? 1 : size[d];
    }
    return run_plan(p);
}

static void check_sum(kt_dtype out, kt_dtype in, int nd, const int64_t *size, unsigned gone)
{
    kt_plan p;
    fill_random(from, in, size[0] * (nd > 1 ? size[1] : 1) * (nd > 2 ? size[2] : 1) * (nd > 3 ? size[3] : 1));
    if (!CHECK_EQ_INT(sum(out, in, nd, size, gone, &p), KT_OK))
        return;
    int64_t outputs = 1;
    for (int d = 0; d < nd; d++)
        outputs *= gone >> d & 1 ? 1 : size[d];
    double complex *want = calloc((size_t)outputs, sizeof *want);
    double         *size_of_all = calloc((size_t)outputs, sizeof *size_of_all);
    if (!CHECK(want && size_of_all))
        return;
    for (int64_t e = 0; e < p.numel; e++) {
        int64_t rest = e, at = 0, x = 0;
        for (int d = nd - 1; d >= 0; d--) {
            at += rest % size[d] * p.stride[0][d], x += rest % size[d] * p.stride[1][d];
            rest /= size[d];
        }
        double unit[2];
        kt_scalar_store(unit, out, kt_scalar_load(from + x, in)); /* the operator sees it as the result's dtype */
        want[at / (int64_t)size_of_dtype(out)] += get_complex(unit, 0, out);
        size_of_all[at / (int64_t)size_of_dtype(out)] += cabs(get_complex(unit, 0, out));
    }
    kt_finfo f = {.eps = 0};
    if (is_float(out) || is_complex(out))
        kt_dtype_finfo(out, &f);
    const int64_t w = (int64_t)size_of_dtype(out);
    for (int64_t i = 0, bad = 0; i < outputs && bad < 3; i++) {
        const double complex got = get_complex(to, i * w, out);
        double               lo = cabs(want[i]);
        if (f.eps == 0) { /* integers wrap */
            double unit[2];
            kt_scalar_store(unit, out, KT_INT((int64_t)creal(want[i])));
            want[i] = get_real(unit, 0, out), lo = 0;
        } else if (lo > f.max) {
            continue;
        }
        bad += !CHECK_MSG(cabs(got - want[i]) <=
                              1.01 * f.eps * (lo + (out == KT_F64 || out == KT_C128 ? 4 * size_of_all[i] : 0)) + 1e-30 +
                                  (f.eps > 1e-4 ? f.smallest_normal : 0),
                          "sum of %s into %s over %x: element %lld is %.17g, want %.17g", kt_dtype_name(in),
                          kt_dtype_name(out), gone, (long long)i, creal(got), creal(want[i]));
    }
    free(want), free(size_of_all);
}

TEST(every_set_of_dims)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32}, {KT_F64, KT_F64},   {KT_BF16, KT_BF16}, {KT_F16, KT_F16},
                                        {KT_I64, KT_I8},  {KT_I64, KT_BOOL},  {KT_I64, KT_I64},   {KT_U64, KT_U64},
                                        {KT_C64, KT_C64}, {KT_C128, KT_C128}, {KT_F64, KT_F32},   {KT_I32, KT_I32}};
    static const int64_t  shapes[][4] = {{3, 4, 5, 6}, {2, 1, 40, 33}, {70, 3, 2, 17}, {2, 3, 3, 300}, {1, 600, 2, 64}};
    for (size_t t = 0; t < sizeof pairs / sizeof *pairs; t++)
        for (int s = 0; s < 5; s++)
            for (unsigned gone = 0; gone < 16; gone++)
                check_sum(pairs[t][0], pairs[t][1], 4, shapes[s], gone);
}

TEST(lengths)
{
    for (int64_t n = 1; n < 70000; n = n * 5 / 3 + 1) {
        check_sum(KT_F32, KT_F32, 1, &n, 1);
        check_sum(KT_I64, KT_I32, 1, &n, 1);
        check_sum(KT_F32, KT_BF16, 1, &n, 1);
    }
}

TEST(tall_and_wide)
{
    check_sum(KT_F32, KT_F32, 2, (int64_t[]){9000, 64}, 1);
    check_sum(KT_F32, KT_F32, 2, (int64_t[]){9000, 3}, 1);
    check_sum(KT_F32, KT_F32, 2, (int64_t[]){5, 60000}, 1);
    check_sum(KT_F32, KT_F32, 2, (int64_t[]){5, 60000}, 2);
    check_sum(KT_F64, KT_F64, 2, (int64_t[]){3, 200000}, 2);
    check_sum(KT_F64, KT_F64, 2, (int64_t[]){100000, 17}, 1);
}

/* Four million numbers of one sign and of both: within a few units of the last place. */
TEST(accuracy)
{
    const int64_t n = (4 << 20) - 5;
    kt_plan       p;
    float        *x = (float *)(void *)from;
    for (int both = 0; both < 2; both++) {
        double want = 0, low = 0;
        for (int64_t i = 0; i < n; i++) {
            x[i] = (float)((double)(test_random() >> 40) * 0x1p-24 - (both ? 0.4 : 0));
            const double y = x[i] - low, t = want + y; /* Kahan */
            low = (t - want) - y, want = t;
        }
        CHECK_EQ_INT(sum(KT_F32, KT_F32, 1, &n, 1, &p), KT_OK);
        CHECK_NEAR(get_real(to, 0, KT_F32), want, fabs(want) * 0x1p-23);
    }
}

TEST(one_thread_and_two)
{
    static const int64_t shapes[][2] = {{1, 3000001}, {3, 700001}, {2000, 1500}, {40000, 64}};
    const int            threads = kt_get_num_threads();
    for (int s = 0; s < 4; s++)
        for (unsigned gone = 1; gone < 4; gone++) {
            kt_plan p;
            fill_random(from, KT_F32, shapes[s][0] * shapes[s][1]);
            memset(to, 0, ROOM);
            kt_set_num_threads(1);
            CHECK_EQ_INT(sum(KT_F32, KT_F32, 2, shapes[s], gone, &p), KT_OK);
            memcpy(again, to, ROOM);
            memset(to, 0, ROOM);
            kt_set_num_threads(2);
            CHECK_EQ_INT(sum(KT_F32, KT_F32, 2, shapes[s], gone, &p), KT_OK);
            CHECK_MEM(to, again, ROOM);
        }
    kt_set_num_threads(threads);
}

TEST(empty)
{
    kt_plan p;
    memset(to, 0x44, 64);
    CHECK_EQ_INT(sum(KT_F32, KT_F32, 2, (int64_t[]){3, 0}, 2, &p), KT_OK);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(get_real(to, i * 4, KT_F32), 0, 0);
    CHECK_EQ_INT(to[12], 0x44);
    CHECK_EQ_INT(sum(KT_I64, KT_I64, 1, (int64_t[]){0}, 1, &p), KT_OK);
    CHECK_EQ_INT(get_real(to, 0, KT_I64), 0);
    memset(to, 0x44, 64);
    CHECK_EQ_INT(sum(KT_F32, KT_F32, 2, (int64_t[]){0, 3}, 2, &p), KT_OK); /* no outputs at all */
    CHECK_EQ_INT(to[0], 0x44);
}

TEST(no_dims)
{
    kt_plan p;
    fill_random(from, KT_F32, 1);
    plan_dense(&p, KT_K_sum, KT_IN_F32, 1, (void *[]){to, from}, (kt_dtype[]){KT_F32, KT_F32}, 1);
    p.nd = 0;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_NEAR(get_real(to, 0, KT_F32), get_real(from, 0, KT_F32), 0);
}

TEST(without_memory)
{
    kt_plan       p;
    const int64_t size[2] = {40000, 64};
    fill_random(from, KT_F32, size[0] * size[1]);
    CHECK_EQ_INT(sum(KT_F32, KT_F32, 2, size, 1, &p), KT_OK);
    kt_memory_trim();
    for (int64_t n = 0; n < 4; n++) {
        kt_memory_fail_after(n);
        const kt_status s = run_plan(&p);
        kt_memory_fail_after(-1);
        CHECK(s == KT_OK || s == KT_ERR_MEMORY);
        if (s != KT_OK)
            CHECK(kt_failed());
        kt_clear();
    }
    CHECK_EQ_INT(run_plan(&p), KT_OK);
}
