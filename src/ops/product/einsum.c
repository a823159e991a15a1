/* einsum.c - Einstein summation. In: an equation ("ij,...jk->...ik"; spaces anywhere, repeated subscripts are diagonals,
 * without "->" the subscripts that occur once in order) and its operands. Out: their contraction, pair by pair from the
 * left, each pair as one batched product. It is independent of kernels: views, sums, mul and bmm do the work. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "call/end.h"
#include "call/wrap.h"

enum { LETTERS = 52, ELLIPSIS = LETTERS };

static int  label_of(char c) { return isupper((unsigned char)c) ? c - 'A' : c - 'a' + 26; }
static char letter_of(int label) { return (char)(label < 26 ? 'A' + label : 'a' + label - 26); }

typedef struct subscripts {
    int8_t label[KT_MAX_DIMS];
    int    n; /* labels, the ellipsis among them */
    bool   ellipsis;
} subscripts;

typedef struct equation {
    const char *text, *output; /* what follows "->"; NULL: none is given */
    subscripts *in;
    kt_tensor **t; /* the operands, transformed step by step */
    int64_t     n;
    int         count[LETTERS];       /* how often a letter occurs among the inputs */
    int64_t     size[LETTERS];        /* its size; 1 until another is seen */
    int64_t     covered[KT_MAX_DIMS]; /* sizes of the dims that ellipses cover, the last ones aligned */
    int         n_covered;
    int         place[LETTERS + 1]; /* dim of a letter, first dim of the ellipsis, in the common order; -1: nowhere */
    int         out_rank, rank;
} equation;

/* ---- reading ---- */

static kt_status invalid(const equation *e, const char *at)
{
    return kt_fail(
        KT_ERR_RUNTIME,
        "einsum(): invalid subscript given at index %d in the equation string, subscripts must be in [a-zA-Z]",
        (int)(at - e->text));
}

static kt_status read_ellipsis(const char **at, subscripts *s, int64_t operand)
{
    if (s->ellipsis)
        return kt_fail(KT_ERR_RUNTIME, "einsum(): found '.' for operand %lld for which an ellipsis was already found",
                       (long long)operand);
    if (strncmp(*at, "...", 3) != 0)
        return kt_fail(KT_ERR_RUNTIME, "einsum(): found '.' for operand %lld that is not part of any ellipsis",
                       (long long)operand);
    s->label[s->n++] = ELLIPSIS;
    s->ellipsis = true;
    *at += 2;
    return KT_OK;
}

static kt_status read_inputs(equation *e)
{
    int64_t     operand = 0;
    const char *at = e->text;
    for (; *at; at++) {
        subscripts *s = &e->in[operand];
        if (*at == ' ')
            continue;
        if (*at == '-' && at[1] == '>') {
            e->output = at + 2;
            break;
        }
        if (*at == ',') {
            if (++operand == e->n)
                return kt_fail(KT_ERR_RUNTIME, "einsum(): fewer operands were provided than specified in the equation");
            continue;
        }
        if (*at != '.' && !isalpha((unsigned char)*at))
            return invalid(e, at);
        if (s->n == KT_MAX_DIMS)
            return kt_fail(KT_ERR_RUNTIME, "einsum(): more than %d subscripts for operand %lld", KT_MAX_DIMS,
                           (long long)operand);
        if (*at == '.') {
            if (read_ellipsis(&at, s, operand))
                return kt_error_status();
        } else {
            s->label[s->n++] = (int8_t)label_of(*at);
            e->count[label_of(*at)]++;
        }
    }
    if (operand != e->n - 1)
        return kt_fail(KT_ERR_RUNTIME, "einsum(): more operands were provided than specified in the equation");
    return KT_OK;
}

/* ---- sizes ---- */

static kt_status see_covered(equation *e, const kt_tensor *t, int first, int n, int64_t operand)
{
    for (int i = 0; i < n; i++) {
        int     at = KT_MAX_DIMS - n + i; /* aligned at the end */
        int64_t size = t->sizes[first + i];
        if (e->covered[at] != 1 && size != 1 && size != e->covered[at])
            return kt_fail(KT_ERR_RUNTIME,
                           "einsum(): dimension %d covered by ellipsis in operand %lldhas size %lld which does not "
                           "broadcast with previously seen ellipsis with size %lld for the respective dimension",
                           i, (long long)operand, (long long)size, (long long)e->covered[at]);
        if (size != 1)
            e->covered[at] = size;
    }
    e->n_covered = n > e->n_covered ? n : e->n_covered;
    return KT_OK;
}

