/* copy.c - the derivatives of casts and copies. */
#include "grad/formula.h"

/* ---- casts and copies: the engine casts back ---- */
static kt_tensor *on_device_of(const kt_back *c, int64_t i, kt_tensor *g)
{
    const kt_device here = kt__device(g), there = in_device(c, i);
    return here.kind == there.kind && here.index == there.index ? g : kt_to(g, .device = there);
}

GRAD(same)       { dA = G; }
GRAD(to_copy)    { dA = on_device_of(c, 0, G); }
GRAD(copy)       { dA = kt_zeros_like(G); dB = on_device_of(c, 1, G); }
GRAD(fill)       { dA = kt_zeros_like(G); dB = kt_sum(G); }

/* ---- rows that share another's derivative ---- */
GRAD_AS(clone, same)
GRAD_AS(zero, flat)
