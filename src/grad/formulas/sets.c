/* sets.c - what PyTorch names a node for and has no derivative of. */
#include "grad/formula.h"

GRAD_MISSING(unique)
GRAD_MISSING(unique_dim)
GRAD_MISSING(unique_consecutive)
