/* page_ends.c - tensors that touch a page which nobody may read: products, softmax, cross entropy and recurrent layers read
 * nothing beside their operands, were it only to throw it away, and give what they give with memory of their own. */
#include "cpu/gemm/products.h"
#include "harness.h"

#include <karat/karat.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a library reads is its own matter. On aarch64 our own tiles come before them. */
#ifndef __aarch64__
__attribute__((constructor)) static void without_libraries(void) { kt__product_choose(KT__MAKER_OWN); }
#endif

typedef struct pages {
    char  *begin;
    size_t bytes;
} pages;

static void unmap(void *owner)
{
    pages *p = owner;
    munmap(p->begin, p->bytes);
    free(p);
}

/* A copy of t whose last byte, or first, lies beside such a page. */
static kt_tensor *beside_a_wall(kt_tensor *t, bool last)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)kt_numel(t) * kt_dtype_size(kt_dtype_of(t)),
                 room = (bytes + page - 1) / page * page;
    pages *p = malloc(sizeof *p);
    p->bytes = room + 2 * page;
    p->begin = mmap(NULL, p->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(p->begin != MAP_FAILED && mprotect(p->begin + page, room, PROT_READ | PROT_WRITE) == 0)) {
        free(p);
        return NULL;
    }
    kt_tensor *to = kt_wrap(p->begin + page + (last ? room - bytes : 0), kt_sizes(t), kt_dtype_of(t), unmap, p);
    kt_copy_(to, t);
    return to;
}

/* Quarters: sums of their products are exact, so in whatever order a library adds them, they have the same bits. */
static kt_tensor *numbers(kt_shape sizes, kt_dtype dtype)
{
    return kt_to(kt_mul_s(kt_sub_s(kt_randint(17, sizes), KT_INT(8)), KT_FLOAT(0.25)), .dtype = dtype);
}

static void check_same(const kt_tensor *a, const kt_tensor *b, const char *what, kt_dtype dtype, int64_t size)
{
    CHECK_MSG(!kt_failed() && kt_item(kt_all(kt_eq(a, b))) == 1, "%s of %s, %lld: %s", what, kt_dtype_name(dtype),
              (long long)size, kt_failed() ? kt_error() : "other values");
    kt_clear();
}

static const kt_dtype floats[] = {KT_F32, KT_BF16, KT_F16, KT_F64};
enum { FLOATS = sizeof floats / sizeof *floats };

static void check_product(kt_dtype dtype, int64_t m, int64_t n, int64_t k, int way)
{
    KT_SCOPE;
    const bool at = way & 1, bt = way & 2, last = way & 4;
    kt_tensor *a = numbers(at ? KT_SHAPE(k, m) : KT_SHAPE(m, k), dtype);
    kt_tensor *b = numbers(bt ? KT_SHAPE(n, k) : KT_SHAPE(k, n), dtype);
    kt_tensor *c = numbers(KT_SHAPE(m, n), dtype), *out = beside_a_wall(c, last);
    kt_tensor *wall_a = beside_a_wall(a, last), *wall_b = beside_a_wall(b, last);
    a = at ? kt_t(a) : a, b = bt ? kt_t(b) : b;
    kt_mm_out(out, at ? kt_t(wall_a) : wall_a, bt ? kt_t(wall_b) : wall_b);
    check_same(out, kt_mm(a, b), "mm", dtype, k);
    kt_addmm_out(out, beside_a_wall(c, last), at ? kt_t(wall_a) : wall_a, bt ? kt_t(wall_b) : wall_b, .alpha = KT_FLOAT(2));
    check_same(out, kt_addmm(c, a, b, .alpha = KT_FLOAT(2)), "addmm", dtype, k);
}

TEST(products)
{
    static const int64_t sides[] = {1, 3, 8, 17, 70, 136}, depths[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 519};
    enum { SIDES = sizeof sides / sizeof *sides, DEPTHS = sizeof depths / sizeof *depths };
    kt_manual_seed(1);
    for (int d = 0; d < FLOATS; d++)
        for (int i = 0; i < SIDES * SIDES * DEPTHS; i++)
            check_product(floats[d], sides[i % SIDES], sides[i / SIDES % SIDES], depths[i / SIDES / SIDES], (i * 5 + i / 36) % 8);
}

