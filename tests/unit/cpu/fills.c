/* fills.c - large new tensors of one value, whose memory is written when somebody asks for it: whoever asks gets the value, and
 * what kernels make of memory that is not written yet is, bit for bit, what they make of memory that is. */
#include "harness.h"

#include "base/fills.h"
#include "tensor/tensor.h"

#include <karat/karat.h>
#include <karat/plugin/watch.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 1024, COLUMNS = 512, N = ROWS * COLUMNS };

static bool waits(const kt_tensor *t)
{
    kt__late_fill f;
    return kt__fill_find(t->storage->data, &f);
}

static kt_tensor *late(double value, kt_dtype dtype)
{
    return kt_full(KT_SHAPE(ROWS, COLUMNS), KT_FLOAT(value), .dtype = dtype);
}

/* The same, written. */
static kt_tensor *written(double value, kt_dtype dtype)
{
    kt_tensor *t = late(value, dtype);
    kt_data(t);
    return t;
}

static bool same_bytes(kt_tensor *a, kt_tensor *b)
{
    return kt_dtype_of(a) == kt_dtype_of(b) && kt_numel(a) == kt_numel(b) &&
           memcmp(kt_data(kt_contiguous(a)), kt_data(kt_contiguous(b)), (size_t)kt_numel(a) * kt__itemsize(a)) == 0;
}

static bool all_are(const float *x, int64_t n, float value)
{
    while (n > 0 && x[n - 1] == value)
        n--;
    return n == 0;
}

TEST(only_large_new_memory)
{
    KT_SCOPE;
    CHECK(waits(late(3, KT_F32)));
    CHECK(waits(kt_zeros_like(late(3, KT_F64))));
    CHECK(!waits(kt_ones(KT_SHAPE(1000, 100))));
    CHECK(!waits(kt_ones(KT_SHAPE(KT__FILL_MOST / 4 + 1))));
    kt_tensor *t = kt_empty(KT_SHAPE(ROWS, COLUMNS));
    kt_fill_s_(t, KT_FLOAT(3)); /* somebody may have its address */
    CHECK(!waits(t));
}

TEST(addresses)
{
    KT_SCOPE;
    kt_tensor *t = late(3, KT_F32), *u = late(4, KT_F32), *middle = kt_narrow(late(5, KT_F32), 0, 100, 3);
    CHECK(all_are(kt_data(t), N, 3) && !waits(t));
    CHECK(all_are(kt_storage_data(u), N, 4) && !waits(u));
    CHECK(all_are(kt_data(middle), 3 * COLUMNS, 5) && !waits(middle));
}

TEST(elements)
{
    KT_SCOPE;
    kt_tensor *t = late(3, KT_F32), *u = late(4, KT_F32);
    float      bytes[COLUMNS];
    CHECK(kt_item(kt_select(kt_select(t, 0, ROWS - 1), 0, 7)) == 3);
    CHECK_EQ_INT(kt_read(kt_select(u, 0, ROWS - 1), bytes, sizeof bytes), KT_OK);
    CHECK(all_are(bytes, COLUMNS, 4));
}

TEST(every_dtype)
{
    for (int d = 1; d < KT_NUM_DTYPES; d++) {
        KT_SCOPE;
        const int64_t n = (2 << 20) / (int64_t)kt_dtype_size((kt_dtype)d);
        kt_tensor    *t = kt_ones(KT_SHAPE(n), .dtype = (kt_dtype)d);
        REQUIRE(t != NULL && waits(t));
        kt_tensor *few = kt_ones(KT_SHAPE(1), .dtype = (kt_dtype)d);
        const size_t item = kt_dtype_size((kt_dtype)d);
        const char  *at = kt_data(t);
        int64_t      i = 0;
        while (i < n && memcmp(at + (size_t)i * item, kt_data(few), item) == 0)
            i++;
        CHECK_MSG(i == n, "%s: element %lld", kt_dtype_name((kt_dtype)d), (long long)i);
    }
}

/* A view of another dtype sees parts of elements, or several. */
TEST(other_dtypes_in_the_same_memory)
{
    KT_SCOPE;
    const kt_scalar value = KT_COMPLEX(1, 2);
    for (int which = 0; which < 5; which++) {
        kt_tensor *t[2], *sum[2];
        for (int k = 0; k < 2; k++) {
            t[k] = kt_full(KT_SHAPE(N), value, .dtype = KT_C64);
            if (k)
                kt_data(t[k]);
            kt_tensor *parts = kt_view_as_real(t[k]);
            kt_tensor *seen = which == 0   ? parts
                              : which == 1 ? kt_select(parts, 1, 1)
                              : which == 2 ? kt_view_dtype(parts, KT_U8)
                              : which == 3 ? kt_view_dtype(t[k], KT_F64)
                                           : kt_imag(kt_conj(t[k]));
            CHECK(waits(t[k]) == !k);
            sum[k] = kt_add_s(seen, KT_INT(0));
        }
        CHECK_MSG(sum[0] && same_bytes(sum[0], sum[1]), "view %d", which);
    }
}

