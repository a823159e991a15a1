/* loops.inc.c - the rows of one family in compute type T, each a loop over dense Ts. A template of family.inc.c; the names
 * of T are those of types/. T decides which column of a row is used (PICK). */
#include "cpu/isa/look_up.h"
#include "cpu/write.h"

KT_ALWAYS T FN(apply)(int row, T a, T b, T c, T p0, T p1, T p2, T p3)
{
    (void)a, (void)b, (void)c, (void)p0, (void)p1, (void)p2, (void)p3;
    switch (row) {
#define UN(name, loop, ...)  case ROW_##name: return (T)(PICK(__VA_ARGS__));
#define BIN(name, loop, ...) case ROW_##name: return (T)(PICK(__VA_ARGS__));
#define TER(name, loop, ...) case ROW_##name: return (T)(PICK(__VA_ARGS__));
#include ROWS
#undef UN
#undef BIN
#undef TER
    }
    return 0;
}

/* ---- a vector at a time, or a few short ones: those are calculated side by side, since an expression is a long chain ---- */

KT_ALWAYS bool FN(goes_by_lanes)(int how)
{
    if (KT_VEC_BYTES <= 16 && ((SELF != KT_F32 && SELF != KT_F64) || how == LOOP_MANY)) /* the compiler's loop is shorter there */
        return false;
    return how == LOOP_LANES || how == LOOP_MANY || how == LOOP_NEAR;
}

/* Of float64 two vectors: some of its functions hold a step in float32, which fills one. While there are so many elements, four
 * vectors of float32 are calculated side by side: in one or two the processor waits for results. */
enum {
    FN(lanes) = (KT_VEC_BYTES <= 16 ? 64 : SELF == KT_F64 ? 2 * KT_VEC_BYTES : KT_VEC_BYTES) / sizeof(T),
    FN(more_lanes) = KT_VEC_BYTES == 64 && SELF == KT_F32 ? 4 * FN(lanes) : FN(lanes)
};
typedef void FN(lanes_fn)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p); /* n: whole vectors */

KT_ALWAYS void FN(some_lanes)(T *z, const T *a, const T *b, const T *p, int row, int lanes)
{
    const T p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    T       to[FN(more_lanes)]; /* not z, which may be an operand: the second vector would wait for the first to be stored */
    for (int i = 0; i < lanes; i += CACHE_LINE / (int)sizeof(T))
        fetch_ahead(a + i, z + i);
    KT_EACH_LANE
    for (int i = 0; i < lanes; i++)
        to[i] = FN(apply)(row, a[i], b[i], b[i], p0, p1, p2, p3);
    memcpy(z, to, (size_t)lanes * sizeof(T));
}

KT_ALWAYS void FN(by_lanes)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p, int row, int how)
{
    ptrdiff_t done = 0;
    for (; how == LOOP_LANES && done + FN(more_lanes) <= n; done += FN(more_lanes))
        FN(some_lanes)(z + done, a + done, b + done, p, row, FN(more_lanes));
    for (; done < n; done += FN(lanes))
        FN(some_lanes)(z + done, a + done, b + done, p, row, FN(lanes));
}

static void __attribute__((noinline, unused)) FN(filled_up)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p,
                                                            FN(lanes_fn) *lanes)
{
    const ptrdiff_t whole = n - n % FN(lanes), rest = n - whole;
    T               room[3][FN(lanes)] = {{0}};
    lanes(z, a, b, whole, p);
    if (!rest)
        return;
    memcpy(room[0], a + whole, (size_t)rest * sizeof(T));
    memcpy(room[1], b + whole, (size_t)rest * sizeof(T));
    lanes(room[2], room[0], room[1], FN(lanes), p);
    memcpy(z + whole, room[2], (size_t)rest * sizeof(T));
}

/* ---- one loop a row ---- */

KT_ALWAYS void FN(loop)(T *z, const T *a, const T *b, const T *c, ptrdiff_t n, const T *p, int row)
{
    const T p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    KT_EACH
    for (ptrdiff_t i = 0; i < n; i++)
        z[i] = FN(apply)(row, a[i], b[i], c[i], p0, p1, p2, p3);
}

