/* index.c - elements named by index tensors and masks, against models that go element by element.
 *
 * In: random shapes, layouts, dtypes and indices. Every result is read back and compared with what loops over plain arrays
 * say; refusals are compared word for word; what accumulates must not depend on the number of threads. */
#include "harness.h"

#include <karat/grad.h>
#include <karat/karat.h>
#include <stdlib.h>

#include "support/by_name.h"

enum { MOST = 8192, RANK = 4 };

static const kt_dtype widths[] = {KT_U8, KT_I16, KT_F32, KT_F64, KT_C64, KT_C128, KT_BF16, KT_I64};

/* ---- plain arrays ---- */
typedef struct array {
    int     rank;
    int64_t size[2 * RANK], n;
    double  v[MOST];
} array;

static void shape_of(array *a, int rank, const int64_t *size)
{
    a->rank = rank;
    a->n = 1;
    for (int d = 0; d < rank; d++) {
        a->size[d] = size[d];
        a->n *= size[d];
    }
}

static int64_t flat(const array *a, const int64_t *at)
{
    int64_t place = 0;
    for (int d = 0; d < a->rank; d++)
        place = place * a->size[d] + at[d];
    return place;
}

static void unflat(const array *a, int64_t place, int64_t *at)
{
    for (int d = a->rank - 1; d >= 0; d--) {
        at[d] = place % a->size[d];
        place /= a->size[d];
    }
}

static kt_shape sizes_of(const array *a) { return (kt_shape){a->rank, a->size}; }

static int64_t pick(int64_t low, int64_t high) { return low + (int64_t)test_below((uint64_t)(high - low + 1)); }

static void draw_array(array *a, int rank, int64_t most)
{
    int64_t size[RANK];
    for (int d = 0; d < rank; d++)
        size[d] = pick(1, most);
    shape_of(a, rank, size);
    for (int64_t i = 0; i < a->n; i++)
        a->v[i] = (double)pick(0, 9);
}

/* The same values as a tensor: dense, or seen through a permuted copy. */
static kt_tensor *tensor(const array *a, kt_dtype dtype)
{
    kt_tensor *t = tensor_of(dtype, sizes_of(a), a->v);
    if (a->rank < 2 || test_below(2))
        return t;
    return kt_transpose(kt_contiguous(kt_transpose(t, 0, a->rank - 1)), 0, a->rank - 1);
}

static bool same(const char *what, const kt_tensor *got, const array *want)
{
    static double values[MOST];
    if (!CHECK_MSG(got != NULL, "%s: %s", what, kt_error())) {
        kt_clear();
        return false;
    }
    bool fits = kt_ndim(got) == want->rank;
    for (int d = 0; d < want->rank && fits; d++)
        fits = kt_size(got, d) == want->size[d];
    if (!CHECK_MSG(fits, "%s: the shape", what))
        return false;
    const kt_dtype to = kt_dtype_category(kt_dtype_of(got)) == KT_CAT_COMPLEX ? KT_C128 : KT_F64;
    kt_tensor     *real = to == KT_C128 ? kt_real(got) : (kt_tensor *)(uintptr_t)got;
    CHECK_EQ_INT(kt_read(kt_to(real, .dtype = KT_F64), values, sizeof(double) * (size_t)want->n), KT_OK);
    for (int64_t i = 0; i < want->n; i++)
        if (!CHECK_MSG(values[i] == want->v[i], "%s: element %d is %g, not %g", what, (int)i, values[i], want->v[i]))
            return false;
    return true;
}

/* ---- lists of index tensors ---- */
typedef struct pointing {
    array      self, index[RANK]; /* index: of each dim, where `given` */
    bool       given[RANK];
    int        n, spread_rank, front;
    int64_t    spread[RANK];
    array      result; /* its shape */
    kt_tensor *t[RANK];
} pointing;

