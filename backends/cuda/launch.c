/* launch.c - a plan becomes the arguments of a kernel.
 *
 * In: plans. Out: launches on their streams, or KT_DECLINED for dtypes that the kernels do not know: the engine then runs the
 * plan on the CPU. Independent of: memory, what a kernel calculates. */
#include <stdlib.h>
#include <string.h>

#include "dtype/types.h"
#include "parts.h"

/* ---- the kernels that there are, by id: a plugin learns the ids when it is opened ---- */
typedef struct service {
    launch_fn  *launch; /* NULL: there is none */
    const void *what;
} service;

static struct {
    service     *of[KT_NUM_COMPUTE]; /* [compute][kernel] */
    kt_kernel_id fill;
} known;

static const row_table *const tables[KT_NUM_COMPUTE] = {
    [KT_IN_F32] = &rows_f32, [KT_IN_F64] = &rows_f64, [KT_IN_I32] = &rows_i32, [KT_IN_I64] = &rows_i64,
    [KT_IN_C64] = &rows_c64, [KT_IN_C128] = &rows_c128};

void launch_serve(const char *name, kt_compute compute, launch_fn *launch, const void *what)
{
    known.of[compute][host->kernel(name)] = (service){launch, what};
}

void launch_serve_all(const char *name, launch_fn *launch, const void *what)
{
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++)
        launch_serve(name, (kt_compute)compute, launch, what);
}

static launch_fn launch_row, launch_any_copy, launch_fill, launch_check;

kt_status launch_open(void)
{
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++)
        if (!(known.of[compute] = calloc(host->kernels, sizeof *known.of[compute])))
            return host->fail(KT_ERR_MEMORY, "no memory for the table of kernels");
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        for (const row_kernels *row = tables[compute] ? tables[compute]->row : NULL; row && row->name; row++)
            if (row->flat)
                launch_serve(row->name, (kt_compute)compute, launch_row, row);
        if (compute < KT_IN_U64)
            launch_serve("check_range", (kt_compute)compute, launch_check, NULL);
    }
    known.fill = host->kernel("fill");
    copy_kernel = host->kernel("copy");
    launch_serve_all("copy", launch_any_copy, NULL);
    launch_serve_all("fill", launch_fill, NULL);
    reduce_open();
    index_open();
    product_open();
    lines_open();
    range_open();
    random_open();
    convolution_open();
    norm_open();
    step_open();
    chain_open();
    planes_open();
    pool_open();
    resample_open();
    ctc_open();
    attention_open();
    return list_open();
}

bool launch_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self;
    return known.of[compute][kernel].launch != NULL;
}

/* ---- a launch ---- */

static kt_status launch(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan, bool early, bool brief)
{
    if (blocks == 0)
        return KT_OK;
    const bool captured = captures_run() && capture_of(plan->stream);
    if (blocks <= (brief ? BRIEF_BLOCKS : SMALL_BLOCKS) && !captured)
        return launch_small(kernel, (unsigned)blocks, (void *[]){args}, plan->device_index, plan->stream);
    return launch_wide(kernel, blocks, args, plan->device_index, plan->stream, early && !captured);
}

kt_status launch_kernel(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan)
{
    return launch(kernel, blocks, args, plan, false, false);
}

kt_status launch_early(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan, bool brief)
{
    return launch(kernel, blocks, args, plan, true, brief);
}

/* Of operands that are gone through once. */
static bool is_brief(const launch_args *g, int operands)
{
    enum { BYTES = 4 << 20 };
    uint64_t width = 0;
    for (int i = 0; i < operands; i++)
        width += g->at[i].same ? 0 : g->at[i].width;
    return g->n * width < BYTES;
}

void set_operand(operand_arg *x, const kt_plan *plan, int at, int width, int vector)
{
    const kt_operand *from = &plan->arg[at];
    *x = (operand_arg){.data = from->immediate ? NULL : from->data, .is = from->is, .width = (uint8_t)width};
    if (from->immediate)
        memcpy(x->value, plan->imm[at].bytes, sizeof x->value);
    x->same = from->immediate || (plan->nd == 1 && plan->stride[at][0] == 0 && plan->numel > 1);
    x->whole = !x->same && is_aligned(x->data, width * vector);
}

/* ---- any layout ---- */
static int64_t stride_of(const kt_plan *plan, int at, int d) { return plan->arg[at].immediate ? 0 : plan->stride[at][d]; }

