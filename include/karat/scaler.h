/* scaler.h - the scale of a loss in mixed precision: float16 gradients that are small do not become zero, and a step whose
 * gradients are not finite is skipped. Algorithm, defaults and messages are those of PyTorch's GradScaler.
 *
 *     kt_scaler *scaler = kt_scaler_make();
 *     ...
 *     { KT_AUTOCAST(KT_F16); loss = ...; }
 *     kt_backward(kt_scaler_scale(scaler, loss));
 *     kt_scaler_step(scaler, adam);
 *     kt_scaler_update(scaler);
 *     ...
 *     kt_scaler_drop(scaler);
 *
 * After a skipped step the values of the next one are looked at: kt_scaler_first_not_finite says what made the first that was
 * not finite. A scaler is used by one thread at a time. */
#ifndef KARAT_SCALER_H
#define KARAT_SCALER_H

#include <karat/grad.h>
#include <karat/optim.h>

KT_BEGIN

typedef struct kt_scaler kt_scaler;

typedef struct KT_OPTIONS kt_scaler_opts {
    size_t      size;
    KT_BY_NAME
    kt_opt_real init_scale;      /* 65536 */
    KT_AFTER(init_scale)
    kt_opt_real growth_factor;   /* 2 */
    KT_AFTER(growth_factor)
    kt_opt_real backoff_factor;  /* 0.5 */
    KT_AFTER(backoff_factor)
    kt_opt_int  growth_interval; /* 2000: so many steps without a skip, and the scale grows */
} kt_scaler_opts;

KT_API kt_scaler *kt_scaler_make_kw(const kt_scaler_opts *opts); /* owned: kt_scaler_drop */
#define kt_scaler_make(...) kt_scaler_make_kw(KT_KW(kt_scaler_opts, __VA_ARGS__))
KT_API void       kt_scaler_drop(kt_scaler *s);

KT_API kt_tensor *kt_scaler_scale(kt_scaler *s, kt_tensor *loss);       /* the loss times the scale, on its device */
KT_API kt_status  kt_scaler_unscale(kt_scaler *s, kt_optimizer *o);     /* before gradients are clipped; step does it else */
KT_API kt_status  kt_scaler_step(kt_scaler *s, kt_optimizer *o);        /* unless a gradient is not finite */
KT_API bool       kt_scaler_stepped(const kt_scaler *s);                /* did the last one? */
KT_API kt_status  kt_scaler_update(kt_scaler *s);                       /* once for each iteration: the next scale */

KT_API double     kt_scaler_get_scale(const kt_scaler *s);
KT_API kt_status  kt_scaler_set_scale(kt_scaler *s, double scale);
KT_API int64_t    kt_scaler_growth_tracker(const kt_scaler *s);         /* steps since the last change */

/* ---- what happened ---- */
typedef struct kt_scale_change {
    size_t  size;   /* of this struct, set by the caller */
    int64_t update; /* the number of the call of kt_scaler_update */
    double  from, to;
    bool    skipped;
} kt_scale_change;
/* The last 1,000 changes and skips, the oldest first; false past the end. */
KT_API bool    kt_scaler_log(const kt_scaler *s, int64_t i, kt_scale_change *out);
/* Of the last skipped step: parameters whose gradients were not finite; how many there are. kt_module_each knows their paths. */
KT_API int64_t kt_scaler_not_finite(const kt_scaler *s, kt_tensor **out, int64_t room);
/* Of the last step that was looked at; false: all its values were finite, or there was none. */
KT_API bool    kt_scaler_first_not_finite(const kt_scaler *s, kt_not_finite *out);

KT_END
#endif