static void draw_pointing(pointing *p)
{
    draw_array(&p->self, (int)pick(1, RANK), 4);
    p->n = (int)pick(1, p->self.rank);
    p->spread_rank = (int)pick(1, 2);
    for (int i = 0; i < p->spread_rank; i++)
        p->spread[i] = pick(1, 3);
    int first = -1, last = -1;
    bool apart = false, full = false;
    for (int d = 0; d < p->n; d++) {
        p->given[d] = d == p->n - 1 || test_below(3) != 0;
        p->t[d] = NULL;
        if (!p->given[d])
            continue;
        apart |= last >= 0 && last + 1 != d;
        first = first < 0 ? d : first;
        last = d;
        int64_t size[2];
        for (int i = 0; i < p->spread_rank; i++)
            size[i] = full && test_below(3) == 0 ? 1 : p->spread[i];
        full = true;
        shape_of(&p->index[d], p->spread_rank, size);
        for (int64_t i = 0; i < p->index[d].n; i++)
            p->index[d].v[i] = (double)pick(-p->self.size[d], p->self.size[d] - 1);
        p->t[d] = tensor(&p->index[d], test_below(2) ? KT_I64 : KT_I32);
    }
    int64_t size[2 * RANK];
    int     rank = 0;
    p->front = apart ? 0 : first;
    for (int d = 0; d < p->self.rank; d++) {
        for (int i = 0; d == p->front && i < p->spread_rank; i++)
            size[rank++] = p->spread[i];
        if (d >= p->n || !p->given[d])
            size[rank++] = p->self.size[d];
    }
    shape_of(&p->result, rank, size);
}

/* The place in self of an element of the result. */
static int64_t source_of(const pointing *p, int64_t k)
{
    int64_t at[2 * RANK], from[RANK], which[RANK];
    unflat(&p->result, k, at);
    for (int d = 0, next = 0; d < p->self.rank; d++) {
        if (next == p->front)
            next += p->spread_rank;
        if (d < p->n && p->given[d]) {
            for (int i = 0; i < p->spread_rank; i++)
                which[i] = p->index[d].size[i] == 1 ? 0 : at[p->front + i];
            from[d] = (int64_t)p->index[d].v[flat(&p->index[d], which)];
            from[d] += from[d] < 0 ? p->self.size[d] : 0;
        } else {
            from[d] = at[next++];
        }
    }
    return flat(&p->self, from);
}

TEST(index_takes)
{
    static pointing p;
    for (int round = 0; round < 3000; round++) {
        KT_SCOPE;
        draw_pointing(&p);
        const kt_dtype dtype = widths[test_below(8)];
        for (int64_t k = 0; k < p.result.n; k++)
            p.result.v[k] = p.self.v[source_of(&p, k)];
        if (!same("index", kt_index(tensor(&p.self, dtype), p.t, p.n), &p.result))
            return;
    }
}

TEST(index_put_writes_and_adds)
{
    static pointing p;
    for (int round = 0; round < 3000; round++) {
        KT_SCOPE;
        draw_pointing(&p);
        const bool adds = test_below(2), one = test_below(4) == 0;
        kt_dtype   dtype = widths[test_below(8)];
        array      values = p.result;
        for (int64_t k = 0; k < values.n; k++)
            values.v[k] = one ? 3 : (double)pick(0, 3);
        kt_tensor *self = tensor(&p.self, dtype), *from = one ? tensor_filled(dtype, KT_SHAPE(1), 3) : tensor(&values, dtype);
        for (int64_t k = 0; k < values.n; k++) {
            double *to = &p.self.v[source_of(&p, k)];
            *to = adds ? *to + values.v[k] : values.v[k];
        }
        if (dtype == KT_U8 || dtype == KT_BF16) /* the numbers stay small enough for the others */
            for (int64_t k = 0; k < p.self.n; k++)
                if (p.self.v[k] > 255)
                    return;
        if (!same("index_put", kt_index_put(self, p.t, p.n, from, .accumulate = adds), &p.self) ||
            !same("index_put_", kt_index_put_(self, p.t, p.n, from, .accumulate = adds), &p.self))
            return;
    }
}

/* ---- along one dim ---- */
static void draw_index(const array *self, int dim, array *index)
{
    int64_t size[RANK];
    for (int d = 0; d < self->rank; d++)
        size[d] = d == dim ? pick(1, 5) : pick(1, self->size[d]);
    shape_of(index, self->rank, size);
    for (int64_t i = 0; i < index->n; i++)
        index->v[i] = (double)pick(0, self->size[dim] - 1);
}

