/* step_f64.c - the steps of optimizers in compute type float64. */
#include "cpu/isa/types/f64.h"

#include "base/thread.h"
#include "cpu/isa/tile.h"
#include "cpu/step.h"
#include "math/fma.h"

#include "math/step.inc.c"

#include "cpu/isa/chain.inc.c"
#include "cpu/isa/step.inc.c"

const kt__cpu_steps SHARED(steps) = {.step = FN(step), .unscale = FN(unscale), .chain = FN(chain)};