/* A vector of this operand is loaded at once. */
static bool is_whole(const kt_plan *plan, int at, int width, int vector)
{
    const int64_t bytes = (int64_t)width * vector;
    bool          whole = !plan->arg[at].immediate && plan->stride[at][plan->nd - 1] == width;
    whole &= is_aligned(plan->arg[at].data, bytes);
    for (int d = 0; d < plan->nd - 1; d++)
        whole &= is_aligned((const void *)(uintptr_t)plan->stride[at][d], bytes);
    return whole;
}

/* `of` elements of dim `first`, and all of the dims after it: n in all. */
static kt_status launch_piece(const void *kernel, strided_args *g, const kt_plan *plan, int n_operands, int first, int64_t of,
                              int64_t n)
{
    const int last = plan->nd - 1;
    g->nd = 0;
    for (int d = last; d >= first; d--, g->nd++) {
        const int64_t vector = d == last ? (int64_t)g->vector : 1, size = d == first ? of : plan->size[d];
        g->size[g->nd] = (uint32_t)(size / vector);
        for (int k = 0; k < n_operands; k++)
            g->stride[k][g->nd] = stride_of(plan, k, d) * vector;
    }
    g->flat.n = (uint64_t)(n / (int64_t)g->vector);
    return launch_kernel(kernel, blocks_of(g->flat.n, ARG_THREADS), g, plan);
}

/* g, from element i of dim d on. */
static strided_args from_element(const strided_args *g, const kt_plan *plan, int n_operands, int d, int64_t i)
{
    strided_args moved = *g;
    for (int k = 0; k < n_operands; k++)
        if (moved.flat.at[k].data)
            moved.flat.at[k].data += i * plan->stride[k][d];
    return moved;
}

/* A dim whose elements are few enough each is cut into as long parts as the kernels count; of others each is gone through. */
kt_status launch_pieces(const void *kernel, strided_args *g, const kt_plan *plan, int n_operands, int first)
{
    int64_t   inner = 1; /* elements of one of dim `first` */
    kt_status status = KT_OK;
    if (first >= plan->nd)
        return launch_piece(kernel, g, plan, n_operands, first, 1, 1);
    for (int d = first + 1; d < plan->nd; d++)
        inner = inner > MOST_OF_PIECE ? inner : inner * plan->size[d];
    const int64_t size = plan->size[first];
    if (inner <= MOST_OF_PIECE && plan->nd - first <= ARG_DIMS) {
        const int64_t vectors = MOST_OF_PIECE / (inner ? inner : 1);
        const int64_t most = first == plan->nd - 1 ? vectors / (int64_t)g->vector * (int64_t)g->vector : vectors;
        if (size <= most)
            return launch_piece(kernel, g, plan, n_operands, first, size, size * inner);
        for (int64_t i = 0; i < size && !status; i += most) {
            strided_args  part = from_element(g, plan, n_operands, first, i);
            const int64_t of = size - i < most ? size - i : most;
            status = launch_piece(kernel, &part, plan, n_operands, first, of, of * inner);
        }
        return status;
    }
    for (int64_t i = 0; i < size && !status; i++) {
        strided_args part = from_element(g, plan, n_operands, first, i);
        status = launch_pieces(kernel, &part, plan, n_operands, first + 1);
    }
    return status;
}

/* Elementwise kernels take vectors along the innermost dim, if that can be divided. */
static void choose_vector(strided_args *g, const kt_plan *plan, int n_operands, int vector)
{
    g->vector = 1;
    if (plan->nd == 0 || plan->size[plan->nd - 1] % vector != 0)
        return;
    g->vector = (uint32_t)vector;
    for (int k = 0; k < n_operands; k++) {
        g->step[k] = stride_of(plan, k, plan->nd - 1);
        g->flat.at[k].whole = is_whole(plan, k, g->flat.at[k].width, vector);
    }
}

/* ---- elementwise ---- */
int width_of(int dtype)
{
    static const uint8_t widths[KT_NUM_DTYPES] = {
#define DT(ID, NAME, TORCH, CXX, STORAGE, ...) [KT_##ID] = sizeof(STORAGE),
#include "tables/dtypes.def"
    };
    return widths[dtype];
}

/* i: the same number where the compute type is an integer; imaginary: of a complex one. */
static uint64_t bits_of(double x, double imaginary, int64_t i, int compute)
{
    uint64_t    bits = (uint64_t)i;
    const float f[2] = {(float)x, (float)imaginary};
    if (compute == KT_IN_F32)
        bits = 0, memcpy(&bits, f, sizeof f[0]);
    else if (compute == KT_IN_C64)
        memcpy(&bits, f, sizeof f);
    else if (compute == KT_IN_F64)
        memcpy(&bits, &x, sizeof x);
    return bits;
}

