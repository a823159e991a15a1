/* lookup.c - rows that are looked up: each of the 65,536 results has the bits of the computed loop, every layout reads the same
 * table, products with a factor of the table are those of the loop, and a table is made when it pays, once, and not without
 * memory. */
#include "plans.h"

#include "cpu/lookup.h"

#include <pthread.h>

enum { INPUTS = KT__LOOKUP_INPUTS, ALL = KT__LOOKUP_PAYS };
_Static_assert(ALL == 2 * INPUTS, "a call over every input twice makes the table");

static const kt_dtype dtypes[] = {KT_BF16, KT_F16};
static uint16_t       in[ALL], out[ALL], want[ALL];

/* The rows of the tables that have a lookup. */
static const struct { kt_kernel_id kernel; const char *name; } rows[] = {
#define UN(name, ...) {KT_K_##name, #name},
#define BIN(...)
#define TER(...)
#include "tables/kernels/elementwise.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_input(void)
{
    for (int i = 0; i < ALL; i++)
        in[i] = (uint16_t)i;
}

static void plan_of(kt_plan *p, kt_kernel_id kernel, kt_dtype d, void *to, void *from, int64_t n)
{
    plan_dense(p, (int)kernel, KT_IN_F32, 1, (void *[]){to, from}, (kt_dtype[]){d, d}, n);
    if (kernel == KT_K_elu)
        plan_param(p, KT_FLOAT(1)), plan_param(p, KT_FLOAT(1)), plan_param(p, KT_FLOAT(1));
    if (kernel == KT_K_softplus)
        plan_param(p, KT_FLOAT(1)), plan_param(p, KT_FLOAT(20));
    if (kernel == KT_K_logit)
        plan_param(p, KT_FLOAT(0)), plan_param(p, KT_INT(0));
    if (kernel == KT_K_polygamma)
        plan_param(p, KT_INT(1));
}

static const kt__cpu_build *build_in_use(void)
{
    for (int b = 0; b < num_builds(); b++)
        if (strcmp(kt__cpu_builds[b].name, kt_cpu_isa()) == 0)
            return &kt__cpu_builds[b];
    return NULL;
}

/* What the loops compute, without a table. */
static void compute(kt_kernel_id kernel, kt_dtype d)
{
    kt_plan p;
    plan_of(&p, kernel, d, want, in, ALL);
    CHECK_EQ_INT(kt__cpu_run_with(build_in_use(), &p), KT_OK);
}

static uint32_t *entries_of(kt_kernel_id kernel, kt_dtype d)
{
    kt_plan p;
    plan_of(&p, kernel, d, out, in, ALL);
    return kt__lookup_entries(&p);
}

static bool has_table(kt_kernel_id kernel, kt_dtype d) { return entries_of(kernel, d) != NULL; }

/* The table of a row, made if it is not there yet. */
static uint32_t *table_of(kt_kernel_id kernel, kt_dtype d)
{
    static uint16_t to[ALL], from[ALL];
    kt_plan         p;
    plan_of(&p, kernel, d, to, from, ALL);
    for (int i = 0; i < 2 && !has_table(kernel, d); i++)
        run_plan(&p);
    return entries_of(kernel, d);
}

/* Rows that the build in use calculates faster than it looks them up have no table. */
static bool is_looked_up(kt_kernel_id kernel, kt_dtype d)
{
    kt_plan p;
    plan_of(&p, kernel, d, out, in, ALL);
    return kt__lookup_serves(kernel) && !build_in_use()->type[KT_IN_F32]->takes_halves(&p);
}

/* A row that no test before this one uses. */
TEST(small_calls_make_no_table_before_it_pays)
{
    const kt_kernel_id kernel = KT_K_sinc;
    const int          n = 1000, calls = (KT__LOOKUP_PAYS - 1) / n;
    kt_plan            p;
    every_input(), compute(kernel, KT_F16);
    for (int i = 0; i <= calls; i++) {
        CHECK(!has_table(kernel, KT_F16));
        plan_of(&p, kernel, KT_F16, out + i * n % INPUTS, in + i * n % INPUTS, n);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
    }
    CHECK(has_table(kernel, KT_F16) && !has_table(kernel, KT_BF16));
    CHECK_MEM(out, want, sizeof out[0] * n);
    plan_of(&p, kernel, KT_BF16, out, in, KT__LOOKUP_LEAST - 1); /* calls as short as this are computed, and do not count */
    for (int i = 0; i < 2 * KT__LOOKUP_PAYS / KT__LOOKUP_LEAST; i++)
        run_plan(&p);
    CHECK(!has_table(kernel, KT_BF16));
}

TEST(without_memory_the_row_computes)
{
    const kt_kernel_id kernel = KT_K_i1;
    kt_plan            p;
    every_input(), compute(kernel, KT_BF16);
    plan_of(&p, kernel, KT_BF16, out, in, ALL);
    memset(out, 0, sizeof out);
    kt_memory_fail_after(0);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    kt_memory_fail_after(-1);
    CHECK(!has_table(kernel, KT_BF16));
    CHECK_MEM(out, want, sizeof out);
    memset(out, 0, sizeof out);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK(has_table(kernel, KT_BF16));
    CHECK_MEM(out, want, sizeof out);
}

/* Threads that begin together, each with memory of its own: one makes the table, the others compute or look up. */
enum { THREADS = 6, CALLS = 40, PIECE = 16384 };
static uint16_t          made[THREADS][PIECE];
static pthread_barrier_t together;
static const kt_kernel_id contended[] = {KT_K_lgamma, KT_K_digamma, KT_K_asinh};

static void *run_thread(void *arg)
{
    uint16_t *mine = arg;
    for (int k = 0; k < 3; k++) {
        kt_plan p;
        plan_of(&p, contended[k], KT_F16, mine, in + INPUTS / 4, PIECE);
        pthread_barrier_wait(&together);
        for (int i = 0; i < CALLS; i++)
            run_plan(&p);
        pthread_barrier_wait(&together);
    }
    return NULL;
}

TEST(threads_that_make_a_table_at_once)
{
    pthread_t thread[THREADS];
    every_input();
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (int t = 0; t < THREADS; t++)
        REQUIRE(pthread_create(&thread[t], NULL, run_thread, made[t]) == 0);
    for (int k = 0; k < 3; k++) {
        compute(contended[k], KT_F16);
        pthread_barrier_wait(&together);
        pthread_barrier_wait(&together);
        CHECK(has_table(contended[k], KT_F16));
        for (int t = 0; t < THREADS; t++)
            CHECK_MEM(made[t], want + INPUTS / 4, sizeof made[t]);
        memset(made, 0, sizeof made);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&together);
}

/* The table is made in the first run and read in the second; a result that is changed there comes out. */
static void check_row(kt_kernel_id kernel, const char *name, kt_dtype d)
{
    kt_plan p;
    compute(kernel, d);
    plan_of(&p, kernel, d, out, in, ALL);
    for (int run = 0; run < 2; run++) {
        memset(out, 0, sizeof out);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_MSG(memcmp(out, want, sizeof out) == 0, "%s %s: a result that is looked up differs", name, kt_dtype_name(d));
    }
    uint32_t *result = entries_of(kernel, d);
    if (!CHECK_MSG(result != NULL, "%s %s: no table", name, kt_dtype_name(d)))
        return;
    const uint32_t was = result[0x3c01];
    result[0x3c01] ^= 0x1555;
    run_plan(&p);
    CHECK_MSG(out[0x3c01] == (was ^ 0x1555), "%s %s: the table is not read", name, kt_dtype_name(d));
    result[0x3c01] = was;
}

TEST(every_result_of_every_row)
{
    int served = 0;
    every_input();
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 2; k++)
            if (is_looked_up(rows[r].kernel, dtypes[k]))
                check_row(rows[r].kernel, rows[r].name, dtypes[k]), served++;
    CHECK_MSG(served >= 2 * 30, "only %d tables", served);
    CHECK(!kt__lookup_serves(KT_K_neg) && !kt__lookup_serves(KT_K_pow) && !kt__lookup_serves(KT_K_copy));
}

