/* lesson.h - what the lessons share: EXPECT checks a result of the lesson itself, show prints a tensor under a caption. */
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

#endif
