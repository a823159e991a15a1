/* group_norm.inc.c - norms of groups of planes, and what flows back, in compute type T: batch, group and instance norms. A
 * template: norm.inc.c is included before it.
 *
 * In: plans over [outer, groups, planes, elements of a plane]. A group's planes have one average and one deviation; a plane has
 * one weight, which other groups may share (stride 0 across outer, or across planes). Out: their results. A group is brought
 * into the core's own cache once, if it fits there. Where a plane is one element and groups lie side by side, as of [batch,
 * channels] or channels last, a block of groups is worked on at a time, row by row. Independent of: operators, threads. */

enum { OUTER, GROUP, PLANE, ELEMENT, GROUP_DIMS, ABREAST = 64 };

typedef struct FN(planes) {
    const kt_plan *plan;
    int            x, mean, rstd, variance, weight, bias, y, grad, to_weight, to_bias;
    int64_t        size[GROUP_DIMS], count; /* elements of a group */
    double         eps;
    FN(lens)       lens[KT_MAX_OPERANDS];
    uint32_t       plain; /* bit i: operand i holds Ts */
    A             *sums;  /* [outer, groups, planes, 2]: of a gradient's planes */
    bool           given; /* the statistics are constants */
} FN(planes);

static char *FN(plane_at)(const FN(planes) *p, int operand, int64_t outer, int64_t group, int64_t plane)
{
    const int64_t *s = p->plan->stride[operand];
    return p->plan->arg[operand].data + outer * s[OUTER] + group * s[GROUP] + plane * s[PLANE];
}

static T FN(plane_number)(const FN(planes) *p, int operand, int64_t outer, int64_t group, int64_t plane, T absent)
{
    T value = absent;
    if (operand >= 0 && p->plain >> operand & 1)
        memcpy(&value, FN(plane_at)(p, operand, outer, group, plane), sizeof value);
    else if (operand >= 0)
        FN(load_tile)(&value, &p->lens[operand], FN(plane_at)(p, operand, outer, group, plane), 1);
    return value;
}

static void FN(plane_put)(const FN(planes) *p, int operand, int64_t outer, int64_t group, T value)
{
    if (operand >= 0 && p->plain >> operand & 1)
        memcpy(FN(plane_at)(p, operand, outer, group, 0), &value, sizeof value);
    else if (operand >= 0)
        FN(store_tile)(FN(plane_at)(p, operand, outer, group, 0), &p->lens[operand], &value, 1);
}

/* A tile of a plane: where it lies, or in `room`. */
static const T *FN(plane_tile)(const FN(lens) *l, const char *plane, int64_t done, int n, T *room)
{
    const char *at = plane + done * l->step;
    if (l->direct)
        return (const T *)(const void *)at;
    FN(load_tile)(room, l, at, n);
    return room;
}

#define EACH_TILE(p, done, n)                                                                                                   \
    for (int64_t done = 0, left = (p)->size[ELEMENT], n; (n = left < TILE ? left : TILE) > 0; done += n, left -= n)

/* ---- forward ---- */

static void FN(plane_scale)(T *restrict y, const T *restrict x, T mean, T scale, T shift, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale + shift;
}

static void FN(group_apply)(const FN(planes) *p, int64_t outer, int64_t group, T mean, T rstd)
{
    T room[TILE], made[TILE];
    for (int64_t k = 0; k < p->size[PLANE]; k++) {
        const T     scale = FN(plane_number)(p, p->weight, outer, group, k, 1) * rstd;
        const T     shift = FN(plane_number)(p, p->bias, outer, group, k, 0);
        const char *x = FN(plane_at)(p, p->x, outer, group, k);
        char       *y = FN(plane_at)(p, p->y, outer, group, k);
        EACH_TILE (p, done, n) {
            const T *from = FN(plane_tile)(&p->lens[p->x], x, done, (int)n, room);
            char    *to = y + done * p->lens[p->y].step;
            FN(plane_scale)(p->lens[p->y].direct ? (T *)(void *)to : made, from, mean, scale, shift, n);
            if (!p->lens[p->y].direct)
                FN(store_tile)(to, &p->lens[p->y], made, (int)n);
        }
    }
}

