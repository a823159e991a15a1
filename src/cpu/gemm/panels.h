/* panels.h - matrix products by our own register tiles, where a build has them (kernels.h): float32, and bfloat16 with sums in
 * float32.
 *
 * In: dense matrices, as a library is given them (products.h). Out: their product. Both matrices are packed once, part by part,
 * into panels that a register tile reads from one end to the other; all threads share them. An element is one chain of sums
 * over k in order, in parts of DEEPEST, so its bits depend on neither threads nor blocks. */
#ifndef KT_CPU_GEMM_PANELS_H
#define KT_CPU_GEMM_PANELS_H

#include "cpu/gemm/products.h"

bool kt__panels_serve(const kt__cpu_panels *p, kt_dtype dtype);
bool kt__panels_convert(const kt__cpu_panels *p, kt_dtype from, kt_dtype dtype); /* while they pack? */
bool kt__panels_gemm(const kt__gemm *g); /* false: no memory, or not for these; c is as it was */

#endif
