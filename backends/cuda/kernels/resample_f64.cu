/* resample_f64.cu - images resized and sampled in compute type float64. */
#include "dev/values.cuh"

#define FN(name)    name##_f64
#define MATH(name)  name
#define T           double
#define RESIZE_NAME resize_f64
#define GRID_NAME   grid_f64
#include "dev/resample.cuh"
