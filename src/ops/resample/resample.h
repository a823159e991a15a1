/* resample.h - for the formulas: what the grid of an affine map is made of. */
#ifndef KT_OPS_RESAMPLE_RESAMPLE_H
#define KT_OPS_RESAMPLE_RESAMPLE_H

#include "call/made.h"

/* The places of an image's elements, [batch, positions, coordinates and 1], in the dtype of `like`. Owned by the scope. */
kt_tensor *kt__affine_base(kt_tensor *like, kt_shape size, bool align);

#endif