static void FN(group_forward)(void *ctx, int64_t begin, int64_t end)
{
    const FN(planes) *p = ctx;
    T                 room[TILE];
    for (int64_t at = begin; at < end; at++) {
        const int64_t outer = at / p->size[GROUP], group = at % p->size[GROUP];
        FN(moments)   m = {0};
        if (p->given) {
            FN(group_apply)(p, outer, group, FN(plane_number)(p, p->mean, outer, group, 0, 0),
                            FN(plane_number)(p, p->rstd, outer, group, 0, 1));
            continue;
        }
        const bool one = p->lens[p->x].direct && p->count <= TILE &&
                         (p->size[PLANE] == 1 || p->plan->stride[p->x][PLANE] == p->size[ELEMENT] * (int64_t)sizeof(T));
        const T   *all = (const T *)(const void *)FN(plane_at)(p, p->x, outer, group, 0);
        if (one && p->count <= LANES) /* short planes side by side: less than what vectors of them cost */
            m = FN(moments_few)(all, p->count, false);
        else if (one)
            FN(moments_tile)(&m, all, (int)p->count, true);
        for (int64_t k = 0; k < p->size[PLANE] && !one; k++) {
            const char *x = FN(plane_at)(p, p->x, outer, group, k);
            EACH_TILE (p, done, n)
                FN(moments_tile)(&m, FN(plane_tile)(&p->lens[p->x], x, done, (int)n, room), (int)n, true);
        }
        const A variance = m.squares / (A)p->count;
        const T mean = (T)m.mean, rstd = (T)(1 / __builtin_sqrt(variance + p->eps));
        FN(group_apply)(p, outer, group, mean, rstd);
        FN(plane_put)(p, p->mean, outer, group, mean);
        FN(plane_put)(p, p->rstd, outer, group, rstd);
        FN(plane_put)(p, p->variance, outer, group, (T)variance);
    }
}

/* ---- back ---- */

static void FN(plane_flow)(T *restrict to, const T *restrict x, const T *restrict grad, T mean, T scale, T turn, T lift,
                           int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = grad[i] * scale - (x[i] - mean) * turn - lift;
}

/* Statistics that are given do not depend on the input: nothing of it is read, were it infinite. */
static void FN(plane_scaled)(T *restrict to, const T *restrict grad, T scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = grad[i] * scale;
}

static A *FN(plane_sums)(const FN(planes) *p, int64_t outer, int64_t group, int64_t plane)
{
    return p->sums + 2 * ((outer * p->size[GROUP] + group) * p->size[PLANE] + plane);
}

static void FN(group_flow)(const FN(planes) *p, int64_t outer, int64_t group, T mean, T rstd, T lift, T turn)
{
    T room[TILE], other[TILE], made[TILE];
    for (int64_t k = 0; k < p->size[PLANE]; k++) {
        const T     scale = FN(plane_number)(p, p->weight, outer, group, k, 1) * rstd;
        const char *x = FN(plane_at)(p, p->x, outer, group, k), *grad = FN(plane_at)(p, p->grad, outer, group, k);
        char       *y = FN(plane_at)(p, p->y, outer, group, k);
        EACH_TILE (p, done, n) {
            const T *back = FN(plane_tile)(&p->lens[p->grad], grad, done, (int)n, other);
            char    *to = y + done * p->lens[p->y].step;
            T       *flow = p->lens[p->y].direct ? (T *)(void *)to : made;
            if (p->given)
                FN(plane_scaled)(flow, back, scale, n);
            else
                FN(plane_flow)(flow, FN(plane_tile)(&p->lens[p->x], x, done, (int)n, room), back, mean, scale, turn, lift, n);
            if (!p->lens[p->y].direct)
                FN(store_tile)(to, &p->lens[p->y], made, (int)n);
        }
    }
}