TEST(gather_and_scatter)
{
    static array self, index, got, src;
    for (int round = 0; round < 2000; round++) {
        KT_SCOPE;
        draw_array(&self, (int)pick(1, 3), 4);
        const int      dim = (int)pick(0, self.rank - 1);
        const kt_dtype dtype = widths[test_below(8)];
        draw_index(&self, dim, &index);
        got = index;
        src = index;
        kt_tensor *t = tensor(&self, dtype), *at = tensor(&index, test_below(2) ? KT_I64 : KT_I32);
        array      put = self, sum = self, product = self, filled = self;
        for (int64_t k = 0; k < index.n; k++) {
            int64_t place[RANK];
            unflat(&index, k, place);
            place[dim] = (int64_t)index.v[k];
            const int64_t p = flat(&self, place);
            src.v[k] = (double)pick(0, 2);
            got.v[k] = self.v[p];
            put.v[p] = src.v[k];
            sum.v[p] += src.v[k];
            product.v[p] *= 2;
            filled.v[p] = 7;
        }
        kt_tensor *from = tensor(&src, dtype);
        if (!same("gather", kt_gather(t, dim, at), &got) || !same("scatter", kt_scatter(t, dim, at, from), &put) ||
            !same("scatter_add", kt_scatter_add(t, dim, at, from), &sum) ||
            !same("scatter add", kt_scatter_combine(t, dim, at, from, "add"), &sum) ||
            !same("scatter value", kt_scatter_value(t, dim - self.rank, at, KT_INT(7)), &filled))
            return;
        if (dtype != KT_U8 && dtype != KT_BF16 &&
            !same("scatter multiply", kt_scatter_value_combine(t, dim, at, KT_INT(2), "multiply"), &product))
            return;
        if (!same("scatter_", kt_scatter_(t, dim, at, from), &put))
            return;
    }
}

TEST(slices)
{
    static array self, index, got, source;
    for (int round = 0; round < 2000; round++) {
        KT_SCOPE;
        draw_array(&self, (int)pick(1, 3), 4);
        const int      dim = (int)pick(0, self.rank - 1);
        const kt_dtype dtype = widths[test_below(8)];
        int64_t        n = pick(1, 5), size[RANK];
        shape_of(&index, 1, &n);
        for (int64_t i = 0; i < n; i++)
            index.v[i] = (double)pick(0, self.size[dim] - 1);
        for (int d = 0; d < self.rank; d++)
            size[d] = d == dim ? n : self.size[d];
        shape_of(&got, self.rank, size);
        shape_of(&source, self.rank, size);
        array added = self, copied = self, filled = self;
        for (int64_t k = 0; k < got.n; k++) {
            int64_t place[RANK];
            unflat(&got, k, place);
            place[dim] = (int64_t)index.v[place[dim]];
            const int64_t p = flat(&self, place);
            source.v[k] = (double)pick(0, 3);
            got.v[k] = self.v[p];
            added.v[p] += 2 * source.v[k];
            copied.v[p] = source.v[k];
            filled.v[p] = 5;
        }
        kt_tensor *t = tensor(&self, dtype), *at = tensor(&index, KT_I64), *from = tensor(&source, dtype);
        if (!same("index_select", kt_index_select(t, dim, at), &got) ||
            !same("index_copy", kt_index_copy(t, dim, at, from), &copied) ||
            !same("index_fill", kt_index_fill(t, dim, at, KT_INT(5)), &filled) ||
            !same("index_fill", kt_index_fill_tensor(t, dim, at, tensor_filled(KT_F64, (kt_shape){0, NULL}, 5)), &filled) ||
            !same("index_add", kt_index_add(t, dim, at, from, .alpha = KT_INT(2)), &added) ||
            !same("index_add_", kt_index_add_(t, dim, at, from, .alpha = KT_INT(2)), &added))
            return;
    }
}

TEST(one_row)
{
    static array self, index, got;
    for (int round = 0; round < 1000; round++) {
        KT_SCOPE;
        draw_array(&self, (int)pick(1, 3), 4);
        draw_array(&index, (int)pick(1, 2), 3);
        got = index;
        array put = self, sum = self;
        for (int64_t k = 0; k < index.n; k++) {
            index.v[k] = (double)pick(-self.n, self.n - 1);
            const int64_t p = (int64_t)index.v[k] + (index.v[k] < 0 ? self.n : 0);
            got.v[k] = self.v[p];
            put.v[p] = (double)k;
            sum.v[p] += (double)k;
        }
        kt_tensor *t = tensor(&self, KT_F32), *at = tensor(&index, KT_I64),
                  *from = kt_reshape(kt_arange(KT_INT(0), KT_INT(index.n), .dtype = KT_F32), sizes_of(&index));
        if (!same("take", kt_take(t, at), &got) || !same("put", kt_put(t, at, from), &put) ||
            !same("put", kt_put_(t, at, from, .accumulate = true), &sum))
            return;
    }
}