typedef struct seen {
    int    n;
    float  last[4];
} seen;

static void look(const kt_plan *plan, void *context)
{
    seen *s = context;
    if (s->n < 4)
        memcpy(&s->last[s->n++], plan->arg[plan->n_out].data + (size_t)(N - 1) * sizeof(float), sizeof(float));
}

static void look_after(const kt_plan *plan, kt_status status, void *context)
{
    seen *s = context;
    if (s->n < 4 && status == KT_OK)
        memcpy(&s->last[s->n++], plan->arg[0].data + (size_t)(N - 1) * sizeof(float), sizeof(float));
}

TEST(watchers_may_read)
{
    KT_SCOPE;
    seen             before = {0}, after = {0};
    const kt_watcher first = {.abi = KT_WATCH_ABI, .size = sizeof first, .before = look, .context = &before};
    const kt_watcher second = {.abi = KT_WATCH_ABI, .size = sizeof second, .after = look_after, .context = &after};
    kt_tensor       *t = late(3, KT_F32);
    CHECK_EQ_INT(kt_watch(&first), KT_OK);
    kt_neg(t);
    CHECK_EQ_INT(kt_unwatch(&first), KT_OK);
    CHECK(before.n == 1 && before.last[0] == 3);
    CHECK_EQ_INT(kt_watch(&second), KT_OK);
    late(4, KT_F32);
    CHECK_EQ_INT(kt_unwatch(&second), KT_OK);
    CHECK(after.n == 1 && after.last[0] == 4);
}

TEST(writes_to_a_part)
{
    KT_SCOPE;
    kt_tensor *t = late(3, KT_F32);
    kt_fill_s_(kt_select(t, 0, 5), KT_FLOAT(7));
    CHECK(!waits(t));
    const float *x = kt_data(t);
    CHECK(all_are(x, 5 * COLUMNS, 3) && all_are(x + 5 * COLUMNS, COLUMNS, 7) && all_are(x + 6 * COLUMNS, N - 6 * COLUMNS, 3));
}

TEST(writes_to_all)
{
    KT_SCOPE;
    kt_tensor *from = kt_rand(KT_SHAPE(ROWS, COLUMNS)), *t = late(3, KT_F32), *u = late(4, KT_F32), *v = late(5, KT_F32);
    kt_copy_(t, from);
    kt_copy_(u, u);
    kt_copy_(kt_select(v, 0, 0), kt_select(from, 0, 0));
    CHECK(!waits(t) && !waits(v));
    CHECK(same_bytes(t, from) && all_are(kt_data(u), N, 4));
    CHECK(same_bytes(kt_select(v, 0, 0), kt_select(from, 0, 0)) && all_are((float *)kt_data(v) + COLUMNS, N - COLUMNS, 5));
    kt_add_s_(kt_zero_(t), KT_FLOAT(1));
    CHECK(all_are(kt_data(t), N, 1));
}

TEST(in_place)
{
    KT_SCOPE;
    kt_tensor *t = late(3, KT_F32), *u = late(4, KT_F32);
    kt_mul_(t, t);
    kt_add_(u, late(5, KT_F32));
    CHECK(all_are(kt_data(t), N, 9) && all_are(kt_data(u), N, 9));
}

/* Many kernels: those that read the first bytes again and again, and those for which the memory is written. */
static kt_tensor *result_of(int which, kt_tensor *g, kt_tensor *x)
{
    switch (which) {
    case 0:  return kt_add(x, g);
    case 1:  return kt_mul(kt_transpose(g, 0, 1), kt_transpose(x, 0, 1));
    case 2:  return kt_exp(kt_narrow(g, 1, 3, 100));
    case 3:  return kt_softmax_backward_data(g, x, 1, kt_dtype_of(x));
    case 4:  return kt_softmax_backward_data(g, x, 0, kt_dtype_of(x));
    case 5:  return kt_softmax_backward_data(kt_transpose(g, 0, 1), kt_transpose(x, 0, 1), 0, kt_dtype_of(x));
    case 6:  return kt_log_softmax_backward_data(g, x, 1, kt_dtype_of(x));
    case 7:  return kt_log_softmax_backward_data(kt_reshape(g, KT_SHAPE(1, N)), kt_reshape(x, KT_SHAPE(1, N)), 1, kt_dtype_of(x));
    case 8:  return kt_sum_dim(g, KT_SHAPE(1));
    case 9:  return kt_softmax(g, 1);
    case 10: return kt_matmul(g, kt_transpose(x, 0, 1));
    case 11: return kt_cumsum(g, 0);
    case 12: return kt_flip(g, KT_SHAPE(0, 1));
    case 13: return kt_to(g, .dtype = KT_F64);
    case 14: return kt_where(kt_gt_s(g, KT_FLOAT(0)), x, g);
    case 15: return kt_index_select(g, 0, kt_from((int64_t[]){9, ROWS - 1}, KT_SHAPE(2), KT_I64));
    case 16: return kt_as_strided(g, KT_SHAPE(100, 3), KT_SHAPE(7, 1), .storage_offset = KT_SOME(N - 1000));
    default: return NULL;
    }
}

