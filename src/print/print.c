/* print.c - tensors as text, word for word as PyTorch prints them.
 *
 * In: a tensor, the process's print options. Out: a string. Only what is shown is fetched from the device.
 * Independent of: kernels, the tape (it speaks through kt__print_grad), how a number looks (print_number.c). */
#include "print/print.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/local.h"
#include "tensor/tensor.h"

#include <karat/batch.h>

#include <stdlib.h>
#include <string.h>

const char *(*kt__print_grad)(const kt_tensor *t);
kt_tensor *(*kt__print_tangent)(const kt_tensor *t);

/* ---- options: of the process, as PyTorch's ---- */

#define DEFAULTS \
    {.size = sizeof(kt_print_options), .precision = 4, .threshold = 1000, .edgeitems = 3, .linewidth = 80, .sci_mode = -1}
static const kt_print_options defaults = DEFAULTS;
static kt_print_options       current = DEFAULTS; /* read and written a word at a time: another thread may print */

static kt_print_options read_options(void)
{
    return (kt_print_options){
        .size = sizeof(kt_print_options),
        .precision = KT__PEEK(current.precision),
        .threshold = KT__PEEK(current.threshold),
        .edgeitems = KT__PEEK(current.edgeitems),
        .linewidth = KT__PEEK(current.linewidth),
        .sci_mode = KT__PEEK(current.sci_mode),
    };
}

void kt_get_print_options(kt_print_options *out)
{
    if (!out)
        return;
    const kt_print_options options = read_options();
    const size_t           size = out->size;
    /* A caller compiled with a shorter struct gets the fields it knows; one that did not say gets all of ours. */
    memcpy(out, &options, size && size < sizeof options ? size : sizeof options);
    out->size = size ? size : sizeof options;
}

kt_status kt_set_print_options(const kt_print_options *options)
{
    if (kt__failed())
        return kt_error_status();
    kt_print_options wanted = options ? read_options() : defaults;
    if (options) {
        if (options->size == 0)
            return kt_fail(KT_ERR_VALUE, "print options: size is not set (use sizeof(kt_print_options))");
        memcpy(&wanted, options, options->size < sizeof wanted ? options->size : sizeof wanted);
    }
    if (wanted.precision < 0 || wanted.precision > KT__PRECISION_MAX)
        return kt_fail(KT_ERR_VALUE, "print options: precision must be in [0, %d], but got %d", (int)KT__PRECISION_MAX,
                       wanted.precision);
    if (wanted.edgeitems < 0)
        return kt_fail(KT_ERR_VALUE, "print options: edgeitems must not be negative, but got %lld",
                       (long long)wanted.edgeitems);
    if (wanted.sci_mode < -1 || wanted.sci_mode > 1)
        return kt_fail(KT_ERR_VALUE, "print options: sci_mode must be -1 (decide), 0 or 1, but got %d",
                       wanted.sci_mode);
    KT__POKE(current.precision, wanted.precision);
    KT__POKE(current.threshold, wanted.threshold);
    KT__POKE(current.edgeitems, wanted.edgeitems);
    KT__POKE(current.linewidth, wanted.linewidth);
    KT__POKE(current.sci_mode, wanted.sci_mode);
    return KT_OK;
}

/* ---- fetching what is shown ---- */

/* The first and the last `edge` of n items are two runs whose starts lie n - edge apart: one more dim, not one more
 * view. Dims of one item are left out, so the result never has more than 64. */
static kt_tensor *edges_of(const kt_tensor *t, const kt__printable *p, int64_t edge)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    int     n = 0;
    for (int i = 0; i < t->ndim; i++) {
        const bool    cut = kt__print_is_cut(p, i, edge);
        const int64_t run = cut ? edge : t->sizes[i];
        if (cut) {
            sizes[n] = 2;
            strides[n++] = (t->sizes[i] - edge) * t->strides[i];
        }
        if (run > 1) {
            sizes[n] = run;
            strides[n++] = t->strides[i];
        }
    }
    /* Reference counts are no part of constness. */
    return kt__tensor_view((kt_tensor *)(uintptr_t)t, (kt_shape){n, sizes}, (kt_shape){n, strides}, kt__offset(t));
}

