/* choices.c - combinations of a vector's elements. In: calls of BODY rows. Out: a matrix with one combination per row,
 * made of recorded operators. */
#include "base/alloc.h"
#include "call/made.h"
#include "call/move.h"

static kt_status check_vector(const kt_tensor *t)
{
    if (t->ndim == 1)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "Expect a 1D vector, but got shape %s", KT__SIZES_TEXT(t));
}

/* The next combination of r indices below n in lexical order, with repetition if `again`; false: there is none. */
static bool next_choice(int64_t *place, int64_t r, int64_t n, bool again)
{
    int64_t i = r - 1;
    while (i >= 0 && place[i] == (again ? n - 1 : n - r + i))
        i--;
    if (i < 0)
        return false;
    place[i]++;
    for (int64_t k = i + 1; k < r; k++)
        place[k] = again ? place[i] : place[k - 1] + 1;
    return true;
}

static void first_choice(int64_t *place, int64_t r, bool again)
{
    for (int64_t k = 0; k < r; k++)
        place[k] = again ? 0 : k;
}

/* The number of combinations; -1: too many for memory. Uses C(n, r) = C(n, n - r). */
static int64_t count_choices(int64_t n, int64_t r, bool again)
{
    if (again ? n == 0 : r > n)
        return 0;
    const int64_t from = again ? n + r - 1 : n, few = r < from - r ? r : from - r;
    int64_t       count = 1;
    for (int64_t k = 1; k <= few; k++) {
        if (__builtin_mul_overflow(count, from - few + k, &count))
            return -1;
        count /= k;
    }
    return count;
}

/* All combinations, column by column. */
static void list_choices(int64_t *columns, int64_t *place, int64_t count, int64_t n, int64_t r, bool again)
{
    first_choice(place, r, again);
    for (int64_t row = 0; row < count; row++) {
        for (int64_t k = 0; k < r; k++)
            columns[k * count + row] = place[k];
        next_choice(place, r, n, again);
    }
}

static kt_tensor *chosen(kt_tensor *self, const int64_t *columns, kt_tensor **column, int64_t count, int64_t r)
{
    for (int64_t k = 0; k < r; k++) {
        kt_tensor *places = kt_empty(KT_SHAPE(count), .dtype = KT_I64, .device = kt__device(self));
        if (!places || kt__fill_from(places, columns + k * count))
            return NULL;
        column[k] = kt_index_select(self, 0, places);
    }
    return kt__failed() ? NULL : kt_stack(column, r, .dim = 1);
}

kt_status kt__body_combinations(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t;
    const int64_t r = kt__arg_int(call, 1), n = self->numel;
    const bool    again = kt__arg_bool(call, 2);
    if (check_vector(self))
        return kt_error_status();
    if (r < 0)
        return kt_fail(KT_ERR_RUNTIME, "Expect a non-negative number, but got %lld", (long long)r);
    if (r == 0)
        return kt__end(call, kt_new_empty(self, KT_SHAPE(0)));
    const int64_t most = INT64_MAX / 32, count = r > most ? -1 : count_choices(n, r, again);
    if (count < 0 || count > most / r)
        return kt_fail(KT_ERR_MEMORY, "combinations: there are too many of them");
    const size_t bytes = (size_t)(count * r + r) * sizeof(int64_t) + (size_t)r * sizeof(kt_tensor *);
    int64_t     *columns = kt__system_get(bytes);
    if (!columns)
        return kt__fail_memory(bytes);
    list_choices(columns, columns + count * r, count, n, r, again);
    kt_status status = kt__end(call, chosen(self, columns, (kt_tensor **)(void *)(columns + count * r + r), count, r));
    kt__system_put(columns, bytes);
    return status;
}
