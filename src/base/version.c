/* version.c - the version of the library that is running, which may differ from the headers a program was built with.
 *
 * In: the numbers in base.h. Out: one text. Independent of: everything else. */
#include <karat/base.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *kt_version(void)
{
    return TEXT(KT_VERSION_MAJOR) "." TEXT(KT_VERSION_MINOR) "." TEXT(KT_VERSION_PATCH);
}