/* Other builds compute what the table holds. Their NaNs may have another sign or payload. */
TEST(every_build_computes_the_table)
{
    every_input();
    for (int b = 0; b < num_builds(); b++)
        for (int r = 0; r < ROWS && can_run(b); r++)
            for (int k = 0; k < 2; k++) {
                if (!is_looked_up(rows[r].kernel, dtypes[k]))
                    continue;
                const uint32_t *result = table_of(rows[r].kernel, dtypes[k]);
                kt_plan         p;
                int             bad = -1;
                plan_of(&p, rows[r].kernel, dtypes[k], out, in, INPUTS);
                REQUIRE(result != NULL && kt__cpu_run_with(&kt__cpu_builds[b], &p) == KT_OK);
                for (int i = 0; i < INPUTS && bad < 0; i++) {
                    const uint16_t held = (uint16_t)result[i];
                    if (out[i] != held && !(isnan(get_real(&out[i], 0, dtypes[k])) && isnan(get_real(&held, 0, dtypes[k]))))
                        bad = i;
                }
                CHECK_MSG(bad < 0, "%s %s: %s differs at %x", rows[r].name, kt_dtype_name(dtypes[k]),
                          kt__cpu_builds[b].name, bad);
            }
}

/* ---- layouts ---- */
static uint16_t sinh_of(int bits) { return (uint16_t)table_of(KT_K_sinh, KT_BF16)[(uint16_t)bits]; }

