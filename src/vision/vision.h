/* vision.h - torchvision's operators on boxes, regions and deformed windows: rows that are appended when they are asked for
 * (kt_operators_load). Its own compiled ones are written against PyTorch's C++ and cannot be loaded.
 *
 * In: calls of the rows in rows.c. Out: their results. The loops (loops.inc.c) are compiled for float and double; a half is
 * computed as float and rounded once. Independent of: the operator table, backends; tensors of other devices are computed on the
 * host. */
#ifndef KT_VISION_VISION_H
#define KT_VISION_VISION_H

#include <karat/ops.h>
#include <karat/plugin/node.h>
#include <karat/plugin/operator.h>
#include <karat/tensor.h>

/* Positions of the arguments that roi_align, roi_pool, ps_roi_align and ps_roi_pool, and what flows back to them, have. */
typedef struct kt__regions {
    int64_t batch, channels, height, width; /* of the images */
    int64_t n, rows, columns;               /* regions; bins of each */
    int64_t sampling;                       /* samples of a bin in each dim; <= 0: as many as it has elements */
    double  scale;
    bool    aligned;    /* elements have their centres at whole numbers, not at halves */
    bool    by_position; /* every bin has channels of its own (R-FCN) */
    bool    least_one;  /* a region is at least one element high and wide */
} kt__regions;

/* Arrays of a run: images and results in the computing type, regions [n, 5]. `flow` back from the results in their place. */
typedef struct kt__region_arrays {
    const void *image, *region;
    void       *result;   /* forward */
    int32_t    *place;    /* roi_pool: the element that was the largest, -1: none; by_position: the channel that was read */
    const void *flow;     /* back */
    const int32_t *from;  /* back: `place` */
    void       *to_image; /* back */
} kt__region_arrays;

typedef struct kt__windows { /* of a deformed convolution */
    int64_t batch, channels, height, width, kernel_h, kernel_w, out_h, out_w;
    int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int64_t groups;  /* of channels that share offsets */
    bool    masked;
} kt__windows;

typedef struct kt__window_arrays { /* of one example */
    const void *image, *offset, *mask;
    void       *columns;                          /* [channels * taps, positions] */
    const void *flow;                             /* back: to the columns */
    void       *to_image, *to_offset, *to_mask;   /* back, or NULL */
} kt__window_arrays;

/* ---- the loops, for both types ---- */
#define KT__VISION_LOOPS(type)                                                                                                \
    int64_t kt__suppress_##type(const void *boxes, const int64_t *order, int64_t n, double threshold, int64_t *kept);         \
    kt_status kt__align_regions_##type(const kt__regions *r, const kt__region_arrays *a);                                     \
    kt_status kt__align_back_##type(const kt__regions *r, const kt__region_arrays *a);                                        \
    kt_status kt__pool_regions_##type(const kt__regions *r, const kt__region_arrays *a);                                      \
    kt_status kt__pool_back_##type(const kt__regions *r, const kt__region_arrays *a);                                         \
    kt_status kt__average_regions_##type(const kt__regions *r, const kt__region_arrays *a);                                   \
    kt_status kt__average_back_##type(const kt__regions *r, const kt__region_arrays *a);                                      \
    void kt__deformed_columns_##type(const kt__windows *w, const kt__window_arrays *a);                                       \
    void kt__deformed_back_##type(const kt__windows *w, const kt__window_arrays *a);
KT__VISION_LOOPS(float)
KT__VISION_LOOPS(double)

/* ---- shared by the bodies ---- */

kt_dtype kt__vision_computes(kt_dtype d); /* in float64, or float32 */
bool     kt__vision_takes(kt_dtype d);    /* float64, float32, float16 */
/* t in the computing type, row-major, on the host; the scope's. */
kt_tensor *kt__vision_operand(kt_tensor *t, kt_dtype computed);
/* A result of zeros to be filled on the host. Ends as kt__vision_done: in the dtype and on the device of `like`, the caller's. */
kt_tensor *kt__vision_room(kt_shape shape, kt_dtype dtype);
kt_tensor *kt__vision_done(kt_tensor *made, kt_dtype dtype, kt_device device);
bool       kt__vision_is_meta(const kt_tensor *t);
bool       kt__vision_autocast(const kt_tensor *t); /* is autocast on for its device? */
kt_status  kt__vision_same_dtype(const kt_tensor *a, const char *name, const kt_tensor *b, const char *other, const char *kernel);
kt_status  kt__vision_has_kernel(const kt_tensor *t, const char *kernel);

/* ---- the bodies ---- */
kt_status kt__vision_nms(kt_call *call);
kt_status kt__vision_roi_align(kt_call *call);
kt_status kt__vision_roi_align_back(kt_call *call);
kt_status kt__vision_roi_pool(kt_call *call);
kt_status kt__vision_roi_pool_back(kt_call *call);
kt_status kt__vision_ps_roi_align(kt_call *call);
kt_status kt__vision_ps_roi_align_back(kt_call *call);
kt_status kt__vision_ps_roi_pool(kt_call *call);
kt_status kt__vision_ps_roi_pool_back(kt_call *call);
kt_status kt__vision_deform(kt_call *call);
kt_status kt__vision_deform_back(kt_call *call);

/* ---- derivatives ---- */
extern const kt_node_type kt__roi_align_node, kt__roi_pool_node, kt__ps_roi_align_node, kt__ps_roi_pool_node, kt__deform_node;
kt_status kt__regions_save(kt_node *node, const kt_call *call);
kt_status kt__deform_save(kt_node *node, const kt_call *call);

#endif
