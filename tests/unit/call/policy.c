/* policy.c - the cast policies, in order: what one accepts the next accepts with the same result; what strict and
 * safe refuse and in which words; what permissive takes on; that a policy belongs to its block and its thread. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "dtype/dtype.h"
#include "support/by_name.h"

/* ---- programs over two dtypes ---- */
typedef kt_tensor *program(kt_dtype a, kt_dtype b);

static kt_tensor *row(kt_dtype d) { return tensor_of(d, KT_SHAPE(3), (double[]){1, 2, 3}); }
static kt_tensor *square(kt_dtype d) { return tensor_of(d, KT_SHAPE(2, 2), (double[]){1, 2, 3, 1}); }
static kt_tensor *mask(void) { return kt_from((bool[]){true, false, true}, KT_SHAPE(3), KT_BOOL); }

#define P(name, body)                                                                                                  \
    static kt_tensor *name(kt_dtype a, kt_dtype b)                                                                     \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return body;                                                                                                   \
    }
P(add, kt_add(row(a), row(b)))
P(mul, kt_mul(row(a), row(b)))
P(divide, kt_div(row(a), row(b)))
P(power, kt_pow(row(a), row(b)))
P(larger, kt_maximum(row(a), row(b)))
P(equal, kt_eq(row(a), row(b)))
P(angle, kt_atan2(row(a), row(b)))
P(both, kt_bitwise_and(row(a), row(b)))
P(choose, kt_where(mask(), row(a), row(b)))
P(condition, kt_where(row(a), row(b), row(b)))
P(mix, kt_lerp_s(row(a), row(b), KT_FLOAT(0.5)))
P(accumulate, kt_addcmul(row(a), row(b), row(b)))
P(with_zero_dim, kt_add(row(a), kt_select(row(b), 0, 1)))
P(with_int, kt_add_s(row(a), KT_INT(b)))
P(with_float, kt_mul_s(row(a), KT_FLOAT(1.5 + b)))
P(exponential, kt_exp(row(a)))
P(product, kt_matmul(square(a), square(b)))
P(dot, kt_dot(row(a), row(b)))
P(total, kt_sum(row(a)))
P(total_as, kt_sum(row(a), .dtype = b))
P(join, kt_cat(((kt_tensor *[]){row(a), row(b)}), 2))
P(add_in_place, kt_add_(row(a), row(b)))
P(divide_in_place, kt_div_(row(a), row(b)))
P(copy_over, kt_copy_(row(a), row(b)))
P(fill_with, kt_fill_(row(a), kt_select(row(b), 0, 2)))
P(into_another, kt_add_out(row(b), row(a), row(a)))
P(compared_into, kt_eq_out(row(b), row(a), row(a)))
P(explicit_cast, kt_to(row(a), .dtype = b))

static const struct {
    const char *name;
    program    *run;
} programs[] = {
#define X(name) {#name, name},
    X(add) X(mul) X(divide) X(power) X(larger) X(equal) X(angle) X(both) X(choose) X(condition) X(mix) X(accumulate)
        X(with_zero_dim) X(with_int) X(with_float) X(exponential) X(product) X(dot) X(total) X(total_as) X(join)
            X(add_in_place) X(divide_in_place) X(copy_over) X(fill_with) X(into_another) X(compared_into)
                X(explicit_cast)};

typedef struct outcome {
    bool     accepted;
    kt_dtype dtype;
    int64_t  bytes;
    char     value[256];
} outcome;

static outcome try(program *run, kt_policy policy, kt_dtype a, kt_dtype b)
{
    KT_SCOPE;
    outcome o = {0};
    {
        KT_POLICY(policy);
        kt_tensor *t = run(a, b);
        if (t && !kt_failed()) {
            o.accepted = true;
            o.dtype = kt_dtype_of(t);
            o.bytes = kt_numel(t) * (int64_t)kt_dtype_size(o.dtype);
            if (o.bytes <= (int64_t)sizeof o.value)
                kt_read(t, o.value, (size_t)o.bytes);
        }
    }
    kt_clear();
    return o;
}

