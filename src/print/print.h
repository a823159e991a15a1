/* print.h - the parts of printing: text that grows, how the numbers of a tensor look, brackets and lines.
 *
 * In: values copied out of a tensor, its sizes, the options of karat/tensor.h. Out: text, byte for byte PyTorch's.
 * Independent of: devices, strides, the tape (which says its word through the hook below), kernels. */
#ifndef KT_PRINT_PRINT_H
#define KT_PRINT_PRINT_H

#include <karat/tensor.h>

/* The grad layer's part of the text, set by it at start: the name of the backward node, "" for a leaf that requires a
 * gradient, NULL for any other tensor. */
extern const char *(*kt__print_grad)(const kt_tensor *t);
/* The same of forward mode: the tensor's tangent, owned; NULL: none. */
extern kt_tensor *(*kt__print_tangent)(const kt_tensor *t);

/* ---- text that grows: after a failure (which is pending) it takes no more ---- */
typedef struct kt__text {
    char  *chars;
    size_t length, capacity;
    size_t line;   /* where its last line begins */
    bool   failed;
} kt__text;

void kt__text_add(kt__text *text, const char *chars, size_t n);
void kt__text_say(kt__text *text, const char *string);
void kt__text_repeat(kt__text *text, char c, int64_t n); /* nothing when n is not above 0 */
void kt__text_free(kt__text *text);

/* ---- what is printed ---- */
typedef struct kt__printable {
    const char    *elements; /* row-major; of a summarised dim only the first and the last `edgeitems` */
    const int64_t *sizes;    /* of the whole tensor */
    int            ndim;
    kt_dtype       dtype;
    bool           summarised;
} kt__printable;

bool    kt__print_is_cut(const kt__printable *p, int dim, int64_t edgeitems);
int64_t kt__print_kept(const kt__printable *p, int dim, int64_t edgeitems); /* how many of a dim are shown */

/* ---- numbers: all of a tensor (all real parts, all imaginary parts) look alike ---- */
typedef enum kt__look {
    KT__LOOK_BOOL,
    KT__LOOK_INT,
    KT__LOOK_WHOLE, /* floats without a fraction: "1." */
    KT__LOOK_FIXED,
    KT__LOOK_SCIENTIFIC
} kt__look;

typedef struct kt__number_style {
    kt__look look;
    int      precision;
    int64_t  width; /* of the widest that counts: zeros and non-finite floats do not */
} kt__number_style;

enum { KT__PRECISION_MAX = 100000 };

size_t kt__number_room(int precision); /* bytes that the text of any number needs, with its final zero */
/* Decides how part 0 (or, of complex numbers, part 1: the imaginary one) of n elements looks. `scratch` holds
 * kt__number_room bytes. False, with an error pending, when a number cannot be written for lack of memory. */
bool kt__number_style_of(kt__number_style *style, const kt__printable *p, int64_t n, int part,
                         const kt_print_options *options, char *scratch);
/* Writes one number, not padded; returns its length, or -1 with an error pending. */
int64_t kt__number_write(char *to, size_t room, const kt__number_style *style, kt_scalar element, int part);

/* ---- layout ---- */
/* Appends what stands between "tensor(" and the suffixes. The text stands `indent` columns from the left. */
void kt__print_values(kt__text *text, const kt__printable *p, const kt_print_options *options, int64_t indent);

#endif