typedef struct fetched {
    void  *memory;
    size_t granted;
} fetched;

static kt_status fetch(const kt_tensor *t, const kt__printable *p, int64_t edge, fetched *out)
{
    size_t bytes = kt__itemsize(t);
    for (int i = 0; i < t->ndim; i++)
        if (__builtin_mul_overflow(bytes, (size_t)kt__print_kept(p, i, edge), &bytes))
            return kt__fail_memory(SIZE_MAX);
    if (bytes == 0)
        return KT_OK;
    out->memory = kt__block_get(bytes, &out->granted);
    if (!out->memory)
        return kt__fail_memory(bytes);
    if (!p->summarised)
        return kt_read(t, out->memory, bytes);
    kt_tensor *view = edges_of(t, p, edge);
    if (!view)
        return kt_error_status();
    kt_status status = kt_read(view, out->memory, bytes);
    kt__unref(view);
    return status;
}

static void add_values(kt__text *text, const kt_tensor *t, const kt_print_options *options)
{
    const kt__printable p = {
        .sizes = t->sizes, .ndim = t->ndim, .dtype = (kt_dtype)t->dtype, .summarised = t->numel > options->threshold,
    };
    fetched values = {0};
    if (fetch(t, &p, options->edgeitems, &values)) {
        text->failed = true;
    } else {
        kt__printable full = p;
        full.elements = values.memory;
        kt__print_values(text, &full, options, (int64_t)text->length);
    }
    kt__block_put(values.memory, values.granted);
}

/* ---- suffixes ---- */

typedef struct suffixes {
    kt__text *text;
    int64_t   indent, linewidth;
    int64_t   column; /* where the line stands, by PyTorch's count: two more than it is on the lines of the values */
} suffixes;

static void add_suffix(suffixes *s, const char *name, const char *value, const char *close)
{
    const int64_t length = (int64_t)(strlen(name) + strlen(value) + strlen(close));
    kt__text_say(s->text, ",");
    if (s->column + length + 2 > s->linewidth) {
        kt__text_repeat(s->text, '\n', 1);
        kt__text_repeat(s->text, ' ', s->indent);
        s->column = s->indent + length;
    } else {
        kt__text_say(s->text, " ");
        s->column += length + 2;
    }
    kt__text_say(s->text, name);
    kt__text_say(s->text, value);
    kt__text_say(s->text, close);
}

/* A device that stores nothing has no number. */
static void add_device(suffixes *s, const kt_tensor *t)
{
    char close[16] = "'";
    if (t->backend != KT_META)
        snprintf(close, sizeof close, ":%d'", t->index);
    add_suffix(s, "device='", kt_device_name(kt__device(t)), close);
}

static void add_size(suffixes *s, const kt_tensor *t)
{
    char   tuple[KT_MAX_DIMS * 22 + 4];
    size_t n = 0;
    tuple[n++] = '(';
    for (int i = 0; i < t->ndim; i++)
        n += (size_t)snprintf(tuple + n, sizeof tuple - n, i ? ", %lld" : "%lld", (long long)t->sizes[i]);
    snprintf(tuple + n, sizeof tuple - n, t->ndim == 1 ? ",)" : ")");
    add_suffix(s, "size=", tuple, "");
}

/* What a reader takes for granted: values show an int64 or a bool for what it is; without values, only the default. */
static bool dtype_is_plain(const kt_tensor *t, bool has_values)
{
    const kt_dtype is = (kt_dtype)t->dtype, standard = kt_get_default_dtype();
    if (is == standard)
        return true;
    return has_values && (is == KT_I64 || is == KT_BOOL || is == (standard == KT_F64 ? KT_C128 : KT_C64));
}

