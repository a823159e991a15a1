/* plugin.c - how a plugin and the library come together: kernels by name, structs of the same layout, plans that are kept. */
#include "harness.h"

#include <dlfcn.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>
#include <stdlib.h>

#include "tables/kernels/all.h"

#define PLUGIN(name) KT_TEST_BUILD_DIR "/backends/" name ".so"

/* ---- names ---- */

TEST(every_kernel_is_found_by_its_name)
{
    int known = 0;
    for (int k = 0; k < KT_K_end; k++) {
        const char *name = kt_kernel_name((kt_kernel_id)k);
        if (strcmp(name, "?") == 0)
            continue;
        known++;
        CHECK_MSG(kt_kernel_find(name) == k, "%s is %d, and is found as %d", name, k, kt_kernel_find(name));
    }
    CHECK(known > 190);
    CHECK_EQ_INT(kt_kernel_find("add"), KT_K_add);
    CHECK_EQ_INT(kt_kernel_find("sort_rows"), KT_K_sort_rows);
    CHECK(kt_kernel_find("no_such_kernel") == 0 && kt_kernel_find("") == 0);
    CHECK(kt_kernel_find("?") == 0 && kt_kernel_find(NULL) == 0);
    CHECK_STR(kt_kernel_name(0), "?");
    CHECK_STR(kt_kernel_name(KT_K_end), "?");
    CHECK_STR(kt_kernel_name(UINT16_MAX), "?");
}

/* ---- a plugin that knows names alone ---- */

/* The ids of a library whose tables are in another order. */
static kt_kernel_id moved(const char *name)
{
    return (kt_kernel_id)(KT_K_end - kt_kernel_find(name));
}

static void plan_of(kt_plan *p, kt_kernel_id kernel, float *z, float *a, float *b, int64_t n)
{
    memset(p, 0, sizeof *p);
    p->kernel = kernel, p->compute = KT_IN_F32;
    p->n_out = 1, p->n_in = 2, p->nd = 1, p->contiguous = 1;
    p->numel = p->size[0] = n;
    float *const data[3] = {z, a, b};
    for (int i = 0; i < 3; i++) {
        p->arg[i] = (kt_operand){.data = (char *)data[i], .is = KT_F32, .as = KT_F32};
        p->stride[i][0] = 4;
    }
}

