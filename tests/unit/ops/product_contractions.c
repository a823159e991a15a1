/* product_contractions.c - what is made of matrix products, against sums of products taken index by index (product_model.h):
 * tensordot, einsum, chains, powers, products of vectors. */
#include "product_model.h"

/* ---- contractions ---- */

TEST(tensordot)
{
    KT_SCOPE;
    kt_tensor *a = whole_numbers(KT_F64, KT_SHAPE(2, 3, 4)), *b = whole_numbers(KT_F64, KT_SHAPE(4, 3, 5));
    agrees("abc,cbd->ad", LIST(a, b), 2, kt_tensordot(a, b, KT_SHAPE(1, 2), KT_SHAPE(1, 0)));
    agrees("abc,cbd->ad", LIST(a, b), 2, kt_tensordot(a, b, KT_SHAPE(-1, 1), KT_SHAPE(0, -2)));
    agrees("abc,dbe->acde", LIST(a, b), 2, kt_tensordot(a, b, KT_SHAPE(1), KT_SHAPE(1)));
    agrees("abc,def->abcdef", LIST(a, b), 2, kt_tensordot(a, b, KT_SCALAR, KT_SCALAR));
    kt_tensor *one = whole_numbers(KT_F64, KT_SHAPE(2, 1));
    agrees("ab,cbd->acd", LIST(one, b), 2, kt_tensordot(one, b, KT_SHAPE(1), KT_SHAPE(1)));
    CHECK_FAILS(kt_tensordot(a, b, KT_SHAPE(0, 1), KT_SHAPE(0)), KT_ERR_RUNTIME,
                "both dimension lists should have same length");
    CHECK_FAILS(kt_tensordot(a, b, KT_SHAPE(0), KT_SHAPE(0)), KT_ERR_RUNTIME,
                "contracted dimensions need to match, but first has size 2 in dim 0 and second has size 4 in dim 0");
    CHECK_FAILS(kt_tensordot(a, b, KT_SHAPE(0, 0), KT_SHAPE(0, 0)), KT_ERR_RUNTIME,
                "dim 0 appears multiple times in the list of dims");
    CHECK_FAILS(kt_tensordot(a, kt_to(b, .dtype = KT_F32), KT_SHAPE(1), KT_SHAPE(1)), KT_ERR_RUNTIME,
                "both inputs should have same dtype");
}

TEST(einsum_against_the_model)
{
    static const char *const equations[] = {
        "ij,jk->ik",    "ij,jk->ki",     "ij,jk->",      "ij,jk->j",     "ij,ij->ij",       "ij,ij->i",
        "ij,kl->",      "ij,kl->lj",     "i,j->ji",      "i,i->",        "i,i->i",          "ij->ji",
        "ij->i",        "ij->",          "bij,bjk->bik", "bij,bjk->kbi", "bij,kj->bk",      "ijk,ijk->jk",
        "ij,jk,kl->il", "ij,jk,kl->lki", "i,j,k->kij",   "ij,j,i->",     "abij,abjk->abik", "ab,bc,ca->",
    };
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++)
        for (int turned = 0; turned < 2; turned++) {
            KT_SCOPE;
            kt_tensor  *t[4];
            int         n = 0;
            const char *at = equations[i];
            while (*at && strncmp(at, "->", 2) != 0) {
                int64_t sizes[8];
                int     rank = 0;
                for (; *at >= 'a' && *at <= 'z'; at++)
                    sizes[rank++] = 2 + (*at - 'a') % 4;
                t[n] = whole_numbers(KT_F64, (kt_shape){rank, sizes});
                if (turned && rank > 1)
                    t[n] = kt_transpose(kt_contiguous(kt_transpose(t[n], 0, -1)), 0, -1);
                n++;
                at += *at == ',';
            }
            agrees(equations[i], t, n, kt_einsum(equations[i], t, n));
        }
}