static void FN(group_back)(void *ctx, int64_t begin, int64_t end)
{
    const FN(planes) *p = ctx;
    T                 room[TILE], other[TILE];
    for (int64_t at = begin; at < end; at++) {
        const int64_t outer = at / p->size[GROUP], group = at % p->size[GROUP];
        const T       mean = FN(plane_number)(p, p->mean, outer, group, 0, 0);
        const T       rstd = FN(plane_number)(p, p->rstd, outer, group, 0, 1);
        FN(ties)      all = {0};
        for (int64_t k = 0; k < p->size[PLANE]; k++) {
            const char *x = FN(plane_at)(p, p->x, outer, group, k), *grad = FN(plane_at)(p, p->grad, outer, group, k);
            const T     w = FN(plane_number)(p, p->weight, outer, group, k, 1);
            FN(ties)    t = {0};
            A          *sums = FN(plane_sums)(p, outer, group, k);
            EACH_TILE (p, done, n)
                FN(ties_of)(&t, FN(plane_tile)(&p->lens[p->x], x, done, (int)n, room),
                            FN(plane_tile)(&p->lens[p->grad], grad, done, (int)n, other), NULL, mean, rstd, NULL, NULL, n,
                            (FN(soon)){x, 0}, (FN(soon)){x, 0}, false);
            sums[0] = t.product, sums[1] = t.sum;
            all.sum += t.sum * (A)w, all.product += t.product * (A)w;
        }
        const A each = 1 / (A)p->count;
        if (p->y >= 0)
            FN(group_flow)(p, outer, group, mean, rstd, (T)(all.sum * each * rstd), (T)(all.product * each * rstd * rstd));
    }
}

/* The sums of all planes that share a weight, in their order. */
static void FN(group_total)(const FN(planes) *p, int operand, int which)
{
    if (operand < 0)
        return;
    const int64_t *stride = p->plan->stride[operand];
    const int64_t  outers = stride[OUTER] ? p->size[OUTER] : 1, planes = stride[PLANE] ? p->size[PLANE] : 1;
    for (int64_t o = 0; o < outers; o++)
        for (int64_t g = 0; g < p->size[GROUP]; g++)
            for (int64_t k = 0; k < planes; k++) {
                A total = 0;
                for (int64_t i = o; i < p->size[OUTER]; i += outers > 1 ? p->size[OUTER] : 1)
                    for (int64_t j = k; j < p->size[PLANE]; j += planes > 1 ? p->size[PLANE] : 1)
                        total += FN(plane_sums)(p, i, g, j)[which];
                T value = (T)total;
                FN(store_tile)(FN(plane_at)(p, operand, o, g, k), &p->lens[operand], &value, 1);
            }
}

/* ---- groups side by side: planes of one element, one row for each ---- */

typedef struct FN(abreast) {
    T mean[ABREAST], rstd[ABREAST], w[ABREAST], b[ABREAST];
    A sum[ABREAST], product[ABREAST];
} FN(abreast);

/* n numbers of an operand that has one for each group. */
static void FN(abreast_load)(const FN(planes) *p, int operand, int64_t group, int n, T *to, T absent)
{
    for (int j = 0; j < n; j++)
        to[j] = FN(plane_number)(p, operand, 0, group + j, 0, absent);
}

/* Sums begin at the first values, so that equal ones have no spread. */
static void FN(abreast_moments)(const FN(planes) *p, const FN(lens) *l, int64_t group, int n, FN(abreast) *a)
{
    T        room[ABREAST];
    A        origin[ABREAST];
    const T *first = FN(plane_tile)(l, FN(plane_at)(p, p->x, 0, group, 0), 0, n, room);
    for (int j = 0; j < n; j++)
        origin[j] = first[j] - first[j] == 0 ? (A)first[j] : 0;
    memset(a->sum, 0, sizeof a->sum);
    memset(a->product, 0, sizeof a->product);
    for (int64_t k = 0; k < p->size[PLANE]; k++) {
        const T *x = FN(plane_tile)(l, FN(plane_at)(p, p->x, 0, group, k), 0, n, room);
        for (int j = 0; j < n; j++)
            a->sum[j] += (A)x[j] - origin[j];
    }
    for (int j = 0; j < n; j++)
        a->sum[j] = origin[j] + a->sum[j] / (A)p->count;
    for (int64_t k = 0; k < p->size[PLANE]; k++) {
        const T *x = FN(plane_tile)(l, FN(plane_at)(p, p->x, 0, group, k), 0, n, room);
        for (int j = 0; j < n; j++)
            a->product[j] += ((A)x[j] - a->sum[j]) * ((A)x[j] - a->sum[j]);
    }
    for (int j = 0; j < n; j++) {
        const A variance = a->product[j] / (A)p->count;
        a->mean[j] = (T)a->sum[j], a->rstd[j] = (T)(1 / __builtin_sqrt(variance + p->eps));
        FN(plane_put)(p, p->mean, 0, group + j, a->mean[j]);
        FN(plane_put)(p, p->rstd, 0, group + j, a->rstd[j]);
        FN(plane_put)(p, p->variance, 0, group + j, (T)variance);
    }
}