#define STAMP_LANES_OF(name, how)                                                                                      \
    static void FN(lanes_##name)(T * z, const T *a, const T *b, ptrdiff_t n, const T *p)                               \
    {                                                                                                                  \
        FN(by_lanes)(z, a, b, n, p, ROW_##name, how);                                                                  \
    }
#define STAMP(name, how)                                                                                               \
    STAMP_LANES_OF(name, how)                                                                                          \
    static void FN(loop_##name)(void *z, const void *a, const void *b, const void *c, ptrdiff_t n, const void *p)      \
    {                                                                                                                  \
        if (FN(goes_by_lanes)(how))                                                                                    \
            FN(filled_up)(z, a, b, n, p, FN(lanes_##name));                                                            \
        else                                                                                                           \
            FN(loop)(z, a, b, c, n, p, ROW_##name);                                                                    \
    }

/* ---- rows whose function has a shorter form within a reach, for groups without an operand beyond it ----
 *
 * NEAR_FORMS of a type says which form each has: PLAIN, FN(name_near), which has the bits of FN(name); or PIECES, looked up in a
 * table of so many columns (math/f32/pieces.h), or EIGHT, which has bits of its own: then the whole form calculates that and
 * FN(far). */
#ifdef NEAR_FORMS
enum {
    FN(group) = (KT_VEC_BYTES <= 16 ? 64 : KT_VEC_BYTES == 64 && SELF == KT_F64 ? KT_VEC_BYTES : 2 * KT_VEC_BYTES) / sizeof(T),
    FN(more) = (KT_VEC_BYTES < 64 ? 1 : SELF == KT_F64 ? 3 : 2) * FN(group) /* as more_lanes */
};
typedef __typeof__(FN(exp_beyond)(0)) FN(flag); /* its highest bit: is the operand beyond the reach? */

/* Both take groups of FN(group), the first FN(more) at a time while it can. It stops before a group that has an operand beyond
 * the reach: how many elements are done? */
typedef ptrdiff_t FN(near_fn)(T *z, const T *a, ptrdiff_t n);
typedef void FN(whole_fn)(T *z, const T *a);

#define PLAIN(name)                                                                                                    \
    KT_ALWAYS void FN(near_lanes_##name)(T *to, const T *x, int lanes)                                                 \
    {                                                                                                                  \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < lanes; i++)                                                                                \
            to[i] = FN(name##_near)(x[i]);                                                                             \
    }                                                                                                                  \
    KT_ALWAYS void FN(whole_lanes_##name)(T *to, const T *x)                                                           \
    {                                                                                                                  \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < FN(group); i++)                                                                            \
            to[i] = FN(name)(x[i]);                                                                                    \
    }
#define LOOK_UP_COLUMNS(name, columns)                                                                                 \
    _Pragma("GCC unroll 20") for (int k = 0; k < (columns); k++) FN(look_up)(c[k], FN(name##_pieces)[k], at, lanes);
#define LOOK_UP_EIGHT(name, columns)                                                                                   \
    T *const column[8] = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};                                             \
    FN(look_up_eight)(column, FN(name##_pieces), at, lanes);
#define PIECES(name, columns, far)   BY_TABLE(name, columns, far, LOOK_UP_COLUMNS)
#define EIGHT(name, far)             BY_TABLE(name, 8, far, LOOK_UP_EIGHT)
#define BY_TABLE(name, columns, far, LOOK_UP)                                                                          \
    KT_ALWAYS void FN(near_lanes_##name)(T *to, const T *x, int lanes)                                                 \
    {                                                                                                                  \
        FN(piece) at[FN(more)];                                                                                        \
        T         c[columns][FN(more)];                                                                                \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < lanes; i++)                                                                                \
            at[i] = FN(name##_piece)(x[i]);                                                                            \
        LOOK_UP(name, columns)                                                                                         \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < lanes; i++) {                                                                              \
            T of[columns];                                                                                             \
            _Pragma("GCC unroll 20") for (int k = 0; k < (columns); k++) of[k] = c[k][i];                              \
            to[i] = FN(name##_by_piece)(x[i], of);                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    KT_ALWAYS void FN(whole_lanes_##name)(T *to, const T *x)                                                           \
    {                                                                                                                  \
        T within[FN(group)], near[FN(group)]; /* an operand beyond the reach has no place in the table */              \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < FN(group); i++)                                                                            \
            within[i] = FN(name##_beyond)(x[i]) >> (8 * sizeof(T) - 1) ? 0 : x[i];                                     \
        FN(near_lanes_##name)(near, within, FN(group));                                                                \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < FN(group); i++) {                                                                          \
            const T beyond = FN(far)(x[i]);                                                                            \
            to[i] = FN(name##_beyond)(x[i]) >> (8 * sizeof(T) - 1) ? beyond : near[i];                                 \
        }                                                                                                              \
    }
NEAR_FORMS(PLAIN, PIECES, EIGHT)
#undef PLAIN
#undef PIECES
#undef EIGHT
#undef BY_TABLE
#undef LOOK_UP_COLUMNS
#undef LOOK_UP_EIGHT

static void __attribute__((noinline, unused)) FN(by_reach)(T *z, const T *a, ptrdiff_t n, FN(near_fn) *near, FN(whole_fn) *whole)
{
    const ptrdiff_t groups = n - n % FN(group), rest = n - groups;
    for (ptrdiff_t done = near(z, a, groups); done < groups; done += near(z + done, a + done, groups - done)) {
        whole(z + done, a + done);
        done += FN(group);
    }
    if (!rest)
        return;
    T room[FN(group)];
    for (int i = 0; i < FN(group); i++)
        room[i] = a[groups + (i < rest ? i : 0)];
    if (!near(room, room, FN(group)))
        whole(room, room);
    memcpy(z + groups, room, (size_t)rest * sizeof(T));
}

#define STAMP_BY_REACH(name)                                                                                           \
    KT_ALWAYS bool FN(try_##name)(T *z, const T *x, int lanes)                                                         \
    {                                                                                                                  \
        FN(flag) beyond[FN(more)];                                                                                     \
        T        to[FN(more)];                                                                                         \
        for (int i = 0; i < lanes; i += CACHE_LINE / (int)sizeof(T))                                                   \
            fetch_ahead(x + i, z + i);                                                                                 \
        KT_EACH_LANE                                                                                                   \
        for (int i = 0; i < lanes; i++)                                                                                \
            beyond[i] = FN(name##_beyond)(x[i]);                                                                       \
        if (__builtin_expect(FN(any_sign)(beyond, lanes), 0))                                                          \
            return false;                                                                                              \
        FN(near_lanes_##name)(to, x, lanes);                                                                           \
        memcpy(z, to, (size_t)lanes * sizeof(T));                                                                      \
        return true;                                                                                                   \
    }                                                                                                                  \
    static ptrdiff_t FN(near_##name)(T *z, const T *a, ptrdiff_t n)                                                    \
    {                                                                                                                  \
        ptrdiff_t done = 0;                                                                                            \
        while (done + FN(more) <= n && FN(try_##name)(z + done, a + done, FN(more)))                                   \
            done += FN(more);                                                                                          \
        while (done < n && FN(try_##name)(z + done, a + done, FN(group)))                                              \
            done += FN(group);                                                                                         \
        return done;                                                                                                   \
    }                                                                                                                  \
    static void FN(whole_##name)(T *z, const T *a)                                                                     \
    {                                                                                                                  \
        T to[FN(group)];                                                                                               \
        FN(whole_lanes_##name)(to, a);                                                                                 \
        memcpy(z, to, sizeof to);                                                                                      \
    }                                                                                                                  \
    static void FN(loop_##name)(void *z, const void *a, const void *b, const void *c, ptrdiff_t n, const void *p)      \
    {                                                                                                                  \
        (void)b, (void)c, (void)p;                                                                                     \
        FN(by_reach)(z, a, n, FN(near_##name), FN(whole_##name));                                                      \
    }
#else
#define STAMP_BY_REACH(name) STAMP(name, LOOP_NEAR)
#endif

#ifdef KT_HAS_HALVES
#include "cpu/isa/halves.inc.c"
#else
#define HALVES_OF(name, n_in)
#define NO_BF16(name)
#define NO_F16(name)
#endif
#ifdef BRIEF_FORMS
#include "cpu/isa/brief.inc.c"
#else
#define BRIEF_OF(name) NO_BF16(name)
#endif

#define NO_HALVES(name)           NO_BF16(name) NO_F16(name)
#define STAMP__(name, n_in)       STAMP(name, LOOP__) NO_HALVES(name)
#define STAMP_HALVES(name, n_in)  STAMP(name, LOOP__) HALVES_OF(name, n_in)
#define STAMP_LONG(name, n_in)    STAMP(name, LOOP_LONG) NO_HALVES(name)
#define STAMP_MANY(name, n_in)    STAMP(name, LOOP_MANY) NO_HALVES(name)
#define STAMP_LANES(name, n_in)   STAMP(name, LOOP_LANES) NO_HALVES(name)
#define STAMP_DIVIDES(name, n_in) STAMP(name, LOOP_DIVIDES) NO_HALVES(name)
#define STAMP_NEAR(name, n_in)    STAMP_BY_REACH(name) NO_HALVES(name)
#define STAMP_BRIEF(name, n_in)   STAMP_BY_REACH(name) BRIEF_OF(name) NO_F16(name)
#define UN(name, loop, ...)       STAMP_##loop(name, 1)
#define BIN(name, loop, ...)      STAMP_##loop(name, 2)
#define TER(name, loop, ...)      STAMP_##loop(name, 3)
#include ROWS
#undef UN
#undef BIN
#undef TER
#undef STAMP
#undef STAMP_BY_REACH
#undef STAMP__
#undef STAMP_HALVES
#undef STAMP_LONG
#undef STAMP_MANY
#undef STAMP_LANES
#undef STAMP_DIVIDES
#undef STAMP_NEAR
#undef STAMP_BRIEF
#undef STAMP_LANES_OF
#undef HALVES_OF
#undef BRIEF_OF
#undef NO_HALVES
#undef NO_BF16
#undef NO_F16

/* ---- the table ---- */
#define TEXT_(...)             #__VA_ARGS__
#define TEXT(...)              TEXT_(__VA_ARGS__)
#define ENTRY(name, loop, ...) [ROW_##name] = sizeof(TEXT(PICK(__VA_ARGS__))) == sizeof "NO" ? NULL : FN(loop_##name),
#define BF16_ENTRY(name, ...)  [ROW_##name] = FN(bf16_##name),
#define F16_ENTRY(name, ...)   [ROW_##name] = FN(f16_##name),
#define DIVIDES(name, how, ...) | (uint64_t)(KT_IS_INTEGER && LOOP_##how == LOOP_DIVIDES) << ROW_##name
#define IS_LONG(name, how, ...)                                                                                        \
    | (uint64_t)(LOOP_##how >= LOOP_LONG) << ROW_##name
extern const kt__loops KT__LOOPS(LOOPS_OF, ID);
const kt__loops        KT__LOOPS(LOOPS_OF, ID) = {
#define UN  DIVIDES
#define BIN DIVIDES
#define TER DIVIDES
    .divides = 0
#include ROWS
    ,
#undef UN
#undef BIN
#undef TER
#define UN  IS_LONG
#define BIN IS_LONG
#define TER IS_LONG
    .longs = 0
#include ROWS
    ,
#undef UN
#undef BIN
#undef TER
#define UN  ENTRY
#define BIN ENTRY
#define TER ENTRY
    .loop = {
#include ROWS
    },
#undef UN
#undef BIN
#undef TER
#ifdef KT_HAS_HALVES
    .halves = {{
#define UN  BF16_ENTRY
#define BIN BF16_ENTRY
#define TER BF16_ENTRY
#include ROWS
#undef UN
#undef BIN
#undef TER
    }, {
#define UN  F16_ENTRY
#define BIN F16_ENTRY
#define TER F16_ENTRY
#include ROWS
#undef UN
#undef BIN
#undef TER
    }},
#endif
};
#undef ENTRY
#undef BF16_ENTRY
#undef F16_ENTRY
#undef DIVIDES
#undef IS_LONG
#undef TEXT
#undef TEXT_
