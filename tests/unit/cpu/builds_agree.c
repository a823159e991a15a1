/* builds_agree.c - every build that this processor can run gives the bits of the first one: each kernel row in each
 * compute type over each dtype that has it, casts between all dtypes, sums, products. Odd lengths; strided,
 * broadcast and dense. */
#include "cpu/gemm/products.h"
#include "plans.h"

enum { N = 1531, ROOM = N * 16 * 3 };

static char in[3][ROOM], out[2][ROOM];

/* Wild bits, but not too wild for bool (0 or 1) and for divisors (not zero). */
static void fill_wild(char *p, kt_dtype d, int64_t n, bool divisor)
{
    const int64_t w = (int64_t)size_of_dtype(d);
    for (int64_t i = 0; i < n * w; i++)
        p[i] = (char)test_random();
    for (int64_t i = 0; i < n; i += 2)
        fill_random(p + i * w, d, 1);
    for (int64_t i = 0; i < n; i++) {
        if (d == KT_BOOL)
            p[i] = (char)(p[i] & 1);
        if (divisor && !is_float(d) && !is_complex(d) && get_real(p, i * w, d) == 0)
            kt_scalar_store(p + i * w, d, KT_INT(3));
    }
}

/* A NaN's sign and payload are the processor's own business where it makes one: compare NaNs as NaNs. */
static bool same_element(const char *a, const char *b, kt_dtype d)
{
    const int64_t w = (int64_t)size_of_dtype(d);
    if (memcmp(a, b, (size_t)w) == 0)
        return true;
    const double complex x = get_complex(a, 0, d), y = get_complex(b, 0, d);
    const bool           re = isnan(creal(x)) ? isnan(creal(y)) : creal(x) == creal(y),
               im = isnan(cimag(x)) ? isnan(cimag(y)) : cimag(x) == cimag(y);
    return re && im && (isnan(creal(x)) || isnan(cimag(x)));
}