static void add_suffixes(kt__text *text, const kt_tensor *t, const kt_print_options *options, int64_t indent,
                         bool is_meta)
{
    const bool has_values = !is_meta && t->numel > 0;
    suffixes   s = {text, indent, options->linewidth, (int64_t)(text->length - text->line)};
    s.column += 2;
    if (t->backend != KT_CPU)
        add_device(&s, t);
    if (is_meta || (has_values ? options->edgeitems == 0 : t->ndim != 1))
        add_size(&s, t);
    if (!dtype_is_plain(t, has_values))
        add_suffix(&s, "dtype=torch.", kt_dtype_name((kt_dtype)t->dtype), "");
    const char *grad = kt__print_grad ? kt__print_grad(t) : NULL;
    if (grad && *grad)
        add_suffix(&s, "grad_fn=<", grad, ">");
    else if (grad)
        add_suffix(&s, "requires_grad=", "True", "");
    kt_tensor *tangent = kt__print_tangent ? kt__print_tangent(t) : NULL;
    if (tangent) {
        char *string = kt_to_string(tangent);
        add_suffix(&s, "tangent=", string, "");
        kt_free_string(string);
        kt__unref(tangent);
    }
}

/* ---- the face ---- */

static char *finish(kt__text *text)
{
    char *string = NULL;
    if (!text->failed) {
        string = malloc(text->length + 1);
        if (!string)
            kt__fail_memory(text->length + 1);
    }
    if (string) {
        memcpy(string, text->chars, text->length);
        string[text->length] = '\0';
    }
    kt__text_free(text);
    return string ? string : kt__no_text();
}

/* An example has no values of its own: all are shown, as PyTorch shows them. */
static char *one_of_many(const kt_tensor *t)
{
    char     head[96];
    char    *value = kt_to_string(kt_batch_value(t));
    kt__text text = {0};
    snprintf(head, sizeof head, "BatchedTensor(lvl=%lld, bdim=%lld, value=", (long long)kt_batch_level(t),
             (long long)kt_batch_dim(t));
    kt__text_say(&text, head);
    for (const char *line = value; line && *line;) {
        const size_t n = strcspn(line, "\n");
        kt__text_say(&text, n ? "\n    " : "\n");
        kt__text_add(&text, line, n);
        line += n + (line[n] == '\n');
    }
    kt__text_say(&text, "\n)");
    kt_free_string(value);
    return finish(&text);
}

char *kt_to_string_as(const kt_tensor *t, const char *name)
{
    if (kt__failed())
        return kt__no_text();
    if (!t || !name) {
        kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        return kt__no_text();
    }
    if (t->flags & KT_T_BATCHED)
        return one_of_many(t);
    const kt_print_options options = read_options();
    const bool             is_meta = kt__backend(t->backend)->stores_nothing;
    kt__text               text = {0};
    kt__text_say(&text, name);
    kt__text_say(&text, "(");
    const int64_t indent = (int64_t)text.length;
    if (is_meta)
        kt__text_say(&text, "...");
    else if (t->numel == 0)
        kt__text_say(&text, "[]");
    else
        add_values(&text, t, &options);
    add_suffixes(&text, t, &options, indent, is_meta);
    kt__text_say(&text, ")");
    return finish(&text);
}

char *kt_to_string(const kt_tensor *t)
{
    return kt_to_string_as(t, "tensor");
}

void kt_free_string(char *text)
{
    if (text != kt__no_text())
        free(text);
}

kt_status kt_print(const kt_tensor *t, FILE *to)
{
    char *string = kt_to_string(t);
    if (kt__failed())
        return kt_error_status();
    if (!to)
        kt_fail(KT_ERR_VALUE, "expected a file to print to, got NULL");
    else if (fputs(string, to) < 0 || fputc('\n', to) < 0)
        kt_fail(KT_ERR_OS, "could not write the text of a tensor");
    kt_free_string(string);
    return kt_error_status();
}
