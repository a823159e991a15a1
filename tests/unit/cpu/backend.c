/* backend.c - the CPU backend's vtable: memory, what exists, what is refused, which build runs. */
#include "plans.h"

TEST(vtable)
{
    kt_backend *cpu = kt__cpu_backend();
    CHECK_STR(cpu->name, "cpu");
    CHECK_EQ_INT(cpu->layout.abi, KT_BACKEND_ABI);
    CHECK_EQ_INT(cpu->layout.backend, sizeof *cpu);
    CHECK_EQ_INT(cpu->count(cpu), 1);
    CHECK(cpu->addressable && !cpu->stores_nothing);
    CHECK_EQ_INT(cpu->sync(cpu, 0), KT_OK);
    CHECK(kt__cpu_backend() == cpu);
}

TEST(memory)
{
    kt_backend *cpu = kt__cpu_backend();
    void       *data = NULL;
    size_t      granted = 0;
    REQUIRE(cpu->alloc(cpu, 0, 0, 1000, &data, &granted) == KT_OK);
    CHECK(data != NULL && granted >= 1000 && (uintptr_t)data % 64 == 0);
    char text[16] = "fifteen letters", back[16] = "";
    CHECK_EQ_INT(cpu->copy(cpu, &(kt_transfer){.to = data, .from = text, .bytes = sizeof text, .from_index = KT_HOST}), KT_OK);
    CHECK_EQ_INT(cpu->copy(cpu, &(kt_transfer){.to = back, .from = data, .bytes = sizeof back, .to_index = KT_HOST}), KT_OK);
    CHECK_STR(back, text);
    cpu->free(cpu, 0, data, granted);
    CHECK_FAILS(cpu->alloc(cpu, 0, 0, SIZE_MAX / 2, &data, &granted), KT_ERR_MEMORY, "");
}

TEST(has)
{
    kt_backend *cpu = kt__cpu_backend();
    CHECK(cpu->has(cpu, KT_K_add, KT_IN_F32) && cpu->has(cpu, KT_K_add, KT_IN_C128) &&
          cpu->has(cpu, KT_K_add, KT_IN_U64));
    CHECK(cpu->has(cpu, KT_K_bitwise_and, KT_IN_I32) && !cpu->has(cpu, KT_K_bitwise_and, KT_IN_F32));
    CHECK(cpu->has(cpu, KT_K_exp, KT_IN_C64) && !cpu->has(cpu, KT_K_exp, KT_IN_I64));
    CHECK(!cpu->has(cpu, KT_K_lt, KT_IN_C64) && !cpu->has(cpu, KT_K_none, KT_IN_F32));
    CHECK(!cpu->has(cpu, KT_K_add, (kt_compute)99) && !cpu->has(cpu, KT_K_end, KT_IN_F32));
    CHECK(cpu->has(cpu, KT_K_copy, KT_IN_F32) && cpu->has(cpu, KT_K_sum, KT_IN_I64) &&
          cpu->has(cpu, KT_K_matmul, KT_IN_F64));
}

TEST(refusals)
{
    float   x[4] = {1, 2, 3, 4}, z[4];
    kt_plan p;
    plan_dense(&p, KT_K_bitwise_and, KT_IN_F32, 2, (void *[]){z, x, x}, (kt_dtype[]){KT_F32, KT_F32, KT_F32}, 4);
    CHECK_FAILS(run_plan(&p), KT_ERR_NOT_IMPLEMENTED, "");
    p.kernel = KT_K_end;
    CHECK_FAILS(run_plan(&p), KT_ERR_NOT_IMPLEMENTED, "");
    p.kernel = KT_K_none;
    CHECK_FAILS(run_plan(&p), KT_ERR_NOT_IMPLEMENTED, "");
}

TEST(division_by_zero)
{
    static const kt_dtype ints[] = {KT_U8, KT_I8, KT_I16, KT_I32, KT_I64, KT_U16, KT_U32, KT_U64};
    static const int      kernels[] = {KT_K_div_trunc, KT_K_div_floor, KT_K_fmod, KT_K_remainder};
    enum { N = 100000 };
    char *a = calloc(N, 8), *b = calloc(N, 8), *z = calloc(N, 8);
    REQUIRE(a && b && z);
    for (size_t d = 0; d < sizeof ints / sizeof *ints; d++)
        for (size_t k = 0; k < 4; k++)
            for (int64_t n = 1; n <= N; n *= 10) {
                const kt_dtype t = ints[d];
                kt_plan        p;
                for (int64_t i = 0; i < n; i++)
                    kt_scalar_store(b + i * (int64_t)size_of_dtype(t), t, KT_INT(1 + i % 7));
                plan_dense(&p, kernels[k], compute_of(t), 2, (void *[]){z, a, b}, (kt_dtype[]){t, t, t}, n);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                kt_scalar_store(b + (n - 1) * (int64_t)size_of_dtype(t), t, KT_INT(0)); /* the last one */
                CHECK_FAILS(run_plan(&p), KT_ERR_RUNTIME, "ZeroDivisionError");
                p.arg[2].immediate = 1, p.arg[2].data = NULL, p.stride[2][0] = 0; /* an immediate zero */
                CHECK_FAILS(run_plan(&p), KT_ERR_RUNTIME, "ZeroDivisionError");
            }
    free(a), free(b), free(z);
}

TEST(zero_elements)
{
    kt_plan p;
    plan_dense(&p, KT_K_add, KT_IN_F32, 2, (void *[]){NULL, NULL, NULL}, (kt_dtype[]){KT_F32, KT_F32, KT_F32}, 0);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    plan_dense(&p, KT_K_copy, KT_IN_F32, 1, (void *[]){NULL, NULL}, (kt_dtype[]){KT_I8, KT_F32}, 0);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    plan_dense(&p, KT_K_fill, KT_IN_F32, 0, (void *[]){NULL}, (kt_dtype[]){KT_F32}, 0);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
}

TEST(builds)
{
    REQUIRE(kt__cpu_num_builds >= 1);
    CHECK_STR(kt__cpu_builds[0].name, "base");
    CHECK(can_run(0));
    bool known = false;
    for (int b = 0; b < num_builds(); b++)
        known |= strcmp(kt_cpu_isa(), kt__cpu_builds[b].name) == 0;
    CHECK_MSG(known, "the build in use, %s, is not in the table", kt_cpu_isa());
}
