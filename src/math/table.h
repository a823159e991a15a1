/* table.h - KT_TABLE, before a constant table that functions look numbers up in: a GPU keeps it in its own memory. */
#ifndef KT_MATH_TABLE_H
#define KT_MATH_TABLE_H

#ifdef __CUDACC__
#define KT_TABLE __device__
#else
#define KT_TABLE
#endif

#endif
