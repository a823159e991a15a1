/* small.inc.c - the algorithms of small.h for one dtype. T: float or double; FN(name): its functions. */

/* Rows `s` and `other` of n columns change places. */
static void FN(exchange)(T *a, int ld, int n, int s, int other)
{
    for (int j = 0; j < n && s != other; j++) {
        const T x = a[j * ld + s];
        a[j * ld + s] = a[j * ld + other];
        a[j * ld + other] = x;
    }
}

static int FN(lu)(int m, int n, T *a, int ld, int *pivots)
{
    int info = 0;
    for (int s = 0; s < m && s < n; s++) {
        T  *column = a + s * ld;
        int best = s;
        for (int i = s + 1; i < m; i++)
            best = ABS(column[i]) > ABS(column[best]) ? i : best;
        pivots[s] = best + 1;
        FN(exchange)(a, ld, n, s, best);
        const T pivot = column[s];
        if (pivot == 0) {
            info = info ? info : s + 1;
            continue;
        }
        for (int i = s + 1; i < m; i++)
            column[i] /= pivot;
        for (int j = s + 1; j < n; j++)
            for (int i = s + 1; i < m; i++)
                a[j * ld + i] -= column[i] * a[j * ld + s];
    }
    return info;
}

/* L U x = b for one column, in place. */
static void FN(solve_column)(int n, const T *lu, int ld, T *x)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= lu[k * ld + i] * x[k];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= lu[k * ld + k];
        for (int i = 0; i < k; i++)
            x[i] -= lu[k * ld + i] * x[k];
    }
}

/* The transpose of L U. */
static void FN(solve_turned)(int n, const T *lu, int ld, T *x)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++)
            x[k] -= lu[k * ld + i] * x[i];
        x[k] /= lu[k * ld + k];
    }
    for (int k = n - 1; k >= 0; k--)
        for (int i = k + 1; i < n; i++)
            x[k] -= lu[k * ld + i] * x[i];
}

static void FN(lu_solve)(bool turned, int n, int columns, const T *lu, int ld, const int *pivots, T *b, int ldb)
{
    for (int i = 0; i < n && !turned; i++)
        FN(exchange)(b, ldb, columns, i, pivots[i] - 1);
    for (int j = 0; j < columns; j++)
        if (turned)
            FN(solve_turned)(n, lu, ld, b + j * ldb);
        else
            FN(solve_column)(n, lu, ld, b + j * ldb);
    for (int i = n - 1; i >= 0 && turned; i--)
        FN(exchange)(b, ldb, columns, i, pivots[i] - 1);
}

static void FN(lu_invert)(int n, T *lu, int ld, const int *pivots)
{
    T x[KT__SMALL * KT__SMALL] = {0};
    for (int i = 0; i < n; i++)
        x[i * n + i] = 1;
    FN(lu_solve)(false, n, n, lu, ld, pivots, x, n);
    for (int j = 0; j < n; j++)
        memcpy(lu + j * ld, x + j * n, (size_t)n * sizeof *x);
}

/* The upper factor is the lower one's transpose: the same elements, rows and columns exchanged. */
static int FN(cholesky)(bool upper, int n, T *a, int ld)
{
    const int down = upper ? ld : 1, over = upper ? 1 : ld;
    for (int j = 0; j < n; j++) {
        T *row = a + j * down, *diagonal = row + j * over;
        for (int k = 0; k < j; k++)
            *diagonal -= row[k * over] * row[k * over];
        if (*diagonal <= 0)
            return j + 1;
        *diagonal = SQRT(*diagonal);
        for (int i = j + 1; i < n; i++) {
            T *other = a + i * down;
            for (int k = 0; k < j; k++)
                other[j * over] -= other[k * over] * row[k * over];
            other[j * over] /= *diagonal;
        }
    }
    return 0;
}

static void FN(cholesky_solve)(bool upper, int n, int columns, const T *l, int ld, T *b, int ldb)
{
    const int down = upper ? ld : 1, over = upper ? 1 : ld;
    for (T *x = b; x < b + columns * ldb; x += ldb) {
        for (int k = 0; k < n; k++) {
            x[k] /= l[k * (down + over)];
            for (int i = k + 1; i < n; i++)
                x[i] -= l[i * down + k * over] * x[k];
        }
        for (int k = n - 1; k >= 0; k--) {
            for (int i = k + 1; i < n; i++)
                x[k] -= l[i * down + k * over] * x[i];
            x[k] /= l[k * (down + over)];
        }
    }
}
