/* joined.inc.c - elementwise plans of short rows: as many as have room are brought together in a tile, and the loop runs once
 * for all of them. A part of elementwise.inc.c, whose job it shares.
 *
 * In: a plan whose output is dense, and an input that is repeated or lies apart. Out: the output, tile by tile. */
enum { FN(short_row) = 64, FN(few) = 4 };

/* An input of the plan, as rows of the last dim. */
typedef struct FN(joined) {
    const kt_plan *plan;
    int            at;     /* which operand */
    bool           plain;  /* Ts, whatever their distance */
    bool           dense;  /* Ts as the output has them */
    bool           number; /* the same for all */
    FN(lens)       lens;   /* of a row */
} FN(joined);

static bool FN(is_dense)(const kt_plan *plan, int i, int64_t width)
{
    for (int d = plan->nd - 1; d >= 0; width *= plan->size[d--])
        if (plan->stride[i][d] != width)
            return false;
    return true;
}

static bool FN(joins_rows)(const kt_plan *plan)
{
    return plan->nd > 1 && plan->size[plan->nd - 1] <= FN(short_row) &&
           FN(is_dense)(plan, 0, kt__dtype_rows[plan->arg[0].is].size);
}

static FN(joined) FN(joined_of)(const kt_plan *plan, int i)
{
    const kt_operand *x = &plan->arg[i];
    FN(joined)        j = {.plan = plan, .at = i, .number = true};
    for (int d = 0; d < plan->nd && !x->immediate; d++)
        j.number &= plan->stride[i][d] == 0;
    j.lens = FN(lens_of)(x, j.number ? 0 : plan->stride[i][plan->nd - 1]);
    j.plain = x->is == SELF && !j.lens.rounds && x->bits == 0;
    j.dense = j.plain && !j.number && FN(is_dense)(plan, i, sizeof(T));
    return j;
}

/* One row, or a part of one. Its end may be written beyond, where the next row comes. */
KT_ALWAYS void FN(take_row)(T *restrict to, const FN(joined) *j, const char *x, int n)
{
    const ptrdiff_t step = j->lens.step;
    if (!j->plain && step != 0) {
        FN(load_tile)(to, &j->lens, x, n);
    } else if (step == 0) {
        T one;
        if (j->plain)
            memcpy(&one, x, sizeof one);
        else
            FN(load_tile)(&one, &j->lens, x, 1);
        for (int i = 0; i < n; i += FN(few))
            for (int k = 0; k < FN(few); k++)
                to[i + k] = one;
    } else if (step == (ptrdiff_t)sizeof(T)) {
        int i = 0;
        for (; i + FN(few) <= n; i += FN(few))
            memcpy(to + i, x + i * (ptrdiff_t)sizeof(T), FN(few) * sizeof(T));
        for (; i < n; i++)
            memcpy(to + i, x + i * (ptrdiff_t)sizeof(T), sizeof(T));
    } else {
        for (int i = 0; i < n; i++)
            memcpy(to + i, x + i * step, sizeof(T));
    }
}

/* Elements [begin, begin + n) of the plan, counted as the output has them. */
static void FN(take_rows)(T *to, const FN(joined) *j, int64_t begin, int n)
{
    const kt_plan *plan = j->plan;
    const int      last = plan->nd - 1, above = last - 1;
    const int64_t *stride = plan->stride[j->at], length = plan->size[last];
    int64_t        index[KT_MAX_DIMS], row = begin / length, offset = begin % length;
    const char    *x = plan->arg[j->at].data;
    for (int d = above; d >= 0; d--) {
        index[d] = row % plan->size[d];
        row /= plan->size[d];
        x += index[d] * stride[d];
    }
    for (int done = 0; done < n;) {
        const int64_t left = length - offset;
        const int     m = left < n - done ? (int)left : n - done;
        FN(take_row)(to + done, j, x + offset * j->lens.step, m);
        done += m, offset = 0;
        x += stride[above];
        for (int d = above; ++index[d] == plan->size[d] && d > 0; d--) {
            index[d] = 0;
            x += stride[d - 1] - plan->size[d] * stride[d];
        }
    }
}

static void FN(joined_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(job)      *job = ctx;
    const kt_plan *plan = job->rows.plan;
    T             tile[4][TILE + FN(few)];
    FN(joined)    from[3];
    const T      *in[3] = {tile[1], tile[1], tile[1]};
    for (int k = 0; k < job->n_in; k++) {
        from[k] = FN(joined_of)(plan, k + 1);
        in[k] = tile[k + 1];
        if (from[k].number) {
            FN(load_tile)(tile[k + 1], &from[k].lens, job->base[k + 1], 1);
            for (int i = 1; i < TILE; i++)
                tile[k + 1][i] = tile[k + 1][0];
        }
    }
    for (; begin < end; begin += TILE) {
        const int n = end - begin < TILE ? (int)(end - begin) : TILE;
        for (int k = 0; k < job->n_in; k++)
            if (from[k].dense)
                in[k] = (const T *)(const void *)job->base[k + 1] + begin;
            else if (!from[k].number)
                FN(take_rows)(tile[k + 1], &from[k], begin, n);
        if (job->divides && FN(any_zero)(in[1], n)) {
            __atomic_store_n(&job->divided_by_zero, 1, __ATOMIC_RELAXED);
            return;
        }
        char *place = job->base[0] + begin * job->lens[0].step;
        job->loop(job->lens[0].direct ? (T *)(void *)place : tile[0], in[0], in[job->n_in > 1], in[job->n_in > 2 ? 2 : 0], n,
                  job->p);
        if (!job->lens[0].direct)
            FN(store_tile)(place, &job->lens[0], tile[0], n);
    }
}