TEST(what_one_rung_accepts_the_next_accepts)
{
    int accepted[4] = {0}, cells = 0;
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        for (int a = 1; a < KT_NUM_DTYPES; a++)
            for (int b = 1; b < KT_NUM_DTYPES; b++, cells++) {
                outcome below = {0};
                for (int rung = KT_STRICT; rung <= KT_PERMISSIVE; rung++) {
                    const outcome o = try(programs[p].run, (kt_policy)rung, (kt_dtype)a, (kt_dtype)b);
                    accepted[rung] += o.accepted;
                    if (below.accepted)
                        CHECK_MSG(
                            o.accepted && o.dtype == below.dtype && memcmp(o.value, below.value, sizeof o.value) == 0,
                            "%s(%s, %s): '%s' does not give what the rung below gives", programs[p].name,
                            kt_dtype_name((kt_dtype)a), kt_dtype_name((kt_dtype)b), kt_policy_name((kt_policy)rung));
                    below = o;
                }
            }
    printf("  %d cells; accepted: strict %d, safe %d, torch %d, permissive %d\n", cells, accepted[0], accepted[1],
           accepted[2], accepted[3]);
    CHECK(accepted[0] < accepted[1] && accepted[1] < accepted[2] && accepted[2] < accepted[3]);
}

/* ---- the rungs, from their definition ---- */
TEST(strict_and_safe_by_definition)
{
    for (int a = 1; a < KT_NUM_DTYPES; a++)
        for (int b = 1; b < KT_NUM_DTYPES; b++) {
            const outcome torch = try(mul, KT_TORCH, (kt_dtype)a, (kt_dtype)b);
            const outcome strict = try(mul, KT_STRICT, (kt_dtype)a, (kt_dtype)b);
            const outcome safe = try(mul, KT_SAFE, (kt_dtype)a, (kt_dtype)b);
            const bool    lossless = torch.accepted && kt_can_cast_level((kt_dtype)a, torch.dtype, KT_CAST_SAFE) &&
                                  kt_can_cast_level((kt_dtype)b, torch.dtype, KT_CAST_SAFE);
            CHECK_MSG(strict.accepted == (torch.accepted && a == b), "strict: %s * %s", kt_dtype_name((kt_dtype)a),
                      kt_dtype_name((kt_dtype)b));
            CHECK_MSG(safe.accepted == lossless, "safe: %s * %s", kt_dtype_name((kt_dtype)a),
                      kt_dtype_name((kt_dtype)b));
            for (int rung = KT_STRICT; rung <= KT_PERMISSIVE; rung++)
                CHECK_MSG(try(explicit_cast, (kt_policy)rung, (kt_dtype)a, (kt_dtype)b).accepted,
                          "an explicit cast of %s to %s", kt_dtype_name((kt_dtype)a), kt_dtype_name((kt_dtype)b));
        }
}

