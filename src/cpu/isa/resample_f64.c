/* resample_f64.c - images resized, and sampled at places, in compute type float64. */
#include "cpu/isa/types/f64.h"

#include "cpu/isa/tile.h"
#include "cpu/isa/vectors.h"
#include "cpu/isa/gather.h"

#include "cpu/isa/resample.inc.c"
#include "cpu/isa/grid.inc.c"

const kt__cpu_resamplers SHARED(resamplers) = {.resize = FN(resize_image), .sample = FN(sample), .sample_back = FN(sample_back)};
