/* reduce_fold.inc.c - a fold of many values into one: sum, product, maximum, ... A template, included once per fold.
 * FOLD: its name. MAP: what is taken of an element x (c: a number from the caller, through SHIFT). JOIN: combines two
 * values (a the earlier, b the later). ZERO: the initial value. LANE: the type in which a tile is folded. WIDE: the
 * type in which tiles are combined. HOT: whether loops over several rows at once are worth their code size.
 *
 * In: a piece of the input, in L1. Out: one value of a dense piece, one per column of rows. The order depends on the
 * sizes only. Independent of: plans, threads, what the operation does with the value. */
#define FOLD_FN(part) FN(FN__(part, FOLD))

KT_ALWAYS LANE FOLD_FN(one)(const FN(piece) *p, T x, A c)
{
    (void)p, (void)c;
    return MAP;
}
KT_ALWAYS LANE FOLD_FN(both)(LANE a, LANE b)      { return JOIN; }
KT_ALWAYS WIDE FOLD_FN(wide)(WIDE a, WIDE b) { return JOIN; }

/* Lane j takes every LANES-th value. Eight rows of lanes at once, or loading and storing the lanes would cost more
 * than the arithmetic. */
#define AT(k) FOLD_FN(one)(p, x[j + (k) * LANES], c)
static LANE FOLD_FN(dense)(const FN(piece) *p, A c)
{
    const T *x = p->x[0];
    int      n = p->n;
    LANE     lane[LANES];
    if (n < LANES) {
        LANE v = (LANE)ZERO;
        for (int j = 0; j < n; j++)
            v = FOLD_FN(both)(v, AT(0));
        return v;
    }
    for (int j = 0; j < LANES; j++)
        lane[j] = (LANE)ZERO;
    for (; HOT && n >= 8 * LANES; n -= 8 * LANES, x += 8 * LANES)
        for (int j = 0; j < LANES; j++) {
            const LANE low = FOLD_FN(both)(FOLD_FN(both)(FOLD_FN(both)(AT(0), AT(1)), AT(2)), AT(3));
            const LANE high = FOLD_FN(both)(FOLD_FN(both)(FOLD_FN(both)(AT(4), AT(5)), AT(6)), AT(7));
            lane[j] = FOLD_FN(both)(lane[j], FOLD_FN(both)(low, high));
        }
    for (; n >= LANES; n -= LANES, x += LANES)
        for (int j = 0; j < LANES; j++)
            lane[j] = FOLD_FN(both)(lane[j], AT(0));
    for (int j = 0; j < n; j++)
        lane[j] = FOLD_FN(both)(lane[j], AT(0));
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] = FOLD_FN(both)(lane[j], lane[j + half]);
    return lane[0];
}
#undef AT

#define AT(row) FOLD_FN(one)(p, row[j], SHIFT(c, j))
static void FOLD_FN(columns)(const FN(piece) *p, A *to, const A *c)
{
    const int n = p->n;
    int       r = 0;
    (void)c;
    for (int j = 0; j < n; j++)
        to[j] = (WIDE)ZERO;
    for (; HOT && r + 4 <= p->rows; r += 4) {
        const T *x0 = p->x[r], *x1 = p->x[r + 1], *x2 = p->x[r + 2], *x3 = p->x[r + 3];
        KT_EACH
        for (int j = 0; j < n; j++) {
            const LANE four = FOLD_FN(both)(FOLD_FN(both)(AT(x0), AT(x1)), FOLD_FN(both)(AT(x2), AT(x3)));
            to[j] = FOLD_FN(wide)((WIDE)to[j], (WIDE)four);
        }
    }
    for (; r < p->rows; r++) {
        const T *x0 = p->x[r];
        KT_EACH
        for (int j = 0; j < n; j++)
            to[j] = FOLD_FN(wide)((WIDE)to[j], (WIDE)AT(x0));
    }
}
#undef AT

/* c: one number a result; not looked at unless SHIFT does. */
static void FOLD_FN(fold)(const FN(piece) *p, A *to, const A *c)
{
    (void)c;
    if (p->rows == 0)
        to[0] = (WIDE)FOLD_FN(dense)(p, SHIFT(c, 0));
    else
        FOLD_FN(columns)(p, to, c);
}

/* The results of two pieces, the earlier first. */
__attribute__((unused)) static void FOLD_FN(merge)(A *to, const A *from, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++)
        to[j] = FOLD_FN(wide)((WIDE)to[j], (WIDE)from[j]);
}

#undef FOLD
#undef MAP
#undef JOIN
#undef ZERO
#undef LANE
#undef WIDE
#undef SHIFT
#undef HOT
#undef FOLD_FN