static kt_status see_sizes(equation *e, int64_t operand)
{
    const subscripts *s = &e->in[operand];
    const kt_tensor  *t = e->t[operand];
    int               letters = s->n - s->ellipsis, covered = t->ndim - letters;
    if (!s->ellipsis && covered != 0)
        return kt_fail(
            KT_ERR_RUNTIME,
            "einsum(): the number of subscripts in the equation (%d) does not match the number of dimensions "
            "(%d) for operand %lld and no ellipsis was given",
            letters, t->ndim, (long long)operand);
    if (covered < 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "einsum(): the number of subscripts in the equation (%d) is more than the number of dimensions "
                       "(%d) for operand %lld",
                       letters, t->ndim, (long long)operand);
    int64_t own[LETTERS] = {0}; /* size in this operand, one more; 0: not seen */
    for (int i = 0, d = 0; i < s->n; i++) {
        int label = s->label[i];
        if (label == ELLIPSIS) {
            if (see_covered(e, t, d, covered, operand))
                return kt_error_status();
            d += covered;
            continue;
        }
        int64_t size = t->sizes[d++];
        if (own[label] && own[label] != size + 1)
            return kt_fail(
                KT_ERR_RUNTIME,
                "einsum(): subscript %c is repeated for operand %lld but the sizes don't match, %lld != %lld",
                letter_of(label), (long long)operand, (long long)size, (long long)own[label] - 1);
        if (size != e->size[label] && size != 1 && e->size[label] != 1)
            return kt_fail(KT_ERR_RUNTIME,
                           "einsum(): subscript %c has size %lld for operand %lld which does not broadcast with "
                           "previously seen size %lld",
                           letter_of(label), (long long)size, (long long)operand, (long long)e->size[label]);
        own[label] = size + 1;
        if (size != 1)
            e->size[label] = size;
    }
    return KT_OK;
}

/* ---- the common order of dims: those of the output, then the summed ones ---- */

static void put_label(equation *e, int label)
{
    e->place[label] = e->rank;
    e->rank += label == ELLIPSIS ? e->n_covered : 1;
}

static kt_status read_output(equation *e)
{
    for (const char *at = e->output; *at; at++) {
        if (*at == ' ')
            continue;
        if (*at == '.') {
            if (e->place[ELLIPSIS] >= 0)
                return kt_fail(KT_ERR_RUNTIME,
                               "einsum(): found '.' for output but an ellipsis (...) was already found");
            if (strncmp(at, "...", 3) != 0)
                return kt_fail(KT_ERR_RUNTIME, "einsum(): found '.' for output that is not part of any ellipsis (...)");
            put_label(e, ELLIPSIS);
            at += 2;
            continue;
        }
        if (!isalpha((unsigned char)*at))
            return invalid(e, at);
        int label = label_of(*at);
        if (e->place[label] >= 0)
            return kt_fail(KT_ERR_RUNTIME, "einsum(): output subscript %c appears more than once in the output", *at);
        if (!e->count[label])
            return kt_fail(KT_ERR_RUNTIME,
                           "einsum(): output subscript %c does not appear in the equation for any input operand", *at);
        put_label(e, label);
    }
    return KT_OK;
}

static kt_status order_dims(equation *e)
{
    for (int i = 0; i <= LETTERS; i++)
        e->place[i] = -1;
    if (e->output) {
        if (read_output(e))
            return kt_error_status();
    } else {
        put_label(e, ELLIPSIS);
        for (int i = 0; i < LETTERS; i++)
            if (e->count[i] == 1)
                put_label(e, i);
    }
    e->out_rank = e->rank;
    if (e->place[ELLIPSIS] < 0)
        put_label(e, ELLIPSIS);
    for (int i = 0; i < LETTERS; i++)
        if (e->count[i] && e->place[i] < 0)
            put_label(e, i);
    return e->rank <= KT_MAX_DIMS ? KT_OK
                                  : kt_fail(KT_ERR_RUNTIME, "einsum(): %d dimensions in all, at most %d are possible",
                                            e->rank, KT_MAX_DIMS);
}

