/* sets.c - rows for which PyTorch names a node and has no derivative. */
#include "grad/formula.h"

GRAD_MISSING(unique)
GRAD_MISSING(unique_dim)
GRAD_MISSING(unique_consecutive)
