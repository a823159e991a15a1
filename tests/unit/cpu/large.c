/* large.c - results that are written in other ways than small ones (cpu/write.h): the same bytes as of many small calls, on
 * every build, aligned or not, with operands of any stride; nothing beyond them is touched. */
#include "plans.h"

enum { FETCHED = 300 * 1000 + 7, PAST = 6 * 1000 * 1000 + 7, SLICE = 1000, MARGIN = 256 };
static char *result, *again, *left, *right;

static bool room(void)
{
    result = malloc((size_t)PAST * 8 + MARGIN), again = malloc((size_t)PAST * 8 + MARGIN);
    left = malloc((size_t)PAST * 8), right = malloc((size_t)PAST * 8);
    return result != NULL && again != NULL && left != NULL && right != NULL;
}

static void no_room(void) { free(result), free(again), free(left), free(right); }

/* Random elements, repeated: drawing millions takes longer than what is tested. */
static void fill_repeated(char *to, kt_dtype dtype, int64_t n)
{
    enum { DRAWN = 4099 };
    const int64_t width = (int64_t)size_of_dtype(dtype);
    fill_random(to, dtype, DRAWN);
    for (int64_t done = DRAWN; done < n; done += DRAWN)
        memcpy(to + done * width, to, (size_t)((n - done < DRAWN ? n - done : DRAWN) * width));
}

/* The plan as it is, and in slices that are too small for anything but plain stores. */
static void check(const char *name, kt_plan *p, int64_t shift)
{
    const int64_t width = (int64_t)size_of_dtype(p->arg[0].is), n = p->numel, bytes = n * width + MARGIN;
    p->arg[0].data = again + shift * width;
    memset(again, 0x77, (size_t)bytes);
    for (int64_t done = 0; done < n; done += SLICE) {
        kt_plan slice = *p;
        slice.numel = slice.size[0] = n - done < SLICE ? n - done : SLICE;
        for (int i = 0; i < p->n_in + 1; i++)
            slice.arg[i].data += done * p->stride[i][0];
        CHECK_EQ_INT(run_plan(&slice), KT_OK);
    }
    p->arg[0].data = result + shift * width;
    for (int b = 0; b < num_builds(); b++) {
        if (!can_run(b))
            continue;
        memset(result, 0x77, (size_t)bytes);
        CHECK_EQ_INT(kt__cpu_run_with(&kt__cpu_builds[b], p), KT_OK);
        CHECK_MSG(memcmp(result, again, (size_t)bytes) == 0, "%s of %lld, shifted by %lld, %s", name, (long long)n,
                  (long long)shift, kt__cpu_builds[b].name);
    }
}

TEST(casts)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_I64}, {KT_I64, KT_F32}, {KT_BF16, KT_F32}, {KT_F64, KT_F16}};
    REQUIRE(room());
    for (int i = 0; i < 4; i++)
        for (int large = 0; large < 2; large++)
            for (int64_t shift = 0; shift < 2; shift++) {
                kt_plan p;
                plan_dense(&p, KT_K_copy, compute_of(pairs[i][0]), 1, (void *[]){result, left},
                           (kt_dtype[]){pairs[i][1], pairs[i][0]}, large ? PAST : FETCHED);
                fill_repeated(left, pairs[i][0], p.numel);
                check("cast", &p, shift);
            }
    no_room();
}

TEST(additions)
{
    static const struct addition { kt_dtype to, a, b; kt_compute in; } sums[] = {
        {KT_F32, KT_F32, KT_BF16, KT_IN_F32}, {KT_BF16, KT_BF16, KT_BF16, KT_IN_F32}, {KT_I64, KT_I64, KT_I8, KT_IN_I64}};
    REQUIRE(room());
    for (int i = 0; i < 3; i++)
        for (int large = 0; large < 2; large++)
            for (int turned = 0; turned < 2; turned++) {
                const struct addition *s = &sums[i];
                const int64_t          n = large ? PAST : FETCHED, width = (int64_t)size_of_dtype(s->b);
                kt_plan                p;
                plan_dense(&p, KT_K_add, s->in, 2, (void *[]){result, left, right}, (kt_dtype[]){s->to, s->a, s->b}, n);
                if (turned)
                    p.arg[2].data += (n - 1) * width, p.stride[2][0] = -width;
                fill_repeated(left, s->a, n), fill_repeated(right, s->b, n);
                check(turned ? "addition from the end" : "addition", &p, turned);
            }
    no_room();
}

TEST(a_zero_divisor_far_in)
{
    kt_plan p;
    REQUIRE(room());
    plan_dense(&p, KT_K_div_floor, KT_IN_I64, 2, (void *[]){result, left, right}, (kt_dtype[]){KT_I64, KT_I64, KT_I64}, PAST);
    int64_t *divisors = (int64_t *)(void *)right;
    memset(left, 1, (size_t)PAST * 8);
    for (int64_t i = 0; i < PAST; i++)
        divisors[i] = 3;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_EQ_INT(((int64_t *)(void *)result)[PAST - 1], 0x0101010101010101 / 3);
    divisors[PAST - 9] = 0;
    CHECK_EQ_INT(run_plan(&p), KT_ERR_RUNTIME);
    kt_clear();
    no_room();
}

/* Functions are split among threads long before additions are. */
TEST(functions)
{
    static const struct function { int kernel; kt_dtype dtype; } calls[] = {
        {KT_K_exp, KT_F32},  {KT_K_exp, KT_F64},   {KT_K_exp, KT_C64},  {KT_K_sin, KT_F32},
        {KT_K_tanh, KT_F16}, {KT_K_gelu, KT_BF16}, {KT_K_pow, KT_BF16}, {KT_K_leaky_relu, KT_F32}};
    const int before = kt_get_num_threads();
    REQUIRE(room());
    kt_set_num_threads(3);
    for (int i = 0; i < 8; i++)
        for (int64_t n = 4000; n < 40000; n += 6001) {
            const kt_dtype dtype = calls[i].dtype;
            const int      n_in = calls[i].kernel == KT_K_pow ? 2 : 1;
            kt_plan        p;
            plan_dense(&p, calls[i].kernel, compute_of(dtype), n_in, (void *[]){result, left, right},
                       (kt_dtype[]){dtype, dtype, dtype}, n);
            plan_param(&p, KT_FLOAT(0.25));
            fill_repeated(left, dtype, n), fill_repeated(right, dtype, n);
            check("function", &p, 1);
        }
    kt_set_num_threads(before);
    no_room();
}
