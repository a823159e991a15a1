/* step_f32.c - the steps of optimizers in compute type float32, and so of parameters in every float of at most 32 bits. */
#include "cpu/isa/types/f32.h"

#include "base/thread.h"
#include "cpu/isa/tile.h"
#include "cpu/step.h"
#include "math/fma.h"

#include "math/step.inc.c"

#include "cpu/isa/chain.inc.c"
#include "cpu/isa/step.inc.c"

const kt__cpu_steps SHARED(steps) = {.step = FN(step), .unscale = FN(unscale), .chain = FN(chain)};
