/* random.h - generators of random numbers: PyTorch's numbers for the same seed. */
#ifndef KARAT_RANDOM_H
#define KARAT_RANDOM_H

#include <karat/base.h>

KT_BEGIN

typedef struct kt_generator kt_generator;

KT_END
#endif
