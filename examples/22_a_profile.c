/* 22_a_profile.c - what ran, for how long, and what was converted on the way.
 *
 * A profile records the calls of the thread that starts it: operators, the kernels that they ran, nodes of backward, and the
 * conversions that kernels make as they read their operands. */
#define KT_SITES /* events name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

static int64_t count(const kt_profile *profile, const char *name)
{
    kt_profile_event e = {.size = sizeof e};
    int64_t          n = 0;
    for (int64_t i = 0; kt_profile_read(profile, i, &e); i++)
        n += strcmp(e.name, name) == 0;
    return n;
}

/* A step whose input was left in bfloat16: the first operator converts it, and the profile says on which line. */
static void step(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(64, 32), .dtype = KT_BF16), *scale = kt_full(KT_SHAPE(32), KT_FLOAT(0.5));
    kt_tensor *w = kt_full(KT_SHAPE(8, 32), KT_FLOAT(0.1), .requires_grad = true);
    const uint64_t range = kt_range_begin("forward");
    kt_tensor     *y = kt_linear(kt_mul(x, scale), w);
    kt_range_end(range);
    kt_backward(kt_mean(y));
}

int main(void)
{
    kt_profiler_start(.memory = true);
    step();
    kt_profile *profile = kt_profiler_stop();

    EXPECT(count(profile, "forward") == 1 && count(profile, "aten::linear") == 1 && count(profile, "MeanBackward0") == 1);
    kt_profile_event e = {.size = sizeof e};
    int64_t          conversions = 0, kernels = 0, now = 0, most = 0;
    for (int64_t i = 0; kt_profile_read(profile, i, &e); i++) {
        kernels += e.kind == KT_PROFILE_PLAN;
        now += e.kind == KT_PROFILE_MEMORY ? e.bytes : 0;
        most = now > most ? now : most;
        if (e.kind != KT_PROFILE_CONVERSION)
            continue;
        conversions++;
        printf("converted: %lld bytes of %s to %s, %s, line %d\n", (long long)e.bytes, kt_dtype_name(e.inputs[0].dtype),
               kt_dtype_name(e.dtype), kt_reason_name(e.why), e.line);
    }
    EXPECT(conversions == 1 && kernels > 0 && most > 0);
    kt_profile_print(profile, stdout);
    EXPECT(kt_profile_write_trace(profile, "/dev/null", NULL) == KT_OK); /* a file that Perfetto and chrome://tracing show */
    kt_profile_free(profile);
    return kt_report(stderr) || wrong;
}
