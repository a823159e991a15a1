/* copy.c - the derivatives of casts and copies. */
#include "grad/formula.h"

/* ---- casts and copies: the engine casts back ---- */
GRAD(same)       { dA = G; }
GRAD(copy)       { dA = kt_zeros_like(G); dB = G; }
GRAD(fill)       { dA = kt_zeros_like(G); dB = kt_sum(G); }

/* ---- rows that share another's derivative ---- */
GRAD_AS(to_copy, same)
GRAD_AS(clone, same)
GRAD_AS(zero, flat)
