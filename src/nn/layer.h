/* layer.h - what layers share: how their parts are made and found.
 *
 * In: a module, sizes. Out: parameters, drawn as PyTorch draws them. Independent of: what a layer computes. */
#ifndef KT_NN_LAYER_H
#define KT_NN_LAYER_H

#include "nn/module.h"

#include <karat/mode.h>
#include <karat/ops.h>

static inline kt_tensor *kt__part(const kt_module *m, const char *name) { return kt_module_tensor(m, name); }

kt_module *kt__complete(kt_module *m);                    /* the module, or NULL: a part could not be made or added */
bool kt__are_positive(const char *layer, int64_t a, int64_t b); /* else an error is pending */
void kt__add_uniform(kt_module *m, const char *name, kt_shape shape, double bound); /* a parameter from -bound to bound */
void kt__add_affine(kt_module *m, kt_shape weight, int64_t fan_in, bool bias);      /* of linear layers and convolutions */
void kt__add_constant(kt_module *m, const char *name, int64_t n, double value, bool parameter); /* or a buffer */

#endif
