/* kernels.c - the kernels of appended rows (plugin/operator.h): which one runs, what it may see, what it may give, how long it
 * lives. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/operator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/by_name.h"

static const kt_row *append(const char *name, const char *schema)
{
    const kt_row *row = kt_row_find(name);
    kt_operator   op = {.size = sizeof op, .name = name, .schema = schema, .composite = true};
    if (!row)
        CHECK_EQ_INT(kt_row_append(&op, &row), KT_OK);
    return row;
}

static kt_status add_kernel(const kt_row *row, const char *device, const char *takes, kt_status (*run)(kt_call *, void *))
{
    const kt_kernel kernel = {.size = sizeof kernel, .device = device, .takes = takes, .run = run};
    return kt_row_kernel(row, &kernel);
}

static kt_tensor *call1(const kt_row *row, kt_tensor *x)
{
    kt_call call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = x;
    call.given = 1;
    if (kt_call_run(&call))
        return NULL;
    kt_tensor *y = kt_alias(call.out[0]);
    kt_drop(call.out[0]);
    return y;
}

static kt_status plus(kt_call *call, void *context)
{
    call->out[0] = kt_keep(kt_add_s(call->arg[0].t, KT_INT(context ? *(const int *)context : 1)));
    return kt_failed() ? kt_error_status() : KT_OK;
}

static kt_status same_form(kt_call *call, void *context)
{
    (void)context;
    call->out[0] = kt_keep(kt_empty_like(call->arg[0].t));
    return KT_OK;
}

/* ---- choosing ---- */

TEST(the_device_chooses)
{
    KT_SCOPE;
    const kt_row *row = append("k::chosen", "chosen(Tensor x) -> Tensor");
    kt_tensor    *x = kt_ones(KT_SHAPE(2)), *meta = kt_empty(KT_SHAPE(4), .device = {KT_META, 0});
    CHECK_FAILS(call1(row, x), KT_ERR_NOT_IMPLEMENTED, "Could not run 'k::chosen' with arguments from the 'CPU' backend.");
    CHECK_EQ_INT(add_kernel(row, "meta", NULL, same_form), KT_OK);
    CHECK(kt_row_has_kernel(row, "meta", false) && !kt_row_has_kernel(row, NULL, false));
    CHECK_FAILS(call1(row, x), KT_ERR_NOT_IMPLEMENTED, "Could not run 'k::chosen'");
    CHECK_EQ_INT(kt_numel(call1(row, meta)), 4);
    CHECK_EQ_INT(add_kernel(row, "cpu", NULL, plus), KT_OK);
    CHECK_NEAR(tensor_at(call1(row, x), 0), 2, 0);
    CHECK_EQ_INT(kt_row_remove_kernel(row, "cpu", false), KT_OK);
    CHECK_EQ_INT(kt_row_remove_kernel(row, "cpu", false), KT_OK);
    CHECK_EQ_INT(add_kernel(row, NULL, NULL, plus), KT_OK); /* for all that have none */
    CHECK_NEAR(tensor_at(call1(row, x), 0), 2, 0);
    CHECK_EQ_INT(kt_row_remove_kernel(row, "meta", false), KT_OK);
    CHECK_EQ_INT(kt_numel(call1(row, meta)), 4);
    CHECK_EQ_INT(kt_row_remove_kernel(row, NULL, false), KT_OK);
    CHECK_FAILS(call1(row, meta), KT_ERR_NOT_IMPLEMENTED, "k::chosen: attempted to run this operator with Meta tensors");
}

TEST(a_call_without_tensors)
{
    const kt_row *row = append("k::none", "none(Tensor? x=None, Device? device=None) -> Tensor");
    kt_call       call;
    CHECK_EQ_INT(add_kernel(row, "cpu", NULL, plus), KT_OK);
    kt_call_begin(&call, row, KT_PLAIN);
    CHECK_FAILS(kt_call_run(&call), KT_ERR_NOT_IMPLEMENTED, "There were no tensor arguments to this function");
    call.arg[1].device = (kt_device){KT_META, 0};
    call.given = 2;
    CHECK_FAILS(kt_call_run(&call), KT_ERR_NOT_IMPLEMENTED, "k::none: attempted to run this operator with Meta tensors");
}

/* ---- what a kernel takes ---- */

