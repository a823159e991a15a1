/* within.h - passes of a convolution that read nothing beyond the image, for weights that are infinite or NaN. */
#ifndef KT_CPU_WINDOW_WITHIN_H
#define KT_CPU_WINDOW_WITHIN_H

#include "cpu/window/pass.h"

typedef kt_status kt__pass_fn(pass *p, const weight *w, bool back);

kt_status kt__has_nan_at_corners(const pass *p, bool *nan); /* of what the pass has written */
kt_status kt__run_within(const pass *p, const weight *w, kt__pass_fn *run);

#endif
