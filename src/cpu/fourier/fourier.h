/* fourier.h - discrete Fourier transforms of lines: the kernel, and the tables of numbers that a length needs.
 *
 * In: plans of the family fourier. Out: their results. A length of small primes is transformed by passes of mixed radix that
 * leave the points in order (Stockham's form of Cooley and Tukey's algorithm); a length with a large prime by a convolution with
 * a chirp (Bluestein), whose length is a power of two. Real lines of even length are transformed as complex ones of half the
 * length. Independent of: tensors, operators; the loops are stamped per instruction set (cpu/isa/fourier.inc.c). */
#ifndef KT_CPU_FOURIER_FOURIER_H
#define KT_CPU_FOURIER_FOURIER_H

#include "cpu/kernels.h"

enum { KT__MOST_PASSES = 64, KT__MOST_RADIX = 13 };

/* Where a line's numbers come from; the arrays are float or double, by the compute type. */
typedef struct kt__roots {
    int64_t n;
    uint8_t compute;
    bool    folds;                      /* the line is real, of even length: `inner` is of half of it */
    uint8_t passes;                     /* none but for n = 1: by a chirp, and `inner` is of the length of the convolution */
    uint8_t radix[KT__MOST_PASSES];
    void   *re, *im;                    /* passes: of each, exp(-2 pi i j p / points) at [j - 1][p]. chirp: exp(-pi i k k / n).
                                           folds: exp(-2 pi i k / n), k up to n / 2 */
    void   *image_re, *image_im;        /* chirp: the transform of its conjugate, divided by the convolution's length */
    struct kt__roots *inner;
    int64_t refs;                       /* of the list, of those that use it, of other roots: under the list's lock */
    size_t  bytes;
    struct kt__roots *next;
} kt__roots;

/* Transforms of one line whose real and imaginary parts lie apart: x, spoilt; room of as many numbers. The result lies in x
 * (returns false) or in room (true). */
typedef bool kt__fourier_points(const kt__roots *roots, void *re, void *im, void *room_re, void *room_im);

struct kt__cpu_fourier {
    kt_status (*run)(const kt_plan *plan);
};

/* The roots of a length, made when they are first asked for and kept while they are used, or few; NULL without memory. */
const kt__roots *kt__roots_get(int64_t n, kt_compute compute, bool real, kt__fourier_points *points);
void             kt__roots_put(const kt__roots *roots);

static inline int64_t kt__roots_room(const kt__roots *r) /* numbers of one line in each of the two arrays that it needs */
{
    return r->folds ? kt__roots_room(r->inner) : r->inner ? r->inner->n : r->n;
}

#endif
