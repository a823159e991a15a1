/* text.c - a module as text: PyTorch's tree, a line for each part.
 *
 * In: a module. Out: text. Independent of: layers, which describe themselves. */
#include "base/error.h"
#include "nn/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct page {
    char  *text;
    size_t length, room;
    bool   failed;
} page;

static void put(page *p, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int bytes = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (bytes >= 0 && p->length + (size_t)bytes + 1 > p->room) {
        const size_t room = 2 * p->room + (size_t)bytes + 256;
        char        *more = p->failed ? NULL : realloc(p->text, room);
        p->failed = !more;
        p->text = more ? more : p->text;
        p->room = more ? room : p->room;
    }
    if (bytes >= 0 && !p->failed) {
        vsnprintf(p->text + p->length, p->room - p->length, format, again);
        p->length += (size_t)bytes;
    }
    va_end(again);
}

static void put_module(page *p, const kt_module *m, int depth)
{
    char about[256] = "";
    if (m->type->describe)
        m->type->describe(m, about, sizeof about);
    if (!kt_module_n_children(m)) {
        put(p, "%s(%s)", m->type->name, about);
        return;
    }
    put(p, "%s(\n", m->type->name);
    if (*about)
        put(p, "%*s%s\n", 2 * depth + 2, "", about);
    for (int64_t i = 0; i < m->n; i++)
        if (m->entry[i].kind == KT__CHILD) {
            put(p, "%*s(%s): ", 2 * depth + 2, "", m->entry[i].name);
            put_module(p, m->entry[i].child, depth + 1);
            put(p, "\n");
        }
    put(p, "%*s)", 2 * depth, "");
}

char *kt_module_to_string(const kt_module *m)
{
    page p = {NULL, 0, 0, false};
    if (m)
        put_module(&p, m, 0);
    else
        kt_fail(KT_ERR_TYPE, "expected a module, got NULL");
    if (p.failed) {
        kt_fail(KT_ERR_MEMORY, "no memory for the text of a module");
        free(p.text);
        p.text = NULL;
    }
    return p.text ? p.text : kt__no_text();
}
