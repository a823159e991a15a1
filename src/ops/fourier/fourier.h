/* fourier.h - what the rows of fourier.def share: kinds of normalization, which the kernel's rows take as a number. */
#ifndef KT_OPS_FOURIER_FOURIER_H
#define KT_OPS_FOURIER_FOURIER_H

enum { KT__NORM_NONE, KT__NORM_BY_ROOT, KT__NORM_BY_COUNT };

#endif