/* Operand `which`, of so many bytes, as each build makes it. */
static void compare_operand(const kt_plan *p, int which, int64_t span, const char *what)
{
    kt_plan q = *p;
    memset(out[0], 0, sizeof out[0]);
    q.arg[which].data = out[0];
    if (!CHECK_MSG(kt__cpu_run_with(&kt__cpu_builds[0], &q) == KT_OK, "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    for (int b = 1; b < num_builds(); b++) {
        if (!can_run(b))
            continue;
        memset(out[1], 0, sizeof out[1]);
        q.arg[which].data = out[1];
        kt__cpu_run_with(&kt__cpu_builds[b], &q);
        const kt_dtype d = (kt_dtype)p->arg[which].is;
        const int64_t  w = (int64_t)size_of_dtype(d);
        int64_t        bad = -1;
        if (memcmp(out[0], out[1], (size_t)span) != 0)
            for (int64_t at = 0; at + w <= span && bad < 0; at += w)
                bad = same_element(out[0] + at, out[1] + at, d) ? -1 : at / w;
        const int64_t shown = bad < 0 ? 0 : bad * w;
        CHECK_MSG(bad < 0, "%s in %s, compute %d: %s differs from base at %lld (%g, %g)", what, kt_dtype_name(d),
                  p->compute, kt__cpu_builds[b].name, (long long)bad, get_real(out[0], shown, d),
                  get_real(out[1], shown, d));
    }
}

static void compare(const kt_plan *p, const char *what)
{
    const int64_t w = (int64_t)size_of_dtype((kt_dtype)p->arg[0].is);
    compare_operand(p, 0, p->stride[0][p->nd - 1] * (p->size[p->nd - 1] - 1) + w, what);
}

static void each_layout(int kernel, const char *name, int n_in)
{
    kt_backend *cpu = kt__cpu_backend();
    const bool  divides =
        kernel == KT_K_div_trunc || kernel == KT_K_div_floor || kernel == KT_K_fmod || kernel == KT_K_remainder;
    for (int k = 0; k < NUM_DTYPES; k++) {
        const kt_dtype d = every_dtype[k];
        const int64_t  w = (int64_t)size_of_dtype(d);
        if (!cpu->has(cpu, (kt_kernel_id)kernel, compute_of(d)))
            continue;
        for (int layout = 0; layout < 3; layout++) {
            kt_plan p;
            for (int i = 0; i < n_in; i++)
                fill_wild(in[i], d, N * 2, divides && i == 1);
            plan_dense(&p, kernel, compute_of(d), n_in, (void *[]){out[0], in[0], in[1], in[2]},
                       (kt_dtype[]){d, d, d, d}, N);
            plan_param(&p, KT_FLOAT(0.25)), plan_param(&p, KT_FLOAT(3)), plan_param(&p, KT_FLOAT(-2));
            if (layout == 1)
                p.stride[0][0] = 2 * w, p.stride[1][0] = 2 * w, p.contiguous = 0;
            if (layout == 2)
                p.stride[n_in][0] = 0;
            compare(&p, name);
        }
    }
}

TEST(elementwise)
{
#define UN(name, ...)  each_layout(KT_K_##name, #name, 1);
#define BIN(name, ...) each_layout(KT_K_##name, #name, 2);
#define TER(name, ...) each_layout(KT_K_##name, #name, 3);
#include "tables/kernels/elementwise.def"
}

/* Along a dense line, a strided one, and lines side by side. */
static void each_line(int kernel, const char *name, int n_in)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    static const int64_t  shapes[][2] = {{1, N}, {17, 90}, {3, 510}, {45, 34}, {23, 64}, {11, 128}, {1, 1504}};
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < 14; s++) {
            const kt_dtype d = floats[k];
            kt_plan        p;
            for (int i = 0; i < n_in; i++)
                fill_random(in[i], d, N);
            plan_dense(&p, kernel, compute_of(d), n_in, (void *[]){out[0], in[0], in[1]}, (kt_dtype[]){d, d, d}, N);
            plan_shape(&p, 2, shapes[s / 2]);
            for (int i = 0; s % 2 && i <= n_in; i++) { /* the outer dim becomes the line */
                const int64_t outer = p.stride[i][0];
                p.stride[i][0] = p.stride[i][1], p.stride[i][1] = outer;
            }
            if (s % 2)
                p.size[0] = shapes[s / 2][1], p.size[1] = shapes[s / 2][0];
            compare(&p, name);
        }
}

TEST(softmax)
{
    each_line(KT_K_softmax, "softmax", 1);
    each_line(KT_K_log_softmax, "log_softmax", 1);
    each_line(KT_K_softmax_backward, "softmax_backward", 2);
    each_line(KT_K_log_softmax_backward, "log_softmax_backward", 2);
}

/* Rows with and without an end that fills no vector: the result, then the gradients of the weights. */
static void each_norm(kt_dtype d, int64_t rows, int64_t n)
{
    static char    room[5][ROOM];
    const int64_t  w = (int64_t)size_of_dtype(d), shape[] = {rows, n};
    const kt_dtype wide = d == KT_F64 ? KT_F64 : KT_F32;
    kt_plan        p;
    fill_random(in[0], d, rows * n), fill_random(in[1], d, rows * n), fill_random(in[2], d, n);
    plan_dense(&p, KT_K_layer_norm, compute_of(d), 5, (void *[]){out[0], room[0], room[1], in[0], in[2], in[2]},
               (kt_dtype[]){d, wide, wide, d, d, d}, rows * n);
    p.n_out = 3, p.n_in = 3;
    plan_param(&p, KT_FLOAT(1e-5)), plan_param(&p, KT_INT(63)), plan_param(&p, KT_INT(0));
    plan_shape(&p, 2, shape);
    for (int i = 1; i <= 2; i++)
        p.stride[i][0] = (int64_t)size_of_dtype(wide), p.stride[i][1] = 0;
    for (int i = 4; i <= 5; i++)
        p.stride[i][0] = 0, p.stride[i][1] = w;
    compare(&p, "layer_norm");
    for (int which = 0; which < 3; which++) {
        /* result, of_weight, of_bias, grad, x, mean, rstd, weight; `which` is compared, the others go aside */
        plan_dense(&p, KT_K_layer_norm_backward, compute_of(d), 7,
                   (void *[]){room[2], room[3], room[4], in[1], in[0], room[0], room[1], in[2]},
                   (kt_dtype[]){d, d, d, d, d, wide, wide, d}, rows * n);
        p.n_out = 3, p.n_in = 5;
        plan_param(&p, KT_FLOAT(0)), plan_param(&p, KT_INT(255)), plan_param(&p, KT_INT(0));
        plan_shape(&p, 2, shape);
        for (int i = 1; i <= 2; i++)
            p.stride[i][0] = 0, p.stride[i][1] = w;
        for (int i = 5; i <= 6; i++)
            p.stride[i][0] = (int64_t)size_of_dtype(wide), p.stride[i][1] = 0;
        p.stride[7][0] = 0, p.stride[7][1] = w;
        compare_operand(&p, which, which ? n * w : rows * n * w, "layer_norm_backward");
    }
}