TEST(what_it_cannot_read_is_refused)
{
    KT_SCOPE;
    const kt_row *row = append("k::takes", "takes(Tensor x) -> Tensor");
    CHECK_EQ_INT(add_kernel(row, "cpu", "x: float32 int8 contiguous", plus), KT_OK);
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3));
    CHECK_NEAR(tensor_at(call1(row, x), 0), 2, 0);
    CHECK_NEAR(tensor_at(call1(row, kt_to(x, .dtype = KT_I8)), 0), 2, 0);
    CHECK_FAILS(call1(row, kt_to(x, .dtype = KT_F16)), KT_ERR_RUNTIME,
                "k::takes: expected scalar type Char or Float but found Half for argument 'x'");
    CHECK_FAILS(call1(row, kt_t(x)), KT_ERR_RUNTIME,
                "k::takes: its kernel reads argument 'x' as contiguous memory, but its strides are (1, 3)");
    CHECK_NEAR(tensor_at(call1(row, kt_contiguous(kt_t(x))), 0), 2, 0);
}

TEST(a_refusal_has_fixes)
{
    KT_SCOPE;
    const kt_row *row = append("k::fixes", "fixes(Tensor x) -> Tensor");
    CHECK_EQ_INT(add_kernel(row, "cpu", "*: float32", plus), KT_OK);
    call1(row, kt_to(kt_ones(KT_SHAPE(2)), .dtype = KT_BF16));
    kt_mistake m = {.size = sizeof m};
    CHECK(kt_error_mistake(&m) && m.n_fixes == 1);
    CHECK(m.fix[0].kind == KT_FIX_CAST && m.fix[0].dtype == KT_F32);
    CHECK_STR(m.op, "k::fixes");
    kt_clear();
}

static kt_status first_element(kt_call *call, void *context)
{
    (void)context;
    const float *x = kt_data(call->arg[0].t);
    call->out[0] = kt_keep(kt_full(KT_SCALAR, KT_FLOAT(x[1]))); /* the imaginary part, or the second element */
    return KT_OK;
}

TEST(lazy_bits_are_resolved)
{
    KT_SCOPE;
    const kt_row *row = append("k::lazy", "lazy(Tensor x) -> Tensor");
    CHECK_EQ_INT(add_kernel(row, "cpu", "x: complex64 float32 contiguous", first_element), KT_OK);
    kt_tensor *z = kt_full(KT_SHAPE(2), KT_COMPLEX(1, 5), .dtype = KT_C64);
    CHECK_NEAR(tensor_at(call1(row, z), 0), 5, 0);
    CHECK_NEAR(tensor_at(call1(row, kt_conj(z)), 0), -5, 0);
    kt_tensor *written = kt_conj(z);
    const kt_row *writes = append("k::lazy_write", "lazy_write(Tensor(a!) x) -> ()");
    CHECK_EQ_INT(add_kernel(writes, "cpu", "x: complex64", first_element), KT_OK);
    kt_call call;
    kt_call_begin(&call, writes, KT_PLAIN);
    call.arg[0].t = written;
    call.given = 1;
    CHECK_FAILS(kt_call_run(&call), KT_ERR_RUNTIME, "k::lazy_write: its kernel writes to argument 'x', which is a view with a "
                                                    "lazy");
}

TEST(lists_are_checked_too)
{
    KT_SCOPE;
    const kt_row *row = append("k::listed", "listed(Tensor[] xs, Tensor? y=None) -> Tensor");
    CHECK_EQ_INT(add_kernel(row, "cpu", "xs: float32; y: int64", same_form), KT_OK);
    kt_tensor *list[] = {kt_ones(KT_SHAPE(2)), kt_ones(KT_SHAPE(2), .dtype = KT_F64)};
    kt_call    call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].ts.t = list;
    call.arg[0].ts.n = 2;
    call.given = 1;
    CHECK_FAILS(kt_call_run(&call), KT_ERR_RUNTIME, "k::listed: expected scalar type Float but found Double for argument 'xs'");
    list[1] = kt_empty(KT_SHAPE(2), .device = {KT_META, 0});
    CHECK_EQ_INT(add_kernel(row, "meta", "xs: float32", same_form), KT_OK);
    CHECK_FAILS(kt_call_run(&call), KT_ERR_RUNTIME, "k::listed: its kernel for meta cannot read argument 'xs', which is on cpu");
}

