/* chain.inc.c - chains of elementwise kernels in compute type T. A template: the names of T are those of types/, tile.h is
 * included.
 *
 * In: a plan of the kernel chain. Out: its arrays, each as the links one after the other leave it. A tile of all arrays stays in
 * L1 while the links run, so that a chain is one pass over memory; arrays of narrow floats are rounded after each link, as the
 * operators would round them. Independent of: what a chain is for. */
#include "tables/kernels/elementwise.h"

enum { FN(chain_tile) = TILE / 4 }; /* a dozen of these are in L1 at once */

typedef struct FN(chain_link) {
    kt__loop_fn *loop;
    uint8_t      to, in[3];
    T            p[KT__LOOP_PARAMS];
} FN(chain_link);

typedef struct FN(chain_job) {
    int            n, n_out, n_links; /* n: arrays */
    bool           narrow;
    FN(lens)       lens[KT__CHAIN_ARRAYS], kept; /* kept: dense elements of the arrays' dtype */
    FN(chain_link) link[KT__CHAIN_LINKS];
    uint32_t       numbers;           /* bit i: number i stands for a register */
    T              number[KT__CHAIN_LINKS];
    kt__rows       rows;
} FN(chain_job);

typedef struct FN(chain_room) {
    T tile[KT__CHAIN_REGISTERS][FN(chain_tile)], number[KT__CHAIN_LINKS][FN(chain_tile)];
} FN(chain_room);

/* Leaves what the arrays' dtype can hold. */
static void FN(chain_round)(const FN(chain_job) *job, T *tile, int n)
{
    char raw[FN(chain_tile) * sizeof(T)] __attribute__((aligned(64)));
    FN(store_tile)(raw, &job->kept, tile, n);
    FN(load_tile)(tile, &job->kept, raw, n);
}

static void FN(run_links)(const FN(chain_job) *job, FN(chain_room) *room, T **at, int n)
{
    for (int i = 0; i < job->n_links; i++) {
        const FN(chain_link) *link = &job->link[i];
        const T              *in[3];
        T                    *to = link->to < job->n_out ? at[link->to] : room->tile[link->to];
        for (int k = 0; k < 3; k++)
            in[k] = link->in[k] < KT__CHAIN_NUMBER ? at[link->in[k]] : room->number[link->in[k] - KT__CHAIN_NUMBER];
        link->loop(to, in[0], in[1], in[2], n, link->p);
        if (job->narrow)
            FN(chain_round)(job, to, n);
        at[link->to] = to;
    }
}

static void FN(chain_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    const FN(chain_job) *job = ctx;
    FN(chain_room)       room;
    const int            most = n < FN(chain_tile) ? (int)n : FN(chain_tile);
    for (int k = 0; k < KT__CHAIN_LINKS; k++)
        for (int i = 0; i < most && job->numbers >> k & 1; i++)
            room.number[k][i] = job->number[k];
    for (int64_t done = 0; done < n; done += most) {
        const int m = n - done < most ? (int)(n - done) : most;
        T        *in[KT__CHAIN_REGISTERS];
        for (int k = 0; k < KT__CHAIN_REGISTERS; k++)
            in[k] = room.tile[k];
        for (int k = 0; k < job->n; k++) {
            char *place = at[k] + done * job->lens[k].step;
            if (job->lens[k].direct)
                in[k] = (T *)(void *)place;
            else
                FN(load_tile)(in[k], &job->lens[k], place, m);
        }
        FN(run_links)(job, &room, in, m);
        for (int k = 0; k < job->n_out; k++)
            if (!job->lens[k].direct)
                FN(store_tile)(at[k] + done * job->lens[k].step, &job->lens[k], in[k], m);
    }
}

static void FN(chain_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(chain_job) *job = ctx;
    kt__rows_walk(&job->rows, begin, end, FN(chain_row), job);
}

/* The low bits that a narrow float lacks: what elementwise kernels call p3. */
static T FN(chain_lacks)(int dtype) { return (T)(dtype == KT_F16 ? 13 : dtype == KT_BF16 ? 16 : 0); }

static void FN(chain_of)(FN(chain_job) *job, const kt_plan *plan, const kt__cpu_type *type)
{
    static const struct { uint16_t kernel; uint8_t inputs, numbers, rounds; } kinds[KT__NUM_LINK_KINDS] = {
#define LINK(name, kernel, row, inputs, numbers, rounds) [KT__LINK_##name] = {KT_K_##kernel, inputs, numbers, rounds},
#include "tables/kernels/chain.def"
#undef LINK
    };
    for (int i = 0; i < plan->n_param; i++)
        job->number[i] = (T)plan->param[i].im;
    for (int i = 0; i < plan->n_param && plan->param[i].v.i; i++) {
        const int64_t     packed = plan->param[i].v.i;
        const int         kind = KT__LINK_PART(packed, 0), first = KT__LINK_PART(packed, 5);
        FN(chain_link)   *link = &job->link[job->n_links++];
        link->loop = type->loop(kinds[kind].kernel);
        link->to = (uint8_t)KT__LINK_PART(packed, 1);
        for (int k = 0; k < 3; k++) {
            const int from = KT__LINK_PART(packed, 2 + (k < kinds[kind].inputs ? k : 0)), number = from - KT__CHAIN_NUMBER;
            link->in[k] = (uint8_t)from;
            if (number < 0)
                continue;
            if (job->narrow && kinds[kind].rounds)
                FN(chain_round)(job, &job->number[number], 1);
            job->numbers |= 1u << number;
        }
        for (int k = 0; k < KT__LOOP_PARAMS; k++)
            link->p[k] = k < kinds[kind].numbers ? job->number[first + k] : 0;
        for (int k = 0; k < kinds[kind].numbers && job->narrow && kinds[kind].rounds; k++)
            FN(chain_round)(job, &link->p[k], 1);
        link->p[3] = FN(chain_lacks)(plan->arg[0].as);
    }
}

static kt_status FN(chain)(const kt_plan *plan, const kt__cpu_type *type)
{
    FN(chain_job) job = {.n = plan->n_out + plan->n_in, .n_out = plan->n_out, .narrow = plan->arg[0].is != SELF};
    kt__rows_of(&job.rows, plan);
    for (int i = 0; i < job.n; i++)
        job.lens[i] = FN(lens_of)(&plan->arg[i], job.rows.step[i]);
    job.kept = FN(lens_of)(&plan->arg[0], (ptrdiff_t)kt__dtype_rows[plan->arg[0].is].size);
    job.kept.bits = 0;
    FN(chain_of)(&job, plan, type);
    kt__parallel(plan->numel, KT__GRAIN / 4, FN(chain_part), &job);
    return KT_OK;
}
