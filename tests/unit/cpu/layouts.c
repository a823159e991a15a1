/* layouts.c - elementwise plans over every kind of layout: strided, broadcast, immediate, conj and neg bits, many
 * dims, long and odd lengths, fused casts, one thread and two. The reference is the same operation element by
 * element. */
#include "plans.h"

enum { ROOM = 1 << 20 };
static char mem[4][ROOM];

/* The offset of element `index` (row-major over the plan's sizes) in operand i. */
static int64_t offset_of(const kt_plan *p, int i, int64_t index)
{
    int64_t offset = 0;
    for (int d = p->nd - 1; d >= 0; d--) {
        offset += index % p->size[d] * p->stride[i][d];
        index /= p->size[d];
    }
    return offset;
}

/* Runs the plan, then each element alone as a plan of its own from the bytes the operands had. */
static void check_by_elements(kt_plan *p, const char *what)
{
    static char before[4][ROOM];
    const int   n_op = 1 + p->n_in;
    memset(mem[0], 0x55, ROOM);
    memcpy(before, mem, sizeof before);
    if (!CHECK_EQ_INT(run_plan(p), KT_OK))
        return;
    for (int64_t e = 0, bad = 0; e < p->numel && bad < 3; e++) {
        kt_plan one = *p;
        double  result[2] = {0, 0};
        one.nd = 0, one.numel = 1, one.contiguous = 1;
        for (int i = 1; i < n_op; i++)
            if (!p->arg[i].immediate)
                one.arg[i].data = before[i] + (p->arg[i].data - mem[i]) + offset_of(p, i, e);
        one.arg[0].data = (char *)result;
        run_plan(&one);
        const char *got = p->arg[0].data + offset_of(p, 0, e);
        bad += !CHECK_MSG(memcmp(got, result, size_of_dtype((kt_dtype)p->arg[0].is)) == 0, "%s: element %lld differs",
                          what, (long long)e);
        memcpy(before[0] + offset_of(p, 0, e), got, size_of_dtype((kt_dtype)p->arg[0].is));
    }
    CHECK_MSG(memcmp(before[0], mem[0], ROOM) == 0, "%s: bytes between the elements were touched", what);
}

static void start(kt_plan *p, int kernel, int n_in, kt_dtype to, kt_dtype a, kt_dtype b)
{
    for (int i = 1; i <= n_in; i++)
        fill_random(mem[i], i == 1 ? a : b, ROOM / 16);
    plan_dense(p, kernel, compute_of(to), n_in, (void *[]){mem[0], mem[1], mem[2], mem[3]}, (kt_dtype[]){to, a, b, b},
               1);
    for (int i = 1; i <= n_in; i++)
        p->arg[i].as = (uint8_t)to;
}

static const kt_dtype mixes[][3] = {
    {KT_F32, KT_F32, KT_F32}, {KT_F32, KT_BF16, KT_F32},   {KT_F32, KT_I64, KT_F32},
    {KT_F64, KT_F32, KT_F64}, {KT_BF16, KT_BF16, KT_BF16}, {KT_F16, KT_F32, KT_F16},
    {KT_I64, KT_I64, KT_U8},  {KT_I8, KT_I8, KT_I8},       {KT_U64, KT_U64, KT_U64},
    {KT_C64, KT_F32, KT_C64}, {KT_C128, KT_C64, KT_C128},  {KT_E4M3FN, KT_E4M3FN, KT_E4M3FN},
    {KT_C32, KT_C32, KT_C32}, {KT_I32, KT_BOOL, KT_I16}};
enum { NUM_MIXES = sizeof mixes / sizeof *mixes };

TEST(lengths)
{
    static const int64_t lengths[] = {1,  2,   3,   7,   8,   15,  16,   17,   31,   33,   63,  64,
                                      65, 255, 256, 257, 511, 513, 1023, 1024, 1025, 2049, 3001};
    for (int m = 0; m < NUM_MIXES; m++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            kt_plan p;
            start(&p, KT_K_add, 2, mixes[m][0], mixes[m][1], mixes[m][2]);
            plan_shape(&p, 1, &lengths[i]);
            p.contiguous = 1;
            check_by_elements(&p, "dense");
        }
}

