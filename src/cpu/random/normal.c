/* normal.c - normals of a dense row, as PyTorch fills a tensor of at least 16 elements: uniforms for all of it, then
 * Box-Muller over each block of 16; if the length is not a multiple of 16, the last 16 are drawn again.
 *
 * In: a plan of one dense output. Out: the output; float32 bit for bit PyTorch's on every build, float64 by the C library's
 * functions as there, float16 and bfloat16 rounded after every step as there. Independent of: tensors. */
#include "cpu/random/random.h"

#include <math.h>

#include "dtype/value.h"

typedef struct filling {
    const kt__cpu_build *build;
    kt_generator        *g;
    kt_dtype             dtype, tile_dtype;
    double               mean, std;
    kt__uniform          uniform;
} filling;

static void transform_f64(double *tile, int n, double mean, double std)
{
    for (int b = 0; b < n; b += 16)
        for (int j = b; j < b + 8; j++) {
            const double radius = sqrt(-2 * log(1 - tile[j])), angle = 2 * M_PI * tile[j + 8];
            tile[j] = fma(radius * cos(angle), std, mean);
            tile[j + 8] = fma(radius * sin(angle), std, mean);
        }
}

static inline float rounded(float x, kt_dtype dtype)
{
    return dtype == KT_F16 ? kt__decode_F16(kt__encode_f32_F16(x)) : kt__decode_BF16(kt__encode_f32_BF16(x));
}

static float placed(float radius, float turn, float mean, float std, kt_dtype dtype)
{
    const float x = rounded(radius * rounded(turn, dtype), dtype);
    return rounded(rounded(x * std, dtype) + mean, dtype);
}

static void transform_narrow(float *tile, int n, float mean, float std, kt_dtype dtype)
{
    mean = rounded(mean, dtype);
    std = rounded(std, dtype);
    for (int b = 0; b < n; b += 16)
        for (int j = b; j < b + 8; j++) {
            const float log_u = rounded(logf(rounded(1 - tile[j], dtype)), dtype);
            const float radius = rounded(sqrtf(rounded(-2 * log_u, dtype)), dtype);
            const float angle = rounded((float)(2 * M_PI * (double)tile[j + 8]), dtype);
            tile[j] = placed(radius, cosf(angle), mean, std, dtype);
            tile[j + 8] = placed(radius, sinf(angle), mean, std, dtype);
        }
}

static void draw(const filling *f, void *tile, int n)
{
    double *wide = tile;
    if (f->dtype != KT_F64)
        kt__draw_uniform(f->build, f->g, &f->uniform, tile, n);
    else
        for (int i = 0; i < n; i++)
            wide[i] = kt__rng_uniform(f->g);
}

static void transform(const filling *f, void *tile, int n)
{
    if (f->dtype == KT_F64)
        transform_f64(tile, n, f->mean, f->std);
    else if (f->dtype == KT_F16 || f->dtype == KT_BF16)
        transform_narrow(tile, n, (float)f->mean, (float)f->std, f->dtype);
    else
        f->build->draws->normal(tile, n, (float)f->mean, (float)f->std);
}

static void store(const filling *f, char *to, const void *tile, int n)
{
    kt__convert(to, f->dtype, (ptrdiff_t)kt_dtype_size(f->dtype), tile, f->tile_dtype,
                (ptrdiff_t)kt_dtype_size(f->tile_dtype), n);
}

kt_status kt__cpu_normal_by_sixteens(const kt__cpu_build *build, const kt_plan *plan)
{
    filling f = {.build = build, .g = plan->generator, .dtype = (kt_dtype)plan->arg[0].is};
    f.tile_dtype = f.dtype == KT_F64 ? KT_F64 : KT_F32;
    f.mean = kt__scalar_f64(&plan->param[0]);
    f.std = kt__scalar_f64(&plan->param[1]);
    f.uniform = kt__uniform_for(f.dtype, 0, 1);
    const ptrdiff_t size = (ptrdiff_t)kt_dtype_size(f.dtype);
    const int64_t   n = plan->numel, blocks_end = n / 16 * 16;
    char           *out = plan->arg[0].data;
    double          tile[KT__DRAW_TILE];
    for (int64_t done = 0; done < blocks_end; done += KT__DRAW_TILE) {
        const int m = blocks_end - done < KT__DRAW_TILE ? (int)(blocks_end - done) : KT__DRAW_TILE;
        draw(&f, tile, m);
        transform(&f, tile, m);
        store(&f, out + done * size, tile, m);
    }
    if (blocks_end < n) {
        draw(&f, tile, (int)(n - blocks_end)); /* drawn and discarded: these are among the last 16 */
        draw(&f, tile, 16);
        transform(&f, tile, 16);
        store(&f, out + (n - 16) * size, tile, 16);
    }
    return KT_OK;
}
