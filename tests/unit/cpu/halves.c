/* halves.c - rows of loop HALVES over dense 16-bit floats (cpu/isa/halves.inc.c): their results have the bits of those that go by
 * way of float32, in every build; with a number in place of an operand, in rows of any length, in place, on several threads. */
#include "plans.h"

enum { MOST = 3 * KT__GRAIN };
static const kt_dtype dtypes[] = {KT_BF16, KT_F16};
static uint16_t       in[3][MOST], out[MOST + 1], want[MOST];
static float          wide[3][MOST], result[MOST];

static const struct { kt_kernel_id kernel; const char *name, *loop; int n_in; } rows[] = {
#define UN(name, loop, ...)  {KT_K_##name, #name, #loop, 1},
#define BIN(name, loop, ...) {KT_K_##name, #name, #loop, 2},
#define TER(name, loop, ...) {KT_K_##name, #name, #loop, 3},
#include "tables/kernels/elementwise.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static float decoded(uint16_t x, kt_dtype d) { return d == KT_BF16 ? kt__decode_BF16(x) : kt__decode_F16(x); }
static uint16_t encoded(float x, kt_dtype d) { return d == KT_BF16 ? kt__encode_f32_BF16(x) : kt__encode_f32_F16(x); }
static bool     is_nan(uint16_t x, kt_dtype d) { return isnan(decoded(x, d)); }

/* Numbers of every size, ordinary ones, and few NaNs: a row of a hundred has one now and then. */
static void draw(kt_dtype d)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < MOST; i++) {
            const float ordinary = (float)((int64_t)test_below(2001) - 1000) / 256;
            in[k][i] = test_below(3) ? encoded(ordinary, d) : (uint16_t)test_random();
            if (is_nan(in[k][i], d) && test_below(50))
                in[k][i] = encoded(1, d);
        }
}

static void params(kt_plan *p)
{
    plan_param(p, KT_FLOAT(-0.75)), plan_param(p, KT_FLOAT(1.5)), plan_param(p, KT_FLOAT(0.25));
}

/* The operand in place of which there is the number, or -1. As immediate, or as an element that does not move. */
static void run_row(int build, int row, kt_dtype d, uint16_t *to, int64_t n, int number, bool immediate)
{
    const int n_in = rows[row].n_in;
    kt_plan   p;
    plan_dense(&p, (int)rows[row].kernel, KT_IN_F32, n_in, (void *[]){to, in[0], in[1], in[2]}, (kt_dtype[]){d, d, d, d}, n);
    params(&p);
    if (number >= 0 && immediate) {
        p.arg[number + 1].data = NULL, p.arg[number + 1].immediate = 1;
        memcpy(p.imm[number + 1].bytes, &in[number][0], sizeof in[number][0]);
    }
    if (number >= 0)
        p.stride[number + 1][0] = 0;
    CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[build], &p), KT_OK);
}

/* p3 tells a row which float its result is: it is that of the result in float32, too, where `as` says so. */
static void find_wanted(int build, int row, kt_dtype d, int64_t n, int number)
{
    kt_plan p;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            wide[k][i] = decoded(in[k][number == k ? 0 : i], d);
    plan_dense(&p, (int)rows[row].kernel, KT_IN_F32, rows[row].n_in, (void *[]){result, wide[0], wide[1], wide[2]},
               (kt_dtype[]){KT_F32, KT_F32, KT_F32, KT_F32}, n);
    params(&p);
    p.arg[0].as = (uint8_t)d;
    CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[build], &p), KT_OK);
    for (int i = 0; i < n; i++)
        want[i] = encoded(result[i], d);
}

static void compare(int build, int row, kt_dtype d, const uint16_t *got, int64_t n)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i] && !(is_nan(got[i], d) && is_nan(want[i], d))) {
            CHECK_MSG(false, "%s %s of %04x, %04x, %04x is %04x, not %04x (%s, %d of %d)", rows[row].name, kt_dtype_name(d),
                      in[0][i], in[1][i], in[2][i], got[i], want[i], kt__cpu_builds[build].name, i, (int)n);
            return;
        }
}

static void each_row(void (*check)(int build, int row, kt_dtype d))
{
    int checked = 0;
    for (int b = 0; b < num_builds(); b++)
        for (int r = 0; r < ROWS && can_run(b); r++)
            for (int k = 0; k < 2 && strcmp(rows[r].loop, "HALVES") == 0; k++, checked++)
                check(b, r, dtypes[k]);
    CHECK_MSG(checked >= 2 * 20, "only %d rows", checked);
}

static void check_lengths(int build, int row, kt_dtype d)
{
    draw(d);
    for (int round = 0; round < 12; round++) {
        const int64_t n = round < 8 ? 1 + (int64_t)test_below(200) : 1 + (int64_t)test_below(5000);
        find_wanted(build, row, d, n, -1);
        out[n] = 0x1234;
        run_row(build, row, d, out, n, -1, false);
        compare(build, row, d, out, n);
        CHECK_EQ_INT(out[n], 0x1234);
    }
}
TEST(lengths) { each_row(check_lengths); }

static void check_numbers(int build, int row, kt_dtype d)
{
    for (int number = 0; number < rows[row].n_in; number++)
        for (int immediate = 0; immediate < 2; immediate++) {
            draw(d);
            in[number][0] = encoded(test_below(4) ? 0.3f : NAN, d);
            find_wanted(build, row, d, 1000, number);
            run_row(build, row, d, out, 1000, number, immediate != 0);
            compare(build, row, d, out, 1000);
        }
}
TEST(numbers) { each_row(check_numbers); }

static void check_in_place(int build, int row, kt_dtype d)
{
    draw(d);
    find_wanted(build, row, d, 1001, -1);
    run_row(build, row, d, in[0], 1001, -1, false);
    compare(build, row, d, in[0], 1001);
}
TEST(in_place) { each_row(check_in_place); }

static void check_threads(int build, int row, kt_dtype d)
{
    if (build != num_builds() - 1 && can_run(build + 1))
        return;
    draw(d);
    find_wanted(build, row, d, MOST, -1);
    run_row(build, row, d, out, MOST, -1, false);
    compare(build, row, d, out, MOST);
}
TEST(threads)
{
    kt_set_num_threads(3);
    each_row(check_threads);
    kt_set_num_threads(1);
}

/* A row of the table that has such a loop does not go through tiles: else the tests above test nothing. */
TEST(rows_that_take_halves)
{
    for (int b = 0; b < num_builds(); b++) {
        kt_plan p;
        plan_dense(&p, KT_K_add, KT_IN_F32, 2, (void *[]){out, in[0], in[1]}, (kt_dtype[]){KT_BF16, KT_BF16, KT_BF16}, 64);
        const bool takes = kt__cpu_builds[b].type[KT_IN_F32]->takes_halves(&p);
        CHECK_EQ_INT(takes, strcmp(kt__cpu_builds[b].name, "avx2") == 0 || strcmp(kt__cpu_builds[b].name, "avx512") == 0);
        p.arg[1].is = p.arg[1].as = KT_F16;
        CHECK(!kt__cpu_builds[b].type[KT_IN_F32]->takes_halves(&p));
        p.arg[1].is = p.arg[1].as = KT_BF16, p.stride[1][0] = 4;
        CHECK(!kt__cpu_builds[b].type[KT_IN_F32]->takes_halves(&p));
        p.stride[1][0] = 2, p.arg[2].bits = KT_BIT_NEG;
        CHECK(!kt__cpu_builds[b].type[KT_IN_F32]->takes_halves(&p));
    }
}
