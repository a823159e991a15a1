/* steps_f64.cu - steps of optimizers of parameters in float64. */
#include "dev/values.cuh"

#define FN(name)   name##_f64
#define MATH(name) name
#define T          double
#define STEPS_NAME steps_f64
#define STEP_DTYPES(X) X(F64) X(F32)
#include "dev/step.cuh"