TEST(what_strict_refuses_and_how)
{
    KT_SCOPE;
    KT_POLICY(KT_STRICT);
    CHECK_FAILS(kt_add(row(KT_F16), row(KT_F32)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from float16 to float32 in add (promotion)");
    CHECK_FAILS(kt_add(row(KT_F32), row(KT_F16)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert other from float16 to float32 in add (promotion)");
    CHECK_FAILS(kt_add_s(row(KT_I32), KT_FLOAT(1.5)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from int32 to float32");
    CHECK_FAILS(kt_exp(row(KT_I64)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from int64 to float32 in exp");
    CHECK_FAILS(kt_div(row(KT_I64), row(KT_I64)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from int64 to float32");
    CHECK_FAILS(kt_eq(row(KT_I64), row(KT_I32)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert other from int32 to int64 in eq");
    CHECK_FAILS(kt_copy_(row(KT_F64), row(KT_F32)), KT_ERR_TYPE, "KT_POLICY(KT_STRICT) refuses to convert");
    CHECK_FAILS(kt_add_out(row(KT_F64), row(KT_F32), row(KT_F32)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert the result from float32 to float64 in add_out (the result's dtype)");
    CHECK_FAILS(kt_cat(((kt_tensor *[]){row(KT_F32), row(KT_F64)}), 2), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert");
    CHECK_FAILS(kt_add_s(row(KT_I8), KT_INT(300)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses the number in add: int8 cannot hold it");
    CHECK_FAILS(kt_add_s(row(KT_F16), KT_FLOAT(70000)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses the number in add: float16 cannot hold it");
    CHECK_FAILS(kt_mul_s(row(KT_F32), KT_FLOAT(1e300)), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses the number in mul: float32 cannot hold it");
    CHECK(kt_add_s(row(KT_F16), KT_FLOAT(HUGE_VAL)) && kt_add_s(row(KT_F16), KT_FLOAT(0.1)));
    CHECK(kt_add_s(row(KT_I8), KT_INT(100)) && kt_mul_s(row(KT_F16), KT_FLOAT(2.5)) &&
          kt_add_s(row(KT_C64), KT_FLOAT(1)));
    CHECK(kt_add(row(KT_F16), row(KT_F16)) && kt_sum(row(KT_I8)) && kt_eq(row(KT_BF16), row(KT_BF16)));
    CHECK(kt_matmul(square(KT_F16), square(KT_F16)) && kt_fill_s_(row(KT_I8), KT_INT(3)));
    CHECK(!kt_failed());
}

TEST(what_safe_refuses)
{
    KT_SCOPE;
    KT_POLICY(KT_SAFE);
    CHECK_EQ_INT(kt_dtype_of(kt_add(row(KT_F16), row(KT_F32))), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_add(row(KT_I16), row(KT_F32))), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_add_(row(KT_F64), row(KT_F32))), KT_F64);
    CHECK_FAILS(kt_add(row(KT_I64), row(KT_F32)), KT_ERR_TYPE,
                "KT_POLICY(KT_SAFE) refuses to convert self from int64 to float32 in add (promotion)");
    CHECK_FAILS(kt_add_(row(KT_F32), row(KT_F64)), KT_ERR_TYPE, "KT_POLICY(KT_SAFE) refuses to convert");
    CHECK_FAILS(kt_copy_(row(KT_F16), row(KT_F32)), KT_ERR_TYPE, "KT_POLICY(KT_SAFE) refuses to convert");
    CHECK_FAILS(kt_exp(row(KT_I64)), KT_ERR_TYPE, "KT_POLICY(KT_SAFE) refuses to convert self from int64 to float32");
    CHECK(kt_exp(row(KT_I16)) != NULL);
    CHECK_FAILS(kt_matmul(square(KT_F32), square(KT_F16)), KT_ERR_RUNTIME, "expected m1 and m2 to have the same dtype");
}

TEST(what_permissive_takes_on)
{
    KT_SCOPE;
    CHECK_FAILS(kt_add(row(KT_U16), row(KT_I32)), KT_ERR_RUNTIME,
                "Promotion for uint16, uint32, uint64 types is not supported");
    KT_POLICY(KT_PERMISSIVE);
    for (int a = 1; a < KT_NUM_DTYPES; a++)
        for (int b = 1; b < KT_NUM_DTYPES; b++) {
            const outcome o = try(mul, KT_PERMISSIVE, (kt_dtype)a, (kt_dtype)b);
            int           refusal;
            kt_dtype      want = kt__promote_quiet((kt_dtype)a, (kt_dtype)b, &refusal);
            want = want ? want : kt__promote_permissive((kt_dtype)a, (kt_dtype)b);
            CHECK_MSG(o.accepted && o.dtype == want, "%s * %s", kt_dtype_name((kt_dtype)a), kt_dtype_name((kt_dtype)b));
        }
    CHECK_EQ_INT(kt_dtype_of(kt_add(row(KT_U16), row(KT_I32))), KT_I32);
    CHECK_EQ_INT(kt_dtype_of(kt_add(row(KT_U64), row(KT_I64))), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_add(row(KT_E4M3FN), row(KT_F16))), KT_F16);
    kt_tensor *product = kt_matmul(square(KT_F32), square(KT_F16));
    CHECK_EQ_INT(kt_dtype_of(product), KT_F32);
    CHECK_NEAR(tensor_at(product, 0), 7, 0);
    CHECK_EQ_INT(kt_dtype_of(kt_dot(row(KT_I32), row(KT_F64))), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_bmm(kt_unsqueeze(square(KT_BF16), 0), kt_unsqueeze(square(KT_F16), 0))), KT_F32);
    kt_tensor *ints = row(KT_I32);
    CHECK(kt_add_(ints, tensor_of(KT_F32, KT_SHAPE(3), (double[]){0.75, 0.75, -5.5})) == ints);
    CHECK_NEAR(tensor_at(ints, 0), 1, 0); /* 1.75, cast */
    CHECK_NEAR(tensor_at(ints, 2), -2, 0);
    CHECK_EQ_INT(kt_dtype_of(kt_where(row(KT_I32), row(KT_F32), row(KT_F32))), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_lerp_s(row(KT_F32), row(KT_F64), KT_FLOAT(0.5))), KT_F64);
    CHECK(!kt_failed());
    CHECK_FAILS(kt_add(row(KT_F32), square(KT_F32)), KT_ERR_RUNTIME, "The size of tensor a"); /* shapes are no policy */
}

/* ---- where a policy holds ---- */
TEST(a_policy_belongs_to_its_block)
{
    KT_SCOPE;
    CHECK_EQ_INT(kt_get_policy(), KT_TORCH);
    {
        KT_POLICY(KT_STRICT);
        CHECK_EQ_INT(kt_get_policy(), KT_STRICT);
        {
            KT_POLICY(KT_PERMISSIVE);
            CHECK_EQ_INT(kt_get_policy(), KT_PERMISSIVE);
            CHECK(kt_add(row(KT_U16), row(KT_I8)) != NULL);
        }
        CHECK_EQ_INT(kt_get_policy(), KT_STRICT);
        for (int i = 0; i < 3; i++) {
            KT_POLICY(KT_SAFE);
            if (i == 1)
                break;
        }
        CHECK_EQ_INT(kt_get_policy(), KT_STRICT);
    }
    CHECK_EQ_INT(kt_get_policy(), KT_TORCH);
    kt_set_policy(KT_SAFE);
    CHECK_EQ_INT(kt_get_policy(), KT_SAFE);
    {
        KT_NO_GRAD; /* other modes are not touched */
        CHECK_EQ_INT(kt_get_policy(), KT_SAFE);
        KT_POLICY(KT_TORCH);
        CHECK(!kt_grad_enabled());
    }
    CHECK(kt_grad_enabled());
    kt_set_policy(KT_TORCH);
}

static void *other_thread(void *seen)
{
    ((int *)seen)[0] = kt_get_policy();
    kt_set_policy(KT_PERMISSIVE);
    ((int *)seen)[1] = kt_grad_enabled();
    return NULL;
}

TEST(a_policy_belongs_to_its_thread)
{
    pthread_t thread;
    int       seen[2] = {-1, -1};
    KT_POLICY(KT_STRICT);
    KT_NO_GRAD;
    CHECK_EQ_INT(pthread_create(&thread, NULL, other_thread, seen), 0);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(seen[0], KT_TORCH); /* the process default */
    CHECK_EQ_INT(seen[1], true);
    CHECK_EQ_INT(kt_get_policy(), KT_STRICT);
}

TEST(names_of_policies)
{
    static const char *const names[] = {"strict", "safe", "torch", "permissive"};
    for (int i = 0; i < 4; i++) {
        CHECK_STR(kt_policy_name((kt_policy)i), names[i]);
        CHECK_EQ_INT(kt_policy_find(names[i]), i);
    }
    CHECK_EQ_INT(kt_policy_find("lax"), -1);
    CHECK_EQ_INT(kt_policy_find(""), -1);
    CHECK_EQ_INT(kt_policy_find(NULL), -1);
}
