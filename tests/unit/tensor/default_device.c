/* default_device.c - where makers put a tensor when no device is given: the thread's choice, and nobody else's. */
#include "harness.h"

#include <karat/karat.h>
#include <pthread.h>

#include "support/by_name.h"

#define S KT_SHAPE

static void *kind_of_a_new_tensor(void *kind)
{
    KT_SCOPE;
    *(int *)kind = kt_device_of(kt_zeros(S(2))).kind;
    return NULL;
}

TEST(makers_follow_it_and_operators_do_not)
{
    KT_SCOPE;
    kt_tensor *here = kt_ones(S(2));
    CHECK_EQ_INT(kt_get_default_device().kind, KT_CPU);
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_META, 0}), KT_OK);
    CHECK_EQ_INT(kt_device_of(kt_zeros(S(2))).kind, KT_META);
    CHECK_EQ_INT(kt_device_of(kt_add(here, here)).kind, KT_CPU);
    CHECK_EQ_INT(kt_device_of(kt_sum(here)).kind, KT_CPU);
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_DEVICE_DEFAULT, 0}), KT_OK);
    CHECK_EQ_INT(kt_device_of(kt_zeros(S(2))).kind, KT_CPU);
}

TEST(another_thread_has_its_own)
{
    int       kind = -1;
    pthread_t thread;
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_META, 0}), KT_OK);
    CHECK_EQ_INT(pthread_create(&thread, NULL, kind_of_a_new_tensor, &kind), 0);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(kind, KT_CPU);
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_DEVICE_DEFAULT, 0}), KT_OK);
}

TEST(cuda_need_not_be_there_until_it_is_used)
{
    if (kt_device_count("cuda"))
        return;
    KT_SCOPE;
    const bool loaded = kt_device_name((kt_device){KT_CUDA, 0})[0] != '?';
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_CUDA, 3}), KT_OK);
    CHECK(kt_get_default_device().kind == KT_CUDA && kt_get_default_device().index == 3);
    CHECK_FAILS(kt_zeros(S(2)), loaded ? KT_ERR_RUNTIME : KT_ERR_ASSERTION,
                loaded ? "Found no NVIDIA driver" : "Torch not compiled with CUDA enabled");
    CHECK_EQ_INT(kt_device_of(kt_zeros(S(2), .device = {KT_CPU, 0})).kind, KT_CPU);
    CHECK_EQ_INT(kt_set_default_device((kt_device){KT_DEVICE_DEFAULT, 0}), KT_OK);
    CHECK_EQ_INT(kt_device_check((kt_device){KT_META, 0}), KT_OK);
    CHECK_FAILS(kt_device_check((kt_device){29, 0}), KT_ERR_RUNTIME, "there is no such device");
}

TEST(a_device_that_is_not_there)
{
    CHECK_EQ_INT(kt_set_default_device((kt_device){29, 0}), KT_ERR_RUNTIME);
    kt_clear();
    CHECK_EQ_INT(kt_get_default_device().kind, KT_CPU);
}