/* ---- masks ---- */
TEST(masks)
{
    static array self, mask, some, places;
    for (int round = 0; round < 2000; round++) {
        KT_SCOPE;
        draw_array(&self, (int)pick(1, 3), 4);
        const kt_dtype dtype = widths[test_below(8)];
        mask = self;
        array   filled = self, scattered = self;
        int64_t n = 0;
        for (int64_t k = 0; k < self.n; k++) {
            mask.v[k] = (double)test_below(2);
            if (!mask.v[k])
                continue;
            int64_t at[RANK];
            unflat(&self, k, at);
            for (int d = 0; d < self.rank; d++)
                places.v[n * self.rank + d] = (double)at[d];
            some.v[n] = self.v[k];
            scattered.v[k] = (double)(n % 7);
            filled.v[k] = 4;
            n++;
        }
        shape_of(&some, 1, &n);
        shape_of(&places, 2, (int64_t[]){n, self.rank});
        kt_tensor *t = tensor(&self, dtype), *m = tensor(&mask, KT_BOOL), *at[1] = {m};
        kt_tensor *source = kt_to(kt_remainder_s(kt_arange(KT_INT(0), KT_INT(self.n)), KT_INT(7)), .dtype = dtype);
        if (!same("masked_fill", kt_masked_fill(t, m, KT_INT(4)), &filled) ||
            !same("index_put of a mask", kt_index_put(t, at, 1, tensor_filled(dtype, (kt_shape){0, NULL}, 4)), &filled) ||
            !same("masked_select", kt_masked_select(t, m), &some) || !same("index by a mask", kt_index(t, at, 1), &some) ||
            !same("masked_scatter", kt_masked_scatter(t, m, source), &scattered) ||
            !same("nonzero", kt_nonzero(tensor(&mask, dtype)), &places) ||
            !same("masked_fill_", kt_masked_fill_(t, m, KT_INT(4)), &filled))
            return;
    }
    KT_SCOPE;
    kt_tensor *minus_zero = kt_nonzero(kt_from((float[]){-0.0f, 1, 0}, KT_SHAPE(3), KT_F32));
    CHECK_EQ_INT(kt_size(minus_zero, 0), 1);
}

/* ---- large, on many threads ---- */
static bool equal(const kt_tensor *a, const kt_tensor *b) { return kt_item(kt_all(kt_eq(a, b))) == 1; }

TEST(threads_change_nothing)
{
    enum { N = 300000 };
    KT_SCOPE;
    const int  before = kt_get_num_threads();
    kt_tensor *index = kt_remainder_s(kt_mul_s(kt_arange(KT_INT(0), KT_INT(N)), KT_INT(7919)), KT_INT(1000));
    kt_tensor *source = kt_sin(kt_arange(KT_INT(0), KT_INT(N), .dtype = KT_F32));
    kt_tensor *wide = kt_expand(kt_unsqueeze(source, 1), KT_SHAPE(N, 3));
    kt_tensor *result[2][3];
    for (int many = 0; many <= 1; many++) {
        kt_set_num_threads(many ? 4 : 1);
        result[many][0] = kt_index_add(kt_zeros(KT_SHAPE(1000)), 0, index, source);
        result[many][1] = kt_index_add(kt_zeros(KT_SHAPE(1000, 3)), 0, index, wide);
        result[many][2] = kt_index_put(kt_zeros(KT_SHAPE(1000, 3)), (kt_tensor *[]){index}, 1, wide);
    }
    kt_set_num_threads(before);
    for (int k = 0; k < 3; k++)
        CHECK(equal(result[0][k], result[1][k]));
    CHECK(equal(kt_index_select(source, 0, kt_arange(KT_INT(0), KT_INT(N))), source));
    CHECK(equal(kt_gather(source, 0, kt_sub(kt_full(KT_SHAPE(N), KT_INT(N - 1)), kt_arange(KT_INT(0), KT_INT(N)))),
                   kt_flip(source, KT_SHAPE(0))));
    kt_tensor *holds = kt_nonzero(kt_eq_s(kt_remainder_s(kt_arange(KT_INT(0), KT_INT(N)), KT_INT(3)), KT_INT(0)));
    CHECK(equal(kt_select(holds, 1, 0), kt_mul_s(kt_arange(KT_INT(0), KT_INT(N / 3)), KT_INT(3))));
}