/* Repeated subscripts become diagonals; then the operand's dims stand in the common order, with ones where it lacks any. */
static kt_tensor *in_order(const equation *e, int64_t operand)
{
    const subscripts *s = &e->in[operand];
    kt_tensor        *t = e->t[operand];
    int64_t           dim_at[KT_MAX_DIMS], order[KT_MAX_DIMS];
    int               labels[KT_MAX_DIMS], n = 0;
    int               covered = t->ndim - (s->n - s->ellipsis);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < (s->label[i] == ELLIPSIS ? covered : 1); k++)
            labels[n++] = s->label[i] == ELLIPSIS ? -1 - k : s->label[i];
    for (int i = 0; i < n && t; i++)
        for (int j = i + 1; j < n && t; j++)
            if (labels[i] >= 0 &&
                labels[j] == labels[i]) { /* the diagonal comes last; it goes back to the first of the two */
                t = kt_diagonal(t, .dim1 = i, .dim2 = KT_SOME(j));
                memmove(&labels[j], &labels[j + 1], (size_t)(n - 1 - j) * sizeof *labels);
                n--;
                for (int d = 0; d < n; d++)
                    order[d] = d < i ? d : d == i ? n - 1 : d - 1;
                t = t ? kt_permute(t, (kt_shape){n, order}) : NULL;
                j--;
            }
    for (int d = 0; d < e->rank; d++)
        dim_at[d] = -1;
    for (int i = 0; i < n; i++)
        dim_at[labels[i] < 0 ? e->place[ELLIPSIS] + e->n_covered - covered + (-1 - labels[i]) : e->place[labels[i]]] =
            i;
    for (int d = 0, more = n; d < e->rank && t; d++) {
        if (dim_at[d] < 0) {
            t = kt_unsqueeze(t, more);
            dim_at[d] = more++;
        }
        order[d] = dim_at[d];
    }
    return t ? kt_permute(t, (kt_shape){e->rank, order}) : NULL;
}

/* ---- contraction of two as one batched product: dims of a kind are brought together and become one dim of it ----
 *
 * Transpose, transpose, GEMM, transpose: P. Springer and P. Bientinesi, Design of a High-Performance GEMM-like Tensor-Tensor
 * Multiplication, ACM Transactions on Mathematical Software 44 (2018). */

enum { BATCH, LEFT, SUMMED, RIGHT, KINDS }; /* in both, in one, in both and summed, in the other or in none */

typedef struct pairing {
    int     rank;
    uint8_t kind[KT_MAX_DIMS];
    int64_t size[KT_MAX_DIMS]; /* of the result: a summed dim stays, of one element */
    int64_t elements[KINDS];   /* of all dims of a kind */
} pairing;

static pairing pair_up(const kt_tensor *a, const kt_tensor *b, const bool *summed)
{
    pairing p = {.rank = a->ndim, .elements = {1, 1, 1, 1}};
    for (int d = 0; d < p.rank; d++) {
        const bool    in_a = a->sizes[d] != 1, in_b = b->sizes[d] != 1;
        const int64_t size = in_a ? a->sizes[d] : b->sizes[d];
        p.kind[d] = summed[d] ? SUMMED : in_a && in_b ? BATCH : in_a ? LEFT : RIGHT;
        p.size[d] = summed[d] ? 1 : size;
        p.elements[p.kind[d]] *= size;
    }
    return p;
}

static void by_kind(const pairing *p, const uint8_t *kinds, int64_t *order)
{
    for (int k = 0; k < KINDS; k++)
        for (int d = 0; d < p->rank; d++)
            if (p->kind[d] == kinds[k])
                *order++ = d;
}

static kt_tensor *permuted(kt_tensor *t, const int64_t *order, int64_t n)
{
    bool moves = false;
    for (int64_t i = 0; i < n; i++)
        moves |= order[i] != i;
    return moves ? kt_permute(t, (kt_shape){n, order}) : t;
}

/* Of the last of the kinds it has no elements but one. */
static kt_tensor *matrices(const pairing *p, kt_tensor *t, const uint8_t *kinds)
{
    int64_t order[KT_MAX_DIMS];
    by_kind(p, kinds, order);
    return kt_reshape(permuted(t, order, p->rank), KT_SHAPE(p->elements[kinds[0]], p->elements[kinds[1]], p->elements[kinds[2]]));
}

static kt_tensor *contract(kt_tensor *a, kt_tensor *b, const bool *summed)
{
    static const uint8_t of_a[KINDS] = {BATCH, LEFT, SUMMED, RIGHT}, of_b[KINDS] = {BATCH, SUMMED, RIGHT, LEFT};
    const pairing        p = pair_up(a, b, summed);
    int64_t              order[KT_MAX_DIMS], sizes[KT_MAX_DIMS], back[KT_MAX_DIMS];
    kt_tensor           *product = kt_bmm(matrices(&p, a, of_a), matrices(&p, b, of_b));
    by_kind(&p, of_a, order);
    for (int i = 0; i < p.rank; i++) {
        sizes[i] = p.size[order[i]];
        back[order[i]] = i;
    }
    return permuted(kt_view(product, (kt_shape){p.rank, sizes}), back, p.rank);
}

/* What only one of the two has is summed before. PyTorch's sums of narrow integers are of 64 bits, which bmm would refuse beside
 * the others: for it they keep their dtype. */
