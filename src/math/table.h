/* table.h - tables that functions look numbers up in: KT_TABLE before each, and NEAR_BY_PIECE, which calculates a function of one
 * number by its table. They are one column after another, but for those of eight columns of float32 (EIGHT_COLUMNS_F32) on
 * aarch64: no vector there holds a column, and the numbers of a piece are two loads. */
#ifndef KT_MATH_TABLE_H
#define KT_MATH_TABLE_H

enum { PIECES_F32 = 32, PIECES_F64 = 16 }; /* a column is two registers of AVX-512 */

/* A column begins with a cache line. A GPU keeps a table in its own memory. */
#ifdef __CUDACC__
#define KT_TABLE __device__ __attribute__((aligned(64)))
#else
#define KT_TABLE __attribute__((aligned(64)))
#endif

/* rows(ROW): ROW(eight numbers) for each piece. EIGHT_AT: column k of a piece. */
#ifdef __aarch64__
typedef float eight_columns_f32[PIECES_F32][8];
#define EIGHT_COLUMNS_F32(name, rows) static KT_TABLE const eight_columns_f32 name = {rows(PIECE_ROW)};
#define EIGHT_AT(table, k, piece)     (table)[piece][k]
#define PIECE_ROW(...)                {__VA_ARGS__},
#else
typedef float eight_columns_f32[8][PIECES_F32];
#define EIGHT_COLUMNS_F32(name, rows)                                                                                  \
    static KT_TABLE const eight_columns_f32 name = {{rows(COLUMN_0)}, {rows(COLUMN_1)}, {rows(COLUMN_2)}, {rows(COLUMN_3)}, \
                                                    {rows(COLUMN_4)}, {rows(COLUMN_5)}, {rows(COLUMN_6)}, {rows(COLUMN_7)}};
#define EIGHT_AT(table, k, piece)        (table)[k][piece]
#define COLUMN_0(a, b, c, d, e, f, g, h) a,
#define COLUMN_1(a, b, c, d, e, f, g, h) b,
#define COLUMN_2(a, b, c, d, e, f, g, h) c,
#define COLUMN_3(a, b, c, d, e, f, g, h) d,
#define COLUMN_4(a, b, c, d, e, f, g, h) e,
#define COLUMN_5(a, b, c, d, e, f, g, h) f,
#define COLUMN_6(a, b, c, d, e, f, g, h) g,
#define COLUMN_7(a, b, c, d, e, f, g, h) h,
#endif

/* name_near_ID: name_by_piece_ID with the columns' numbers of the piece that name_piece_ID finds; its lowest bits count. */
#define NEAR_BY_PIECE(name, columns, T, ID, PIECES, AT)                                                                \
    KT_ALWAYS T name##_near_##ID(T a)                                                                                  \
    {                                                                                                                  \
        const int piece = (int)(name##_piece_##ID(a) & ((PIECES) - 1));                                                \
        T         c[columns];                                                                                          \
        for (int k = 0; k < (columns); k++)                                                                            \
            c[k] = AT(name##_pieces_##ID, k, piece);                                                                   \
        return name##_by_piece_##ID(a, c);                                                                             \
    }
#define COLUMN_AT(table, k, piece)       (table)[k][piece]
#define NEAR_BY_PIECE_F32(name, columns) NEAR_BY_PIECE(name, columns, float, f32, PIECES_F32, COLUMN_AT)
#define NEAR_BY_PIECE_F64(name, columns) NEAR_BY_PIECE(name, columns, double, f64, PIECES_F64, COLUMN_AT)
#define NEAR_BY_EIGHT_F32(name)          NEAR_BY_PIECE(name, 8, float, f32, PIECES_F32, EIGHT_AT)

#endif
