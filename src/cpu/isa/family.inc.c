/* family.inc.c - the loops of one family of kernels in every compute type. A template: LOOPS_OF, its name, and ROWS, its table in
 * src/tables/kernels, are defined by the includer. Nothing here depends on another family: a new row recompiles its own only. */
#include "cpu/loops.h"

enum {
#define UN(name, ...)  ROW_##name,
#define BIN(name, ...) ROW_##name,
#define TER(name, ...) ROW_##name,
#include ROWS
#undef UN
#undef BIN
#undef TER
    NUM_ROWS
};
_Static_assert((int)NUM_ROWS <= (int)KT__FAMILY_ROWS, "a family has room for so many rows: divide it");

enum { NO }; /* an absent expression; its loop is dropped */
enum { LOOP__, LOOP_HALVES, LOOP_DIVIDES, LOOP_MANY, LOOP_LONG, LOOP_LANES, LOOP_NEAR, LOOP_BRIEF }; /* the column `loop` */

#include "cpu/isa/types/f32.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/f64.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/i32.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/i64.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/u64.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/c64.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"

#include "cpu/isa/types/c128.h"
#include "cpu/isa/loops.inc.c"
#include "cpu/isa/types/end.h"