TEST(einsum_notation)
{
    KT_SCOPE;
    kt_tensor *m = whole_numbers(KT_F64, KT_SHAPE(3, 3)), *r = whole_numbers(KT_F64, KT_SHAPE(3, 4));
    kt_tensor *p = whole_numbers(KT_F64, KT_SHAPE(5, 2, 3)), *q = whole_numbers(KT_F64, KT_SHAPE(4, 1, 3, 3));
    same("diagonal", kt_einsum("ii->i", LIST(m), 1), kt_diagonal(m));
    same("trace", kt_einsum("ii", LIST(m), 1), kt_sum(kt_diagonal(m)));
    same("a diagonal times", kt_einsum("ii,ij->j", LIST(m, r), 2), kt_mv(kt_t(r), kt_diagonal(m)));
    same("spaces", kt_einsum(" i j , j k -> i k ", LIST(m, r), 2), kt_mm(m, r));
    same("implicit", kt_einsum("ij,jk", LIST(m, r), 2), kt_mm(m, r));
    same("implicit, sorted", kt_einsum("ba", LIST(r), 1), kt_t(r));
    same("capitals first", kt_einsum("aB", LIST(r), 1), kt_t(r));
    same("ellipsis", kt_einsum("...ij,...jk->...ik", LIST(p, q), 2), kt_matmul(p, q));
    same("ellipsis, implicit", kt_einsum("...ij,...jk", LIST(p, q), 2), kt_matmul(p, q));
    same("ellipsis in the middle", kt_einsum("i...j->...ji", LIST(p), 1), kt_permute(p, KT_SHAPE(1, 2, 0)));
    same("ellipsis summed", kt_einsum("...j->j", LIST(p), 1), kt_sum_dim(p, KT_SHAPE(0, 1)));
    same("ellipsis of nothing", kt_einsum("...ij->...ji", LIST(r), 1), kt_t(r));
    same("numbers", kt_einsum(",ij->ij", LIST(kt_full(KT_SCALAR, KT_FLOAT(2), .dtype = KT_F64), r), 2),
         kt_mul_s(r, KT_INT(2)));
    kt_tensor *one = kt_ones(KT_SHAPE(2, 1), .dtype = KT_F64);
    same("a size of one is repeated", kt_einsum("ij,jk", LIST(one, r), 2),
         kt_expand(kt_sum_dim(r, KT_SHAPE(0), .keepdim = true), KT_SHAPE(2, 4)));
    CHECK(kt_is_contiguous(kt_einsum("ij,kj->ki", LIST(m, kt_t(r)), 2)));
}

