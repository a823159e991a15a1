/* softmax_halves.inc.c - what flows back through softmax, of bfloat16 lines that are read and written where they are. A template
 * of softmax.inc.c, after softmax_rows.inc.c: so little is calculated that a conversion through a buffer would take as long.
 *
 * In: lines, as softmax_rows.inc.c has them, but x, y and z are bfloat16. Out: sums and results, with the bits of that file.
 * Independent of: plans, threads. */

KT_ALWAYS T FN(of_half)(uint16_t half) { return (T)kt__decode_BF16(half); }

/* Are all y near enough to 0 that e^y has a shorter form? The bits of bfloat16s below 87 are below 0x42ae. */
static ROWS_NOINLINE bool FN(halves_are_near)(const FN(rows) *r)
{
    const bool    dense = r->of_y == r->n; /* one line as good as many: the end of each would take its time */
    const int     lines = dense ? 1 : r->count;
    const int64_t n = dense ? r->n * r->count : r->n;
    uint16_t      most = 0;
    for (int k = 0; k < lines; k++) {
        const uint16_t *y = (const uint16_t *)(const void *)r->y + k * r->of_y;
        for (int64_t i = 0; i < n; i++) {
            const uint16_t size = y[i] & 0x7fff;
            most = size > most ? size : most;
        }
    }
    return FN(exp_is_near)(0, 0) && most < 0x42ae;
}

KT_ALWAYS T FN(halves_tile)(const uint16_t *x, const uint16_t *y, int n, const char *in, ptrdiff_t ahead, bool multiplies)
{
    T   lane[ROW_LANES];
    int i = 0;
    for (int j = 0; j < ROW_LANES; j++)
        lane[j] = 0;
    for (; i + ROW_LANES <= n; i += ROW_LANES, x += ROW_LANES, y += ROW_LANES, in += ahead) {
        fetch_pair_for_reading(in, ahead);
        KT_EACH_LANE
        for (int j = 0; j < ROW_LANES; j++)
            lane[j] += multiplies ? FN(of_half)(x[j]) * FN(of_half)(y[j]) : FN(of_half)(x[j]);
    }
    for (int j = 0; j < n - i; j++)
        lane[j] += multiplies ? FN(of_half)(x[j]) * FN(of_half)(y[j]) : FN(of_half)(x[j]);
    return FN(lanes_sum)(lane);
}

KT_ALWAYS void FN(halves_sum)(FN(rows) *r, bool multiplies)
{
    for (int k = 0; k < r->count; k++) {
        const uint16_t *x = (const uint16_t *)(const void *)r->x + k * r->of_x;
        const uint16_t *y = (const uint16_t *)(const void *)r->y + k * r->of_y;
        const char     *in = r->soon[1] + k * r->n * r->width;
        A               sum = 0;
        for (int64_t i = 0; i < r->n; i += TILE)
            sum += FN(halves_tile)(x + i, y + i, r->n - i < TILE ? (int)(r->n - i) : TILE, in + i * r->width,
                                   ROW_LANES * r->width, multiplies);
        r->sum[k] = sum;
    }
}

static ROWS_NOINLINE void FN(halves_products)(FN(rows) *r) { FN(halves_sum)(r, true); }
static ROWS_NOINLINE void FN(halves_values)(FN(rows) *r)   { FN(halves_sum)(r, false); }

static ROWS_NOINLINE void FN(halves_turned)(const FN(rows) *r)
{
    FLOWS_BACK(uint16_t, ENC(BF16)((FN(of_half)(x[j]) - total) * FN(of_half)(y[j])))
}

static ROWS_NOINLINE void FN(halves_less_near_exps)(const FN(rows) *r)
{
    FLOWS_BACK(uint16_t, ENC(BF16)(FN(of_half)(x[j]) - FN(rows_exp)(FN(of_half)(y[j]), true) * total))
}

static ROWS_NOINLINE void FN(halves_less_any_exps)(const FN(rows) *r)
{
    FLOWS_BACK(uint16_t, ENC(BF16)(FN(of_half)(x[j]) - FN(rows_exp)(FN(of_half)(y[j]), false) * total))
}

static void FN(halves_less_exps)(const FN(rows) *r) { (r->near ? FN(halves_less_near_exps) : FN(halves_less_any_exps))(r); }