static void FN(abreast_forward)(void *ctx, int64_t begin, int64_t end)
{
    const FN(planes) *p = ctx;
    const FN(lens)    from = FN(lens_of)(&p->plan->arg[p->x], p->plan->stride[p->x][GROUP]);
    const FN(lens)    to = FN(lens_of)(&p->plan->arg[p->y], p->plan->stride[p->y][GROUP]);
    FN(abreast)       a;
    T                 room[ABREAST], made[ABREAST];
    for (int64_t block = begin; block < end; block++) {
        const int64_t group = block * ABREAST;
        const int     n = p->size[GROUP] - group < ABREAST ? (int)(p->size[GROUP] - group) : ABREAST;
        FN(abreast_load)(p, p->weight, group, n, a.w, 1);
        FN(abreast_load)(p, p->bias, group, n, a.b, 0);
        if (p->given) {
            FN(abreast_load)(p, p->mean, group, n, a.mean, 0);
            FN(abreast_load)(p, p->rstd, group, n, a.rstd, 1);
        } else {
            FN(abreast_moments)(p, &from, group, n, &a);
        }
        for (int j = 0; j < n; j++)
            a.w[j] *= a.rstd[j];
        for (int64_t k = 0; k < p->size[PLANE]; k++) {
            const T *x = FN(plane_tile)(&from, FN(plane_at)(p, p->x, 0, group, k), 0, n, room);
            for (int j = 0; j < n; j++)
                made[j] = (x[j] - a.mean[j]) * a.w[j] + a.b[j];
            FN(store_tile)(FN(plane_at)(p, p->y, 0, group, k), &to, made, n);
        }
    }
}

static void FN(abreast_back)(void *ctx, int64_t begin, int64_t end)
{
    const FN(planes) *p = ctx;
    const FN(lens)    from = FN(lens_of)(&p->plan->arg[p->x], p->plan->stride[p->x][GROUP]);
    const FN(lens)    back = FN(lens_of)(&p->plan->arg[p->grad], p->plan->stride[p->grad][GROUP]);
    const FN(lens)    to = p->y < 0 ? from : FN(lens_of)(&p->plan->arg[p->y], p->plan->stride[p->y][GROUP]);
    FN(abreast)       a;
    T                 room[ABREAST], other[ABREAST], made[ABREAST];
    for (int64_t block = begin; block < end; block++) {
        const int64_t group = block * ABREAST;
        const int     n = p->size[GROUP] - group < ABREAST ? (int)(p->size[GROUP] - group) : ABREAST;
        FN(abreast_load)(p, p->weight, group, n, a.w, 1);
        FN(abreast_load)(p, p->mean, group, n, a.mean, 0);
        FN(abreast_load)(p, p->rstd, group, n, a.rstd, 1);
        memset(a.sum, 0, sizeof a.sum);
        memset(a.product, 0, sizeof a.product);
        for (int64_t k = 0; k < p->size[PLANE]; k++) {
            const T *x = FN(plane_tile)(&from, FN(plane_at)(p, p->x, 0, group, k), 0, n, room);
            const T *g = FN(plane_tile)(&back, FN(plane_at)(p, p->grad, 0, group, k), 0, n, other);
            for (int j = 0; j < n; j++) {
                a.sum[j] += (A)g[j];
                a.product[j] += (A)g[j] * (A)((x[j] - a.mean[j]) * a.rstd[j]);
            }
        }
        for (int j = 0; j < n; j++) {
            T product = (T)a.product[j], sum = (T)a.sum[j];
            if (p->to_weight >= 0)
                FN(store_tile)(FN(plane_at)(p, p->to_weight, 0, group + j, 0), &p->lens[p->to_weight], &product, 1);
            if (p->to_bias >= 0)
                FN(store_tile)(FN(plane_at)(p, p->to_bias, 0, group + j, 0), &p->lens[p->to_bias], &sum, 1);
            a.sum[j] *= 1 / (A)p->count, a.product[j] *= 1 / (A)p->count;
            a.w[j] *= a.rstd[j];
        }
        for (int64_t k = 0; p->y >= 0 && k < p->size[PLANE]; k++) {
            const T *x = FN(plane_tile)(&from, FN(plane_at)(p, p->x, 0, group, k), 0, n, room);
            const T *g = FN(plane_tile)(&back, FN(plane_at)(p, p->grad, 0, group, k), 0, n, other);
            if (p->given)
                for (int j = 0; j < n; j++)
                    made[j] = a.w[j] * g[j];
            else
                for (int j = 0; j < n; j++)
                    made[j] = a.w[j] * (g[j] - (T)a.sum[j] - (x[j] - a.mean[j]) * a.rstd[j] * (T)a.product[j]);
            FN(store_tile)(FN(plane_at)(p, p->y, 0, group, k), &to, made, n);
        }
    }
}

