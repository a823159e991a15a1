/* meta.c - the meta device against the CPU: every row of the operator table, with arguments made up at random, must give
 * the same dtypes, sizes, strides, offsets and first lines of errors, without a byte. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>

#include "call/row.h"
#include "support/by_name.h"

enum { MOST_TENSORS = 20, MOST_RESULTS = 32 };

/* ---- one call, drawn once and made on both devices ---- */
typedef struct drawn_tensor {
    kt_dtype dtype;
    int64_t  sizes[6], strides[6], offset;
    int      rank;
} drawn_tensor;

typedef struct drawn_call {
    const kt_row *row;
    kt_form       form;
    uint32_t      given, scalars;
    kt_value      arg[KT_MAX_ARGS];
    int64_t       ints[KT_MAX_ARGS][4];
    drawn_tensor  tensor[MOST_TENSORS]; /* of tensor arguments in order; the last is out= */
    int           n_tensors;
} drawn_call;

static int64_t pick(int64_t low, int64_t high) { return low + (int64_t)test_below((uint64_t)(high - low + 1)); }

static const kt_dtype usual[] = {KT_F32, KT_F32, KT_F64, KT_I64, KT_BOOL, KT_F16, KT_C64, KT_U8, KT_U16, KT_E4M3FN};

static drawn_tensor draw_tensor(kt_dtype dtype)
{
    static const int64_t shapes[][3] = {{2, 3, 4}, {2, 3, 4}, {3, 4, 0}, {4, 0, 0},
                                        {3, 1, 0}, {2, 2, 0}, {3, 3, 0}, {2, 2, 2}};
    static const int     ranks[] = {3, 3, 2, 1, 2, 2, 2, 3};
    drawn_tensor         t = {.dtype = dtype};
    const int            which = (int)test_below(10);
    t.rank = which == 9 ? 0 : which == 8 ? 2 : ranks[which];
    for (int i = 0; i < t.rank; i++)
        t.sizes[i] = which == 8 ? (i ? 3 : 0) : shapes[which][i];
    int64_t step = 1;
    for (int i = t.rank - 1; i >= 0; i--) {
        t.strides[i] = step;
        step *= t.sizes[i] > 1 ? t.sizes[i] : 1;
    }
    if (t.rank > 1 && test_below(3) == 0) { /* transposed */
        int64_t size = t.sizes[0], stride = t.strides[0];
        t.sizes[0] = t.sizes[t.rank - 1], t.strides[0] = t.strides[t.rank - 1];
        t.sizes[t.rank - 1] = size, t.strides[t.rank - 1] = stride;
    }
    t.offset = test_below(4) == 0;
    return t;
}

static void draw(drawn_call *c, const kt_row *row)
{
    static const kt_scalar numbers[] = {{{2}, 0, KT_SCALAR_INT, 0}, {{1}, 0, KT_SCALAR_BOOL, 0}};
    memset(c, 0, sizeof *c);
    c->row = row;
    do
        c->form = (kt_form)test_below(3);
    while (!kt_row_has_form(row, c->form));
    kt_dtype common = usual[test_below(sizeof usual / sizeof *usual)];
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        if ((spec->has_default || spec->optional) &&
            (test_below(2) || spec->kind == KT_ARG_STRING || spec->kind == KT_ARG_DEVICE))
            continue;
        const kt_dtype own = test_below(3) ? common : usual[test_below(sizeof usual / sizeof *usual)];
        c->given |= 1u << i;
        switch (spec->kind) {
        case KT_ARG_TENSOR: c->tensor[c->n_tensors++] = draw_tensor(own); break;
        case KT_ARG_TENSOR_OR_SCALAR:
            if (test_below(3)) {
                c->tensor[c->n_tensors++] = draw_tensor(own);
                break;
            }
            c->scalars |= 1u << i;
            __attribute__((fallthrough));
        case KT_ARG_SCALAR:
            c->arg[i].s = test_below(2) ? KT_INT(pick(1, 5)) : test_below(3) ? KT_FLOAT(1.5) : KT_COMPLEX(1, 2);
            break;
        case KT_ARG_SCALARS:
            c->arg[i].ss.s = numbers;
            c->arg[i].ss.n = 2;
            break;
        case KT_ARG_TENSORS:
            c->tensor[c->n_tensors++] = draw_tensor(own);
            c->tensor[c->n_tensors] = test_below(2) ? c->tensor[c->n_tensors - 1] : draw_tensor(common);
            c->n_tensors++;
            break;
        case KT_ARG_INT: c->arg[i].i = test_below(8) ? pick(0, 2) : pick(-3, 6); break;
        case KT_ARG_INTS: {
            const int n = (int)pick(0, 4);
            for (int k = 0; k < n; k++)
                c->ints[i][k] = test_below(6) ? pick(0, 3) : pick(-2, 6);
            c->arg[i].ints = (kt_shape){n, c->ints[i]};
            break;
        }
        case KT_ARG_FLOAT: c->arg[i].f = 0.5; break;
        case KT_ARG_BOOL: c->arg[i].b = test_below(2); break;
        case KT_ARG_DTYPE: c->arg[i].dtype = own; break;
        case KT_ARG_FORMAT: c->arg[i].format = (int32_t)pick(KT_PRESERVE_FORMAT, KT_CHANNELS_LAST); break;
        default: c->given &= ~(1u << i); break;
        }
    }
    c->tensor[c->n_tensors++] = draw_tensor(test_below(3) ? common : KT_F64); /* out= */
}

