/* fourier.c - Fourier transforms against the sums of their definition, in long double: lengths with every radix and with large
 * primes, both dtypes, lines that lie anyhow, kinds of normalization, and back again; windows; refusals. */
#include "harness.h"

#include <complex.h>
#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>

enum { LINES = 5, MOST = 2048 };

static const int64_t lengths[] = {1,  2,  3,  4,  5,  6,  8,   9,   11,  12,  13,  16,  17,
                                  25, 34, 60, 64, 77, 97, 128, 143, 169, 251, 360, 512, 1021};

/* Sum k of a line of z, `sign` -1 forward. */
static long double complex sum(const double complex *z, int64_t n, int64_t k, int sign)
{
    long double complex total = 0;
    for (int64_t i = 0; i < n; i++)
        total += z[i] * cexpl(sign * 2 * 3.14159265358979323846264338L * I * (long double)(i * k % n) / (long double)n);
    return total;
}

static double complex line[MOST], got[MOST];

static bool alike(const kt_tensor *a, const kt_tensor *b, double allowed)
{
    return kt_item(kt_amax(kt_abs(kt_sub(a, b)))) <= allowed;
}

static void read_line(const kt_tensor *t, int64_t i, double complex *to)
{
    KT_SCOPE;
    kt_tensor *one = kt_to(kt_contiguous(kt_select(t, 0, i)), .dtype = KT_C128);
    CHECK(one && kt_read(one, to, (size_t)kt_numel(one) * sizeof *to) == KT_OK);
}

static bool near(const double complex *a, int64_t n, const double complex *of, int64_t points, int sign, double allowed)
{
    double largest = 0, apart = 0;
    for (int64_t k = 0; k < n; k++) {
        const double complex expected = (double complex)sum(of, points, k, sign);
        largest = fmax(largest, cabs(expected));
        apart = fmax(apart, cabs(expected - a[k]));
    }
    return apart <= allowed * (largest + 1);
}

TEST(every_length_in_both_dtypes_and_directions)
{
    for (unsigned at = 0; at < sizeof lengths / sizeof *lengths; at++)
        for (int narrow = 0; narrow < 2; narrow++) {
            KT_SCOPE;
            const int64_t  n = lengths[at];
            const kt_dtype real = narrow ? KT_F32 : KT_F64, complex_ = narrow ? KT_C64 : KT_C128;
            const double   allowed = narrow ? 2e-6 : 4e-15;
            kt_tensor     *x = kt_randn(KT_SHAPE(LINES, n), .dtype = real), *y = kt_randn(KT_SHAPE(n, LINES), .dtype = real);
            kt_tensor     *z = kt_complex(x, kt_contiguous(kt_transpose(y, 0, 1)));
            kt_tensor     *spread = kt_transpose(kt_contiguous(kt_transpose(z, 0, 1)), 0, 1); /* lines side by side */
            kt_tensor     *there = kt_fft_fft(z), *apart = kt_fft_fft(spread), *back = kt_fft_ifft(z, .norm = "forward");
            kt_tensor     *half = kt_fft_rfft(x), *again = kt_fft_irfft(half, .n = KT_SOME(n)), *whole = kt_fft_fft(x);
            REQUIRE(there && apart && back && half && again && whole);
            CHECK(kt_dtype_of(there) == complex_ && kt_dtype_of(again) == real);
            for (int64_t i = 0; i < LINES; i++) {
                read_line(z, i, line);
                read_line(there, i, got);
                CHECK_MSG(near(got, n, line, n, -1, allowed), "%lld points", (long long)n);
                read_line(apart, i, got);
                CHECK_MSG(near(got, n, line, n, -1, allowed), "%lld points, side by side", (long long)n);
                read_line(back, i, got);
                CHECK_MSG(near(got, n, line, n, 1, allowed), "%lld points, back", (long long)n);
                read_line(x, i, line);
                read_line(half, i, got);
                CHECK_MSG(near(got, n / 2 + 1, line, n, -1, allowed), "%lld real points", (long long)n);
                read_line(whole, i, got);
                CHECK_MSG(near(got, n, line, n, -1, allowed), "%lld real points, both halves", (long long)n);
            }
            CHECK_MSG(alike(again, x, narrow ? 1e-5 : 1e-13), "%lld real points, there and back", (long long)n);
        }
}

TEST(several_dims_and_normalizations)
{
    KT_SCOPE;
    static const char *const norms[] = {"backward", "ortho", "forward"};
    kt_tensor               *z = kt_randn(KT_SHAPE(3, 4, 5), .dtype = KT_C128);
    for (int i = 0; i < 3; i++) {
        kt_tensor *steps = kt_fft_fft(kt_fft_fft(z, .norm = norms[i]), .dim = KT_SOME(0), .norm = norms[i]);
        CHECK(alike(kt_fft_fftn(z, .dim = KT_SHAPE(0, 2), .norm = norms[i]), steps, 1e-12));
        CHECK(alike(kt_fft_ifftn(kt_fft_fftn(z, .norm = norms[i]), .norm = norms[i]), z, 1e-12));
        kt_tensor *x = kt_real(z), *half = kt_fft_rfftn(x, .norm = norms[i]);
        CHECK(alike(kt_fft_irfftn(half, .s = KT_SHAPE(3, 4, 5), .norm = norms[i]), x, 1e-12));
    }
    CHECK(!kt_failed());
}

TEST(mistakes_are_errors)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3)), *z = kt_ones(KT_SHAPE(4), .dtype = KT_C64);
    CHECK_FAILS(kt_fft_fft(x, .n = KT_SOME(0)), KT_ERR_RUNTIME, "Invalid number of data points (0) specified");
    CHECK_FAILS(kt_fft_fft(x, .norm = "none"), KT_ERR_RUNTIME, "Invalid normalization mode: \"none\"");
    CHECK_FAILS(kt_fft_rfft(z), KT_ERR_RUNTIME, "rfft expects a real input tensor, but got ComplexFloat");
    CHECK_FAILS(kt_fft_c2r(z, KT_SHAPE(0), 0, 9), KT_ERR_RUNTIME, "_fft_c2r: 9 points follow from 5 complex numbers, not from 4");
    CHECK_FAILS(kt_fft_c2c(z, KT_SHAPE(0, 0), 0, true), KT_ERR_RUNTIME, "FFT dims must be unique");
    CHECK_FAILS(kt_fft_r2c(x, KT_SHAPE(), 0, true), KT_ERR_RUNTIME, "rfftn must transform at least one axis");
    CHECK_FAILS(kt_hann_window(-1), KT_ERR_RUNTIME, "hann_window requires non-negative window_length");
    CHECK_FAILS(kt_stft(x, 8, .return_complex = KT_SOME(true), .center = KT_SOME(false)), KT_ERR_RUNTIME,
                "stft(torch.FloatTensor[2, 3]");
}