TEST(ids_come_from_the_host)
{
    static const kt_host host = {.fail = kt_fail, .kernel = moved, .kernel_name = kt_kernel_name, .kernels = KT_K_end};
    void                *library = dlopen(PLUGIN("named"), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    void *symbol = dlsym(library, "kt_plugin_open");
    kt_backend *(*open)(const kt_host *) = NULL;
    memcpy(&open, &symbol, sizeof symbol);
    REQUIRE(open != NULL);
    kt_backend *named = open(&host);
    REQUIRE(named != NULL);
    float   a[3] = {1, 5, -2}, b[3] = {3, 2, -4}, z[3];
    kt_plan p;
    static const struct {
        const char *name;
        float       want[3];
    } rows[] = {{"add", {4, 7, -6}}, {"mul", {3, 10, 8}}, {"sub", {-2, 3, 2}}, {"maximum", {3, 5, -2}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_MSG(named->has(named, moved(rows[i].name), KT_IN_F32), "%s is not known", rows[i].name);
        CHECK(moved(rows[i].name) == kt_kernel_find(rows[i].name) || !named->has(named, kt_kernel_find(rows[i].name), KT_IN_F32));
        plan_of(&p, moved(rows[i].name), z, a, b, 3);
        CHECK_EQ_INT(named->run(named, &p), KT_OK);
        CHECK_MEM(z, rows[i].want, sizeof z);
    }
    plan_of(&p, moved("div"), z, a, b, 3);
    CHECK_EQ_INT(named->run(named, &p), KT_DECLINED);
    dlclose(library);
}

TEST(a_plugin_runs_its_kernels)
{
    KT_SCOPE;
    REQUIRE(kt_backend_load(PLUGIN("named")) == KT_OK);
    const kt_device device = kt_device_find("named");
    REQUIRE(device.kind > KT_META);
    kt_tensor *a = kt_to(kt_arange(KT_INT(0), KT_INT(6), .dtype = KT_F32), .device = device);
    kt_tensor *b = kt_to(kt_full(KT_SHAPE(6), KT_FLOAT(2.5)), .device = device);
    CHECK_NEAR(kt_item(kt_sum(kt_sub(kt_mul(a, b), kt_maximum(a, b)))), 2.5 * 15 - (3 * 2.5 + 3 + 4 + 5), 0);
    CHECK_NEAR(kt_item(kt_sum(kt_exp(kt_sub(a, a)))), 6, 0); /* by the CPU */
}

/* ---- refusals ---- */

static int backends(void)
{
    int n = 0;
    while (strcmp(kt_device_name((kt_device){n + 1, 0}), "?") != 0)
        n++;
    return n;
}

TEST(another_layout_is_refused)
{
    const int before = backends();
    char text[512];
    snprintf(text, sizeof text, PLUGIN("refused_abi") " was built for backend interface %d, and this library has %d",
             KT_BACKEND_ABI + 1, KT_BACKEND_ABI);
    CHECK_FAILS(kt_backend_load(PLUGIN("refused_abi")), KT_ERR_RUNTIME, text);
    snprintf(text, sizeof text, PLUGIN("refused_layout") " was built with a kt_plan of %zu bytes, and here it has %zu",
             sizeof(kt_plan) - 8, sizeof(kt_plan));
    CHECK_FAILS(kt_backend_load(PLUGIN("refused_layout")), KT_ERR_RUNTIME, text);
    CHECK_FAILS(kt_backend_load(PLUGIN("refused_old")), KT_ERR_RUNTIME,
                PLUGIN("refused_old") " was built for a backend interface before 3 (it has no kt_plugin_layout)");
    CHECK_FAILS(kt_backend_load(NULL), KT_ERR_TYPE, "expected the path of a backend, got NULL");
    kt_backend mine = {.layout = KT_LAYOUT, .name = "mine"};
    mine.layout.operand++;
    CHECK_FAILS(kt_backend_register(&mine), KT_ERR_RUNTIME, "a backend was built with a kt_operand of");
    mine.layout = (kt_layout){.abi = 2};
    CHECK_FAILS(kt_backend_register(&mine), KT_ERR_RUNTIME, "a backend was built for backend interface 2");
    CHECK_FAILS(kt_backend_register(NULL), KT_ERR_TYPE, "expected a backend, got NULL");
    CHECK_EQ_INT(backends(), before);
}

TEST(an_unknown_kernel_is_refused_by_name)
{
    const int before = backends();
    CHECK_FAILS(kt_backend_load(PLUGIN("refused_kernel")), KT_ERR_RUNTIME,
                PLUGIN("refused_kernel") " asks for a kernel 'no_such_kernel', and this library has none of that name");
    CHECK_EQ_INT(backends(), before);
    CHECK_FAILS(kt_device_find("refused"), KT_ERR_RUNTIME, "");
}

/* ---- plans that are kept ---- */

static void fill_plan(kt_plan *p, int n_out, int n_in, int n_param, int nd)
{
    unsigned char *bytes = (unsigned char *)p;
    for (size_t i = 0; i < sizeof *p; i++)
        bytes[i] = (unsigned char)test_below(256);
    p->n_out = (uint8_t)n_out, p->n_in = (uint8_t)n_in, p->n_param = (uint8_t)n_param, p->nd = (uint8_t)nd;
}

static void check_kept(int n_out, int n_in, int n_param, int nd)
{
    static kt_plan p, back;
    fill_plan(&p, n_out, n_in, n_param, nd);
    const int    n = n_out + n_in;
    const size_t bytes = kt_plan_bytes(&p);
    char        *packed = malloc(bytes);
    if (!CHECK(packed != NULL))
        return;
    kt_plan_pack(packed, &p);
    memset(&back, 0xa5, sizeof back);
    kt_plan_unpack(&back, packed);
    free(packed); /* the end of it, where the address sanitizer looks */
    CHECK_MEM(&back, &p, offsetof(kt_plan, arg));
    CHECK_MEM(back.arg, p.arg, (size_t)n * sizeof *p.arg);
    CHECK_MEM(back.param, p.param, (size_t)n_param * sizeof *p.param);
    CHECK_MEM(back.imm, p.imm, (size_t)n * sizeof *p.imm);
    CHECK_MEM(back.size, p.size, (size_t)nd * sizeof *p.size);
    for (int i = 0; i < n; i++)
        CHECK_MEM(back.stride[i], p.stride[i], (size_t)nd * sizeof *p.size);
    CHECK_EQ_INT(bytes, offsetof(kt_plan, arg) + (size_t)n * (sizeof *p.arg + sizeof *p.imm + (size_t)nd * 8) +
                            (size_t)n_param * sizeof *p.param + (size_t)nd * 8);
}

TEST(a_kept_plan_is_what_was_used)
{
    check_kept(1, 2, 0, 1);
    check_kept(1, 0, 1, 0);
    check_kept(2, 1, 3, 5);
    check_kept(KT_MAX_OPERANDS - 4, 4, KT_MAX_PARAMS, KT_MAX_DIMS);
    for (int i = 0; i < 200; i++)
        check_kept(1 + (int)test_below(3), (int)test_below(9), (int)test_below(17), (int)test_below(65));
    static kt_plan p;
    fill_plan(&p, 1, 2, 0, 1);
    CHECK(kt_plan_bytes(&p) <= 200);
}
