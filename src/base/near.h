/* near.h - edit distance between names, for "did you mean". Used by the library and the command. */
#ifndef KT_BASE_NEAR_H
#define KT_BASE_NEAR_H

#include <string.h>

enum { KT_NEAR_MOST = 128 }; /* longest name compared, with its NUL */

/* Levenshtein distance: letters changed, inserted or removed. */
static inline int kt__letters_apart(const char *a, const char *b)
{
    int       row[KT_NEAR_MOST];
    const int n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            const int above = row[j], beside = row[j - 1];
            const int moved = (above < beside ? above : beside) + 1, changed = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = moved < changed ? moved : changed;
            diagonal = above;
        }
    }
    return row[n];
}

#endif
