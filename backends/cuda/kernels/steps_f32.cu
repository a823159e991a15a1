/* steps_f32.cu - steps of optimizers of parameters in float32, bfloat16 and float16, and the scale of a loss. The bits are the
 * CPU's, but for CUDA's power of the number of steps. */
#include "dev/values.cuh"

#define FN(name)   name##_f32
#define MATH(name) name##f
#define T          float
#define STEPS_NAME steps_f32
#define STEP_DTYPES(X) X(F32) X(BF16) X(F16)
#include "dev/step.cuh"

/* A scale that would become infinite does not grow. */
static __global__ void __launch_bounds__(ARG_THREADS) update_scale(ARGUMENTS(scale_args) g)
{
    if (blockIdx.x || threadIdx.x)
        return;
    const float   scale = *g.scale;
    const int32_t steps = *g.steps;
    if (number_of(g.found) != 0) {
        *g.scale = (float)(scale * g.backoff);
        *g.steps = 0;
    } else if ((int64_t)steps + 1 == g.interval) {
        const float grown = (float)(scale * g.growth);
        *g.scale = is_endless_f32(grown) ? scale : grown;
        *g.steps = 0;
    } else {
        *g.steps = (int32_t)((uint32_t)steps + 1);
    }
}

const void *const update_scale_kernel = (const void *)update_scale;
