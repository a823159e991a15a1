/* write_file.h - how a generator writes a file: only if its content changes. */
#ifndef KT_TOOLS_WRITE_FILE_H
#define KT_TOOLS_WRITE_FILE_H

#include "schema.h"

/* An unchanged file keeps its timestamp, so that nothing is rebuilt. */
static bool is_current(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t same = 0;
    int    c = fgetc(f);
    for (; c != EOF && same < size && (char)c == text[same]; c = fgetc(f))
        same++;
    fclose(f);
    return c == EOF && same == size;
}

static bool put(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    const bool whole = fwrite(text, 1, size, f) == size;
    return !fclose(f) && whole;
}

static void write_file(const char *root, const char *path, void (*write)(FILE *))
{
    char   full[1024], *text = NULL;
    size_t size = 0;
    FILE  *f = open_memstream(&text, &size);
    if (!f)
        die("no memory for %s", path);
    write(f);
    snprintf(full, sizeof full, "%s/%s", root, path);
    if (fclose(f) || !(is_current(full, text, size) || put(full, text, size)))
        die("cannot write %s", full);
    free(text);
}

#endif