/* p3 of the tables: the bits of a float32 that a narrower result lacks, or the smallest number of a narrower integer. */
static uint64_t narrower(int as, int compute)
{
    const int cut = as == KT_F16 ? 13 : as == KT_BF16 ? 16 : 0, least = as == KT_I8 ? INT8_MIN : as == KT_I16 ? INT16_MIN : 0;
    return bits_of(cut, 0, least, compute);
}

static bool set_wide_params(launch_args *g, const kt_plan *plan)
{
    for (int i = 0; i < plan->n_param; i++) {
        const kt_scalar *s = &plan->param[i];
        const double     x[2] = {s->kind == KT_SCALAR_COMPLEX ? s->v.re : number_of(s), s->kind == KT_SCALAR_COMPLEX ? s->im : 0};
        if (i >= ARG_WORDS / 2 || s->is_unsigned)
            return false;
        memcpy(&g->param[2 * i], x, sizeof x);
    }
    return true;
}

bool set_params(launch_args *g, const kt_plan *plan)
{
    if (plan->compute == KT_IN_C128)
        return set_wide_params(g, plan);
    for (int i = 0; i < plan->n_param && i < ARG_PARAMS - 1; i++) {
        const kt_scalar *s = &plan->param[i];
        const bool       is_complex = s->kind == KT_SCALAR_COMPLEX, is_float = s->kind == KT_SCALAR_FLOAT || is_complex;
        const bool       holds = !is_float || (s->v.re > -0x1p63 && s->v.re < 0x1p63);
        if ((is_complex && plan->compute != KT_IN_C64) || s->is_unsigned)
            return false;
        g->param[i] = bits_of(is_complex ? s->v.re : number_of(s), is_complex ? s->im : 0,
                              !is_float ? s->v.i : holds ? (int64_t)s->v.re : 0, plan->compute);
    }
    g->param[ARG_PARAMS - 1] = narrower(plan->arg[0].as, plan->compute);
    return true;
}

/* All operands are of that dtype and dense, or one value. */
static bool are_own(const launch_args *g, int n, kt_dtype self)
{
    bool own = true;
    for (int i = 0; i < n; i++)
        own &= g->at[i].is == self && (g->at[i].whole || (i && g->at[i].same));
    return own;
}

static kt_status launch_row(const kt_plan *plan, const void *what)
{
    const row_kernels *row = what;
    strided_args g = {0};
    const int    n = row->inputs + 1;
    const row_table   *table = tables[plan->compute];
    const known_dtypes k = {table->reads, table->writes, table->self};
    if (plan->n_out != 1 || plan->n_in != row->inputs || !set_params(&g.flat, plan))
        return KT_DECLINED;
    if (!operands_known(plan, &k))
        return launch_converted(plan, &k, launch_row, what);
    for (int i = 0; i < n; i++)
        set_operand(&g.flat.at[i], plan, i, width_of(plan->arg[i].is), table->vector);
    if (row->divides && fault_expect(plan, &g.flat.fault))
        return KT_ERR_MEMORY;
    g.flat.n = (uint64_t)plan->numel;
    if (row->table && plan->contiguous) {
        const kt_status status = launch_lookup(row, &g.flat, plan);
        if (status != KT_DECLINED)
            return status;
    }
    if (plan->contiguous && !g.flat.at[0].same) {
        const void *kernel = are_own(&g.flat, n, table->self) ? row->own : row->flat;
        return launch_early(kernel, blocks_of(g.flat.n, (uint64_t)(ARG_THREADS * table->elements)), &g.flat, plan,
                            is_brief(&g.flat, n));
    }
    choose_vector(&g, plan, n, table->strided);
    return launch_pieces(row->strided, &g, plan, n, 0);
}

/* ---- copies ---- */

/* A dtype of the same width whose elements are only moved. */
static int mover_of(int width)
{
    return width == 1 ? KT_U8 : width == 2 ? KT_I16 : width == 4 ? KT_I32 : width == 8 ? KT_I64 : KT_C128;
}

/* The dim that is dense in the source, if another one is dense in the target and both divide into vectors; -1: none. */
static int crossed_dim(const kt_plan *plan, int width)
{
    const int last = plan->nd - 1, per = 16 / width;
    int       at = -1;
    if (last < 1 || last > ARG_DIMS || plan->numel < 1 << 12 || plan->stride[0][last] != width || plan->size[last] % per)
        return -1;
    for (int d = 0; d < last; d++)
        at = plan->stride[1][d] == width && plan->size[d] % per == 0 && plan->size[d] > 1 ? d : at;
    bool good = at >= 0 && is_aligned(plan->arg[0].data, 16) && is_aligned(plan->arg[1].data, 16);
    for (int d = 0; d < plan->nd && good; d++) {
        good = plan->size[d] <= UINT32_MAX;
        good &= (d == last || plan->stride[0][d] % 16 == 0) && (d == at || plan->stride[1][d] % 16 == 0);
    }
    return good ? at : -1;
}

