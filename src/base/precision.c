/* precision.c - see precision.h. PyTorch has two ways to say it. The newer one is a tree of places: everywhere, a backend, one of
 * its operations; a place that says nothing is as the one above it. The older ones (allow_tf32, set_float32_matmul_precision) are
 * kept beside it and set some of its places; where both say different things, asking the older one is an error, as there. */
#include "base/precision.h"

#include <string.h>

#include "base/error.h"

enum { NOTHING, IEEE, TF32, BF16, KINDS };
static const char *const kinds[KINDS] = {[NOTHING] = "none", [IEEE] = "ieee", [TF32] = "tf32", [BF16] = "bf16"};

enum { EVERYWHERE, CUDA, CUDA_MATMUL, CUDA_CONV, CUDA_RNN, MKLDNN, MKLDNN_MATMUL, MKLDNN_CONV, MKLDNN_RNN, PLACES };
static const struct {
    const char *backend, *op;
    int         above;
} places[PLACES] = {
    [EVERYWHERE] = {"generic", "all", -1},         [CUDA] = {"cuda", "all", EVERYWHERE},
    [CUDA_MATMUL] = {"cuda", "matmul", CUDA},      [CUDA_CONV] = {"cuda", "conv", CUDA},
    [CUDA_RNN] = {"cuda", "rnn", CUDA},            [MKLDNN] = {"mkldnn", "all", EVERYWHERE},
    [MKLDNN_MATMUL] = {"mkldnn", "matmul", MKLDNN}, [MKLDNN_CONV] = {"mkldnn", "conv", MKLDNN},
    [MKLDNN_RNN] = {"mkldnn", "rnn", MKLDNN},
};

enum { HIGHEST, HIGH, MEDIUM, LEVELS };
static const char *const levels[LEVELS] = {[HIGHEST] = "highest", [HIGH] = "high", [MEDIUM] = "medium"};

/* Atomic, each for itself. */
static uint8_t said[PLACES] = {[CUDA_CONV] = TF32, [CUDA_RNN] = TF32};
static uint8_t level = HIGHEST, convolutions = true;

static int  load(const uint8_t *x) { return __atomic_load_n(x, __ATOMIC_RELAXED); }
static void store(uint8_t *x, int value) { __atomic_store_n(x, (uint8_t)value, __ATOMIC_RELAXED); }

static bool is_of_cuda(int place) { return place >= CUDA && place <= CUDA_RNN; }

static int at(int place)
{
    int kind = NOTHING;
    for (int p = place; p >= 0 && kind == NOTHING; p = places[p].above)
        kind = load(&said[p]);
    return kind == BF16 && is_of_cuda(place) ? NOTHING : kind;
}

bool kt__may_be_tf32(kt_tf32_use of) { return at(of == KT_TF32_PRODUCTS ? CUDA_MATMUL : CUDA_CONV) == TF32; }
bool kt__products_may_be_bf16(void) { return at(MKLDNN_MATMUL) == BF16; }

/* ---- the places ---- */
static int place_of(const char *backend, const char *op)
{
    for (int i = 0; backend && op && i < PLACES; i++)
        if (strcmp(places[i].backend, backend) == 0 && strcmp(places[i].op, op) == 0)
            return i;
    kt_fail(KT_ERR_RUNTIME, "no precision is kept for %s of %s", op ? op : "NULL", backend ? backend : "NULL");
    return -1;
}

kt_status kt_set_fp32_precision(const char *backend, const char *op, const char *precision)
{
    const int place = place_of(backend, op);
    int       kind = NOTHING;
    if (place < 0)
        return kt_error_status();
    while (kind < KINDS && !(precision && strcmp(kinds[kind], precision) == 0))
        kind++;
    if (kind == KINDS)
        return kt_fail(KT_ERR_RUNTIME, "Unknown precision: %s", precision ? precision : "NULL");
    if (kind == BF16 && is_of_cuda(place))
        return kt_fail(KT_ERR_RUNTIME, "backend '%s' does not support precision '%s'", backend, precision);
    store(&said[place], kind);
    return KT_OK;
}

const char *kt_get_fp32_precision(const char *backend, const char *op)
{
    const int place = place_of(backend, op);
    return place < 0 ? NULL : kinds[at(place)];
}

/* ---- the older settings ---- */
#define SEE "See also: https://pytorch.org/docs/main/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"

void kt_allow_tf32(kt_tf32_use of, bool allowed)
{
    if (of == KT_TF32_PRODUCTS) {
        store(&level, allowed ? HIGH : HIGHEST);
        store(&said[CUDA_MATMUL], allowed ? TF32 : IEEE);
        return;
    }
    store(&convolutions, allowed);
    store(&said[CUDA_CONV], allowed ? TF32 : NOTHING);
    store(&said[CUDA_RNN], allowed ? TF32 : NOTHING);
}

kt_status kt_tf32_allowed(kt_tf32_use of, bool *allowed)
{
    if (!allowed)
        return kt_fail(KT_ERR_RUNTIME, "kt_tf32_allowed needs a place for its answer");
    if (of == KT_TF32_PRODUCTS) {
        *allowed = load(&level) != HIGHEST;
        return *allowed == (at(CUDA_MATMUL) == TF32)
                   ? KT_OK
                   : kt_fail(KT_ERR_RUNTIME,
                             "PyTorch is checking whether allow_tf32_new is enabled for cuBlas matmul,Current status indicate "
                             "that you have used mix of the legacy and new APIs to set the TF32 status for cublas matmul. We "
                             "suggest only using the new API to set the TF32 flag. " SEE);
    }
    *allowed = load(&convolutions);
    return *allowed == (at(CUDA_CONV) == TF32) && *allowed == (at(CUDA_RNN) == TF32)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME,
                         "PyTorch is checking whether allow_tf32 is enabled for cuDNN without a specific operator name,but the "
                         "current flag(s) indicate that cuDNN conv and cuDNN RNN have different TF32 flags.This combination "
                         "indicates that you have used a mix of the legacy and new APIs to set the TF32 flags. We suggest only "
                         "using the new API to set the TF32 flag(s). " SEE);
}

kt_status kt_set_float32_matmul_precision(const char *name)
{
    static const uint8_t cuda[LEVELS] = {IEEE, TF32, TF32}, mkldnn[LEVELS] = {IEEE, TF32, BF16};
    for (int i = 0; name != NULL && i < LEVELS; i++)
        if (strcmp(name, levels[i]) == 0) {
            store(&level, i);
            store(&said[CUDA_MATMUL], cuda[i]);
            store(&said[MKLDNN_MATMUL], mkldnn[i]);
            return KT_OK;
        }
    return kt_fail(KT_ERR_RUNTIME,
                   "%s is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no "
                   "effect.",
                   name != NULL ? name : "NULL");
}

const char *kt_get_float32_matmul_precision(void)
{
    const int now = load(&level), cuda = at(CUDA_MATMUL), mkldnn = at(MKLDNN_MATMUL);
    const bool like = now == HIGHEST ? cuda != TF32 && mkldnn != TF32 && mkldnn != BF16
                      : now == HIGH  ? cuda == TF32 && mkldnn != BF16
                                     : cuda == TF32 && mkldnn != TF32;
    if (like)
        return levels[now];
    kt_fail(KT_ERR_RUNTIME, "PyTorch is checking the matmul precision without a specific backend name,Current status indicate "
                            "that you have used mix of the legacy and new APIs to set the matmul precision. We suggest only "
                            "using the new API for matmul precision. " SEE);
    return NULL;
}
