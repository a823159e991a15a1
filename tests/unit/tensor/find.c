/* find.c - devices are found by their name: those of PyTorch have fixed kinds, plugins are opened when somebody asks for them. */
#include "harness.h"

#include <karat/device.h>
#include <karat/karat.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8 };

static pthread_barrier_t barrier;

static void *find_it(void *found)
{
    pthread_barrier_wait(&barrier);
    *(kt_device *)found = kt_device_find("mirror:1");
    return NULL;
}

/* Whichever test comes first looks for the plugin, with eight threads at once. */
static kt_device mirror(void)
{
    static kt_device d;
    if (d.kind)
        return d;
    setenv("KARAT_BACKEND_PATH", "/no/such/folder::" KT_TEST_BUILD_DIR "/backends", 1);
    pthread_t threads[THREADS];
    kt_device found[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, find_it, &found[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ_INT(found[i].kind, found[0].kind);
        CHECK_EQ_INT(found[i].index, 1);
    }
    pthread_barrier_destroy(&barrier);
    return d = found[0];
}

TEST(kinds)
{
    CHECK_EQ_INT(kt_device_find("cpu").kind, KT_CPU);
    CHECK_EQ_INT(kt_device_find("meta").kind, KT_META);
    CHECK(mirror().kind > KT_CUDA); /* whose place stays free */
    CHECK_STR(kt_device_name(mirror()), "mirror");
    CHECK_EQ_INT(kt_device_count("mirror"), 2);
    CHECK_EQ_INT(kt_device_count("cpu"), 1);
    const kt_device accelerator = kt_device_accelerator();
    CHECK(accelerator.kind == mirror().kind || accelerator.kind == KT_CUDA);
}

TEST(the_index_that_a_name_alone_means)
{
    const kt_device d = mirror();
    CHECK_EQ_INT(kt_device_find("mirror").index, 0);
    CHECK_EQ_INT(kt_device_set_index(d), KT_OK);
    CHECK_EQ_INT(kt_device_find("mirror").index, 1);
    CHECK_EQ_INT(kt_device_index(d.kind), 1);
    CHECK_EQ_INT(kt_device_index(99), 0);
    CHECK_EQ_INT(kt_device_set_index((kt_device){d.kind, 0}), KT_OK);
    CHECK_FAILS(kt_device_set_index((kt_device){d.kind, 2}), KT_ERR_RUNTIME, "there is no such device");
    CHECK_EQ_INT(kt_device_index(d.kind), 0);
}

TEST(devices_that_are_not_there)
{
    mirror();
    CHECK_EQ_INT(kt_device_count("nonesuch"), 0);
    CHECK(!kt_failed());
    CHECK_EQ_INT(kt_device_count(NULL), 0);
    CHECK_FAILS(kt_device_find("nonesuch"), KT_ERR_RUNTIME, "Expected one of cpu, cuda, ");
    CHECK_FAILS(kt_device_find("mirror:2"), KT_ERR_RUNTIME, "device index 2 is out of range: there are 2 'mirror' devices");
    CHECK_FAILS(kt_device_find("mirror:"), KT_ERR_RUNTIME, "Invalid device string: 'mirror:'");
    CHECK_FAILS(kt_device_find("../mirror"), KT_ERR_RUNTIME, "Invalid device string: '../mirror'");
    CHECK_EQ_INT(kt_device_count("../backends/mirror"), 0);
    CHECK_FAILS(kt_device_find(""), KT_ERR_RUNTIME, "Device string must not be empty");
    CHECK_FAILS(kt_device_find(NULL), KT_ERR_TYPE, "expected the name of a device, got NULL");
}

/* A plugin that is there and cannot be opened says why; it brings no devices. */
TEST(plugins_that_cannot_be_opened)
{
    mirror();
    CHECK_FAILS(kt_device_find("refused_abi"), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_device_find("refused_kernel"), KT_ERR_RUNTIME, "");
    CHECK_EQ_INT(kt_device_count("refused_abi"), 0);
    CHECK(!kt_failed());
    kt_fail(KT_ERR_VALUE, "of before");
    CHECK_EQ_INT(kt_device_count("refused_abi"), 0); /* an error of before stays */
    CHECK_FAILS((void)0, KT_ERR_VALUE, "of before");
}
