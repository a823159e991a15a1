/* fuzz.c - calls made up at random, through the operator table: any row, any tensors, any numbers. Each must give a result or an
 * error with a message, leave no memory behind, and never crash (the sanitizer builds run this too). Seed printed. */
#include <karat/karat.h>
#include <karat/plugin/call.h>

#include "harness.h"
#include "support/memory.h"

enum { LIMIT = 64 << 20 }; /* bytes beside what is there */

static uint64_t roll(uint64_t n) { return test_random() % n; }

static int64_t small_int(void)
{
    static const int64_t odd[] = {0, 1, -1, 2, 3, -2, 5, 7, -9, 64, 1000, INT64_MAX, INT64_MIN, INT64_C(1) << 40};
    return roll(10) ? (int64_t)roll(5) - 1 : odd[roll(sizeof odd / sizeof *odd)];
}

static kt_scalar any_number(void)
{
    static const double odd[] = {0.0, -0.0, 1.0, -1.5, 1e30, -1e-30, 65504.0, 1e308};
    switch (roll(5)) {
    case 0: return KT_FLAG(roll(2));
    case 1: return KT_INT(small_int());
    case 2: return KT_FLOAT(roll(4) ? odd[roll(8)] : (roll(2) ? 1.0 : -1.0) / 0.0);
    case 3: return KT_FLOAT(__builtin_nan(""));
    default: return KT_COMPLEX(odd[roll(8)], odd[roll(8)]);
    }
}

static kt_shape any_shape(int64_t *sizes, int most)
{
    int64_t n = (int64_t)roll((uint64_t)most + 1);
    for (int64_t i = 0; i < n; i++)
        sizes[i] = (int64_t)roll(4);
    return (kt_shape){n, sizes};
}

/* A tensor of random bits, dense or seen through a view, of the CPU or of the meta device. */
static kt_tensor *any_tensor(kt_device device)
{
    int64_t       sizes[8];
    unsigned char bits[16 * 4 * 4 * 4 * 4];
    kt_dtype      dtype = (kt_dtype)(1 + roll(KT_NUM_DTYPES - 1));
    kt_shape      shape = any_shape(sizes, 4);
    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = dtype == KT_BOOL ? (unsigned char)roll(2) : (unsigned char)roll(256);
    kt_tensor *t = kt_to(kt_from(bits, shape, dtype), .device = device);
    if (roll(3) == 0 && kt_ndim(t) > 1)
        t = kt_transpose(t, 0, -1);
    if (roll(4) == 0 && kt_ndim(t) > 0)
        t = kt_slice(t, .step = KT_SOME(2));
    if (roll(6) == 0 && kt_dtype_category(dtype) & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        kt_set_requires_grad(t, true);
    if (roll(8) == 0 && kt_dtype_category(dtype) == KT_CAT_COMPLEX)
        t = kt_conj(t);
    return t;
}

typedef struct words {
    int64_t    ints[KT_MAX_ARGS][8];
    kt_tensor *list[4];
    kt_scalar  numbers[4];
} words;

static void any_argument(kt_call *call, int i, const kt_arg_spec *spec, kt_device device, words *w)
{
    static const char *const texts[] = {"trunc",      "floor", "unsafe",     "safe",  "same_kind",
                                        "same_value", "once",  "stochastic", "torch", "x"};
    kt_value                *v = &call->arg[i];
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_TENSOR_OR_SCALAR:
        if (roll(3) == 0) {
            v->s = any_number();
            call->scalars |= 1u << i;
            break;
        }
        v->t = any_tensor(device);
        break;
    case KT_ARG_TENSOR: v->t = roll(50) ? any_tensor(device) : NULL; break;
    case KT_ARG_TENSORS:
        v->ts.t = w->list;
        v->ts.n = (int64_t)roll(5);
        for (int64_t k = 0; k < v->ts.n; k++)
            w->list[k] = any_tensor(device);
        break;
    case KT_ARG_SCALAR: v->s = any_number(); break;
    case KT_ARG_SCALARS:
        v->ss.s = w->numbers;
        v->ss.n = (int64_t)roll(5);
        for (int64_t k = 0; k < v->ss.n; k++)
            w->numbers[k] = any_number();
        break;
    case KT_ARG_INT: v->i = small_int(); break;
    case KT_ARG_INTS:
        v->ints.d = w->ints[i];
        v->ints.n = (int64_t)roll(5);
        for (int64_t k = 0; k < v->ints.n; k++)
            w->ints[i][k] = roll(20) ? (int64_t)roll(5) - 1 : small_int();
        break;
    case KT_ARG_FLOAT: v->f = any_number().v.re; break;
    case KT_ARG_BOOL: v->b = roll(2); break;
    case KT_ARG_DTYPE: v->dtype = roll(30) ? (kt_dtype)(1 + roll(KT_NUM_DTYPES - 1)) : (kt_dtype)77; break;
    case KT_ARG_DEVICE: v->device = roll(20) ? (kt_device){(int32_t)(1 + roll(2)), 0} : (kt_device){9, 0}; break;
    case KT_ARG_FORMAT: v->format = (int32_t)roll(5); break;
    case KT_ARG_STRING: v->str = texts[roll(sizeof texts / sizeof *texts)]; break;
    case KT_ARG_GENERATOR: return; /* the default one */
    }
    call->given |= 1u << i;
}

static void finish(kt_call *call, kt_form form)
{
    char *text = call->out[0] ? kt_to_string(call->out[0]) : NULL;
    kt_free_string(text);
    if (call->out[0] && roll(4) == 0 && kt_requires_grad(call->out[0]))
        kt_backward(kt_sum(call->out[0]));
    kt_clear();
    for (int i = 0; i < call->n_out; i++)
        kt_drop(call->out[i]);
    if (call->list)
        kt_call_free_list(call);
    (void)form;
}

static uint64_t n_rows(void)
{
    static uint64_t n;
    while (kt_row_at((int)n))
        n++;
    return n;
}

static void one_call(void)
{
    KT_SCOPE;
    KT_POLICY((kt_policy)roll(4));
    kt_device     device = {roll(5) ? KT_CPU : KT_META, 0};
    const kt_row *row = kt_row_at((int)roll(n_rows()));
    kt_form form = (kt_form)roll(3);
    if (!kt_row_has_form(row, form) && roll(20))
        form = KT_PLAIN;
    kt_call call;
    words   w;
    kt_call_begin(&call, row, form);
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        bool               skipped = spec->has_default ? roll(3) != 0 : roll(100) == 0;
        if (!skipped)
            any_argument(&call, i, spec, device, &w);
    }
    for (int i = 0; form == KT_OUT && i < kt_row_n_results(row); i++)
        call.out[i] = roll(50) ? any_tensor(device) : NULL;
    kt_clear();
    kt_status status = kt_call_run(&call);
    CHECK(status == kt_error_status());
    CHECK((status == KT_OK) == (kt_error()[0] == 0));
    if (status == KT_OK)
        finish(&call, form);
    kt_clear();
}

TEST(calls_made_up_at_random_give_a_result_or_an_error)
{
    int n = test_all() ? 3000000 : 60000;
    kt_memory_limit(live_bytes() + LIMIT); /* random bits as sizes and counts ask for gigabytes: refused, not granted */
    for (int i = 0; i < 2000; i++) /* the caches of decisions and records fill */
        one_call();
    uint64_t before = live_bytes();
    for (int i = 0; i < n; i++)
        one_call();
    CHECK_EQ_INT(live_bytes(), before);
    kt_memory_limit(0);
}