TEST(strides)
{
    for (int m = 0; m < NUM_MIXES; m++)
        for (int trial = 0; trial < 12; trial++) {
            const int nd = 1 + (int)test_below(4);
            int64_t   size[4];
            kt_plan   p;
            for (int d = 0; d < nd; d++)
                size[d] = 1 + (int64_t)test_below(trial % 3 == 0 ? 40 : 9);
            if (nd > 2)
                size[0] = 1 + size[0] % 4, size[1] = 1 + size[1] % 4;
            start(&p, trial % 2 ? KT_K_mul : KT_K_sub, 2, mixes[m][0], mixes[m][1], mixes[m][2]);
            plan_shape(&p, nd, size);
            for (int i = 0; i < 3; i++) { /* gaps, and dims in another order */
                const int64_t gap = 1 + (int64_t)test_below(3), w = (int64_t)size_of_dtype((kt_dtype)p.arg[i].is);
                int64_t       step = w * gap;
                const bool    turned = test_below(2);
                for (int k = 0; k < nd; k++) {
                    const int d = turned ? k : nd - 1 - k;
                    p.stride[i][d] = step, step *= size[d];
                }
                if (i > 0 && test_below(3) == 0)
                    p.stride[i][test_below((uint64_t)nd)] = 0; /* broadcast */
            }
            check_by_elements(&p, "strided");
        }
}

TEST(sixty_four_dims)
{
    kt_plan p;
    int64_t size[KT_MAX_DIMS];
    for (int d = 0; d < KT_MAX_DIMS; d++)
        size[d] = d % 8 == 3 ? 2 : 1;
    start(&p, KT_K_add, 2, KT_F32, KT_F32, KT_F16);
    plan_shape(&p, KT_MAX_DIMS, size);
    p.stride[1][59] = 400; /* one of the twos */
    check_by_elements(&p, "64 dims");
}

TEST(short_rows)
{
    kt_plan p;
    start(&p, KT_K_add, 2, KT_F32, KT_F32, KT_F32);
    plan_shape(&p, 3, (int64_t[]){3, 500, 3});
    p.stride[1][0] = 500 * 16, p.stride[1][1] = 16; /* rows of three with a gap */
    check_by_elements(&p, "short rows");
}

TEST(immediates)
{
    for (int m = 0; m < NUM_MIXES; m++)
        for (int which = 1; which < 3; which++)
            for (int64_t n = 1; n < 3000; n = n * 7 + 1) {
                kt_plan p;
                start(&p, KT_K_sub, 2, mixes[m][0], mixes[m][0], mixes[m][0]);
                plan_shape(&p, 1, &n);
                p.contiguous = 1;
                p.arg[which].immediate = 1, p.arg[which].data = NULL, p.stride[which][0] = 0;
                kt_scalar_store(p.imm[which].bytes, mixes[m][0], KT_INT(3));
                check_by_elements(&p, "immediate");
                /* and it is the value that was meant */
                const kt_dtype d = mixes[m][0];
                const double   a = which == 1 ? 3 : get_real(p.arg[1].data, 0, d),
                             b = which == 2 ? 3 : get_real(p.arg[2].data, 0, d);
                if (d == KT_F32 || d == KT_F64 || d == KT_I64)
                    CHECK_NEAR(get_real(mem[0], 0, d), d == KT_F32 ? (double)((float)a - (float)b) : a - b, 0);
            }
}

TEST(bits)
{
    static const kt_dtype types[] = {KT_C64, KT_C128, KT_C32, KT_F32, KT_F64, KT_BF16, KT_I64};
    for (int t = 0; t < 7; t++)
        for (int bits = 1; bits < 4; bits++)
            for (int64_t n = 1; n < 3000; n = n * 11 + 2)
                for (int copy = 0; copy < 2; copy++) {
                    const kt_dtype d = types[t];
                    const int64_t  w = (int64_t)size_of_dtype(d);
                    kt_plan        p;
                    if (!is_complex(d) && bits != KT_BIT_NEG)
                        continue;
                    start(&p, copy ? KT_K_copy : KT_K_add, copy ? 1 : 2, d, d, d);
                    plan_shape(&p, 1, &n);
                    p.contiguous = 1;
                    p.arg[1].bits = (uint8_t)bits;
                    check_by_elements(&p, "bits");
                    double complex want = get_complex(mem[1], (n - 1) * w, d);
                    want = bits & KT_BIT_CONJ ? conj(want) : want;
                    want = bits & KT_BIT_NEG ? -want : want;
                    if (!copy)
                        want += get_complex(mem[2], (n - 1) * w, d);
                    const double complex got = get_complex(mem[0], (n - 1) * w, d);
                    CHECK_NEAR(creal(got), creal(want), 0.15 * fabs(creal(want)) * (w < 8) + 1e-5);
                    CHECK_NEAR(cimag(got), cimag(want), 0.15 * fabs(cimag(want)) * (w < 8) + 1e-5);
                }
}

