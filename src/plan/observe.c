/* observe.c - see observe.h: the hooks, empty until grad, batch and lineage fill them in (src/karat.c). */
#include "plan/observe.h"

kt__tape_hooks    kt__tape;
kt__write_watch *_Atomic kt__about_to_write;
kt__batch_hooks   kt__batching;
kt__lineage_hooks kt__lineage;
