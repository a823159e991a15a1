/* aten.c - PyTorch's operators by name (aten.h). */
#include "plan/aten.h"

#include <string.h>

#include "tables/schema.h"

static const kt__aten lines[] = {
#define ATEN(schema, in_place, out) {schema, out},
#include "tables/aten.def"
};

const kt__aten *kt__aten_next(const char *name, size_t n, const kt__aten *last)
{
    for (const kt__aten *line = last ? last + 1 : lines; line < lines + sizeof lines / sizeof *lines; line++) {
        const size_t length = (size_t)schema_name_length(line->schema);
        if ((length == n || (length == n + 1 && line->schema[n] == '_')) && memcmp(line->schema, name, n) == 0)
            return line;
    }
    return NULL;
}
