/* pass.h - one pass of a convolution: results over a grid of positions, which the same taps of the weight reach; and the copies
 * that bring parts of images to and from memory of its own.
 *
 * In: images, as plans have them. Out: what convolution.c (by columns) and directly.c (without) share. Independent of: how
 * products are made. */
#ifndef KT_CPU_WINDOW_PASS_H
#define KT_CPU_WINDOW_PASS_H

#include "cpu/window/direct.h"
#include "cpu/window/image.h"
#include "tables/kernels/copy.h"

enum { SPACE = KT__SPACE_DIMS, PARTS = 16 /* of a batch, whose sums are added at the end */ };

typedef kt__image image;

typedef struct weight { /* [channels of the result, channels of a group, space] */
    kt_operand x;
    int64_t    outer, inner, size[SPACE];
    int64_t    by_outer, by_inner, step[SPACE];
} weight;

/* ---- copies: dims are added from the outside in, and join where both sides let them ---- */

static inline void copy_begin(kt_plan *copy, const kt_operand *to, const kt_operand *from)
{
    kt__plan_clear(copy);
    copy->kernel = KT_K_copy, copy->compute = kt__dtype_rows[from->is].compute, copy->rounding = KT_ROUND_TORCH;
    copy->n_out = copy->n_in = 1, copy->numel = 1;
    copy->arg[0] = *to, copy->arg[1] = *from;
}

static inline void copy_dim(kt_plan *copy, int64_t size, int64_t to, int64_t from)
{
    const int last = copy->nd - 1;
    copy->numel *= size;
    if (size == 1)
        return;
    if (last >= 0 && copy->stride[0][last] == size * to && copy->stride[1][last] == size * from) {
        copy->size[last] *= size, copy->stride[0][last] = to, copy->stride[1][last] = from;
        return;
    }
    copy->size[copy->nd] = size, copy->stride[0][copy->nd] = to, copy->stride[1][copy->nd] = from;
    copy->nd++;
}

/* ---- a pass: results over a grid of positions, which the same taps of the weight reach ---- */

typedef struct reach { /* in one dim of space */
    int64_t first, step, count; /* positions of the result: first + step * j */
    int64_t tap, tap_step, taps; /* elements of the weight: tap + tap_step * t */
    int64_t from, move, by_tap;  /* reads element from + move * j + by_tap * t of the image */
} reach;

typedef struct box { /* of positions j */
    int64_t first[SPACE], size[SPACE];
} box;

typedef struct pass {
    const kt__cpu_build *build;
    const kt_plan       *plan;
    kt_dtype             dtype; /* that products are computed in, and its size */
    int64_t              width;
    image                to, from; /* `to`: of the weight's gradient what flowed back, whose positions the window moves over */
    kt_operand           bias;     /* no data: none */
    int64_t              by_bias;
    reach                reach[SPACE];
    int64_t              groups, rows, depth, taps; /* channels of a group in `to` and in `from` */
    bool                 channels_inner;            /* columns are [position, tap, channel], else [channel, tap, position] */
    const char          *weights;                   /* [groups, rows, columns], of `dtype` */
    int64_t              by_group, by_row;
    int64_t              box_size[SPACE], boxes[SPACE];
    char                *sums; /* of the weight's gradient: [parts, groups, rows, columns] */
    int64_t              parts, blocks, block; /* the batch is cut into parts, the channels of a group into blocks */
    bool                 directly; /* without columns */
    int64_t              cuts;     /* of the rows, where there is little else to divide */
    kt__direct           direct;
    const float         *biases;   /* NULL: none */
    bool                 failed;
} pass;

static inline kt_operand computed(const pass *p, const char *data)
{
    return (kt_operand){.data = (char *)(uintptr_t)data, .is = (uint8_t)p->dtype, .as = (uint8_t)p->dtype};
}

static inline int64_t pieces(int64_t size, int64_t most)
{
    return (size + most - 1) / most;
}

static inline box box_at(const pass *p, int64_t index)
{
    box b;
    for (int d = SPACE - 1; d >= 0; d--) {
        const int64_t boxes = p->boxes[d];
        b.first[d] = boxes == 1 ? 0 : index % boxes * p->box_size[d];
        b.size[d] = p->reach[d].count - b.first[d] < p->box_size[d] ? p->reach[d].count - b.first[d] : p->box_size[d];
        index = boxes == 1 ? index : index / boxes;
    }
    return b;
}

