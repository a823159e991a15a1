/* flops.c - operations of calls: a watcher sums them, as a tool in C would. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/watch.h>
#include <string.h>

static struct {
    int64_t flops;
    int     inside;
    char    names[256];
} seen;

static void enter(const kt_span *span, void *context)
{
    (void)context;
    seen.inside += span->kind == KT_SPAN_CALL && kt_call_counts_flops(span->call);
}

static void leave(const kt_span *span, kt_status status, void *context)
{
    (void)context;
    if (span->kind != KT_SPAN_CALL || !kt_call_counts_flops(span->call) || --seen.inside || status)
        return;
    const char *name;
    seen.flops += kt_call_flops(span->call, &name);
    strncat(seen.names, name, sizeof seen.names - strlen(seen.names) - 2);
    strcat(seen.names, " ");
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .enter = enter, .leave = leave};

static void begin(void)
{
    memset(&seen, 0, sizeof seen);
    CHECK(kt_watch(&watcher) == KT_OK);
}

static int64_t end(void)
{
    CHECK(kt_unwatch(&watcher) == KT_OK && !kt_failed());
    return seen.flops;
}

static kt_tensor *leaf(kt_shape shape)
{
    kt_tensor *t = kt_ones(shape);
    kt_set_requires_grad(t, true);
    return t;
}

TEST(products_forward_and_backward)
{
    KT_SCOPE;
    kt_tensor *a = leaf(KT_SHAPE(3, 4)), *b = leaf(KT_SHAPE(4, 5));
    begin();
    kt_backward(kt_sum(kt_matmul(a, b)));
    CHECK(end() == 360 && strcmp(seen.names, "mm mm mm ") == 0);
    begin();
    kt_linear(a, kt_ones(KT_SHAPE(6, 4)), .bias = kt_ones(KT_SHAPE(6)));
    CHECK(end() == 144 && strcmp(seen.names, "addmm ") == 0);
    begin();
    kt_bmm(kt_ones(KT_SHAPE(2, 3, 4)), kt_ones(KT_SHAPE(2, 4, 5)));
    CHECK(end() == 240);
    begin();
    kt_mv(a, kt_ones(KT_SHAPE(4)));
    kt_add(a, a);
    CHECK(end() == 0);
}

TEST(convolutions)
{
    KT_SCOPE;
    kt_tensor *x = leaf(KT_SHAPE(2, 4, 9, 9)), *w = leaf(KT_SHAPE(6, 2, 3, 3));
    begin();
    kt_backward(kt_sum(kt_conv2d(x, w, .groups = KT_SOME(2))));
    CHECK(end() == 21168 + 63504);
    CHECK(strcmp(seen.names, "convolution convolution_backward convolution_backward ") == 0);
}

TEST(what_is_not_a_call)
{
    const char *name = "x";
    CHECK(!kt_call_counts_flops(NULL) && kt_call_flops(NULL, &name) == 0 && strcmp(name, "") == 0);
    CHECK(kt_call_flops(NULL, NULL) == 0);
}
