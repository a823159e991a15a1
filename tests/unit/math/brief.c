/* brief.c - bfloat16s of the rows that have a form of their own (math/f32/brief.h): each of 65,536 results is that of float32,
 * rounded; whatever stands beside it, in rows of any length, and in place. */
#include "unit/cpu/plans.h"

enum { INPUTS = 1 << 16, GROUP = 32 };
static uint16_t in[INPUTS * GROUP], out[INPUTS * GROUP], want[INPUTS];

static const struct { kt_kernel_id kernel; const char *name; } rows[] = {
    {KT_K_exp, "exp"},         {KT_K_exp2, "exp2"}, {KT_K_gelu, "gelu"},
    {KT_K_sigmoid, "sigmoid"}, {KT_K_silu, "silu"}, {KT_K_tanh, "tanh"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void run(int build, kt_kernel_id kernel, kt_dtype dtype, void *to, void *from, int64_t n)
{
    kt_plan p;
    plan_dense(&p, (int)kernel, KT_IN_F32, 1, (void *[]){to, from}, (kt_dtype[]){dtype, dtype}, n);
    CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[build], &p), KT_OK);
}

/* By way of float32. */
static void find_wanted(int build, kt_kernel_id kernel)
{
    static float x[INPUTS], y[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        x[i] = kt__decode_BF16((uint16_t)i);
    run(build, kernel, KT_F32, y, x, INPUTS);
    for (int i = 0; i < INPUTS; i++)
        want[i] = kt__encode_f32_BF16(y[i]);
}

static bool equal(uint16_t a, uint16_t b)
{
    const bool a_nan = (a & 0x7fff) > 0x7f80, b_nan = (b & 0x7fff) > 0x7f80;
    return a_nan || b_nan ? a_nan && b_nan : a == b;
}

static void compare(const char *name, int build, const uint16_t *operand, const uint16_t *got, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!equal(got[i], want[operand[i]])) {
            CHECK_MSG(false, "%s of %04x is %04x, not %04x (%s)", name, operand[i], got[i], want[operand[i]],
                      kt__cpu_builds[build].name);
            return;
        }
}

/* A whole group of each operand: none goes through float32 because of another one. */
TEST(every_operand)
{
    for (int i = 0; i < INPUTS * GROUP; i++)
        in[i] = (uint16_t)(i / GROUP);
    for (int b = 0; b < num_builds(); b++)
        for (int r = 0; r < ROWS && can_run(b); r++) {
            find_wanted(b, rows[r].kernel);
            run(b, rows[r].kernel, KT_BF16, out, in, INPUTS * GROUP);
            compare(rows[r].name, b, in, out, INPUTS * GROUP);
        }
}

/* Groups that have an operand beyond the form's reach beside others that have none; the ends of rows; results over operands. */
TEST(among_others)
{
    static uint16_t operand[1000];
    for (int b = 0; b < num_builds(); b++)
        for (int r = 0; r < ROWS && can_run(b); r++) {
            find_wanted(b, rows[r].kernel);
            for (int round = 0; round < 300; round++) {
                const int n = 1 + (int)test_below(1000), far = (int)test_below(3) * 20;
                for (int i = 0; i < n; i++) {
                    const uint64_t near = 0x3800 + test_below(0x800) + 0x8000 * test_below(2);
                    operand[i] = (uint16_t)(test_below(100) < (uint64_t)far ? test_random() : near);
                }
                uint16_t *at = out + test_below(GROUP);
                memcpy(at, operand, (size_t)n * sizeof *operand);
                at[n] = 0x1234;
                run(b, rows[r].kernel, KT_BF16, at, at, n);
                compare(rows[r].name, b, operand, at, n);
                CHECK_EQ_INT(at[n], 0x1234);
            }
        }
}
