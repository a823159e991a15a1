/* lesson.h - what the lessons share: EXPECT checks a result of the lesson itself, show prints a tensor under a caption,
 * show_module the tree of a module; sum_of adds numbers. */
#ifndef LESSON_H
#define LESSON_H

#include <karat/karat.h>
#include <stdio.h>

static int wrong; /* results that were not as expected: a lesson returns 0 when there are none */

#define EXPECT(what) ((what) ? (void)0 : (void)(wrong++, printf("WRONG: %s\n", #what)))

static inline void show(const char *caption, const kt_tensor *t)
{
    printf("%s:\n", caption);
    kt_print(t, stdout);
}

static inline void show_module(const kt_module *m)
{
    char *text = kt_module_to_string(m);
    printf("%s\n", text);
    kt_free_string(text);
}

static inline double sum_of(const double *numbers, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += numbers[i];
    return sum;
}

#endif
