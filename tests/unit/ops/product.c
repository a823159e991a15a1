/* product.c - every matrix product, against sums of products taken index by index (product_model.h). Then: buffers, writing in
 * place, what is refused and in which words, autocast, batches that broadcast. */
#include "product_model.h"

#include <math.h>

#include "plan/mode.h"

static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_F16, KT_BF16, KT_C64, KT_C128, KT_I64, KT_I32, KT_I8};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- the kernel's own products ---- */

TEST(two_operands)
{
    for (int i = 0; i < DTYPES; i++) {
        KT_SCOPE;
        const kt_dtype d = dtypes[i];
        kt_tensor     *a = whole_numbers(d, KT_SHAPE(4, 5)), *b = whole_numbers(d, KT_SHAPE(5, 3));
        kt_tensor     *x = whole_numbers(d, KT_SHAPE(5)), *y = whole_numbers(d, KT_SHAPE(5));
        kt_tensor     *p = whole_numbers(d, KT_SHAPE(2, 4, 5)), *q = whole_numbers(d, KT_SHAPE(2, 5, 3));
        agrees("ij,jk->ik", LIST(a, b), 2, kt_mm(a, b));
        agrees("ij,kj->ik", LIST(a, kt_t(b)), 2, kt_mm(a, b));
        agrees("bij,bjk->bik", LIST(p, q), 2, kt_bmm(p, q));
        agrees("ij,j->i", LIST(a, x), 2, kt_mv(a, x));
        agrees("i,i->", LIST(x, y), 2, kt_dot(x, y));
        agrees("i,i->", LIST(kt_conj(x), y), 2, kt_vdot(x, y));
        agrees("i,i->", LIST(x, y), 2, kt_vdot(kt_conj(x), y));
        agrees("i,j->ij", LIST(x, y), 2, kt_outer(x, y));
        agrees("i,j->ij", LIST(x, y), 2, kt_ger(x, y));
        agrees("ij,kj->ik", LIST(a, kt_t(b)), 2, kt_inner(a, kt_t(b)));
        agrees("ij,jk->ik", LIST(kt_conj(a), b), 2, kt_mm(kt_conj(a), b));
        CHECK_EQ_INT(kt_dtype_of(kt_mm(a, b)), d);
    }
}