/* Where the window's first position stands, and the steps of the box's positions in the result. */
static inline char *box_in_result(const pass *p, const box *b, int64_t n, int64_t channel, int64_t *step)
{
    char *at = p->to.x.data + n * p->to.by_batch + channel * p->to.by_channel;
    for (int d = 0; d < SPACE; d++) {
        const reach *r = &p->reach[d];
        at += (r->first + r->step * b->first[d]) * p->to.step[d];
        step[d] = r->step * p->to.step[d];
    }
    return at;
}

typedef struct scratch {
    char *columns, *tile;
    size_t bytes;
    void  *made;
    size_t granted;
} scratch;

static inline kt_status move_tile(const pass *p, const box *b, const kt_operand *to, const int64_t *to_step, int64_t to_row,
                           const kt_operand *from, const int64_t *from_step, int64_t from_row)
{
    kt_plan copy;
    copy_begin(&copy, to, from);
    copy_dim(&copy, p->rows, to_row, from_row);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, b->size[d], to_step[d], from_step[d]);
    return kt__cpu_run_with(p->build, &copy);
}

/* The steps of a box's positions in a dense tile. */
static inline int64_t tile_steps(const pass *p, const box *b, int64_t *step)
{
    step[2] = p->width, step[1] = step[2] * b->size[2], step[0] = step[1] * b->size[1];
    return step[0] * b->size[0];
}

/* ---- weights as a matrix ---- */

typedef struct packing { /* from dim to dim of [group, row, channel, taps], in bytes */
    int64_t by_group, by_row, by_channel, by_tap[SPACE];
} packing;

/* `back`: the weight's first dim is summed over, and the second gives the rows. */
static inline packing packed_as(const pass *p, const weight *w, bool back)
{
    packing k = {.by_row = back ? w->by_inner : w->by_outer, .by_channel = back ? w->by_outer : w->by_inner};
    k.by_group = (back ? p->depth : p->rows) * w->by_outer;
    for (int d = 0; d < SPACE; d++)
        k.by_tap[d] = p->reach[d].tap_step * w->step[d];
    return k;
}

/* ---- products ---- */

typedef struct matrix {
    kt_operand x;
    int64_t    by_row, by_column;
} matrix;

/* out [m, n] = a [m, k] times b [k, n], and c [m, n] if there is one. */
kt_status kt__multiply(const pass *p, const matrix *out, const matrix *a, const matrix *b, const matrix *c, int64_t m, int64_t n,
                       int64_t k);

/* ---- without columns: directly.c ---- */

bool      kt__fits_directly(pass *p);  /* and if so, cuts the boxes */
kt_status kt__begin_directly(pass *p); /* once the weights are laid; kt__direct_end(&p->direct) ends it */
int64_t   kt__direct_cuts(const pass *p, int64_t items);
kt_status kt__run_directly(const pass *p, const scratch *s, int64_t n, int64_t group, const box *b, int64_t cut);

/* ---- the same for the weight: weight_directly.c ---- */

bool      kt__weight_fits_directly(pass *p);
int64_t   kt__weight_room(const pass *p); /* bytes of scratch */
void      kt__weight_begin(const pass *p, char *room);
kt_status kt__sum_weight_directly(const pass *p, char *room, int64_t n, int64_t group, const box *b); /* of one image */
void      kt__weight_end(const pass *p, const char *room, char *sums); /* all that was summed: [rows, columns] */

/* ---- groups of one channel, where channels lie side by side: beside.c ---- */

bool      kt__fits_beside(const pass *p);
kt_status kt__run_beside(pass *p);        /* once the weights are laid */
void      kt__sum_weight_beside(pass *p); /* into p->sums */

/* ---- few positions an image: together.c ---- */

bool      kt__fits_together(const pass *p, bool sums); /* of the weight's gradient; channels are not innermost then */
kt_status kt__run_together(pass *p);        /* once the weights are laid */
kt_status kt__sum_weight_together(pass *p); /* into p->sums */

/* ---- bfloat16, where the processor multiplies tiles of it: directly_bf16.c, weight_directly_bf16.c ---- */

bool      kt__fits_bf16(const pass *p, const weight *w);
kt_status kt__run_bf16(pass *p, const weight *w, bool back); /* the whole pass */
bool      kt__weight_fits_bf16(const pass *p, const weight *w);
kt_status kt__run_weight_bf16(pass *p, const weight *w, bool *no_number);

#endif
