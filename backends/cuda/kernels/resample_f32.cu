/* resample_f32.cu - images resized and sampled in compute type float32, of float32, bfloat16 and float16. */
#include "dev/values.cuh"

#define FN(name)    name##_f32
#define MATH(name)  name##f
#define T           float
#define RESIZE_NAME resize_f32
#define GRID_NAME   grid_f32
#include "dev/resample.cuh"
