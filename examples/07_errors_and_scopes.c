/* 07_errors_and_scopes.c - what happens when something fails, and who owns what.
 *
 * Errors: the first failure on a thread is kept; while it is pending operators do nothing and return NULL, so that a
 * whole step is checked once. Scopes: a tensor that you are given belongs to the innermost open scope and dies with it,
 * unless you kt_keep it (then you kt_drop it) or kt_escape it to the enclosing scope. */
#define KT_SITES /* before the header: every call then says in which line it stands */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

/* Temporaries die with this function's scope; the result is handed to the caller's. */
static kt_tensor *norm(const kt_tensor *x)
{
    KT_SCOPE;
    return kt_escape(kt_sqrt(kt_sum(kt_mul(x, x))));
}

static uint64_t live_bytes(void)
{
    kt_memory_stats stats = {.size = sizeof stats};
    kt_memory_read(&stats);
    return stats.live_bytes;
}

static void errors(void)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(2, 3)), *b = kt_ones(KT_SHAPE(2, 4));

    /* No check in between: the first line fails, the others pass the failure on. */
    kt_tensor *sum = kt_add(a, b);
    kt_tensor *twice = kt_mul_s(sum, KT_INT(2));
    kt_tensor *unrelated = kt_ones(KT_SHAPE(1));
    EXPECT(sum == NULL && twice == NULL && unrelated == NULL);
    EXPECT(kt_failed() && kt_error_status() == KT_ERR_RUNTIME);
    EXPECT(strncmp(kt_error(), "The size of tensor a (3) must match the size of tensor b (4)", 60) == 0);

    /* The error is yours to handle: forget it and go on, or kt_report it. */
    kt_clear();
    EXPECT(!kt_failed() && kt_ones(KT_SHAPE(1)) != NULL);
}

static void lineage(void)
{
    KT_SCOPE;
    /* A dtype error names the line where the type went wrong, not only the line where it was noticed. */
    kt_tensor *images = kt_full(KT_SHAPE(2, 2), KT_FLOAT(0.5), .dtype = KT_F64);
    kt_tensor *input = kt_to(images, .dtype = KT_F32);
    kt_tensor *weight = kt_to(kt_ones(KT_SHAPE(2, 2)), .dtype = KT_F16);
    EXPECT(kt_matmul(input, weight) == NULL);
    EXPECT(strncmp(kt_error(), "expected m1 and m2 to have the same dtype, but got: float != c10::Half", 70) == 0);
    printf("%s\n\n", kt_error());
    kt_clear();

    /* The same for any tensor, without an error. */
    char *story = kt_explain(input);
    EXPECT(story != NULL);
    printf("%s\n", story ? story : "");
    kt_free_string(story);
}

static void scopes(void)
{
    KT_SCOPE;
    const uint64_t before = live_bytes();
    double         total = 0;
    for (int step = 0; step < 100; step++) {
        KT_SCOPE; /* this step's temporaries: 100 steps need the memory of one */
        total += kt_item(norm(kt_full(KT_SHAPE(1000), KT_INT(step), .dtype = KT_F64)));
    }
    EXPECT(total > 156532.7 && total < 156532.8); /* sqrt(1000) * (0 + 1 + ... + 99) */
    EXPECT(live_bytes() == before);

    /* To hold a tensor beyond its scope, become one of its owners, and give it back yourself. */
    kt_tensor *kept = NULL;
    {
        KT_SCOPE;
        kept = kt_keep(kt_full(KT_SHAPE(3), KT_INT(7)));
    }
    EXPECT(kt_item(kt_sum(kept)) == 21);
    kt_drop(kept);
}

int main(void)
{
    errors();
    lineage();
    scopes();
    return kt_report(stderr) || wrong;
}
