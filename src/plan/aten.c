/* aten.c - PyTorch's operators by name (aten.h). */
#include "plan/aten.h"

#include <string.h>

#include "tables/schema.h"

static const kt__aten lines[] = {
#define ATEN(schema, in_place, out) {schema, out},
#define OPS(out) NULL
#include "tables/aten.def"
};

const char *kt__aten_given_name(const kt_row *row)
{
    static const char *const names[][2] = {
#define NAMED(row, name) {#row, name},
#define SHOWS(row, n)
#define HIDDEN(row, condition)
#define INNER(row, condition, tree)
#include "tables/inner.def"
#undef NAMED
#undef SHOWS
#undef INNER
#undef HIDDEN
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], kt_row_name(row)) == 0)
            return names[i][1];
    return NULL;
}

const char *kt__aten_name(const kt_row *row)
{
    const char *given = kt__aten_given_name(row), *own = kt_row_schema(row);
    return given ? given : own + (strncmp(own, "nn_", 3) == 0 ? 3 : 0);
}

const kt__aten *kt__aten_next(const char *name, size_t n, const kt__aten *last)
{
    for (const kt__aten *line = last ? last + 1 : lines; line < lines + sizeof lines / sizeof *lines; line++) {
        const size_t length = (size_t)schema_name_length(line->schema);
        if ((length == n || (length == n + 1 && line->schema[n] == '_')) && memcmp(line->schema, name, n) == 0)
            return line;
    }
    return NULL;
}