TEST(same_results)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_BF16, KT_F64};
    for (int d = 0; d < 3; d++)
        for (int which = 0; which < 17; which++) {
            KT_SCOPE;
            kt_tensor *x = kt_to(kt_rand(KT_SHAPE(ROWS, COLUMNS)), .dtype = dtypes[d]);
            kt_tensor *g = late(0.7, dtypes[d]);
            REQUIRE(x != NULL && waits(g));
            kt_tensor *got = result_of(which, g, x), *want = result_of(which, written(0.7, dtypes[d]), x);
            CHECK_MSG(got && want && same_bytes(got, want), "result %d of %s", which, kt_dtype_name(dtypes[d]));
        }
}

/* The gradients of a norm of rows of three lengths: one is longer than the bytes that are written. */
TEST(norms)
{
    static const int64_t  lengths[] = {100, COLUMNS, 100000};
    static const kt_dtype dtypes[] = {KT_F32, KT_BF16, KT_F64};
    for (int i = 0; i < 9; i++)
        for (int rms = 0; rms < 2; rms++) {
            KT_SCOPE;
            const int64_t  n = lengths[i % 3];
            const kt_dtype dtype = dtypes[i / 3];
            const kt_shape size = KT_SHAPE(2 * N / n, n), row = KT_SHAPE(n);
            kt_tensor     *x = kt_to(kt_rand(size), .dtype = dtype), *w = kt_to(kt_rand(row), .dtype = dtype), *got[2], *want[2];
            kt_set_requires_grad(x, true), kt_set_requires_grad(w, true);
            for (int k = 0; k < 2; k++) {
                kt_tensor *y = rms ? kt_rms_norm(x, row, .weight = w) : kt_layer_norm(x, row, .weight = w);
                kt_tensor *g = kt_full(size, KT_FLOAT(0.7), .dtype = dtype);
                REQUIRE(y && g && waits(g));
                if (k)
                    kt_data(g);
                CHECK_EQ_INT(kt_gradients(&y, &g, 1, (kt_tensor *[]){x, w}, 2, NULL, k ? want : got), KT_OK);
            }
            CHECK(same_bytes(got[0], want[0]) && same_bytes(got[1], want[1]));
            for (int k = 0; k < 2; k++)
                kt_drop(got[k]), kt_drop(want[k]);
        }
}

TEST(more_than_there_are_places_for)
{
    KT_SCOPE;
    kt_tensor *t[KT__FILLS_MOST + 3];
    for (int i = 0; i < KT__FILLS_MOST + 3; i++)
        t[i] = late(i, KT_F32);
    CHECK(!waits(t[0]) && !waits(t[2]) && waits(t[3]));
    for (int i = 0; i < KT__FILLS_MOST + 3; i++)
        CHECK(all_are(kt_data(t[i]), N, (float)i));
}

TEST(memory_that_is_used_again)
{
    for (int i = 0; i < 8; i++) {
        KT_SCOPE;
        const char   *at = NULL;
        kt__late_fill f;
        {
            KT_SCOPE;
            kt_tensor *t = late(i, KT_F32);
            at = t->storage->data;
            CHECK(kt__fill_find(at + 100, &f) && f.block == at && f.bytes == N * sizeof(float));
        }
        CHECK(!kt__fill_find(at, &f) && !kt__fill_may_be_at(at));
    }
}

static void *read_it(void *t)
{
    KT_SCOPE;
    kt_tensor *twice = kt_add(t, t);
    return all_are(kt_data(twice), N, 6) && all_are(kt_data(t), N, 3) ? t : NULL;
}

TEST(threads)
{
    for (int i = 0; i < 20; i++) {
        KT_SCOPE;
        pthread_t  thread[4];
        kt_tensor *t = late(3, KT_F32);
        for (int k = 0; k < 4; k++)
            REQUIRE(pthread_create(&thread[k], NULL, read_it, t) == 0);
        for (int k = 0; k < 4; k++) {
            void *right = NULL;
            CHECK(pthread_join(thread[k], &right) == 0 && right == t);
        }
    }
}

TEST(a_child)
{
    KT_SCOPE;
    kt_tensor  *t = late(3, KT_F32);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(waits(t) && all_are(kt_data(t), N, 3) && !waits(t) ? 0 : 1);
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(waits(t) && all_are(kt_data(t), N, 3));
}