/* ---- derivatives: what was taken is added back, what was written over gets nothing ---- */
static void check_grad(const char *what, kt_tensor *y, const kt_tensor *x, kt_shape shape, const double *want)
{
    array a;
    CHECK_MSG(y && kt_backward(kt_sum(kt_mul(y, y))) == KT_OK, "%s: %s", what, kt_error());
    kt_clear();
    shape_of(&a, (int)shape.n, shape.d);
    memcpy(a.v, want, sizeof(double) * (size_t)a.n);
    same(what, kt_grad(x), &a);
}

#define LEAF kt_tensor *x = kt_from((float[]){1, 2, 3}, KT_SHAPE(3), KT_F32); kt_set_requires_grad(x, true)

TEST(derivatives)
{
    KT_SCOPE;
    kt_tensor *i = kt_from((int64_t[]){2, 0, 2}, KT_SHAPE(3), KT_I64), *v = kt_from((float[]){5, 6, 7}, KT_SHAPE(3), KT_F32);
    kt_tensor *m = kt_from((bool[]){true, false, true}, KT_SHAPE(3), KT_BOOL), *j = kt_narrow(i, 0, 0, 2);
    kt_tensor *w = kt_narrow(v, 0, 0, 2);
    kt_shape   three = KT_SHAPE(3);
    const double twice[] = {2, 0, 12}, rest[] = {0, 4, 0}, added[] = {14, 4, 16};
    { LEAF; check_grad("index", kt_index(x, (kt_tensor *[]){i}, 1), x, three, twice); }
    { LEAF; check_grad("gather", kt_gather(x, 0, i), x, three, twice); }
    { LEAF; check_grad("index_select", kt_index_select(x, 0, i), x, three, twice); }
    { LEAF; check_grad("take", kt_take(x, i), x, three, twice); }
    { LEAF; check_grad("index by a mask", kt_index(x, (kt_tensor *[]){m}, 1), x, three, (double[]){2, 0, 6}); }
    { LEAF; check_grad("masked_select", kt_masked_select(x, m), x, three, (double[]){2, 0, 6}); }
    { LEAF; check_grad("masked_fill", kt_masked_fill(x, m, KT_INT(0)), x, three, rest); }
    { LEAF; check_grad("index_put", kt_index_put(x, (kt_tensor *[]){j}, 1, w), x, three, rest); }
    { LEAF; check_grad("index_fill", kt_index_fill(x, 0, j, KT_INT(1)), x, three, rest); }
    { LEAF; check_grad("index_copy", kt_index_copy(x, 0, j, w), x, three, rest); }
    { LEAF; check_grad("put", kt_put(x, j, w), x, three, rest); }
    { LEAF; check_grad("scatter", kt_scatter(x, 0, j, w), x, three, rest); }
    { LEAF; check_grad("scatter_value", kt_scatter_value(x, 0, j, KT_INT(9)), x, three, rest); }
    { LEAF; check_grad("masked_scatter", kt_masked_scatter(x, m, v), x, three, rest); }
    { LEAF; check_grad("index_add", kt_index_add(x, 0, j, w), x, three, added); }
    { LEAF; check_grad("scatter_add", kt_scatter_add(x, 0, j, w), x, three, added); }
    {
        LEAF;
        check_grad("the source of index_add", kt_index_add(v, 0, i, x, .alpha = KT_INT(2)), x, three, (double[]){60, 36, 60});
    }
    { LEAF; check_grad("the source of scatter", kt_scatter(v, 0, j, x), x, three, (double[]){2, 4, 0}); }
    { LEAF; check_grad("the source of masked_scatter", kt_masked_scatter(v, m, x), x, three, (double[]){2, 4, 0}); }
    {
        LEAF;
        kt_tensor *y = kt_index_put(v, (kt_tensor *[]){j}, 1, kt_narrow(x, 0, 0, 1));
        check_grad("the values of index_put", y, x, three, (double[]){4, 0, 0});
    }
    CHECK_EQ_INT(kt_failed(), 0);
}