static void check_lines(kt_dtype dtype, int64_t rows, int64_t n, bool last)
{
    KT_SCOPE;
    kt_tensor *x = kt_to(kt_mul_s(kt_randn(KT_SHAPE(rows, n)), KT_FLOAT(5)), .dtype = dtype);
    kt_tensor *grad = kt_to(kt_randn(KT_SHAPE(rows, n)), .dtype = dtype);
    kt_tensor *target = kt_randint(n, KT_SHAPE(rows));
    kt_tensor *wall = beside_a_wall(x, last), *out = beside_a_wall(x, last), *wall_grad = beside_a_wall(grad, last);
    kt_tensor *y = kt_softmax(x, -1), *logs = kt_log_softmax(x, -1);
    kt_softmax_out(out, wall, -1);
    check_same(out, y, "softmax", dtype, n);
    check_same(kt_softmax_backward_data(wall_grad, out, -1, dtype), kt_softmax_backward_data(grad, y, -1, dtype),
               "softmax's gradient", dtype, n);
    kt_log_softmax_out(out, wall, -1);
    check_same(out, logs, "log_softmax", dtype, n);
    check_same(kt_log_softmax_backward_data(wall_grad, out, -1, dtype), kt_log_softmax_backward_data(grad, logs, -1, dtype),
               "log_softmax's gradient", dtype, n);
    const kt_cross_entropy_results e = kt_cross_entropy(x, target, .reduction = KT_SOME(0)),
                                   w = kt_cross_entropy(wall, beside_a_wall(target, last), .reduction = KT_SOME(0));
    check_same(w.loss, e.loss, "cross_entropy", dtype, n);
    check_same(kt_cross_entropy_backward(w.loss, wall, target, w.top, w.total),
               kt_cross_entropy_backward(e.loss, x, target, e.top, e.total), "cross_entropy's gradient", dtype, n);
}

TEST(lines)
{
    kt_manual_seed(2);
    for (int d = 0; d < FLOATS; d++) {
        for (int64_t n = 1; n < 300; n += n < 70 ? 1 : 7)
            check_lines(floats[d], 1 + n % 5, n, n % 3 != 0);
        for (int64_t n = 1000; n < 20000; n += n < 1040 ? 1 : 1789)
            check_lines(floats[d], 1 + n % 3, n, n % 3 != 0);
    }
}

static void check_layer(kt_dtype dtype, int64_t batch, int64_t units, bool last)
{
    KT_SCOPE;
    enum { TIME = 2, INPUT = 5 };
    kt_tensor *x = numbers(KT_SHAPE(TIME, batch, INPUT), dtype), *wall = beside_a_wall(x, last);
    kt_tensor *hx[2], *wall_hx[2], *w[4], *wall_w[4];
    for (int i = 0; i < 2; i++)
        wall_hx[i] = beside_a_wall(hx[i] = numbers(KT_SHAPE(1, batch, units), dtype), last);
    for (int gates = 1; gates <= 4; gates += gates == 1 ? 2 : 1) {
        const kt_shape sizes[] = {KT_SHAPE(gates * units, INPUT), KT_SHAPE(gates * units, units), KT_SHAPE(gates * units),
                                  KT_SHAPE(gates * units)};
        for (int i = 0; i < 4; i++)
            wall_w[i] = beside_a_wall(w[i] = numbers(sizes[i], dtype), last);
        kt_tensor *want, *got;
        if (gates == 1) {
            want = kt_rnn_tanh(x, hx[0], w, 4, true, 1, 0, false, false, false).output;
            got = kt_rnn_tanh(wall, wall_hx[0], wall_w, 4, true, 1, 0, false, false, false).output;
        } else if (gates == 3) {
            want = kt_gru(x, hx[0], w, 4, true, 1, 0, false, false, false).output;
            got = kt_gru(wall, wall_hx[0], wall_w, 4, true, 1, 0, false, false, false).output;
        } else {
            want = kt_lstm(x, hx, 2, w, 4, true, 1, 0, false, false, false).output;
            got = kt_lstm(wall, wall_hx, 2, wall_w, 4, true, 1, 0, false, false, false).output;
        }
        check_same(got, want, gates == 1 ? "rnn_tanh" : gates == 3 ? "gru" : "lstm", dtype, batch * 1000 + units);
    }
}

TEST(recurrent_layers)
{
    kt_manual_seed(3);
    for (int d = 0; d < FLOATS; d++)
        for (int64_t batch = 1; batch < 70; batch += batch < 9 ? 1 : 13)
            for (int64_t units = 1; units < 36; units += units < 9 ? 1 : 5)
                check_layer(floats[d], batch, units, (batch + units) % 2);
}
