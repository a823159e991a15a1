/* conversions.c - the conversions that a thread's plans make, counted (karat/conversions.h).
 *
 * In: an operand of a plan whose kernel sees another dtype than the one in memory. Out: one entry for each operator, pair of
 * dtypes, reason, phase and line. Independent of: who collects.
 *
 * Threads may share a table: one lock serves all, since a conversion costs more than the lock. */
#include <karat/conversions.h>
#include <karat/plugin/site.h>
#include <pthread.h>
#include <stdlib.h>

#include "plan/launch.h"
#include "plan/observe.h"

typedef struct entry {
    const kt_row *row;
    uint32_t      site;
    int           phase;
    uint8_t       from, to, why;
    uint64_t      count, bytes;
    const char   *op; /* the row's name in the language of the call */
} entry;

struct kt_conversions {
    int64_t n, room;
    entry  *at;
};

KT__HOT_LOCAL kt_collecting kt__collecting[KT_NUM_COLLECTORS];
static pthread_mutex_t      lock = PTHREAD_MUTEX_INITIALIZER;

kt_collecting kt_collect(kt_collector who, kt_collecting next)
{
    if ((unsigned)who >= KT_NUM_COLLECTORS)
        return (kt_collecting){NULL, 0};
    const kt_collecting before = kt__collecting[who];
    kt__collecting[who] = next;
    return before;
}

static bool same(const entry *a, const entry *b)
{
    return a->row == b->row && a->site == b->site && a->phase == b->phase && a->from == b->from && a->to == b->to &&
           a->why == b->why;
}

/* NULL: out of memory. */
static entry *find(kt_conversions *c, const entry *like)
{
    for (int64_t i = 0; i < c->n; i++)
        if (same(&c->at[i], like))
            return &c->at[i];
    if (c->n == c->room) {
        const int64_t room = c->room ? 2 * c->room : 8;
        entry        *more = realloc(c->at, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        c->at = more;
        c->room = room;
    }
    char        name[64];
    const bool  in_binding = kt__lineage.in_binding && kt__lineage.in_binding();
    const char *shown = kt__row_display_name(like->row, in_binding, name, sizeof name);
    entry      *e = &c->at[c->n++];
    *e = *like;
    e->op = kt__lineage.keep_text ? kt__lineage.keep_text(shown) : NULL;
    return e;
}

/* A result is made in the dtype that the kernel sees, and converted to the one in memory. */
static bool is_written(const kt_plan *plan, const kt_tensor *t, kt_reason why)
{
    for (int i = 0; i < plan->n_out && why == KT_WHY_RESULT; i++)
        if (plan->arg[i].why == KT_WHY_RESULT && plan->arg[i].data == t->data)
            return true;
    return false;
}

KT__COLD void kt__note_conversion(const kt_plan *plan, const kt_tensor *t, kt_dtype as, kt_reason why)
{
    if (kt__unseen || t->dtype == as || !t->numel)
        return;
    const bool written = is_written(plan, t, why);
    entry      like = {.row = plan->row, .site = KT__SITE(), .why = (uint8_t)why};
    like.from = written ? (uint8_t)as : t->dtype;
    like.to = written ? t->dtype : (uint8_t)as;
    pthread_mutex_lock(&lock);
    for (int who = 0; who < KT_NUM_COLLECTORS; who++) {
        kt_conversions **into = kt__collecting[who].into;
        if (into && !*into)
            *into = calloc(1, sizeof **into);
        like.phase = kt__collecting[who].phase;
        entry *e = into && *into ? find(*into, &like) : NULL;
        if (e) {
            e->count++;
            e->bytes += (uint64_t)t->numel * kt_dtype_size((kt_dtype)like.from);
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool give(const entry *e, kt_conversion *out)
{
    kt_conversion full = {.size = out->size, .phase = e->phase, .op = e->op ? e->op : "", .from = (kt_dtype)e->from,
                          .to = (kt_dtype)e->to, .why = (kt_reason)e->why, .count = e->count, .bytes = e->bytes};
    full.file = e->site ? kt_site_file(e->site, &full.line) : NULL;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return true;
}

bool kt_conversions_read(const kt_conversions *c, int64_t i, kt_conversion *out)
{
    if (!c || !out || i < 0)
        return false;
    pthread_mutex_lock(&lock);
    const bool  found = i < c->n;
    const entry e = found ? c->at[i] : (entry){0};
    pthread_mutex_unlock(&lock);
    return found && give(&e, out);
}

void kt_conversions_free(kt_conversions *c)
{
    if (!c)
        return;
    free(c->at);
    free(c);
}