TEST(what_a_kernel_may_not_say)
{
    const kt_row *row = append("k::says", "says(Tensor x, int n=1) -> Tensor");
    CHECK_FAILS(add_kernel(row, "cpu", "y: float32", plus), KT_ERR_VALUE, "a kernel of k::says takes 'y': that is no tensor of "
                                                                          "its schema");
    CHECK_FAILS(add_kernel(row, "cpu", "n: int64", plus), KT_ERR_VALUE, "a kernel of k::says takes 'n': that is no tensor");
    CHECK_FAILS(add_kernel(row, "cpu", "x: float31", plus), KT_ERR_VALUE,
                "a kernel of k::says takes 'float31': that is no dtype");
    CHECK_FAILS(add_kernel(row, "cpu", "x float32", plus), KT_ERR_VALUE, "a kernel of k::says takes 'x': that is no argument and "
                                                                         "a colon");
    CHECK_FAILS(add_kernel(row, "", NULL, plus), KT_ERR_VALUE, "a kernel of k::says: '' is no device");
    CHECK_FAILS(add_kernel(row, "cpu", NULL, NULL), KT_ERR_VALUE, "a kernel of k::says has no function");
    CHECK_FAILS(add_kernel(kt_row_find("add"), "cpu", NULL, plus), KT_ERR_VALUE, "add was not appended");
    kt_kernel above = {.size = sizeof above, .device = "cpu", .run = plus, .above = true};
    CHECK_FAILS(kt_row_kernel(row, &above), KT_ERR_VALUE, "a kernel of k::says that is above the others is for all devices");
    CHECK_FAILS(kt_row_kernel(NULL, &above), KT_ERR_TYPE, "kt_row_kernel: NULL");
    CHECK_FAILS(kt_row_withdraw(kt_row_find("add")), KT_ERR_VALUE, "add was not appended: it cannot be withdrawn");
    CHECK(!kt_row_has_kernel(row, "cpu", false));
}

/* ---- above ---- */

static int                  times_above;
static const kt_row        *twice_row;

static kt_status above(kt_call *call, void *context)
{
    (void)context;
    times_above++;
    kt_mode_guard below = kt_below_open();
    CHECK(kt_is_below());
    kt_tensor *y = call1(twice_row, call->arg[0].t);
    kt_mode_close(&below);
    call->out[0] = y ? kt_keep(kt_mul_s(y, KT_INT(2))) : NULL;
    return y ? KT_OK : kt_error_status();
}

TEST(one_kernel_stands_above_the_others)
{
    KT_SCOPE;
    twice_row = append("k::twice", "twice(Tensor x) -> Tensor");
    kt_kernel kernel = {.size = sizeof kernel, .run = above, .above = true};
    CHECK_EQ_INT(kt_row_kernel(twice_row, &kernel), KT_OK);
    kt_tensor *x = kt_ones(KT_SHAPE(2));
    CHECK_FAILS(call1(twice_row, x), KT_ERR_NOT_IMPLEMENTED, "Could not run 'k::twice'");
    CHECK_EQ_INT(add_kernel(twice_row, "cpu", NULL, plus), KT_OK);
    CHECK_NEAR(tensor_at(call1(twice_row, x), 0), 4, 0);
    CHECK_EQ_INT(times_above, 2);
    CHECK(!kt_is_below());
    CHECK_EQ_INT(kt_row_remove_kernel(twice_row, NULL, true), KT_OK);
    CHECK_NEAR(tensor_at(call1(twice_row, x), 0), 2, 0);
}

/* ---- results ---- */

static int given;

static kt_status several(kt_call *call, void *context)
{
    (void)context;
    if (kt_call_make_list(call, given))
        return kt_error_status();
    for (int i = 0; i < given - (given == 3); i++)
        call->list[i] = kt_keep(kt_full(KT_SHAPE(1), KT_INT(i)));
    return KT_OK;
}