static kt_tensor *summed_alone(kt_tensor *t, const kt_tensor *other, const bool *summed, bool keeps_dtype)
{
    int64_t dims[KT_MAX_DIMS], n = 0;
    for (int d = 0; d < t->ndim; d++)
        if (summed[d] && t->sizes[d] != 1 && other->sizes[d] == 1)
            dims[n++] = d;
    return n ? kt_sum_dim(t, ((kt_shape){n, dims}), .keepdim = true, .dtype = keeps_dtype ? (kt_dtype)t->dtype : KT_NONE) : t;
}

static kt_tensor *multiply(kt_tensor *a, kt_tensor *b, const bool *summed)
{
    bool together = false;
    for (int d = 0; d < a->ndim; d++)
        together |= summed[d] && a->sizes[d] != 1 && b->sizes[d] != 1;
    kt_tensor *x = summed_alone(a, b, summed, together), *y = summed_alone(b, a, summed, together);
    return !x || !y ? NULL : together ? contract(x, y, summed) : kt_mul(x, y);
}

static bool later(const equation *e, int64_t operand, int dim)
{
    for (int64_t i = operand + 1; i < e->n; i++)
        if (e->t[i]->sizes[dim] != 1)
            return true;
    return false;
}

/* Which dims can be summed: those of no later operand. */
static void ready(const equation *e, int64_t operand, bool *summed)
{
    for (int d = 0; d < e->rank; d++)
        summed[d] = d >= e->out_rank && !later(e, operand, d);
}

/* Of two operands the one whose own dims all stand before the other's in the output is the left one: the result is dense. */
static void put_first(equation *e)
{
    int last[2] = {-1, -1}, first[2] = {e->out_rank, e->out_rank};
    for (int d = 0; d < e->out_rank; d++) {
        bool in[2] = {e->t[0]->sizes[d] != 1, e->t[1]->sizes[d] != 1};
        for (int i = 0; i < 2; i++)
            if (in[i] && !in[1 - i]) {
                first[i] = first[i] < d ? first[i] : d;
                last[i] = d;
            }
    }
    if (last[0] >= 0 && last[1] >= 0 && last[1] < first[0]) {
        kt_tensor *t = e->t[0];
        e->t[0] = e->t[1];
        e->t[1] = t;
    }
}

/* One operand alone, or the first of several: the sum over the dims that no other has. */
static kt_tensor *summed_first(const equation *e)
{
    bool       summed[KT_MAX_DIMS];
    int64_t    dims[KT_MAX_DIMS], n = 0;
    kt_tensor *t = e->t[0];
    ready(e, 0, summed);
    for (int d = 0; d < e->rank; d++)
        if (summed[d] && (e->n == 1 || t->sizes[d] != 1))
            dims[n++] = d;
    return n ? kt_sum_dim(t, ((kt_shape){n, dims}), .keepdim = e->n > 1) : t;
}

static kt_tensor *contract_all(equation *e)
{
    bool       summed[KT_MAX_DIMS];
    kt_tensor *y = summed_first(e);
    for (int64_t i = 1; i < e->n && y; i++) {
        ready(e, i, summed);
        y = multiply(y, e->t[i], summed);
    }
    return !y || e->n == 1 || e->out_rank == e->rank ? y : kt_view(y, (kt_shape){e->out_rank, y->sizes});
}

static kt_tensor *einsum(equation *e)
{
    if (read_inputs(e))
        return NULL;
    for (int64_t i = 0; i < e->n; i++)
        if (see_sizes(e, i))
            return NULL;
    if (order_dims(e))
        return NULL;
    for (int64_t i = 0; i < e->n; i++) {
        e->t[i] = in_order(e, i);
        if (!e->t[i])
            return NULL;
    }
    if (e->n == 2 && e->t[0]->dtype == e->t[1]->dtype) /* else the refusal names them in their order */
        put_first(e);
    return contract_all(e);
}

kt_status kt__body_einsum(kt_call *call)
{
    const char *text = call->arg[0].str;
    int64_t     n = call->arg[1].ts.n;
    if (!text || n < 1)
        return kt_fail(KT_ERR_VALUE, "einsum(): must specify the equation string and at least one operand, or at least "
                                     "one operand and its subscripts list");
    equation e = {.text = text, .n = n};
    size_t   room = (size_t)n * (sizeof *e.in + sizeof *e.t);
    char    *memory = kt__system_get(room);
    if (!memory)
        return kt__fail_memory(room);
    memset(memory, 0, room);
    e.t = (kt_tensor **)(void *)memory;
    e.in = (subscripts *)(void *)(e.t + n);
    memcpy(e.t, call->arg[1].ts.t, (size_t)n * sizeof *e.t);
    for (int i = 0; i < LETTERS; i++)
        e.size[i] = 1;
    for (int i = 0; i < KT_MAX_DIMS; i++)
        e.covered[i] = 1;
    KT_SCOPE;
    kt_status status = kt__end(call, einsum(&e));
    kt__system_put(memory, room);
    return status;
}