/* ---- what came of it ---- */
typedef struct outcome {
    kt_status  status;
    char       text[512];
    int64_t    n;
    kt_tensor *result[MOST_RESULTS];
} outcome;

static kt_tensor *make(const drawn_tensor *d, kt_device device)
{
    const kt_shape sizes = {d->rank, d->sizes}, strides = {d->rank, d->strides};
    return kt_as_strided(kt_ones(KT_SHAPE(32), .dtype = d->dtype, .device = device), sizes, strides,
                         .storage_offset = KT_SOME(d->offset));
}

/* Results are owned by the outcome. */
static void run(drawn_call *c, kt_device device, outcome *o)
{
    kt_call    call;
    kt_tensor *lists[KT_MAX_ARGS][2];
    int        tensors = 0;
    kt_call_begin(&call, c->row, c->form);
    call.given = c->given;
    call.scalars = c->scalars;
    for (int i = 0; i < kt_row_n_args(c->row); i++) {
        const kt_arg_spec *spec = kt_row_arg(c->row, i);
        call.arg[i] = c->arg[i];
        if (!(c->given >> i & 1)) {
            if (spec->kind == KT_ARG_DEVICE) {
                call.arg[i].device = device;
                call.given |= 1u << i;
            }
            continue;
        }
        if (spec->kind == KT_ARG_TENSOR || (spec->kind == KT_ARG_TENSOR_OR_SCALAR && !(c->scalars >> i & 1)))
            call.arg[i].t = make(&c->tensor[tensors++], device);
        if (spec->kind == KT_ARG_TENSORS) {
            lists[i][0] = make(&c->tensor[tensors++], device);
            lists[i][1] = make(&c->tensor[tensors++], device);
            call.arg[i].ts.t = lists[i];
            call.arg[i].ts.n = 2;
        }
    }
    for (int i = 0; c->form == KT_OUT && i < kt_row_n_results(c->row); i++)
        call.out[i] = make(&c->tensor[c->n_tensors - 1], device);
    memset(o, 0, sizeof *o);
    CHECK_MSG(!kt_failed(), "%s: arguments: %s", kt_row_name(c->row), kt_error());
    o->status = kt_call_run(&call);
    snprintf(o->text, sizeof o->text, "%s", error_line());
    kt_clear();
    if (o->status)
        return;
    if (call.list) {
        o->n = call.n_list;
        for (int64_t i = 0; i < call.n_list && i < MOST_RESULTS; i++)
            o->result[i] = kt_keep(call.list[i]);
        kt_call_free_list(&call);
    } else if (!c->row->way->lists) {
        o->n = kt_row_n_results(c->row);
        for (int64_t i = 0; i < o->n; i++)
            o->result[i] = call.out[i];
    }
}

/* A stride that is never taken may differ. */
static bool same_geometry(const kt_tensor *a, const kt_tensor *b)
{
    bool same = kt_ndim(a) == kt_ndim(b) && kt_dtype_of(a) == kt_dtype_of(b) && kt_is_conj(a) == kt_is_conj(b) &&
                kt_is_neg(a) == kt_is_neg(b) && kt_storage_offset(a) == kt_storage_offset(b);
    for (int64_t i = 0; same && i < kt_ndim(a); i++)
        same = kt_size(a, i) == kt_size(b, i) &&
               (kt_stride(a, i) == kt_stride(b, i) || kt_size(a, i) <= 1 || kt_numel(a) == 0);
    return same;
}

static const char *shown(const kt_tensor *t)
{
    static char text[2][200];
    static int  turn;
    char       *to = text[turn ^= 1];
    int at = snprintf(to, sizeof text[0], "%s at %d:", kt_dtype_name(kt_dtype_of(t)), (int)kt_storage_offset(t));
    for (int64_t i = 0; i < kt_ndim(t) && at < 180; i++)
        at += snprintf(to + at, sizeof text[0] - (size_t)at, " %d/%d", (int)kt_size(t, i), (int)kt_stride(t, i));
    return to;
}