TEST(norms)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    for (int k = 0; k < 4; k++)
        each_norm(floats[k], 3, 510), each_norm(floats[k], 70, 21), each_norm(floats[k], 11, 128), each_norm(floats[k], 1, N);
}

TEST(casts)
{
    for (int i = 0; i < NUM_DTYPES; i++)
        for (int j = 0; j < NUM_DTYPES; j++) {
            kt_plan p;
            fill_wild(in[0], every_dtype[i], N, false);
            plan_dense(&p, KT_K_copy, compute_of(every_dtype[i]), 1, (void *[]){out[0], in[0]},
                       (kt_dtype[]){every_dtype[j], every_dtype[i]}, N);
            compare(&p, kt_dtype_name(every_dtype[i]));
        }
}

/* Operands of one dtype, seen as another, calculated in the second's type. */
TEST(fused_casts)
{
    for (int i = 0; i < NUM_DTYPES; i++)
        for (int j = 0; j < NUM_DTYPES; j++) {
            const kt_dtype is = every_dtype[i], as = every_dtype[j];
            kt_plan        p;
            fill_wild(in[0], is, N, false), fill_wild(in[1], is, N, false);
            plan_dense(&p, KT_K_mul, compute_of(as), 2, (void *[]){out[0], in[0], in[1]}, (kt_dtype[]){as, is, is}, N);
            p.arg[1].as = p.arg[2].as = (uint8_t)as;
            compare(&p, "fused");
        }
}

TEST(sums_and_products)
{
    for (int k = 0; k < NUM_DTYPES; k++) {
        const kt_dtype d = every_dtype[k];
        kt_plan        p;
        fill_random(in[0], d, N), fill_random(in[1], d, N);
        plan_dense(&p, KT_K_sum, compute_of(d), 1, (void *[]){out[0], in[0]}, (kt_dtype[]){d, d}, N);
        p.stride[0][0] = 0, p.contiguous = 0;
        compare(&p, "sum");
        plan_dense(&p, KT_K_matmul, compute_of(d), 2, (void *[]){out[0], in[0], in[1]}, (kt_dtype[]){d, d, d}, N);
        const int64_t m = 19, n = 37, depth = 41, w = (int64_t)size_of_dtype(d);
        plan_shape(&p, 3, (int64_t[]){m, n, depth});
        memcpy(p.stride[0], (int64_t[]){n * w, w, 0}, 24), memcpy(p.stride[1], (int64_t[]){depth * w, 0, w}, 24);
        memcpy(p.stride[2], (int64_t[]){0, w, n * w}, 24);
        kt__product_choose(KT__MAKER_OWN); /* tiles of packed panels have bits of their own */
        compare(&p, "matmul");
        kt__product_choose(KT__MAKER_AUTO);
    }
}