static void draw(void)
{
    for (int i = 0; i < ALL; i++)
        in[i] = (uint16_t)test_random();
    memset(out, 0x55, sizeof out);
    sinh_of(0); /* from here on it is looked up */
}

TEST(lengths_and_places)
{
    for (int n = KT__LOOKUP_LEAST; n < KT__LOOKUP_LEAST + 70; n++) {
        const int from = (int)test_below(40), to = (int)test_below(40);
        kt_plan   p;
        draw();
        plan_of(&p, KT_K_sinh, KT_BF16, out + to, in + from, n);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        bool same = out[to + n] == 0x5555 && (to == 0 || out[to - 1] == 0x5555);
        for (int i = 0; i < n; i++)
            same &= out[to + i] == sinh_of(in[from + i]);
        CHECK_MSG(same, "%d elements, %d to %d", n, from, to);
    }
}

TEST(in_place)
{
    kt_plan p;
    draw();
    memcpy(want, in, sizeof in);
    plan_of(&p, KT_K_sinh, KT_BF16, in, in, ALL);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    bool same = true;
    for (int i = 0; i < ALL; i++)
        same &= in[i] == sinh_of(want[i]);
    CHECK(same);
}

/* A matrix whose rows are apart, read along its columns; then a row that is broadcast. */
TEST(strides)
{
    enum { M = 37, N = 90 };
    kt_plan p;
    for (int how = 0; how < 2; how++) {
        bool same = true;
        draw();
        plan_of(&p, KT_K_sinh, KT_BF16, out, in, M * N);
        plan_shape(&p, 2, (int64_t[]){M, N});
        p.stride[0][0] = 2 * (N + 3);
        p.stride[1][0] = how == 0 ? 4 : 0, p.stride[1][1] = how == 0 ? 4 * M : 2;
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                same &= out[i * (N + 3) + j] == sinh_of(in[how == 0 ? 2 * i + 2 * M * j : j]);
        CHECK_MSG(same && out[N] == 0x5555, "%s", how == 0 ? "columns" : "broadcast");
    }
}

/* A row has a table for each of a few sets of parameters; beyond those it computes. */
TEST(parameters)
{
    static const double beta[] = {1, -1, 2, 0.0, -0.0, 3, 0.5, 1.5};
    int                 tables = 0;
    every_input();
    for (int k = 0; k < 8; k++) {
        kt_plan p, q;
        plan_of(&p, KT_K_softplus, KT_F16, out, in, ALL);
        p.param[0] = KT_FLOAT(beta[k]);
        q = p, q.arg[0].data = (char *)want;
        for (int run = 0; run < 2; run++) {
            memset(out, 0, sizeof out);
            CHECK(run_plan(&p) == KT_OK && kt__cpu_run_with(build_in_use(), &q) == KT_OK);
            CHECK_MSG(memcmp(out, want, sizeof out) == 0, "beta %g", beta[k]);
        }
        tables += kt__lookup_entries(&p) != NULL;
    }
    CHECK_EQ_INT(tables, 4);
}

/* ---- a times a factor of b ---- */
static const struct { kt_kernel_id kernel; const char *name; double param[2]; int n_param; } products[] = {
    {KT_K_gelu_backward, "gelu_backward", {0, 0}, 0},
    {KT_K_gelu_tanh_backward, "gelu_tanh_backward", {0, 0}, 0},
    {KT_K_glu, "glu", {0, 0}, 0},
    {KT_K_mish_backward, "mish_backward", {0, 0}, 0},
    {KT_K_silu_backward, "silu_backward", {0, 0}, 0},
    {KT_K_softplus_backward, "softplus_backward", {1, 20}, 2},
    {KT_K_softplus_backward, "log_sigmoid_backward", {-1, INFINITY}, 2},
};
static uint16_t gradient[ALL];

static void plan_product(kt_plan *p, int k, kt_dtype d, void *to, int64_t n)
{
    plan_dense(p, (int)products[k].kernel, KT_IN_F32, 2, (void *[]){to, gradient, in}, (kt_dtype[]){d, d, d}, n);
    for (int i = 0; i < products[k].n_param; i++)
        plan_param(p, KT_FLOAT(products[k].param[i]));
}

