/* random.h - random number generators: mt19937, giving the same numbers as PyTorch's CPU generator for the same seed.
 *
 * Operators that draw take `.generator =`; NULL means the default generator of the device (karat/device.h), which is the CPU's
 * unless the device has its own. Each generator has a lock, taken once for each operator call: threads may share one. A state has
 * PyTorch's layout and can be exchanged with it. */
#ifndef KARAT_RANDOM_H
#define KARAT_RANDOM_H

#include <karat/base.h>

KT_BEGIN

typedef struct kt_generator kt_generator;

enum { KT_GENERATOR_STATE = 5056 }; /* bytes */

KT_API kt_generator *kt_generator_new(void);                    /* owned: kt_generator_drop; NULL when out of memory */
KT_API kt_generator *kt_generator_keep(kt_generator *g);        /* one more owner: you */
KT_API void          kt_generator_drop(kt_generator *g);        /* one owner less; NULL and default ones are fine */
KT_API kt_generator *kt_default_generator(void);                /* the process's default: borrowed, never freed */

KT_API void      kt_generator_manual_seed(kt_generator *g, uint64_t seed);
KT_API uint64_t  kt_generator_seed(kt_generator *g);            /* seeds from the system; returns the seed */
KT_API uint64_t  kt_generator_initial_seed(kt_generator *g);
KT_API size_t    kt_generator_state_bytes(kt_generator *g);     /* KT_GENERATOR_STATE, or 16 for a device's own */
KT_API uint64_t  kt_generator_offset(kt_generator *g);          /* of a device's own (karat/device.h), which counts its draws */
KT_API kt_status kt_generator_set_offset(kt_generator *g, uint64_t offset);
KT_API void      kt_generator_get_state(kt_generator *g, unsigned char state[KT_GENERATOR_STATE]);
KT_API kt_status kt_generator_set_state(kt_generator *g, const unsigned char *state, size_t bytes);

/* The same for the default generator (NULL above). Seeds go to the default generators of devices too, now or when the device is
 * loaded. */
KT_API void      kt_manual_seed(uint64_t seed);
KT_API uint64_t  kt_seed(void);
KT_API uint64_t  kt_initial_seed(void);

KT_END
#endif