TEST(a_list_is_a_result)
{
    KT_SCOPE;
    const kt_row *row = append("k::several", "several(Tensor x) -> Tensor[]");
    CHECK_EQ_INT(kt_row_result_kind(row, 0), KT_ARG_TENSORS);
    CHECK_EQ_INT(kt_row_result_kind(row, 1), -1);
    CHECK_EQ_INT(add_kernel(row, NULL, NULL, several), KT_OK);
    kt_call call;
    for (given = 0; given < 4; given++) {
        kt_call_begin(&call, row, KT_PLAIN);
        call.arg[0].t = kt_ones(KT_SHAPE(1));
        call.given = 1;
        if (given == 3) {
            CHECK_FAILS(kt_call_run(&call), KT_ERR_RUNTIME, "k::several: its kernel gave no element 2 of its list");
            continue;
        }
        CHECK_EQ_INT(kt_call_run(&call), KT_OK);
        CHECK_EQ_INT(call.n_list, given);
        kt_call_free_list(&call);
    }
    CHECK_FAILS(kt_call_make_list(&call, -1), KT_ERR_VALUE, "room for a list of -1 tensors");
}

static kt_status count(kt_call *call, void *context)
{
    (void)context;
    call->out[0] = kt_keep(kt_full(given ? KT_SHAPE(1) : KT_SCALAR, KT_INT(kt_numel(call->arg[0].t)), .dtype = KT_I64));
    return KT_OK;
}

TEST(a_number_is_a_result)
{
    KT_SCOPE;
    const kt_row *row = append("k::count", "count(Tensor x) -> int");
    CHECK_EQ_INT(kt_row_result_kind(row, 0), KT_ARG_INT);
    CHECK_EQ_INT(add_kernel(row, NULL, NULL, count), KT_OK);
    given = 0;
    CHECK_NEAR(tensor_at(call1(row, kt_ones(KT_SHAPE(3))), 0), 3, 0);
    given = 1;
    CHECK_FAILS(call1(row, kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "k::count: its result 0 is a number: a 0-dim tensor on the CPU");
}

/* ---- writing ---- */

static kt_status write_thrice(kt_call *call, void *context)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        kt_add_s_(call->arg[0].t, KT_INT(1));
    return kt_failed() ? kt_error_status() : KT_OK;
}

TEST(a_call_is_one_write)
{
    KT_SCOPE;
    const kt_row *row = append("k::write", "write(Tensor(a!) x) -> ()");
    CHECK_EQ_INT(kt_row_n_results(row), 0);
    CHECK_EQ_INT(add_kernel(row, "cpu", NULL, write_thrice), KT_OK);
    kt_tensor *x = kt_zeros(KT_SHAPE(2));
    const uint32_t before = kt_tensor_version(x);
    kt_call        call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = x;
    call.given = 1;
    CHECK_EQ_INT(kt_call_run(&call), KT_OK);
    CHECK_NEAR(tensor_at(x, 0), 3, 0);
    CHECK_EQ_INT(kt_tensor_version(x), before + 1);
}

/* ---- how long a kernel and a row live ---- */

static atomic_int released;
static void       release(void *context) { atomic_fetch_add(&released, context != NULL); }

static kt_status leaves(kt_call *call, void *context) /* replaces itself while it runs */
{
    const kt_row *row = call->row;
    kt_row_remove_kernel(row, "cpu", false);
    CHECK_EQ_INT(atomic_load(&released), 0);
    return plus(call, context);
}

TEST(a_kernel_lives_until_nobody_runs_it)
{
    KT_SCOPE;
    static int    two = 2;
    const kt_row *row = append("k::leaves", "leaves(Tensor x) -> Tensor");
    kt_kernel     kernel = {.size = sizeof kernel, .device = "cpu", .run = leaves, .context = &two, .release = release};
    atomic_store(&released, 0);
    CHECK_EQ_INT(kt_row_kernel(row, &kernel), KT_OK);
    CHECK_NEAR(tensor_at(call1(row, kt_ones(KT_SHAPE(1))), 0), 3, 0);
    CHECK_EQ_INT(atomic_load(&released), 1);
    CHECK_EQ_INT(kt_row_kernel(row, &kernel), KT_OK);
    CHECK_EQ_INT(kt_row_kernel(row, &kernel), KT_OK); /* replaced */
    CHECK_EQ_INT(atomic_load(&released), 2);
    CHECK_EQ_INT(kt_row_withdraw(row), KT_OK);
    CHECK_EQ_INT(atomic_load(&released), 3);
    kernel.takes = "nothing";
    CHECK_FAILS(kt_row_kernel(row, &kernel), KT_ERR_VALUE, "operator k::leaves was withdrawn");
    CHECK_EQ_INT(atomic_load(&released), 3); /* not on failure */
}

