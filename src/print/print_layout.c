/* print_layout.c - brackets, lines and the text they stand in.
 *
 * In: elements in row-major order, sizes, options. Out: the bracketed text. Independent of: where the elements came
 * from, what follows the closing bracket. */
#include "print/print.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- text ---- */

static bool has_room(kt__text *text, size_t n)
{
    if (text->failed)
        return false;
    if (n < text->capacity - text->length)
        return true;
    size_t want = 0, granted = 0;
    char  *chars = NULL;
    if (!__builtin_add_overflow(text->length + text->length / 2, n + 256, &want))
        chars = kt__block_get(want, &granted);
    if (!chars) {
        kt__fail_memory(want);
        text->failed = true;
        return false;
    }
    if (text->length)
        memcpy(chars, text->chars, text->length);
    kt__block_put(text->chars, text->capacity);
    text->chars = chars;
    text->capacity = granted;
    return true;
}

void kt__text_add(kt__text *text, const char *chars, size_t n)
{
    if (!has_room(text, n))
        return;
    memcpy(text->chars + text->length, chars, n);
    text->length += n;
}

void kt__text_say(kt__text *text, const char *string)
{
    kt__text_add(text, string, strlen(string));
}

void kt__text_repeat(kt__text *text, char c, int64_t n)
{
    if (n <= 0 || !has_room(text, (size_t)n))
        return;
    memset(text->chars + text->length, c, (size_t)n);
    text->length += (size_t)n;
    if (c == '\n')
        text->line = text->length;
}

void kt__text_free(kt__text *text)
{
    kt__block_put(text->chars, text->capacity);
    *text = (kt__text){0};
}

/* ---- what is left out ---- */

bool kt__print_is_cut(const kt__printable *p, int dim, int64_t edgeitems)
{
    return p->summarised && edgeitems < p->sizes[dim] - edgeitems;
}

int64_t kt__print_kept(const kt__printable *p, int dim, int64_t edgeitems)
{
    return kt__print_is_cut(p, dim, edgeitems) ? 2 * edgeitems : p->sizes[dim];
}

/* ---- the walk ---- */

typedef struct writer {
    kt__text            *text;
    const kt__printable *p;
    const char          *at; /* the next element */
    size_t               item;
    kt__number_style     real, imaginary;
    bool                 is_complex;
    int64_t              edgeitems, linewidth;
    char                *number; /* scratch */
    size_t               room;
} writer;

static int64_t write_part(writer *w, const kt__number_style *style, kt_scalar element, int part)
{
    const int64_t n = kt__number_write(w->number, w->room, style, element, part);
    if (n < 0)
        w->text->failed = true;
    return n;
}

static void add_element(writer *w)
{
    const kt_scalar element = kt_scalar_load(w->at, w->p->dtype);
    w->at += w->item;
    int64_t n = write_part(w, &w->real, element, 0);
    kt__text_repeat(w->text, ' ', w->real.width - n);
    kt__text_add(w->text, w->number, n < 0 ? 0 : (size_t)n);
    if (!w->is_complex)
        return;
    n = write_part(w, &w->imaginary, element, 1);
    if (w->number[0] != '-')
        kt__text_say(w->text, "+");
    kt__text_add(w->text, w->number, n < 0 ? 0 : (size_t)n);
    kt__text_say(w->text, "j");
}

/* A mark for what is left out counts as an element of its line. */
static void add_row(writer *w, int dim, int64_t indent)
{
    const bool    cut = kt__print_is_cut(w->p, dim, w->edgeitems);
    const int64_t kept = kt__print_kept(w->p, dim, w->edgeitems), mark = cut ? w->edgeitems : -1;
    const int64_t each = w->real.width + 2 + (w->is_complex ? w->imaginary.width + 1 : 0);
    const int64_t fit = (w->linewidth - indent) / each, per_line = fit > 1 ? fit : 1;
    for (int64_t i = 0; i < kept + cut && !w->text->failed; i++) {
        if (i > 0 && i % per_line == 0) {
            kt__text_say(w->text, ",");
            kt__text_repeat(w->text, '\n', 1);
            kt__text_repeat(w->text, ' ', indent + 1);
        } else if (i > 0) {
            kt__text_say(w->text, ", ");
        }
        if (i == mark)
            kt__text_say(w->text, kept ? " ..." : "...");
        else
            add_element(w);
    }
}

static void add_brackets(writer *w, int dim, int64_t indent)
{
    const int inner = w->p->ndim - 1 - dim; /* dims inside this one */
    kt__text_say(w->text, "[");
    if (inner == 0) {
        add_row(w, dim, indent);
    } else {
        const bool    cut = kt__print_is_cut(w->p, dim, w->edgeitems);
        const int64_t kept = kt__print_kept(w->p, dim, w->edgeitems), mark = cut ? w->edgeitems : -1;
        for (int64_t i = 0; i < kept + cut && !w->text->failed; i++) {
            if (i > 0) {
                kt__text_say(w->text, ",");
                kt__text_repeat(w->text, '\n', inner);
                kt__text_repeat(w->text, ' ', indent + 1);
            }
            if (i == mark)
                kt__text_say(w->text, "...");
            else
                add_brackets(w, dim + 1, indent + 1);
        }
    }
    kt__text_say(w->text, "]");
}

void kt__print_values(kt__text *text, const kt__printable *p, const kt_print_options *options, int64_t indent)
{
    const size_t room = kt__number_room(options->precision);
    size_t       granted = 0;
    char        *number = kt__block_get(room, &granted);
    if (!number) {
        kt__fail_memory(room);
        text->failed = true;
        return;
    }
    writer w = {
        .text = text, .p = p, .at = p->elements, .item = kt_dtype_size(p->dtype), .number = number, .room = room,
        .is_complex = kt_dtype_category(p->dtype) == KT_CAT_COMPLEX,
        .edgeitems = options->edgeitems, .linewidth = options->linewidth,
    };
    int64_t n = 1;
    for (int i = 0; i < p->ndim; i++)
        n *= kt__print_kept(p, i, options->edgeitems);
    if (!kt__number_style_of(&w.real, p, n, 0, options, number) ||
        (w.is_complex && !kt__number_style_of(&w.imaginary, p, n, 1, options, number)))
        text->failed = true;
    else if (p->ndim == 0)
        add_element(&w);
    else
        add_brackets(&w, 0, indent);
    kt__block_put(number, granted);
}
