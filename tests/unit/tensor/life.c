/* life.c - who keeps what alive: tensors, views, storages, foreign memory; resizing; version counters; many dims. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/storage.h>
#include <pthread.h>

#include "support/by_name.h"
#include "support/memory.h"
#include "tensor/tensor.h"

#define S KT_SHAPE

TEST(a_number_as_a_tensor_is_as_weak_as_the_number)
{
    KT_SCOPE;
    kt_tensor *small = kt_ones(S(2), .dtype = KT_U8), *number = NULL;
    CHECK_EQ_INT(kt_number_beside(KT_INT(-1), small, &number), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(number), KT_I64);
    CHECK_EQ_INT(kt_dtype_of(kt_add(number, small)), KT_U8);
    CHECK(kt_item(kt_select(kt_true_divide(number, small), 0, 0)) == -1.0);
    kt_drop(number);
    CHECK_EQ_INT(kt_number_beside(KT_FLOAT(0.1), kt_ones(S(1), .dtype = KT_F64), &number), KT_OK);
    CHECK(kt_item(number) == 0.1);
    kt_drop(number);
    CHECK_FAILS(kt_number_beside(KT_INT(1), NULL, NULL), KT_ERR_VALUE, "the pointer for the result is NULL");
}

/* ---- scopes and references ---- */
TEST(a_tensor_dies_with_its_scope)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_zeros(S(1000));
        kt_zeros(S(2));
        kt_select(kt_zeros(S(10, 10)), 0, 1);
        CHECK(live_bytes() > before);
    }
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(kept_and_escaped)
{
    const uint64_t before = live_bytes();
    kt_tensor     *kept;
    {
        KT_SCOPE;
        kt_tensor *escaped;
        {
            KT_SCOPE;
            kept = kt_keep(kt_full(S(100), KT_FLOAT(3)));
            escaped = kt_escape(kt_full(S(100), KT_FLOAT(4)));
        }
        CHECK_NEAR(tensor_at(escaped, 99), 4, 0);
    }
    CHECK_NEAR(tensor_at(kept, 99), 3, 0);
    kt_drop(kept);
    kt_drop(NULL);
    CHECK(kt_keep(NULL) == NULL);
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(a_view_outlives_its_base)
{
    static const int sizes[] = {2, 1000}; /* data within the record, and apart */
    for (int i = 0; i < 2; i++) {
        const uint64_t before = live_bytes();
        kt_tensor     *view, *deeper, *detached;
        {
            KT_SCOPE;
            kt_tensor *base = kt_full(S(2, sizes[i]), KT_FLOAT(5));
            view = kt_keep(kt_select(base, 0, 1));
            deeper = kt_keep(kt_slice(view, .start = KT_SOME(1)));
            detached = kt_keep(kt_detach(base));
        }
        CHECK_NEAR(tensor_at(view, sizes[i] - 1), 5, 0);
        kt_drop(view);
        CHECK_NEAR(tensor_at(deeper, 0), 5, 0);
        kt_drop(deeper);
        CHECK_NEAR(tensor_at(detached, 0), 5, 0);
        kt_drop(detached);
        CHECK_EQ_INT(live_bytes(), before);
    }
}

/* ---- foreign memory ---- */
static int released;

static void release(void *owner)
{
    released++;
    *(int *)owner = 1;
}

TEST(foreign_memory_is_released_when_unused)
{
    static float memory[6] = {0, 1, 2, 3, 4, 5};
    int          gone = 0;
    kt_tensor   *view;
    released = 0;
    {
        KT_SCOPE;
        kt_tensor *t = kt_wrap(memory, S(2, 3), KT_F32, release, &gone);
        CHECK_NEAR(tensor_at(t, 5), 5, 0);
        CHECK(kt_data(t) == memory);
        kt_add_s_(t, KT_INT(10)); /* no copy: the memory itself */
        CHECK(memory[0] == 10);
        view = kt_keep(kt_select(t, 1, 2));
    }
    CHECK_EQ_INT(released, 0);
    CHECK_NEAR(tensor_at(view, 1), 15, 0);
    kt_drop(view);
    CHECK_EQ_INT(released, 1);
    CHECK_EQ_INT(gone, 1);
    {
        KT_SCOPE;
        kt_tensor *t = kt_wrap(memory, S(6), KT_F32, release, &gone);
        CHECK_FAILS(kt_add_out(t, kt_ones(S(10)), kt_ones(S(10))), KT_ERR_RUNTIME,
                    "Trying to resize storage that is not resizable");
        kt_add_out(t, kt_ones(S(2)), kt_ones(S(2))); /* smaller fits */
        CHECK_EQ_INT(kt_numel(t), 2);
        CHECK(memory[0] == 2);
        kt_wrap(memory, S(6), KT_F32, NULL, NULL);
    }
    CHECK_EQ_INT(released, 2);
    KT_SCOPE;
    CHECK_FAILS(kt_wrap(NULL, S(2), KT_F32, NULL, NULL), KT_ERR_VALUE, "kt_wrap: memory is NULL");
    CHECK_FAILS(kt_wrap(memory, S(-1), KT_F32, NULL, NULL), KT_ERR_RUNTIME,
                "Trying to create tensor with negative dimension");
    CHECK_FAILS(kt_wrap(memory, S(2), (kt_dtype)77, NULL, NULL), KT_ERR_TYPE, "there is no dtype 77");
}

/* ---- resizing ---- */
TEST(a_resized_buffer_leaves_other_views_alone)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *t = kt_full(S(4), KT_FLOAT(1)), *view = kt_select(t, 0, 3);
        CHECK_EQ_INT(kt__tensor_resize(t, S(500, 3), NULL), KT_OK);
        CHECK_EQ_INT(kt_numel(t), 1500);
        CHECK(kt_is_contiguous(t));
        kt_fill_s_(t, KT_INT(9));
        CHECK_NEAR(tensor_at(view, 0), 1, 0);
        CHECK_NEAR(tensor_at(t, 1499), 9, 0);
        CHECK_EQ_INT(kt__tensor_resize(t, S(2), NULL), KT_OK);                   /* smaller keeps the storage */
        CHECK_EQ_INT(kt__tensor_resize(t, S(1, 1, 1, 1, 1, 2, 3), NULL), KT_OK); /* more dims than fit in the record */
        CHECK_EQ_INT(kt_ndim(t), 7);
        CHECK_EQ_INT(kt_stride(t, 5), 3);
        CHECK_EQ_INT(kt__tensor_resize(t, S(6), NULL), KT_OK);
        CHECK_FAILS(kt__tensor_resize(t, S(-6), NULL), KT_ERR_RUNTIME, "Trying to create tensor with negative dimension");
        CHECK_EQ_INT(kt_numel(t), 6);
    }
    CHECK_EQ_INT(live_bytes(), before);
}

