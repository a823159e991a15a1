/* scan.inc.c - scans in the wide type T. A template: T, ID, WIDE (its dtype), KT_ORDERED (can it be compared?),
 * IS_NAN, LOG_OF_NOTHING and log_add_ID (where T has such things) are defined by the includer.
 *
 * In: a block of lines. Out: the same lines of the outputs. */

KT_ALWAYS T FN(before_all)(int kernel)
{
    return kernel == KT_K_cumprod ? 1 : kernel == KT_K_logcumsumexp ? LOG_OF_NOTHING : 0;
}

KT_ALWAYS T FN(carry)(int kernel, T so_far, T x)
{
    return kernel == KT_K_cumsum ? so_far + x : kernel == KT_K_cumprod ? so_far * x : FN(log_add)(so_far, x);
}

/* Does x take the place of the extreme so far? A NaN does, and a number never takes a NaN's. */
KT_ALWAYS bool FN(overtakes)(int kernel, T x, T so_far)
{
#if KT_ORDERED
    return IS_NAN(x) || (kernel == KT_K_cummax ? x >= so_far : x <= so_far);
#else
    (void)kernel, (void)x, (void)so_far;
    return false;
#endif
}

KT_ALWAYS void FN(load)(T *tile, const job *j, const char *x, ptrdiff_t step, int n)
{
    load(tile, WIDE, sizeof(T), j, x, step, n);
    for (int i = 0; (j->bits & KT_BIT_NEG) != 0 && i < n; i++)
        tile[i] = -tile[i];
#if !KT_ORDERED
    for (int i = 0; (j->bits & KT_BIT_CONJ) != 0 && i < n; i++)
        tile[i] = conj(tile[i]);
#endif
}

/* One line, a tile at a time. */
KT_ALWAYS void FN(line)(const job *j, char *const *at, int kernel, bool places)
{
    T       tile[TILE], so_far = FN(before_all)(kernel);
    int64_t index[TILE], found = 0;
    for (int64_t done = 0; done < j->length; done += TILE) {
        const int n = j->length - done < TILE ? (int)(j->length - done) : TILE;
        FN(load)(tile, j, at[j->in] + done * j->step[j->in], j->step[j->in], n);
        for (int i = 0; i < n; i++) {
            if (!places) {
                so_far = FN(carry)(kernel, so_far, tile[i]);
            } else if (done + i == 0 || FN(overtakes)(kernel, tile[i], so_far)) {
                so_far = tile[i];
                found = done + i;
            }
            tile[i] = so_far;
            index[i] = found;
        }
        kt__convert(at[VALUES] + done * j->step[VALUES], j->into, j->step[VALUES], tile, WIDE, sizeof(T), n);
        if (places)
            store_indices(j, at[INDICES] + done * j->step[INDICES], j->step[INDICES], index, n);
    }
}

/* n lines side by side, an element of each at a time. */
KT_ALWAYS void FN(abreast)(const job *j, char *const *at, int n, int kernel, bool places)
{
    T       tile[SIDE_BY_SIDE], so_far[SIDE_BY_SIDE];
    int64_t index[SIDE_BY_SIDE];
    for (int i = 0; i < n; i++) {
        so_far[i] = FN(before_all)(kernel);
        index[i] = 0;
    }
    for (int64_t k = 0; k < j->length; k++) {
        FN(load)(tile, j, at[j->in] + k * j->step[j->in], j->aside[j->in], n);
        for (int i = 0; i < n; i++) {
            if (!places) {
                so_far[i] = FN(carry)(kernel, so_far[i], tile[i]);
            } else if (k == 0 || FN(overtakes)(kernel, tile[i], so_far[i])) {
                so_far[i] = tile[i];
                index[i] = k;
            }
        }
        kt__convert(at[VALUES] + k * j->step[VALUES], j->into, j->aside[VALUES], so_far, WIDE, sizeof(T), n);
        if (places)
            store_indices(j, at[INDICES] + k * j->step[INDICES], j->aside[INDICES], index, n);
    }
}

KT_ALWAYS void FN(scan_by)(const job *j, char *const *at, int n, int kernel, bool places)
{
    const ptrdiff_t forward = j->step[j->in] < 0 ? -j->step[j->in] : j->step[j->in];
    const ptrdiff_t aside = j->aside[j->in] < 0 ? -j->aside[j->in] : j->aside[j->in];
    if (n > 1 && aside < forward) {
        FN(abreast)(j, at, n, kernel, places);
        return;
    }
    for (int i = 0; i < n; i++) {
        char *line[MOST_OPERANDS];
        for (int o = 0; o <= j->in; o++)
            line[o] = at[o] + i * j->aside[o];
        FN(line)(j, line, kernel, places);
    }
}

static void FN(scan)(const job *j, char *const *at, int n)
{
    switch (j->plan->kernel) {
    case KT_K_cumsum:       FN(scan_by)(j, at, n, KT_K_cumsum, false); break;
    case KT_K_cumprod:      FN(scan_by)(j, at, n, KT_K_cumprod, false); break;
    case KT_K_logcumsumexp: FN(scan_by)(j, at, n, KT_K_logcumsumexp, false); break;
    case KT_K_cummax:       FN(scan_by)(j, at, n, KT_K_cummax, true); break;
    default:                FN(scan_by)(j, at, n, KT_K_cummin, true); break;
    }
}

#undef T
#undef ID
#undef WIDE
#undef IS_NAN
#undef LOG_OF_NOTHING
#undef KT_ORDERED
