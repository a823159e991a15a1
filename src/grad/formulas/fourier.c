/* fourier.c - the derivatives of Fourier transforms: they are linear, and what flows back is transformed the other way. */
#include "grad/formula.h"
#include "ops/fourier/fourier.h"

/* (self, dim, normalization, forward) */
GRAD(fft_c2c) { dA = kt_fft_c2c(G, arg(c, 1)->ints, arg(c, 2)->i, !arg(c, 3)->b); }

/* (self, dim, normalization, onesided): the half that was left out gets nothing */
GRAD(fft_r2c)
{
    const kt_shape dim = arg(c, 1)->ints;
    kt_tensor     *g = G;
    if (!need(c, 0))
        return;
    if (arg(c, 3)->b && g) {
        const int64_t last = kt_ndim(g) + dim.d[dim.n - 1], place = last % kt_ndim(g);
        int64_t       pad[2 * KT_MAX_DIMS] = {0};
        pad[2 * (kt_ndim(g) - 1 - place) + 1] = in_sizes(c, 0).d[place] - kt_sizes(g).d[place];
        g = kt_constant_pad_nd(g, ((kt_shape){2 * (kt_ndim(g) - place), pad}));
    }
    c->d[0] = kt_real(kt_fft_c2c(g, dim, arg(c, 2)->i, false));
}

/* (self, dim, normalization, last_dim_size): all numbers but the first, and of an even size the last, stand for two */
GRAD(fft_c2r)
{
    const kt_shape dim = arg(c, 1)->ints;
    const int64_t  n = arg(c, 3)->i, twice = (n - 1) / 2;
    if (!need(c, 0))
        return;
    kt_tensor *g = kt_fft_r2c(G, dim, arg(c, 2)->i, true);
    if (twice > 0 && g) {
        const int64_t last = (kt_ndim(g) + dim.d[dim.n - 1]) % kt_ndim(g);
        int64_t       sizes[KT_MAX_DIMS];
        for (int64_t i = 0; i < kt_ndim(g); i++)
            sizes[i] = 1;
        sizes[last] = n / 2 + 1;
        kt_tensor *weights = kt_ones(KT_SHAPE(n / 2 + 1), .dtype = kt_dtype_real(kt_dtype_of(g)), .device = kt_device_of(g));
        kt_fill_s_(kt_narrow(weights, 0, 1, twice), KT_INT(2));
        g = kt_mul(g, kt_view(weights, ((kt_shape){kt_ndim(g), sizes})));
    }
    c->d[0] = g;
}