TEST(a_row_is_withdrawn_and_comes_again)
{
    KT_SCOPE;
    kt_operator   op = {.size = sizeof op, .name = "k::again", .schema = "again(Tensor x) -> Tensor", .composite = true};
    const kt_row *first = NULL, *row = NULL;
    int           n = 0, after = 0;
    CHECK_EQ_INT(kt_row_append(&op, &first), KT_OK);
    CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE, "operator k::again: there is one of that name");
    while (kt_row_at(n))
        n++;
    for (int i = 0; i < 5000; i++) { /* more often than there is room for rows */
        CHECK_EQ_INT(kt_row_withdraw(first), KT_OK);
        CHECK(kt_row_is_withdrawn(first) && !kt_row_find("k::again"));
        CHECK_EQ_INT(kt_row_append(&op, &row), KT_OK);
        if (!CHECK(row == first))
            break;
    }
    while (kt_row_at(after))
        after++;
    CHECK_EQ_INT(after, n);
    CHECK_EQ_INT(kt_row_withdraw(first), KT_OK);
    CHECK_FAILS(call1(first, kt_ones(KT_SHAPE(1))), KT_ERR_RUNTIME, "operator k::again does not exist: it was withdrawn");
    op.schema = "again(Tensor x, int n=1) -> Tensor"; /* another one of that name */
    CHECK_EQ_INT(kt_row_append(&op, &row), KT_OK);
    CHECK(row != first && kt_row_find("k::again") == row);
}

/* ---- defaults of lists ---- */

TEST(defaults_of_every_kind)
{
    const kt_row *row = append("k::defaults", "k::defaults.more(Tensor x, float[] fs=[1, 2.5], bool[2] bs=[True, False], "
                                              "SymInt[] n=[], ScalarType d=float16, Scalar s=True, str t=\"a'b\", int[3] i=2) -> "
                                              "Tensor");
    const kt_value *fs = &kt_row_arg(row, 1)->value, *bs = &kt_row_arg(row, 2)->value;
    CHECK_EQ_INT(fs->ss.n, 2);
    CHECK(fs->ss.s[0].kind == KT_SCALAR_FLOAT && fs->ss.s[1].v.re == 2.5);
    CHECK(bs->ss.n == 2 && bs->ss.s[0].kind == KT_SCALAR_BOOL && bs->ss.s[0].v.i == 1 && bs->ss.s[1].v.i == 0);
    CHECK_EQ_INT(kt_row_arg(row, 3)->value.ints.n, 0);
    CHECK_EQ_INT(kt_row_arg(row, 4)->value.dtype, KT_F16);
    CHECK(kt_row_arg(row, 5)->value.s.kind == KT_SCALAR_BOOL);
    CHECK_STR(kt_row_arg(row, 6)->value.str, "a'b");
    CHECK_EQ_INT(kt_row_arg(row, 7)->alone, 3);
    const kt_row *no = NULL;
    kt_operator   op = {.size = sizeof op, .name = "k::no", .composite = true, .schema = "no(Tensor x, bool[] b=[1]) -> Tensor"};
    CHECK_FAILS(kt_row_append(&op, &no), KT_ERR_VALUE, "operator k::no: [1] is no default of the argument b");
    op.schema = "no(Tensor x, ScalarType d=float31) -> Tensor";
    CHECK_FAILS(kt_row_append(&op, &no), KT_ERR_VALUE, "operator k::no: float31 is no default of the argument d");
}

/* ---- threads ---- */

static const kt_row *shared_row;

static void *change_kernels(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        kt_kernel kernel = {.size = sizeof kernel, .device = i % 2 ? "cpu" : "meta", .run = plus, .release = release};
        if (kt_row_kernel(shared_row, &kernel) || kt_row_remove_kernel(shared_row, "meta", false))
            return unused;
    }
    return NULL;
}

static void *call_kernels(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        KT_SCOPE;
        if (!call1(shared_row, kt_ones(KT_SHAPE(2))))
            return unused;
    }
    return NULL;
}

TEST(threads_change_kernels_while_others_run_them)
{
    pthread_t t[4];
    int       failed = 0;
    shared_row = append("k::shared", "shared(Tensor x) -> Tensor");
    CHECK_EQ_INT(add_kernel(shared_row, NULL, NULL, plus), KT_OK);
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, i % 2 ? change_kernels : call_kernels, &failed) == 0);
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;
        pthread_join(t[i], &wrong);
        failed += wrong != NULL;
    }
    CHECK_EQ_INT(failed, 0);
}
