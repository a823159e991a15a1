/* autocast_seen.c - what autocast does, seen and changed: calls counted by operator, class and dtype; the class of an operator
 * replaced on one thread. In: calls under autocast, changes. Out: counts, classes. Independent of: how tensors are cast.
 *
 * Changed classes are a list of all classes, made anew by each change and kept for good: the thread's mode word refers to it, so
 * that scopes restore it and the resolver's decisions are kept apart. */
#include <karat/plugin/site.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "call/autocast.h"

/* ---- counts ---- */

typedef struct entry {
    const kt_row *row; /* NULL: free */
    uint8_t       class, dtype;
    bool          weights; /* of leaves that require grad and are no wider than 16 bits */
    uint32_t      site;    /* where such a weight was first used */
    uint64_t      count;
} entry;

struct kt_autocast_counts {
    size_t   n, room; /* room: a power of two, more than half of it free */
    entry   *at;
    bool     recorded; /* by the tape, a result */
    bool     backward; /* it ran under autocast; where first: */
    uint32_t backward_site;
};

KT__HOT_LOCAL kt_autocast_counts **kt__counting;

kt_autocast_counts **kt_autocast_count(kt_autocast_counts **into)
{
    kt_autocast_counts **before = kt__counting;
    kt__counting = into;
    return before;
}

static entry *place(entry *at, size_t room, const entry *e)
{
    size_t i = ((uintptr_t)e->row >> 4 ^ (uintptr_t)e->dtype << 3 ^ e->class) & (room - 1);
    while (at[i].row &&
           (at[i].row != e->row || at[i].class != e->class || at[i].dtype != e->dtype || at[i].weights != e->weights))
        i = (i + 1) & (room - 1);
    return &at[i];
}

static bool grow(kt_autocast_counts *c)
{
    const size_t room = c->room ? 2 * c->room : 64;
    entry       *at = calloc(room, sizeof *at);
    if (!at)
        return false;
    for (size_t i = 0; i < c->room; i++)
        if (c->at[i].row)
            *place(at, room, &c->at[i]) = c->at[i];
    free(c->at);
    c->at = at;
    c->room = room;
    return true;
}

static kt_autocast_counts *counts_now(void)
{
    if (!*kt__counting)
        *kt__counting = calloc(1, sizeof **kt__counting);
    return *kt__counting;
}

void kt__count_call(const kt_row *row, kt_autocast_class class, const kt_tensor *result, bool weights)
{
    kt_autocast_counts *c = counts_now();
    if (!c || (2 * (c->n + 1) > c->room && !grow(c)))
        return;
    c->recorded |= (kt__grad_flags(result) & KT_T_REQUIRES_GRAD) != 0;
    const entry like = {.row = row, .class = (uint8_t)class, .dtype = result->dtype, .weights = weights};
    entry      *e = place(c->at, c->room, &like);
    if (!e->row) {
        *e = like;
        e->site = weights ? KT__SITE() : 0;
        c->n++;
    }
    e->count++;
}

void kt__count_backward(void)
{
    kt_autocast_counts *c = counts_now();
    if (c && !c->backward) {
        c->backward = true;
        c->backward_site = KT__SITE();
    }
}

static bool give(const entry *e, kt_autocast_counted *out)
{
    char              room[64];
    const bool        in_binding = kt__lineage.in_binding && kt__lineage.in_binding();
    const char       *name = kt__row_display_name(e->row, in_binding, room, sizeof room);
    kt_autocast_counted full = {.size = out->size, .class_ = (kt_autocast_class)e->class, .dtype = (kt_dtype)e->dtype,
                                .count = e->count, .narrow_weights = e->weights};
    full.op = kt__lineage.keep_text ? kt__lineage.keep_text(name) : e->row->name;
    full.file = e->site ? kt_site_file(e->site, &full.line) : NULL;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return true;
}

bool kt_autocast_counts_read(const kt_autocast_counts *c, int64_t i, kt_autocast_counted *out)
{
    if (!c || !out || i < 0)
        return false;
    for (size_t at = 0; at < c->room; at++)
        if (c->at[at].row && i-- == 0)
            return give(&c->at[at], out);
    return false;
}

bool kt_autocast_counts_recorded(const kt_autocast_counts *c) { return c && c->recorded; }

bool kt_autocast_counts_backward(const kt_autocast_counts *c, const char **file, int *line)
{
    if (!c || !c->backward || !file || !line)
        return false;
    *line = 0;
    *file = c->backward_site ? kt_site_file(c->backward_site, line) : NULL;
    return true;
}

void kt_autocast_counts_free(kt_autocast_counts *c)
{
    if (!c)
        return;
    free(c->at);
    free(c);
}

/* ---- classes of this thread ---- */

const char *kt_autocast_class_name(kt_autocast_class c)
{
    static const char *const names[] = {"as it comes", "lower",           "float32", "widest",
                                        "float32 result", "inner unchanged", "refused", "pinned"};
    _Static_assert((int)KT_AUTOCAST_REFUSED == (int)AUTOCAST_UNSAFE, "ORDER AUTOCAST");
    return (unsigned)c < sizeof names / sizeof *names ? names[c] : "?";
}

kt_autocast_class kt_autocast_class_of(const char *op, kt_device_kind kind)
{
    const kt_row *row = kt_row_find(op);
    return row ? (kt_autocast_class)kt__autocast_class(row, kt__mode(), kind != KT_CPU) : KT_AUTOCAST_AS_IT_COMES;
}

kt_status kt_set_autocast_class(const char *op, kt_device_kind kind, kt_autocast_class c)
{
    const kt_row *row = kt_row_find(op);
    if (!row || row->id >= KT_NUM_OPS)
        return kt_fail(KT_ERR_VALUE, "autocast has no class for %s: it is not an operator of the table", op ? op : "NULL");
    if ((unsigned)c > (unsigned)KT_AUTOCAST_WIDEST)
        return kt_fail(KT_ERR_VALUE,
                       "the class of an operator can be set to \"as it comes\", \"lower\", \"float32\" or \"widest\"");
    uint8_t *list = malloc(2 * KT_NUM_OPS);
    if (!list)
        return kt__fail_memory(2 * KT_NUM_OPS);
    for (int i = 0; i < KT_NUM_OPS; i++)
        for (int other = 0; other < 2; other++)
            list[2 * i + other] = (uint8_t)kt__autocast_class(&kt__rows[i], kt__mode(), other);
    list[2 * row->id + (kind != KT_CPU)] = (uint8_t)c;
    return kt__use_autocast_classes(list);
}