/* ---- versions ---- */
TEST(version_counters)
{
    KT_SCOPE;
    kt_tensor *t = kt_zeros(S(2, 3)), *view = kt_select(t, 0, 0), *detached = kt_detach(t), *copy = kt_clone(t);
    CHECK_EQ_INT(kt_tensor_version(t), 0);
    kt_add_s_(t, KT_INT(1));
    CHECK_EQ_INT(kt_tensor_version(t), 1);
    CHECK_EQ_INT(kt_tensor_version(view), 1); /* one counter for all who look in */
    CHECK_EQ_INT(kt_tensor_version(detached), 1);
    CHECK_EQ_INT(kt_tensor_version(copy), 0);
    kt_zero_(view);
    kt_fill_s_(detached, KT_INT(2));
    kt_copy_(t, copy);
    kt_add_out(t, copy, copy);
    CHECK_EQ_INT(kt_tensor_version(t), 5);
    kt_exp(t);
    kt_sum(t);
    CHECK_EQ_INT(kt_tensor_version(t), 5);
    CHECK(kt_add_(t, kt_ones(S(7))) == NULL); /* a refused write is none */
    kt_clear();
    CHECK_EQ_INT(kt_tensor_version(t), 5);
}

/* ---- asking ---- */
TEST(questions)
{
    KT_SCOPE;
    kt_tensor *t = kt_zeros(S(2, 3), .dtype = KT_I16), *zero = kt_scalar_tensor(KT_INT(7));
    CHECK_EQ_INT(kt_size(t, -1), 3);
    CHECK_EQ_INT(kt_stride(t, -2), 3);
    CHECK_FAILS(kt_size(t, 2), KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK_FAILS(kt_stride(t, -3), KT_ERR_INDEX,
                "Dimension out of range (expected to be in range of [-2, 1], but got -3)");
    CHECK(kt_size(zero, 0) == -1 && kt_error_status() == KT_ERR_INDEX);
    kt_clear();
    CHECK_EQ_INT(kt_device_of(t).kind, KT_CPU);
    CHECK_STR(kt_device_name(kt_device_of(t)), "cpu");
    CHECK_NEAR(kt_item(zero), 7, 0);
    CHECK_EQ_INT(kt_item_scalar(zero).kind, KT_SCALAR_INT);
    CHECK_FAILS(kt_item(t), KT_ERR_RUNTIME, "a Tensor with 6 elements cannot be converted to Scalar");
    CHECK_FAILS(kt_ndim(NULL), KT_ERR_TYPE, "expected a tensor, got NULL");
    CHECK_FAILS(kt_dtype_of(NULL), KT_ERR_TYPE, "expected a tensor, got NULL");
    CHECK_FAILS(kt_read(t, NULL, 3), KT_ERR_VALUE, "the tensor has 12 bytes, the buffer 3");
    CHECK(kt_is_contiguous(t) && !kt_is_contiguous(kt_t(t)) && kt_is_contiguous(kt_t(kt_zeros(S(1, 3)))));
    CHECK(kt_is_contiguous_as(kt_contiguous(kt_zeros(S(2, 3, 4, 5)), .memory_format = KT_CHANNELS_LAST),
                              KT_CHANNELS_LAST));
    CHECK(!kt_is_contiguous_as(t, KT_CHANNELS_LAST));
    kt_tensor *meta = kt_zeros(S(1), .device = {KT_META, 0});
    CHECK_FAILS(kt_data(meta), KT_ERR_RUNTIME, "the memory of a tensor on device 'meta' cannot be read from the host");
    CHECK(kt_item(meta) != kt_item(meta) && kt_failed()); /* NaN */
    kt_clear();
    CHECK_EQ_INT(kt_device_find("nowhere").kind, -1);
    kt_clear();
    CHECK_EQ_INT(kt_device_find("meta").kind, KT_META);
    CHECK_EQ_INT(kt_device_find("cpu:0").kind, KT_CPU);
}

TEST(many_dims_have_no_leak)
{
    const uint64_t before = live_bytes();
    for (int rank = 0; rank <= 64; rank++) {
        KT_SCOPE;
        int64_t sizes[64];
        for (int i = 0; i < rank; i++)
            sizes[i] = i % 20 == 0 ? 2 : 1;
        const kt_shape shape = {rank, sizes};
        kt_tensor *t = kt_ones(shape), *v = rank ? kt_transpose(t, 0, -1) : kt_alias(t), *sum = kt_add(t, kt_clone(t));
        CHECK_EQ_INT(kt_ndim(v), rank);
        CHECK_NEAR(tensor_at(sum, kt_numel(sum) - 1), 2, 0);
        kt_set_requires_grad(t, true);
        CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(t, t))), KT_OK);
        CHECK_EQ_INT(kt_ndim(kt_grad(t)), rank);
    }
    CHECK_EQ_INT(live_bytes(), before);
}

