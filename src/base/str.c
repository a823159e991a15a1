/* str.c - the bounded string builder.
 *
 * In: pieces of text, numbers, shapes. Out: a C string in the caller's buffer. Independent of: what the text is for. */
#include "base/str.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

size_t kt__str_whole(const char *text, size_t limit)
{
    size_t start = limit;
    while (start > 0 && limit - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--; /* back over continuation bytes */
    }
    if (start == 0)
        return limit;
    const unsigned char lead = (unsigned char)text[start - 1];
    const size_t        want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    const size_t        have = limit - start + 1;
    return want > have ? start - 1 : limit;
}

kt__str kt__str_in(char *buffer, size_t capacity)
{
    assert(capacity >= 4);
    buffer[0] = '\0';
    return (kt__str){buffer, 0, capacity, false};
}

/* The buffer is full up to its last byte: keep whole characters and say that text is missing. */
static void mark_cut(kt__str *s)
{
    s->length = kt__str_whole(s->text, s->capacity - 4);
    memcpy(s->text + s->length, "...", 4);
    s->length += 3;
    s->cut = true;
}

void kt__str_addn(kt__str *s, const char *text, size_t n)
{
    if (s->cut)
        return;
    const size_t room = s->capacity - 1 - s->length, take = n < room ? n : room;
    memcpy(s->text + s->length, text, take);
    s->length += take;
    s->text[s->length] = '\0';
    if (take < n)
        mark_cut(s);
}

void kt__str_add(kt__str *s, const char *text)
{
    kt__str_addn(s, text, strlen(text));
}

void kt__str_addv(kt__str *s, const char *format, va_list args)
{
    if (s->cut)
        return;
    const size_t room = s->capacity - s->length;
    const int    n = vsnprintf(s->text + s->length, room, format, args);
    if (n < 0) { /* the C library could not format: keep what was there */
        s->text[s->length] = '\0';
    } else if ((size_t)n < room) {
        s->length += (size_t)n;
    } else {
        mark_cut(s);
    }
}

void kt__str_addf(kt__str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    kt__str_addv(s, format, args);
    va_end(args);
}

void kt__str_dims(kt__str *s, const int64_t *dims, int n)
{
    kt__str_add(s, "[");
    for (int i = 0; i < n; i++)
        kt__str_addf(s, i ? ", %lld" : "%lld", (long long)dims[i]);
    kt__str_add(s, "]");
}