/* What is read from a tensor's elements cannot be known without them. */
static bool reads_values(const kt_row *row)
{
    static const char *const names[] = {"interleave", "tensor_split_tensor", "lstm_data",        "gru_data",
                                        "rnn_tanh_data", "rnn_relu_data",    "_padded_sequence", "_packed_sequence",
                                        "ctc_loss"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(kt_row_name(row), names[i]))
            return true;
    return false;
}

/* An index that is out of range, how many elements a mask holds, whether a value fits or a matrix is singular: the meta device
 * cannot tell. */
static bool hangs_on_values(const kt_row *row, const outcome *cpu, const outcome *meta)
{
    return cpu->status == KT_ERR_LINALG || strstr(cpu->text, "is zero and using it on lu_solve") ||
           strstr(cpu->text, "out of bounds for dim") || strstr(cpu->text, "out of range") ||
           strstr(cpu->text, "out of DATA bounds") || strstr(cpu->text, "is not in the valid range") ||
           strstr(cpu->text, "ones in mask") || strstr(meta->text, "meta_nonzero_assume_all_nonzero") ||
           strstr(meta->text, "no fake impl or Meta kernel") || strstr(meta->text, "Tensor.item() cannot be called") ||
           strstr(cpu->text, "Class values must") || strstr(cpu->text, "is out of bounds.") ||
           strstr(cpu->text, "should be between 0 and 1") || strstr(cpu->text, "offsets[0] has to be 0") ||
           strstr(cpu->text, "Expected idx >= 0 && idx < num_embeddings") ||
           (strstr(kt_row_name(row), "fill_tensor") && strstr(cpu->text, "without overflow"));
}

TEST(every_row_on_meta)
{
    const int     rounds = test_all() ? 3000 : 150;
    int           calls = 0, refused = 0;
    const kt_row *row;
    for (int i = 0; (row = kt_row_at(i)); i++)
        for (int round = 0; round < rounds; round++, calls++) {
            KT_SCOPE;
            drawn_call c;
            outcome    cpu, meta;
            draw(&c, row);
            run(&c, (kt_device){KT_CPU, 0}, &cpu);
            run(&c, (kt_device){KT_META, 0}, &meta);
            refused += cpu.status != KT_OK;
            bool unknown = reads_values(row) || hangs_on_values(row, &cpu, &meta);
            CHECK_MSG(unknown || (cpu.status == meta.status && strcmp(cpu.text, meta.text) == 0 && cpu.n == meta.n),
                      "%s: on the CPU \"%s\" (%d results), on meta \"%s\" (%d)", kt_row_name(row), cpu.text, (int)cpu.n,
                      meta.text, (int)meta.n);
            for (int64_t k = 0; k < cpu.n && k < meta.n && k < MOST_RESULTS && !unknown; k++)
                CHECK_MSG(same_geometry(cpu.result[k], meta.result[k]) && kt_device_of(meta.result[k]).kind == KT_META,
                          "%s, form %d: result %d is %s, on meta %s", kt_row_name(row), (int)c.form, (int)k,
                          shown(cpu.result[k]), shown(meta.result[k]));
            for (int64_t k = 0; k < MOST_RESULTS; k++) {
                kt_drop(cpu.result[k]);
                kt_drop(meta.result[k]);
            }
        }
    printf("  %d calls, of which %d refused\n", calls, refused);
    CHECK(refused < calls);
}

TEST(no_bytes)
{
    KT_SCOPE;
    kt_tensor *vast = kt_empty(KT_SHAPE(1 << 20, 1 << 20), .device = {KT_META, 0}), *sum = kt_add(vast, vast);
    CHECK_EQ_INT(kt_numel(kt_matmul(sum, kt_t(vast))), INT64_C(1) << 40);
    double one;
    CHECK_FAILS(kt_read(kt_select(kt_select(kt_to(vast, .dtype = KT_F64), 0, 0), 0, 0), &one, sizeof one),
                KT_ERR_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    CHECK_FAILS(kt_to(kt_narrow(vast, 0, 0, 1), .device = {KT_CPU, 0}), KT_ERR_NOT_IMPLEMENTED,
                "Cannot copy out of meta tensor; no data!");
    CHECK_FAILS(kt_add(kt_ones(KT_SHAPE(2)), kt_ones(KT_SHAPE(2), .device = {KT_META, 0})), KT_ERR_RUNTIME,
                "Expected all tensors to be on the same device, but found at least two devices, meta and cpu!");
    kt_tensor *x = kt_ones(KT_SHAPE(1000, 1000), .device = {KT_META, 0}, .requires_grad = true);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_matmul(x, kt_exp(x)))), KT_OK); /* the dry run runs backward too */
    CHECK_EQ_INT(kt_size(kt_grad(x), 1), 1000);
}
