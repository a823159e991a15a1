/* near_rows.h - the rows of ROWS in column NEAR, each as NEAR_NEAR(name), which the includer defines for a switch. */
#define NEAR__(name)
#define NEAR_LONG(name)
#define NEAR_LANES(name)
#define NEAR_MANY(name)
#define NEAR_DIVIDES(name)
#define UN(name, loop, ...) NEAR_##loop(name)
#define BIN(...)
#define TER(...)
#include ROWS
#undef UN
#undef BIN
#undef TER
#undef NEAR__
#undef NEAR_LONG
#undef NEAR_LANES
#undef NEAR_MANY
#undef NEAR_NEAR
#undef NEAR_DIVIDES