/* ---- plans ---- */

static void FN(plane_operands)(FN(planes) *p, int *const *list, int n)
{
    const int64_t has = p->plan->param[1].v.i;
    int           at = 0;
    for (int k = 0; k < n; k++) {
        const bool there = has >> k & 1;
        *list[k] = there ? at : -1;
        if (there) {
            const kt_operand *x = &p->plan->arg[at];
            p->lens[at] = FN(lens_of)(x, p->plan->stride[at][ELEMENT]);
            p->plain |= (uint32_t)(x->is == SELF && !p->lens[at].rounds && x->bits == 0) << at;
        }
        at += there;
    }
}

static kt_status FN(group_back_all)(FN(planes) *p)
{
    const int64_t groups = p->size[OUTER] * p->size[GROUP];
    const size_t  bytes = (size_t)(2 * groups * p->size[PLANE]) * sizeof(A);
    size_t        granted = 0;
    if (!(p->sums = kt__block_get(bytes, &granted)))
        return kt__fail_memory(bytes);
    kt__parallel(groups, KT__GRAIN / (p->count + 1) + 1, FN(group_back), p);
    FN(group_total)(p, p->to_weight, 0);
    FN(group_total)(p, p->to_bias, 1);
    kt__block_put(p->sums, granted);
    return KT_OK;
}

/* Groups side by side, each of whose planes is one element; the planes of a group share its weight. */
static bool FN(is_abreast)(const FN(planes) *p)
{
    const int own[] = {p->weight, p->bias, p->to_weight, p->to_bias};
    bool      shared = true;
    for (int i = 0; i < 4; i++)
        shared = shared && (own[i] < 0 || p->plan->stride[own[i]][PLANE] == 0);
    return shared && p->size[OUTER] == 1 && p->size[ELEMENT] == 1 && p->size[GROUP] > 1;
}

static kt_status FN(group_norm_run)(const kt_plan *plan)
{
    const bool back = plan->kernel == KT_K_group_norm_backward;
    FN(planes) p = {.plan = plan, .variance = -1, .bias = -1, .grad = -1, .to_weight = -1, .to_bias = -1,
                    .eps = kt__scalar_f64(&plan->param[0]),
                    .given = plan->kernel == KT_K_group_norm_given || (back && plan->param[2].v.i)};
    memcpy(p.size, plan->size, sizeof p.size);
    p.count = p.size[PLANE] * p.size[ELEMENT];
    if (back)
        FN(plane_operands)(&p, (int *[]){&p.y, &p.to_weight, &p.to_bias, &p.grad, &p.x, &p.mean, &p.rstd, &p.weight}, 8);
    else if (p.given)
        FN(plane_operands)(&p, (int *[]){&p.y, &p.x, &p.mean, &p.rstd, &p.weight, &p.bias}, 6);
    else
        FN(plane_operands)(&p, (int *[]){&p.y, &p.mean, &p.rstd, &p.variance, &p.x, &p.weight, &p.bias}, 7);
    const int64_t groups = p.size[OUTER] * p.size[GROUP], grain = KT__GRAIN / (p.count + 1) + 1;
    if (FN(is_abreast)(&p))
        kt__parallel((groups + ABREAST - 1) / ABREAST, grain / ABREAST + 1, back ? FN(abreast_back) : FN(abreast_forward), &p);
    else if (back)
        return FN(group_back_all)(&p);
    else
        kt__parallel(groups, grain, FN(group_forward), &p);
    return KT_OK;
}
#undef EACH_TILE