TEST(matmul_of_every_rank)
{
    static const struct {
        int64_t     a[5], b[5];
        int         ra, rb;
        const char *equation;
    } cases[] = {
        {{5}, {5}, 1, 1, "j,j->"},
        {{4, 5}, {5}, 2, 1, "ij,j->i"},
        {{5}, {5, 3}, 1, 2, "j,jk->k"},
        {{4, 5}, {5, 3}, 2, 2, "ij,jk->ik"},
        {{2, 4, 5}, {5, 3}, 3, 2, "bij,jk->bik"},
        {{2, 4, 5}, {5}, 3, 1, "bij,j->bi"},
        {{5}, {2, 5, 3}, 1, 3, "j,bjk->bk"},
        {{4, 5}, {2, 5, 3}, 2, 3, "ij,bjk->bik"},
        {{2, 4, 5}, {2, 5, 3}, 3, 3, "bij,bjk->bik"},
        {{1, 4, 5}, {2, 5, 3}, 3, 3, "bij,bjk->bik"},
        {{2, 4, 5}, {1, 5, 3}, 3, 3, "bij,bjk->bik"},
        {{3, 1, 4, 5}, {2, 5, 3}, 4, 3, "cbij,bjk->cbik"},
        {{3, 2, 4, 5}, {2, 5, 3}, 4, 3, "cbij,bjk->cbik"},
        {{3, 2, 4, 5}, {3, 1, 5, 3}, 4, 4, "cbij,cbjk->cbik"},
        {{2, 4, 5}, {3, 2, 5, 3}, 3, 4, "bij,cbjk->cbik"},
        {{5}, {3, 2, 5, 3}, 1, 4, "j,cbjk->cbk"},
        {{3, 2, 4, 5}, {5}, 4, 1, "cbij,j->cbi"},
        {{3, 2, 4, 5}, {5, 3}, 4, 2, "cbij,jk->cbik"},
        {{2, 1, 3, 2, 5}, {2, 3, 5, 2}, 5, 4, "dcbij,cbjk->dcbik"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int lay = 0; lay < 4; lay++) {
            KT_SCOPE;
            kt_tensor *a = whole_numbers(KT_F32, (kt_shape){cases[i].ra, cases[i].a});
            kt_tensor *b = whole_numbers(KT_F32, (kt_shape){cases[i].rb, cases[i].b});
            if (lay & 1 && cases[i].ra > 1) /* stored the other way round */
                a = kt_transpose(kt_contiguous(kt_transpose(a, 0, -1)), 0, -1);
            if (lay & 2 && cases[i].rb > 1)
                b = kt_transpose(kt_contiguous(kt_transpose(b, -1, -2)), -1, -2);
            kt_tensor *y = kt_matmul(a, b);
            agrees(cases[i].equation, LIST(a, b), 2, y);
            CHECK(kt_is_contiguous(y));
            kt_tensor *into = kt_empty(KT_SHAPE(0));
            kt_matmul_out(into, a, b);
            agrees(cases[i].equation, LIST(a, b), 2, into);
        }
}

TEST(empty_products)
{
    KT_SCOPE;
    kt_tensor *y = kt_matmul(kt_ones(KT_SHAPE(2, 0)), kt_ones(KT_SHAPE(0, 3)));
    CHECK_EQ_INT(kt_numel(y), 6);
    CHECK_NEAR(kt_item(kt_sum(kt_abs(y))), 0, 0);
    CHECK_EQ_INT(kt_numel(kt_matmul(kt_ones(KT_SHAPE(4, 0, 3)), kt_ones(KT_SHAPE(3, 2)))), 0);
    CHECK_EQ_INT(kt_numel(kt_matmul(kt_ones(KT_SHAPE(0, 4, 3)), kt_ones(KT_SHAPE(0, 3, 2)))), 0);
    y = kt_addmm(kt_ones(KT_SHAPE(2, 3)), kt_ones(KT_SHAPE(2, 0)), kt_ones(KT_SHAPE(0, 3)), .beta = KT_INT(3));
    CHECK_NEAR(kt_item(kt_sum(y)), 18, 0);
    CHECK_NEAR(kt_item(kt_dot(kt_ones(KT_SHAPE(0)), kt_ones(KT_SHAPE(0)))), 0, 0);
}

/* ---- with an addend ---- */

/* beta * c + alpha * product, by elementwise operators of its own. */
static kt_tensor *added(kt_tensor *c, kt_tensor *product, kt_scalar beta, kt_scalar alpha)
{
    return kt_add(kt_mul_s(c, beta), kt_mul_s(product, alpha));
}

static void check_added(kt_dtype d, kt_scalar beta, kt_scalar alpha)
{
    KT_SCOPE;
    const kt_shape c2[] = {KT_SHAPE(4, 3), KT_SHAPE(3), KT_SHAPE(4, 1), KT_SHAPE(1, 3), KT_SCALAR};
    kt_tensor     *a = whole_numbers(d, KT_SHAPE(4, 5)), *b = whole_numbers(d, KT_SHAPE(5, 3));
    kt_tensor     *p = whole_numbers(d, KT_SHAPE(2, 4, 5)), *q = whole_numbers(d, KT_SHAPE(2, 5, 3));
    kt_tensor     *x = whole_numbers(d, KT_SHAPE(5)), *u = whole_numbers(d, KT_SHAPE(4)),
              *v = whole_numbers(d, KT_SHAPE(3));
    for (size_t i = 0; i < sizeof c2 / sizeof *c2; i++) {
        kt_tensor *c = whole_numbers(d, c2[i]);
        kt_tensor *sum = kt_reshape(kt_sum_dim(kt_bmm(p, q), KT_SHAPE(0), .dtype = d), KT_SHAPE(4, 3));
        same("addmm", kt_addmm(c, a, b, .beta = beta, .alpha = alpha), added(c, kt_mm(a, b), beta, alpha));
        same("baddbmm", kt_baddbmm(c, p, q, .beta = beta, .alpha = alpha), added(c, kt_bmm(p, q), beta, alpha));
        same("addbmm", kt_addbmm(c, p, q, .beta = beta, .alpha = alpha), added(c, sum, beta, alpha));
        same("addr", kt_addr(c, u, v, .beta = beta, .alpha = alpha),
             added(c, kt_mul(kt_unsqueeze(u, 1), v), beta, alpha));
        kt_tensor *out = kt_empty(KT_SHAPE(0), .dtype = d);
        kt_addmm_out(out, c, a, b, .beta = beta, .alpha = alpha);
        same("addmm_out", out, added(c, kt_mm(a, b), beta, alpha));
    }
    kt_tensor *c = whole_numbers(d, KT_SHAPE(4)), *full = whole_numbers(d, KT_SHAPE(4, 3)),
              *t = kt_t(whole_numbers(d, KT_SHAPE(3, 4)));
    same("addmv", kt_addmv(c, a, x, .beta = beta, .alpha = alpha), added(c, kt_mv(a, x), beta, alpha));
    same("addmv of a number", kt_addmv(kt_select(c, 0, 1), a, x, .beta = beta, .alpha = alpha),
         added(kt_select(c, 0, 1), kt_mv(a, x), beta, alpha));
    kt_tensor *want = added(full, kt_mm(a, b), beta, alpha), *turned = added(t, kt_mm(a, b), beta, alpha);
    kt_tensor *ranked = added(full, kt_mul(kt_unsqueeze(u, 1), v), beta, alpha), *other = kt_clone(full);
    same("addmm_", kt_addmm_(full, a, b, .beta = beta, .alpha = alpha), want);
    same("addmm_ of a transposed matrix", kt_addmm_(t, a, b, .beta = beta, .alpha = alpha), turned);
    same("addr_", kt_addr_(other, u, v, .beta = beta, .alpha = alpha), ranked);
}

TEST(with_an_addend)
{
    for (int i = 0; i < DTYPES; i++) {
        check_added(dtypes[i], KT_INT(1), KT_INT(1));
        check_added(dtypes[i], KT_INT(2), KT_INT(3));
        check_added(dtypes[i], KT_INT(0), KT_INT(1));
        check_added(dtypes[i], KT_INT(1), KT_INT(-1));
    }
    check_added(KT_F64, KT_FLOAT(0.5), KT_FLOAT(-1.5));
    check_added(KT_C64, KT_COMPLEX(1, 2), KT_COMPLEX(0, -1));
}

/* What is multiplied by beta = 0 is not read. */
TEST(nothing_of_a_dropped_addend)
{
    KT_SCOPE;
    kt_tensor *nan = kt_full(KT_SHAPE(2, 2), KT_FLOAT(NAN)), *one = kt_ones(KT_SHAPE(2, 2));
    CHECK_NEAR(kt_item(kt_sum(kt_addmm(nan, one, one, .beta = KT_INT(0)))), 8, 0);
    CHECK_NEAR(kt_item(kt_sum(kt_addr(nan, kt_ones(KT_SHAPE(2)), kt_ones(KT_SHAPE(2)), .beta = KT_INT(0)))), 4, 0);
    CHECK_NEAR(kt_item(kt_sum(kt_addmm_(nan, one, one, .beta = KT_INT(0)))), 8, 0);
}

TEST(written_over_a_factor)
{
    KT_SCOPE;
    kt_tensor *a = whole_numbers(KT_F32, KT_SHAPE(3, 3)), *b = whole_numbers(KT_F32, KT_SHAPE(3, 3));
    kt_tensor *want = kt_mm(a, b), *square = kt_add(b, kt_mm(b, b));
    kt_tensor *into = kt_clone(a);
    kt_mm_out(into, into, b);
    same("mm over self", into, want);
    kt_tensor *t = kt_clone(a);
    kt_mm_out(kt_t(t), t, b);
    same("mm over self transposed", kt_t(t), want);
    kt_addmm_(b, b, b);
    same("addmm_ of itself", b, square);
}

TEST(addmv_takes_any_addend)
{
    KT_SCOPE;
    kt_tensor *y =
        kt_addmv(kt_full(KT_SHAPE(2), KT_FLOAT(1.5), .dtype = KT_F64), kt_ones(KT_SHAPE(2, 2)), kt_ones(KT_SHAPE(2)));
    CHECK_EQ_INT(kt_dtype_of(y), KT_F32);
    CHECK_NEAR(kt_item(kt_select(y, 0, 0)), 3.5, 0);
    y = kt_addmv(kt_full(KT_SHAPE(2), KT_FLOAT(1.5)), kt_ones(KT_SHAPE(2, 2), .dtype = KT_I64),
                 kt_ones(KT_SHAPE(2), .dtype = KT_I64));
    CHECK_EQ_INT(kt_dtype_of(y), KT_I64);
    CHECK_NEAR(kt_item(kt_select(y, 0, 0)), 3, 0);
}

TEST(bools_combine)
{
    KT_SCOPE;
    const bool u[] = {true, false}, v[] = {true, true, false};
    kt_tensor *none = kt_zeros(KT_SHAPE(2, 3), .dtype = KT_BOOL), *x = kt_from(u, KT_SHAPE(2), KT_BOOL),
              *y = kt_from(v, KT_SHAPE(3), KT_BOOL);
    CHECK_EQ_INT(kt_dtype_of(kt_outer(x, y)), KT_BOOL);
    CHECK_NEAR(kt_item(kt_sum(kt_addr(none, x, y))), 2, 0);
    CHECK_NEAR(kt_item(kt_sum(kt_addr(none, x, y, .alpha = KT_FLAG(false)))), 0, 0);
    CHECK_NEAR(kt_item(kt_sum(kt_addr(kt_logical_not(none), x, y, .beta = KT_FLAG(false)))), 2, 0);
}

/* ---- linear ---- */

TEST(linear)
{
    static const int64_t shapes[][4] = {{5}, {4, 5}, {2, 4, 5}, {3, 2, 4, 5}};
    static const char   *plain[] = {"j,kj->k", "ij,kj->ik", "bij,kj->bik", "cbij,kj->cbik"};
    for (int r = 0; r < 4; r++)
        for (int turned = 0; turned < 2; turned++) {
            KT_SCOPE;
            kt_tensor *x = whole_numbers(KT_F32, (kt_shape){r + 1, shapes[r]}),
                      *w = whole_numbers(KT_F32, KT_SHAPE(3, 5));
            kt_tensor *bias = whole_numbers(KT_F32, KT_SHAPE(3));
            if (turned && r > 1)
                x = kt_transpose(kt_contiguous(kt_transpose(x, 0, 1)), 0, 1);
            kt_tensor *y = kt_linear(x, w);
            agrees(plain[r], LIST(x, w), 2, y);
            same("linear with a bias", kt_linear(x, w, .bias = bias), kt_add(y, bias));
            if (r)
                same("linear with a bias of two dims", kt_linear(x, w, .bias = kt_reshape(bias, KT_SHAPE(1, 3))),
                     kt_add(y, bias));
        }
    KT_SCOPE;
    kt_tensor *x = whole_numbers(KT_F32, KT_SHAPE(4, 5)), *w = whole_numbers(KT_F32, KT_SHAPE(5));
    agrees("ij,j->i", LIST(x, w), 2, kt_linear(x, w));
    CHECK_FAILS(kt_linear(x, w, .bias = kt_ones(KT_SCALAR)), KT_ERR_RUNTIME, "mat2 must be a matrix, got 1-D tensor");
    CHECK_FAILS(kt_linear(kt_ones(KT_SCALAR), w), KT_ERR_RUNTIME,
                "both arguments to linear need to be at least 1D, but they are 0D and 1D");
    CHECK_FAILS(kt_linear(kt_ones(KT_SHAPE(5, 2, 3)), kt_ones(KT_SHAPE(4, 3)), .bias = kt_ones(KT_SHAPE(5, 1, 2, 4))),
                KT_ERR_RUNTIME, "output with shape [5, 2, 4] doesn't match the broadcast shape [5, 5, 2, 4]");
}

TEST(bilinear)
{
    KT_SCOPE;
    kt_tensor *x = whole_numbers(KT_F64, KT_SHAPE(2, 3)), *y = whole_numbers(KT_F64, KT_SHAPE(2, 4));
    kt_tensor *w = whole_numbers(KT_F64, KT_SHAPE(5, 3, 4)), *bias = whole_numbers(KT_F64, KT_SHAPE(5));
    kt_tensor *z = kt_bilinear(x, y, w);
    agrees("bi,bj,oij->bo", LIST(x, y, w), 3, z);
    same("bilinear with a bias", kt_bilinear(x, y, w, .bias = bias), kt_add(z, bias));
    CHECK_FAILS(kt_bilinear(x, y, w, .bias = x), KT_ERR_RUNTIME, "bilinear(): bias size does not match weight size");
    CHECK_FAILS(kt_bilinear(x, kt_to(y, .dtype = KT_F32), w), KT_ERR_RUNTIME,
                "All tensors must have the same dtype, got input1: double, input2: float, weight: double");
}

/* ---- autocast is decided on the row that the user wrote ---- */

TEST(autocast)
{
    KT_SCOPE;
    kt_tensor *m = kt_ones(KT_SHAPE(3, 3)), *v = kt_ones(KT_SHAPE(3)), *w = kt_ones(KT_SHAPE(3, 3), .dtype = KT_F64);
    kt_mode_guard on = kt_autocast_open(KT_CPU, KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul(m, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul(m, v)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul(v, v)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul(v, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_mv(m, v)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_dot(v, v)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_addmm(m, m, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_addmv(v, m, v)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_addbmm(m, kt_unsqueeze(m, 0), kt_unsqueeze(m, 0))), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_linear(m, m, .bias = v)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_linear(v, m, .bias = v)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_einsum("ij,jk->ik", LIST(m, m), 2)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_linalg_vecdot(m, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_outer(v, v)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_inner(m, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_bilinear(m, m, kt_ones(KT_SHAPE(2, 3, 3)))), KT_F32);
    CHECK_FAILS(kt_linear(m, w, .bias = kt_select(w, 0, 0)), KT_ERR_RUNTIME,
                "mat1 and mat2 must have the same dtype, but got BFloat16 and Double");
    CHECK_FAILS(kt_addmm_(m, kt_to(m, .dtype = KT_BF16), kt_to(m, .dtype = KT_BF16)), KT_ERR_RUNTIME,
                "self and mat2 must have the same dtype, but got Float and BFloat16");
    kt_autocast_close(&on);
}

/* ---- texts ---- */

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *v = kt_ones(KT_SHAPE(2)), *m = kt_ones(KT_SHAPE(2, 2)), *r = kt_ones(KT_SHAPE(2, 3)),
              *n = kt_ones(KT_SCALAR);
    kt_tensor *b = kt_ones(KT_SHAPE(2, 2, 2)), *w = kt_ones(KT_SHAPE(2, 2), .dtype = KT_F64),
              *l = kt_ones(KT_SHAPE(3, 3));
    kt_tensor *e = kt_ones(KT_SHAPE(2, 2), .dtype = KT_I8);
    CHECK_FAILS(kt_mm(v, m), KT_ERR_RUNTIME, "self must be a matrix");
    CHECK_FAILS(kt_mm(m, v), KT_ERR_RUNTIME, "mat2 must be a matrix");
    CHECK_FAILS(kt_mm(r, kt_to(r, .dtype = KT_F64)), KT_ERR_RUNTIME,
                "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    CHECK_FAILS(kt_mm_out(w, m, m), KT_ERR_RUNTIME, "Expected out tensor to have dtype float, but got double instead");
    CHECK_FAILS(kt_bmm(b, m), KT_ERR_RUNTIME, "batch2 must be a 3D tensor");
    CHECK_FAILS(kt_bmm(b, kt_ones(KT_SHAPE(3, 2, 2))), KT_ERR_RUNTIME,
                "Expected size for first two dimensions of batch2 tensor to be: [2, 2] but got: [3, 2].");
    CHECK_FAILS(kt_mv(r, v), KT_ERR_RUNTIME, "size mismatch, got input (2), mat (2x3), vec (2)");
    CHECK_FAILS(kt_dot(n, n), KT_ERR_RUNTIME, "1D tensors expected, but got 0D and 0D tensors");
    CHECK_FAILS(kt_dot_out(w, v, v), KT_ERR_RUNTIME, "result dtype Double does not match input dtype Float");
    CHECK_FAILS(kt_vdot(v, kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "inconsistent tensor size, expected tensor [2] and src [3]");
    CHECK_FAILS(kt_addmm(m, v, m), KT_ERR_RUNTIME, "mat1 must be a matrix, got 1-D tensor");
    CHECK_FAILS(
        kt_addmm(l, m, m), KT_ERR_RUNTIME,
        "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target "
        "sizes: [2, 2].  Tensor sizes: [3, 3]");
    CHECK_FAILS(kt_addmm(b, m, m), KT_ERR_RUNTIME,
                "expand(torch.FloatTensor{[2, 2, 2]}, size=[2, 2]): the number of sizes");
    CHECK_FAILS(kt_addmm_(v, m, m), KT_ERR_RUNTIME,
                "Bad in-place call: input tensor size [2] and output tensor size [2, 2] should match");
    CHECK_FAILS(kt_addmm(m, m, m, .beta = KT_COMPLEX(0, 1.5)), KT_ERR_RUNTIME,
                "value cannot be converted to type float without overflow");
    CHECK_FAILS(kt_addmm(e, e, e, .alpha = KT_INT(300)), KT_ERR_RUNTIME,
                "value cannot be converted to type int8_t without overflow");
    CHECK_FAILS(kt_addmv(l, m, v), KT_ERR_RUNTIME, "vector + matrix @ vector expected, got 2, 2, 1");
    CHECK_FAILS(kt_addmv(kt_ones(KT_SHAPE(3)), m, v), KT_ERR_RUNTIME,
                "size mismatch, got input (3), mat (2x2), vec (2)");
    CHECK_FAILS(kt_addmv_(kt_ones(KT_SHAPE(2), .dtype = KT_F64), m, v), KT_ERR_RUNTIME,
                "Bad in-place call: input tensor dtype double and output tensor dtype float should match");
    CHECK_FAILS(kt_addr(m, m, v), KT_ERR_RUNTIME, "addr: Expected 1-D argument vec1, but got 2-D");
    CHECK_FAILS(kt_addr_(l, v, v), KT_ERR_RUNTIME, "size mismatch, input: [3, 3], v1: [2], v2: [2]");
    CHECK_FAILS(kt_addr(m, v, v, .beta = KT_FLAG(true)), KT_ERR_RUNTIME,
                "Boolean beta only supported for Boolean results.");
    CHECK_FAILS(kt_addbmm(m, b, kt_ones(KT_SHAPE(2, 3, 2))), KT_ERR_RUNTIME,
                "Incompatible matrix sizes for bmm (2x2 and 3x2)");
    CHECK_FAILS(kt_outer(m, v), KT_ERR_RUNTIME, "outer: Expected 1-D argument self, but got 2-D");
    CHECK_FAILS(kt_inner(r, v), KT_ERR_RUNTIME,
                "inner() the last dimension must match on both input tensors but got shapes [2, 3] and [2]");
    CHECK_FAILS(kt_matmul(n, v), KT_ERR_RUNTIME,
                "both arguments to matmul need to be at least 1D, but they are 0D and 1D");
    CHECK_FAILS(kt_matmul(kt_ones(KT_SHAPE(4, 2, 3)), r), KT_ERR_RUNTIME,
                "mat1 and mat2 shapes cannot be multiplied (8x3 and 2x3)");
    CHECK_FAILS(kt_matmul(kt_ones(KT_SHAPE(4, 2, 3)), kt_ones(KT_SHAPE(4, 2, 3))), KT_ERR_RUNTIME,
                "Expected size for first two dimensions of batch2 tensor to be: [4, 3] but got: [4, 2].");
    CHECK_FAILS(kt_matmul(kt_ones(KT_SHAPE(4, 2, 3)), kt_ones(KT_SHAPE(5, 3, 2))), KT_ERR_RUNTIME,
                "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 0");
    CHECK_FAILS(kt_linalg_vecdot(e, e), KT_ERR_RUNTIME,
                "linalg.vecdot: Expected a floating point or complex tensor as input. Got Char");
}

/* Under policy permissive the same mixes compute, by promotion. */
TEST(permissive_mixes)
{
    KT_SCOPE;
    kt_tensor *m = kt_ones(KT_SHAPE(2, 2)), *w = kt_ones(KT_SHAPE(2, 2), .dtype = KT_F64);
    KT_POLICY(KT_PERMISSIVE);
    CHECK_EQ_INT(kt_dtype_of(kt_addmm(m, w, m)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_tensordot(m, w, KT_SHAPE(1), KT_SHAPE(0))), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_linear(m, w)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_einsum("ij,jk->ik", LIST(m, w), 2)), KT_F64);
}

/* A mixed product converts a few rows or columns at a time: no second copy of an operand is held. */
TEST(permissive_mixes_hold_no_copy)
{
    KT_SCOPE;
    enum { M = 64, N = 4096, K = 1024 };
    const int  threads = kt_get_num_threads();
    kt_tensor *x = kt_randn(KT_SHAPE(M, K)), *w = kt_to(kt_randn(KT_SHAPE(N, K)), .dtype = KT_F16);
    kt_memory_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    kt_set_num_threads(2);
    KT_POLICY(KT_PERMISSIVE);
    kt_memory_read(&before);
    kt_memory_reset_peak();
    kt_tensor *y = kt_linear(x, w);
    kt_memory_read(&after);
    CHECK_EQ_INT(kt_dtype_of(y), KT_F32);
    CHECK(after.peak_bytes - before.live_bytes < (uint64_t)N * K * 4 / 2); /* the result and a panel */
    CHECK_MEM(kt_data(y), kt_data(kt_linear(x, kt_to(w, .dtype = KT_F32))), (size_t)M * N * 4);
    kt_set_num_threads(threads);
}
