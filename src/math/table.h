/* table.h - tables that functions look numbers up in, one column after another: KT_TABLE before each, and NEAR_BY_PIECE, which
 * calculates a function of one number by its table. */
#ifndef KT_MATH_TABLE_H
#define KT_MATH_TABLE_H

enum { PIECES_F32 = 32, PIECES_F64 = 16 }; /* a column is two registers of AVX-512 */

/* A column begins with a cache line. A GPU keeps a table in its own memory. */
#ifdef __CUDACC__
#define KT_TABLE __device__ __attribute__((aligned(64)))
#else
#define KT_TABLE __attribute__((aligned(64)))
#endif

/* name_near_ID: name_by_piece_ID with the columns' numbers of the piece that name_piece_ID finds; its lowest bits count. */
#define NEAR_BY_PIECE(name, columns, T, ID, PIECES)                                                                    \
    KT_ALWAYS T name##_near_##ID(T a)                                                                                  \
    {                                                                                                                  \
        const int piece = (int)(name##_piece_##ID(a) & ((PIECES) - 1));                                                \
        T         c[columns];                                                                                          \
        for (int k = 0; k < (columns); k++)                                                                            \
            c[k] = name##_pieces_##ID[k][piece];                                                                       \
        return name##_by_piece_##ID(a, c);                                                                             \
    }
#define NEAR_BY_PIECE_F32(name, columns) NEAR_BY_PIECE(name, columns, float, f32, PIECES_F32)
#define NEAR_BY_PIECE_F64(name, columns) NEAR_BY_PIECE(name, columns, double, f64, PIECES_F64)

#endif