static bool same_products(kt_dtype d, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (out[i] != want[i] && !(isnan(get_real(out, 2 * i, d)) && isnan(get_real(want, 2 * i, d))))
            return false;
    return true;
}

/* Every b, with gradients drawn from all there are, and with some that matter. */
TEST(products_with_a_factor)
{
    static const uint16_t some[] = {0, 0x8000, 1, 0x3c00, 0x3f80, 0xbf80, 0x7bff, 0x7c00, 0x7e00, 0x7f80, 0x7fc0, 0xffc1};
    enum { SOME = sizeof some / sizeof *some };
    every_input();
    for (int k = 0; k < (int)(sizeof products / sizeof *products); k++)
        for (int d = 0; d < 2; d++)
            for (int g = 0; g < SOME + 4; g++) {
                kt_plan p, q;
                for (int i = 0; i < ALL; i++)
                    gradient[i] = g < SOME ? some[g] : (uint16_t)test_random();
                plan_product(&p, k, dtypes[d], out, ALL - g);
                q = p, q.arg[0].data = (char *)want;
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                CHECK_EQ_INT(kt__cpu_run_with(build_in_use(), &q), KT_OK);
                CHECK_MSG(same_products(dtypes[d], ALL - g), "%s %s, gradient %d", products[k].name, kt_dtype_name(dtypes[d]), g);
                CHECK_MSG(kt__lookup_entries(&p) != NULL, "%s %s: no table", products[k].name, kt_dtype_name(dtypes[d]));
            }
}

/* A factor that is changed in the table comes out. */
TEST(products_read_the_table)
{
    for (int k = 0; k < (int)(sizeof products / sizeof *products); k++)
        for (int d = 0; d < 2; d++) {
            const float seven = 7;
            kt_plan     p;
            every_input();
            plan_product(&p, k, dtypes[d], out, ALL);
            run_plan(&p);
            uint32_t *entry = kt__lookup_entries(&p);
            REQUIRE(entry != NULL);
            const uint32_t was = entry[5];
            kt_scalar_store(&gradient[5], dtypes[d], KT_FLOAT(3));
            memcpy(&entry[5], &seven, sizeof seven);
            run_plan(&p);
            entry[5] = was;
            CHECK_NEAR(get_real(out, 10, dtypes[d]), 21, 0);
        }
}

/* In place, of a broadcast b, of a broadcast gradient; then rows apart, which are computed. */
TEST(layouts_of_products)
{
    for (int how = 0; how < 4; how++) {
        const int64_t n = 70000;
        kt_plan       p, q;
        draw();
        for (int i = 0; i < ALL; i++)
            gradient[i] = (uint16_t)test_random();
        plan_product(&p, 3, KT_BF16, out, ALL);
        run_plan(&p);
        REQUIRE(kt__lookup_entries(&p) != NULL);
        plan_product(&p, 3, KT_BF16, out, n);
        if (how == 1)
            p.stride[2][0] = 0;
        if (how == 2)
            p.stride[1][0] = 0;
        if (how == 3)
            plan_shape(&p, 2, (int64_t[]){700, 100}), p.stride[2][0] = 202;
        q = p, q.arg[0].data = (char *)want;
        if (how == 0)
            memcpy(out, gradient, sizeof out), p.arg[1].data = (char *)out;
        CHECK(run_plan(&p) == KT_OK && kt__cpu_run_with(build_in_use(), &q) == KT_OK);
        CHECK_MSG(same_products(KT_BF16, n), "layout %d", how);
        CHECK_EQ_INT(kt__lookup_entries(&p) != NULL, how != 3);
    }
}

/* A negated operand and a wider result are computed. */
TEST(what_is_not_in_the_table)
{
    static float wide[INPUTS];
    kt_plan      p;
    every_input();
    sinh_of(0);
    plan_of(&p, KT_K_sinh, KT_BF16, out, in, INPUTS);
    p.arg[1].bits = KT_BIT_NEG;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK(out[0x3f80] == sinh_of(0xbf80) && out[0xbf80] == sinh_of(0x3f80));
    plan_dense(&p, KT_K_sinh, KT_IN_F32, 1, (void *[]){wide, in}, (kt_dtype[]){KT_F32, KT_BF16}, INPUTS);
    p.arg[1].as = KT_F32;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_NEAR(wide[0x3f80], 1.175201194, 1e-6);
}