/* ---- lazy views, devices, refusals ---- */
TEST(lazy_views)
{
    KT_SCOPE;
    kt_tensor *z = kt_mul_s(kt_arange(KT_INT(0), KT_INT(4), .dtype = KT_C64), KT_COMPLEX(0, 1)), *c = kt_conj(z);
    kt_tensor *i = kt_from((int64_t[]){3, 1}, KT_SHAPE(2), KT_I64);
    CHECK_EQ_INT((int)kt_item_scalar(kt_select(kt_gather(c, 0, i), 0, 0)).im, -3);
    kt_index_put_(c, (kt_tensor *[]){i}, 1, tensor_filled(KT_C64, (kt_shape){0, NULL}, 8));
    CHECK_EQ_INT((int)kt_item_scalar(kt_select(z, 0, 2)).im, 2);
    CHECK_EQ_INT((int)kt_item_scalar(kt_select(z, 0, 3)).v.re, 8);
    CHECK_EQ_INT(kt_failed(), 0);
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_reshape(kt_arange(KT_INT(0), KT_INT(12), .dtype = KT_F32), KT_SHAPE(3, 4)), *f = kt_zeros(KT_SHAPE(1));
    kt_tensor *far = kt_from((int64_t[]){5}, KT_SHAPE(1), KT_I64), *two = kt_zeros(KT_SHAPE(2), .dtype = KT_I64),
              *three = kt_zeros(KT_SHAPE(3), .dtype = KT_I64), *mask = kt_ones(KT_SHAPE(2), .dtype = KT_BOOL);
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){far}, 1), KT_ERR_INDEX, "index 5 is out of bounds for dimension 0 with size 3");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){NULL, far}, 2), KT_ERR_INDEX, "index 5 is out of bounds for dimension 0 with size 4");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){two, far}, 2), KT_ERR_INDEX, "index 5 is out of bounds for dimension 1 with size 4");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){f}, 1), KT_ERR_INDEX,
                "tensors used as indices must be long, int, byte or bool tensors");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){two, three}, 2), KT_ERR_INDEX,
                "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){mask}, 1), KT_ERR_INDEX,
                "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0");
    kt_tensor *bare = kt_select(mask, 0, 0);
    CHECK_FAILS(kt_index(x, &bare, 1), KT_ERR_INDEX, "a mask of no dims cannot index");
    CHECK_FAILS(kt_index(x, (kt_tensor *[]){two, two, two}, 3), KT_ERR_INDEX,
                "too many indices for tensor of dimension 2 (got 3)");
    CHECK_FAILS(kt_index(kt_zeros(KT_SHAPE(0, 3)), (kt_tensor *[]){two}, 1), KT_ERR_INDEX,
                "index is out of bounds for dimension with size 0");
    CHECK_FAILS(kt_index_put_(x, (kt_tensor *[]){far}, 1, f), KT_ERR_INDEX,
                "index 5 is out of bounds for dimension 0 with size 3");
    CHECK_FAILS(kt_index_put(x, (kt_tensor *[]){two}, 1, kt_zeros(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 4]");
    CHECK_FAILS(kt_gather(x, 0, kt_reshape(far, KT_SHAPE(1, 1))), KT_ERR_RUNTIME,
                "index 5 is out of bounds for dimension 0 with size 3");
    CHECK_FAILS(kt_gather(x, 0, far), KT_ERR_RUNTIME,
                "Index tensor must have the same number of dimensions as input tensor");
    CHECK_FAILS(kt_index_select(x, 0, far), KT_ERR_INDEX, "index out of range in self");
    CHECK_FAILS(kt_take(x, kt_full(KT_SHAPE(1), KT_INT(-13))), KT_ERR_INDEX,
                "out of range: tried to access index -13 on a tensor of 12 elements.");
    CHECK_FAILS(kt_index_add_(x, 0, two, kt_narrow(x, 0, 0, 2)), KT_ERR_RUNTIME,
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
                "location. Please clone() the tensor before performing the operation.");
    CHECK_FAILS(kt_scatter_combine(x, 0, kt_zeros(KT_SHAPE(1, 1), .dtype = KT_I64), x, "sum"), KT_ERR_RUNTIME,
                "reduce argument must be either add or multiply.");
    CHECK_FAILS(kt_masked_scatter(x, kt_ones(KT_SHAPE(4), .dtype = KT_BOOL), f), KT_ERR_RUNTIME,
                "Number of elements of source < number of ones in mask");
    CHECK_EQ_INT((int)kt_item(kt_sum(x)), 66); /* nothing of it was written */
}