static kt_status launch_cross(const kt_plan *plan, int width, int at, const void *kernel)
{
    enum { BLOCK_A = 8, BLOCK_B = 4 * ARG_THREADS / 32 };
    const int  last = plan->nd - 1, per = 16 / width;
    cross_args g = {.to = plan->arg[0].data, .from = plan->arg[1].data, .a = (uint32_t)(plan->size[at] / per),
                    .b = (uint32_t)(plan->size[last] / per), .step = {plan->stride[0][at], plan->stride[1][last]}};
    uint64_t   blocks = blocks_of(g.a, BLOCK_A) * blocks_of(g.b, BLOCK_B);
    for (int d = last - 1; d >= 0; d--) {
        if (d == at)
            continue;
        g.size[g.nd] = (uint32_t)plan->size[d];
        g.stride[0][g.nd] = plan->stride[0][d];
        g.stride[1][g.nd++] = plan->stride[1][d];
        blocks *= (uint64_t)plan->size[d];
    }
    return blocks > INT32_MAX ? KT_DECLINED : launch_kernel(kernel, blocks, &g, plan);
}

/* ---- pieces: several elements of a run that are moved as one ---- */
int piece_of(const kt_plan *plan, int width)
{
    const int last = plan->nd - 1;
    if (last < 0 || plan->stride[0][last] != width || plan->stride[1][last] != width)
        return width;
    for (int piece = 16; piece > width; piece /= 2) {
        bool good = plan->size[last] * width % piece == 0;
        for (int i = 0; i < 2; i++) {
            good &= !plan->arg[i].immediate && is_aligned(plan->arg[i].data, piece);
            for (int d = 0; d < last; d++)
                good &= plan->stride[i][d] % piece == 0;
        }
        if (good)
            return piece;
    }
    return width;
}

void in_pieces(kt_plan *wide, const kt_plan *plan, int width, int piece)
{
    const int last = plan->nd - 1;
    *wide = *plan;
    wide->size[last] = plan->size[last] * width / piece;
    wide->numel = plan->numel * width / piece;
    wide->stride[0][last] = wide->stride[1][last] = piece;
}

static kt_status launch_move(const kt_plan *plan, int width, int piece)
{
    kt_plan      wide;
    strided_args g = {.vector = 1};
    in_pieces(&wide, plan, width, piece);
    for (int i = 0; i < 2; i++)
        set_operand(&g.flat.at[i], &wide, i, piece, 1);
    return launch_pieces(move_any_kernels[log_of_width(piece)], &g, &wide, 2, 0);
}

kt_status launch_copy(const kt_plan *plan)
{
    strided_args      g = {.vector = 1};
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    const bool        once = to->as == to->is && (from->as == from->is || from->as == to->is);
    const bool        moves = to->is == from->is && !from->bits;
    if (!once || plan->n_in != 1 || (plan->rounding != KT_ROUND_TORCH && !moves))
        return KT_DECLINED;
    const int is[2] = {moves ? mover_of(width_of(to->is)) : to->is, moves ? mover_of(width_of(to->is)) : from->is};
    const int widest = width_of(is[0]) > width_of(is[1]) ? width_of(is[0]) : width_of(is[1]);
    for (int i = 0; i < 2; i++) {
        set_operand(&g.flat.at[i], plan, i, width_of(is[i]), 16 / widest);
        g.flat.at[i].is = (uint8_t)is[i];
    }
    g.flat.at[1].bits = from->bits;
    g.flat.n = (uint64_t)plan->numel;
    if (plan->contiguous && g.flat.at[0].whole && g.flat.at[1].whole && !from->bits)
        return launch_early(cast_kernels[is[1]][is[0]], blocks_of(g.flat.n, (uint64_t)(ARG_THREADS * CAST_STEPS * 16 / widest)),
                            &g.flat, plan, is_brief(&g.flat, 2));
    const void *crosses = moves && !from->immediate ? cross_kernels[log_of_width(width_of(to->is))] : NULL;
    const int   at = crosses ? crossed_dim(plan, width_of(to->is)) : -1;
    if (at >= 0)
        return launch_cross(plan, width_of(to->is), at, crosses);
    const int width = width_of(to->is), piece = moves ? piece_of(plan, width) : width;
    if (piece > width && move_any_kernels[log_of_width(piece)])
        return launch_move(plan, width, piece);
    return launch_pieces(cast_any_kernels[is[1]], &g, plan, 2, 0);
}