TEST(einsum_refusals)
{
    KT_SCOPE;
    kt_tensor *m = kt_ones(KT_SHAPE(2, 2)), *r = kt_ones(KT_SHAPE(2, 3));
    const struct {
        const char *equation, *text;
        int         n;
    } cases[] = {
        {"ij,jk->ik", "einsum(): fewer operands were provided than specified in the equation", 1},
        {"ij", "einsum(): more operands were provided than specified in the equation", 2},
        {"ij->ik", "einsum(): output subscript k does not appear in the equation for any input operand", 1},
        {"ij->ii", "einsum(): output subscript i appears more than once in the output", 1},
        {"..ij->ij", "einsum(): found '.' for operand 0 that is not part of any ellipsis", 1},
        {"i...j...->ij", "einsum(): found '.' for operand 0 for which an ellipsis was already found", 1},
        {"ij->i.j", "einsum(): found '.' for output that is not part of any ellipsis (...)", 1},
        {"ij->...i...", "einsum(): found '.' for output but an ellipsis (...) was already found", 1},
        {"ij-ik", "einsum(): invalid subscript given at index 2 in the equation string, subscripts must be in [a-zA-Z]",
         1},
        {"ij-", "einsum(): invalid subscript given at index 2 in the equation string, subscripts must be in [a-zA-Z]",
         1},
        {"ij->1", "einsum(): invalid subscript given at index 4 in the equation string, subscripts must be in [a-zA-Z]",
         1},
        {"ijk->i",
         "einsum(): the number of subscripts in the equation (3) does not match the number of dimensions (2) for "
         "operand 0 and no ellipsis was given",
         1},
        {"...ijk->i",
         "einsum(): the number of subscripts in the equation (3) is more than the number of dimensions (2) for operand "
         "0",
         1},
        {"ij,ij->ij",
         "einsum(): subscript j has size 3 for operand 1 which does not broadcast with previously seen size 2", 2},
        {"...,...->...",
         "einsum(): dimension 1 covered by ellipsis in operand 1has size 3 which does not broadcast with previously "
         "seen ellipsis with size 2 for the respective dimension",
         2},
        {"ij->ij",
         "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
         "subscripts list",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(kt_einsum(cases[i].equation, LIST(m, r), cases[i].n), cases[i].n ? KT_ERR_RUNTIME : KT_ERR_VALUE,
                    cases[i].text);
    CHECK_FAILS(kt_einsum("ii->i", LIST(r), 1), KT_ERR_RUNTIME,
                "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2");
}

TEST(several_matrices)
{
    KT_SCOPE;
    kt_tensor *a = whole_numbers(KT_F64, KT_SHAPE(2, 5)), *b = whole_numbers(KT_F64, KT_SHAPE(5, 3));
    kt_tensor *c = whole_numbers(KT_F64, KT_SHAPE(3, 4)), *x = whole_numbers(KT_F64, KT_SHAPE(5)),
              *y = whole_numbers(KT_F64, KT_SHAPE(4));
    agrees("ij,jk,kl->il", LIST(a, b, c), 3, kt_linalg_multi_dot(LIST(a, b, c), 3));
    agrees("ij,jk,kl->il", LIST(a, b, c), 3, kt_chain_matmul(LIST(a, b, c), 3));
    agrees("j,jk,kl->l", LIST(x, b, c), 3, kt_linalg_multi_dot(LIST(x, b, c), 3));
    agrees("ij,jk,kl,l->i", LIST(a, b, c, y), 4, kt_linalg_multi_dot(LIST(a, b, c, y), 4));
    agrees("j,jk,kl,l->", LIST(x, b, c, y), 4, kt_linalg_multi_dot(LIST(x, b, c, y), 4));
    agrees("i,i->", LIST(x, x), 2, kt_linalg_multi_dot(LIST(x, x), 2));
    CHECK_FAILS(kt_linalg_multi_dot(LIST(a), 1), KT_ERR_RUNTIME, "multi_dot(): expected at least 2 tensors but got 1");
    CHECK_FAILS(kt_linalg_multi_dot(LIST(a, a), 2), KT_ERR_RUNTIME,
                "multi_dot(): tensors 0 and 1 with shapes [2, 5] and [2, 5] cannot be multiplied");
    CHECK_FAILS(kt_chain_matmul(LIST(a, x), 2), KT_ERR_RUNTIME, "Tensor dimension is 1, expected 2 instead.");
}

TEST(powers)
{
    KT_SCOPE;
    kt_tensor *a = whole_numbers(KT_F64, KT_SHAPE(2, 3, 3)),
              *want = kt_expand(kt_eye(3, .dtype = KT_F64), KT_SHAPE(2, 3, 3));
    for (int64_t n = 0; n < 8; n++) {
        same("matrix_power", kt_linalg_matrix_power(a, n), want);
        same("matrix_power, by its old name", kt_matrix_power(a, n), want);
        want = kt_bmm(want, a);
    }
    kt_tensor *twice = kt_mul_s(kt_eye(3, .dtype = KT_F64), KT_INT(2));
    same("a negative power", kt_matrix_power(twice, -3), kt_div_s(kt_eye(3, .dtype = KT_F64), KT_INT(8)));
    CHECK_FAILS(kt_matrix_power(kt_zeros(KT_SHAPE(2, 2)), -1), KT_ERR_LINALG, "linalg.inv: The diagonal element 1 is zero");
    CHECK_FAILS(kt_matrix_power(kt_ones(KT_SHAPE(2, 3)), 2), KT_ERR_RUNTIME,
                "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3 matrices");
}

TEST(vectors)
{
    KT_SCOPE;
    kt_tensor *x = whole_numbers(KT_C128, KT_SHAPE(4, 3)), *y = whole_numbers(KT_C128, KT_SHAPE(4, 3));
    agrees("ij,ij->i", LIST(kt_conj(x), y), 2, kt_linalg_vecdot(x, y));
    agrees("ij,ij->j", LIST(kt_conj(x), y), 2, kt_linalg_vecdot(x, y, .dim = KT_SOME(0)));
    kt_tensor *sign = kt_zeros(KT_SHAPE(3, 3, 3), .dtype = KT_C128); /* the permutation symbol */
    for (int i = 0; i < 3; i++)
        for (int s = -1; s <= 1; s += 2)
            kt_fill_s_(kt_select(kt_select(kt_select(sign, 0, i), 0, (i + 3 + s) % 3), 0, (i + 3 - s) % 3), KT_INT(s));
    agrees("ijk,bj,bk->bi", LIST(sign, x, y), 3, kt_linalg_cross(x, y));
    agrees("ijk,bj,bk->bi", LIST(sign, x, y), 3, kt_cross(x, y));
    agrees("ijk,jb,kb->ib", LIST(sign, kt_t(x), kt_t(y)), 3, kt_cross(kt_t(x), kt_t(y), .dim = KT_SOME(0)));
    kt_tensor *one = kt_narrow(y, 0, 1, 1);
    agrees("ijk,bj,bk->bi", LIST(sign, x, one), 3, kt_linalg_cross(x, one));
    CHECK_FAILS(kt_cross(kt_ones(KT_SHAPE(4, 4)), kt_ones(KT_SHAPE(4, 4))), KT_ERR_RUNTIME,
                "no dimension of size 3 in input");
    CHECK_FAILS(kt_linalg_cross(x, kt_ones(KT_SHAPE(4, 3))), KT_ERR_RUNTIME,
                "expected scalar type ComplexDouble but found Float");
}

TEST(kron_and_layouts)
{
    KT_SCOPE;
    kt_tensor *a = whole_numbers(KT_I64, KT_SHAPE(2, 3)), *b = whole_numbers(KT_I64, KT_SHAPE(3, 2));
    agrees("ab,cd->acbd", LIST(a, b), 2, kt_reshape(kt_kron(a, b), KT_SHAPE(2, 3, 3, 2)));
    CHECK_EQ_INT(kt_dtype_of(kt_kron(a, kt_to(b, .dtype = KT_F16))), KT_F16);
    kt_tensor *blocks = kt_block_diag(LIST(a, kt_select(b, 0, 0), kt_ones(KT_SCALAR)), 3);
    CHECK_EQ_INT(kt_size(blocks, 0), 4);
    CHECK_EQ_INT(kt_size(blocks, 1), 6);
    CHECK_EQ_INT(kt_dtype_of(blocks), KT_F32);
    same("block", kt_narrow(kt_narrow(blocks, 0, 0, 2), 1, 0, 3), kt_to(a, .dtype = KT_F32));
    CHECK_NEAR(kt_item(kt_sum(kt_abs(kt_narrow(kt_narrow(blocks, 0, 0, 2), 1, 3, 3)))), 0, 0);
    kt_tensor *x = kt_arange(KT_INT(0), KT_INT(2)), *y = kt_arange(KT_INT(5), KT_INT(8)),
              *p = kt_cartesian_prod(LIST(x, y), 2);
    CHECK_EQ_INT(kt_size(p, 0), 6);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(tensor_at(p, 2 * i), i / 3, 0);
        CHECK_NEAR(tensor_at(p, 2 * i + 1), 5 + i % 3, 0);
    }
}