/* The operator sees its operands, and gives its result, in `as`: the same as casting before and after. */
TEST(fused_is_cast_op_cast)
{
    enum { N = 1100 };
    for (int i = 0; i < NUM_DTYPES; i++)
        for (int j = 0; j < NUM_DTYPES; j++)
            for (int k = 0; k < NUM_DTYPES; k += 4) {
                const kt_dtype is = every_dtype[i], as = every_dtype[j], to = every_dtype[k];
                const int64_t  w = (int64_t)size_of_dtype(as);
                kt_plan        p;
                if (is_complex(is) && !is_complex(as))
                    continue;
                fill_random(mem[1], is, N);
                /* fused */
                plan_dense(&p, KT_K_mul, compute_of(as), 2, (void *[]){mem[0], mem[1], mem[1]},
                           (kt_dtype[]){to, is, is}, N);
                p.arg[0].as = p.arg[1].as = p.arg[2].as = (uint8_t)as;
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                /* step by step */
                plan_dense(&p, KT_K_copy, compute_of(is), 1, (void *[]){mem[2], mem[1]}, (kt_dtype[]){as, is}, N);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                plan_dense(&p, KT_K_mul, compute_of(as), 2, (void *[]){mem[2] + N * w, mem[2], mem[2]},
                           (kt_dtype[]){as, as, as}, N);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                plan_dense(&p, KT_K_copy, compute_of(as), 1, (void *[]){mem[3], mem[2] + N * w}, (kt_dtype[]){to, as},
                           N);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                CHECK_MSG(memcmp(mem[0], mem[3], N * size_of_dtype(to)) == 0, "%s as %s into %s", kt_dtype_name(is),
                          kt_dtype_name(as), kt_dtype_name(to));
            }
}

/* The output is an input. */
TEST(in_place)
{
    for (int m = 0; m < NUM_MIXES; m++) {
        const kt_dtype d = mixes[m][0];
        const int64_t  n = 2000;
        kt_plan        p;
        start(&p, KT_K_mul, 2, d, d, d);
        plan_shape(&p, 1, &n);
        p.contiguous = 1;
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        memcpy(mem[3], mem[0], ROOM);
        p.arg[0].data = mem[1];
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_MSG(memcmp(mem[1], mem[3], (size_t)n * size_of_dtype(d)) == 0, "in place in %s", kt_dtype_name(d));
    }
}

TEST(one_thread_and_two)
{
    enum { N = 300007 };
    static const kt_dtype types[] = {KT_F32, KT_BF16, KT_I64, KT_C64};
    const int             threads = kt_get_num_threads();
    char                 *big[4];
    for (int i = 0; i < 4; i++)
        big[i] = calloc(N, 8);
    REQUIRE(big[0] && big[1] && big[2] && big[3]);
    for (int t = 0; t < 4; t++) {
        const kt_dtype d = types[t];
        fill_random(big[2], d, N), fill_random(big[3], d, N);
        for (int run = 0; run < 2; run++)
            for (int strided = 0; strided < 2; strided++) {
                kt_plan p;
                plan_dense(&p, KT_K_mul, compute_of(d), 2, (void *[]){big[run], big[2], big[3]}, (kt_dtype[]){d, d, d},
                           N);
                if (strided) {
                    const int64_t w = (int64_t)size_of_dtype(d);
                    plan_shape(&p, 2, (int64_t[]){547, 547});
                    p.stride[1][0] = w, p.stride[1][1] = 547 * w;
                }
                kt_set_num_threads(run + 1);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
            }
        CHECK_MSG(memcmp(big[0], big[1], N * size_of_dtype(d)) == 0, "threads disagree in %s", kt_dtype_name(d));
    }
    kt_set_num_threads(threads);
    for (int i = 0; i < 4; i++)
        free(big[i]);
}
