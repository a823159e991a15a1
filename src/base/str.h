/* str.h - a string builder in the caller's buffer: bounded, always terminated, truncated at a whole character.
 *
 * In: pieces of text, numbers, shapes. Out: a C string. Independent of: what the text is for. Never allocates.
 *
 *     char buf[128];
 *     kt__str s = kt__str_in(buf, sizeof buf);
 *     kt__str_addf(&s, "size mismatch, got %s", name);
 *     kt__str_dims(&s, sizes, rank);                     // "[2, 3]"
 *     return kt_fail(KT_ERR_RUNTIME, "%s", s.text); */
#ifndef KT_BASE_STR_H
#define KT_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kt__str {
    char  *text;
    size_t length;
    size_t capacity; /* with the final zero: at least 4 for the mark of a cut */
    bool   cut;      /* some text did not fit: it ends in "..." and takes no more */
} kt__str;

kt__str kt__str_in(char *buffer, size_t capacity);
void    kt__str_add(kt__str *s, const char *text);
void    kt__str_addn(kt__str *s, const char *text, size_t n);
void    kt__str_addf(kt__str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void    kt__str_addv(kt__str *s, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void    kt__str_dims(kt__str *s, const int64_t *dims, int n); /* "[2, 3]", "[]" */

/* The longest prefix of at most `limit` bytes of `text` that ends between characters of UTF-8. */
size_t kt__str_whole(const char *text, size_t limit);

#endif
