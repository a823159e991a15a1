/* taps.h - one dim of an image that is resized, for taps.inc.c. */
#ifndef KT_MATH_TAPS_H
#define KT_MATH_TAPS_H

#include <stdbool.h>
#include <stdint.h>

/* One dim in space, and how it is resized. */
typedef struct kt__along {
    int64_t from, to;    /* elements of the image that is resized and of the result; what flows back goes to `from` */
    double  scale;       /* what the program multiplied `from` by; not above 0: nobody knows */
    int     filter;      /* kt__filter */
    bool    align, antialias, back, by_channels;
    bool    copies;      /* nothing is resized along this dim */
} kt__along;

#endif