/* ---- threads ---- */
static void *reader(void *shared)
{
    kt_tensor *t = shared;
    for (int i = 0; i < 2000; i++) {
        KT_SCOPE;
        kt_tensor *mine = kt_keep(t), *view = kt_select(mine, 0, i % 4);
        kt_add(view, view);
        kt_drop(mine);
    }
    return NULL;
}

TEST(a_tensor_shared_by_threads)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *t = kt_ones(S(4, 8));
        pthread_t  threads[4];
        for (int i = 0; i < 4; i++)
            CHECK_EQ_INT(pthread_create(&threads[i], NULL, reader, t), 0);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        CHECK_EQ_INT(t->refs, 1);
        CHECK_EQ_INT(t->storage->refs, 1);
    }
    CHECK_EQ_INT(live_bytes(), before);
}

/* ---- other elements in the same record ---- */
TEST(set_data_shares_and_keeps)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *t = kt_zeros(S(2)), *from = kt_transpose(kt_ones(S(2, 3), .dtype = KT_F64), 0, 1);
        CHECK_EQ_INT(kt_set_data(t, from), KT_OK);
        CHECK_EQ_INT(kt_dtype_of(t), KT_F64);
        CHECK_EQ_INT(kt_size(t, 0), 3);
        CHECK_EQ_INT(kt_stride(t, 1), 3);
        CHECK(kt_shares_storage(t, from) && !kt_base(t) && kt_base(from));
        CHECK_EQ_INT(kt_storage_bytes(t), 48);
        CHECK(kt_storage_data(t) == kt_data(t));
        CHECK_EQ_INT(kt_set_data(t, t), KT_OK);
        CHECK_EQ_INT(kt_set_data(t, kt_zeros(S(1), .device = {KT_META, 0})), KT_ERR_RUNTIME);
        kt_clear();
        kt_tensor *deep = kt_zeros(((kt_shape){12, (int64_t[12]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}));
        CHECK_EQ_INT(kt_set_data(t, deep), KT_OK);
        CHECK_EQ_INT(kt_ndim(t), 12);
        CHECK_EQ_INT(kt_set_data(t, from), KT_OK);
        CHECK(kt_dtype_of(t) == KT_F64 && kt_shares_storage(t, from));
        CHECK_EQ_INT(kt_set_data(NULL, t), KT_ERR_TYPE);
        kt_clear();
    }
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(a_storage_has_one_identity)
{
    KT_SCOPE;
    kt_tensor *t = kt_ones(S(4)), *empty = kt_zeros(S(0)), *meta = kt_zeros(S(4), .device = {KT_META, 0});
    CHECK(kt_storage_identity(t) && kt_storage_identity(t) == kt_storage_identity(kt_narrow(t, 0, 1, 2)));
    CHECK(kt_storage_identity(t) != kt_storage_identity(kt_clone(t)));
    CHECK(kt_storage_identity(empty) != kt_storage_identity(kt_zeros(S(0))));
    CHECK(kt_storage_identity(meta) == kt_storage_identity(kt_narrow(meta, 0, 1, 2)));
    CHECK(kt_storage_identity(meta) != kt_storage_identity(kt_zeros(S(4), .device = {KT_META, 0})));
    CHECK_FAILS(kt_storage_identity(NULL), KT_ERR_TYPE, "expected a tensor, got NULL");
}

TEST(a_shape_of_too_many_dims_is_refused_before_its_sizes_are_read)
{
    KT_SCOPE;
    float         x[2] = {1, 2};
    const int64_t two[1] = {2};
    kt_wrap(x, (kt_shape){INT64_MAX, two}, KT_F32, NULL, NULL);
    CHECK(kt_failed() && strstr(kt_error(), "only tensors with up to 64 dims are supported"));
    kt_clear();
    int64_t many[65];
    for (int i = 0; i < 65; i++)
        many[i] = 1;
    const kt_shape shape = {65, many};
    kt_tensor     *t = kt_zeros(S(2));
    kt_resize_(t, shape);
    CHECK(kt_failed() && strstr(kt_error(), "only tensors with up to 64 dims are supported"));
    kt_clear();
    CHECK_EQ_INT(kt_ndim(t), 1);
}