static kt_status launch_any_copy(const kt_plan *plan, const void *what)
{
    (void)what;
    return launch_copy(plan);
}

/* ---- fill ---- */

/* The CPU makes one element of the value. */
kt_status make_element(const kt_plan *plan, kt_scalar value, unsigned char *element)
{
    kt_plan one = *plan;
    one.kernel = known.fill;
    one.n_param = 1;
    one.param[0] = value;
    one.nd = 0;
    one.numel = 1;
    one.contiguous = 1;
    one.device_index = 0;
    one.arg[0].data = (char *)element;
    return host->cpu->run(host->cpu, &one);
}

/* Any other layout: a copy of one value. */
static kt_status fill_strided(const kt_plan *plan, const unsigned char *element, int width)
{
    strided_args g = {.vector = 1};
    const int    is = mover_of(width);
    kt_plan      copy = *plan;
    copy.n_in = 1;
    copy.arg[1] = (kt_operand){.immediate = 1};
    g.flat.at[0] = (operand_arg){.data = plan->arg[0].data, .is = (uint8_t)is, .width = (uint8_t)width};
    g.flat.at[1] = (operand_arg){.is = (uint8_t)is, .width = (uint8_t)width, .same = 1};
    memcpy(g.flat.at[1].value, element, (size_t)width);
    return launch_pieces(cast_any_kernels[is], &g, &copy, 2, 0);
}

static kt_status launch_fill(const kt_plan *plan, const void *what)
{
    (void)what;
    fill_args g = {.to = plan->arg[0].data};
    const int width = width_of(plan->arg[0].is);
    if (plan->n_in != 0 || make_element(plan, plan->param[0], g.pattern))
        return host->error()[0] ? KT_ERR_RUNTIME : KT_DECLINED;
    if (!plan->contiguous || (plan->numel > 1 && plan->nd == 1 && plan->stride[0][0] != width))
        return fill_strided(plan, g.pattern, width);
    g.bytes = (uint64_t)plan->numel * (uint64_t)width;
    bool one_byte = true;
    for (int i = 1; i < width; i++)
        one_byte &= g.pattern[i] == g.pattern[0];
    if (one_byte)
        return check(cudaMemsetAsync(g.to, g.pattern[0], g.bytes, stream_at(plan->stream)), "memory is filled");
    for (int i = width; i < 16; i++)
        g.pattern[i] = g.pattern[i - width];
    return launch_kernel(fill_kernel, blocks_of(g.bytes, 16 * ARG_THREADS), &g, plan);
}

/* ---- checks ---- */
static bool is_float(int dtype)
{
    return (dtype >= KT_F16 && dtype <= KT_F64) || (dtype >= KT_E4M3FN && dtype <= KT_E8M0FNU);
}

static uint64_t bound_of(const kt_scalar *s, bool as_float)
{
    const double x = s->kind == KT_SCALAR_FLOAT ? s->v.re : (double)s->v.i;
    uint64_t     bits = (uint64_t)s->v.i;
    if (as_float)
        memcpy(&bits, &x, sizeof bits);
    return bits;
}

static kt_status launch_check(const kt_plan *plan, const void *what)
{
    (void)what;
    strided_args g = {.vector = 1};
    const bool   exempts = plan->n_param > 4, floats = is_float(plan->arg[0].is);
    for (int i = 0; i < plan->n_in; i++) {
        if (plan->arg[i].bits || is_float(plan->arg[i].is) != floats)
            return KT_DECLINED;
        set_operand(&g.flat.at[i], plan, i, width_of(plan->arg[i].is), 1);
    }
    g.flat.param[0] = bound_of(&plan->param[0], floats);
    g.flat.param[1] = bound_of(&plan->param[1], floats);
    g.flat.param[2] = exempts ? bound_of(&plan->param[4], floats) : 0;
    g.flat.param[3] = CHECK_SAYS(plan->param[2].v.i, plan->n_in > 1 ? plan->param[3].v.i : 0, exempts, plan->n_in);
    if (fault_expect(plan, &g.flat.fault))
        return KT_ERR_MEMORY;
    return launch_pieces(floats ? check_float_kernel : check_int_kernel, &g, plan, plan->n_in, 0);
}

kt_status launch_plan(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    kt_status status = fault_take(plan->device_index);
    if (!status)
        status = use_device(plan->device_index);
    if (status)
        return status;
    const service *s = &known.of[plan->compute][plan->kernel];
    return s->launch ? s->launch(plan, s->what) : KT_DECLINED;
}
