/* consumer.c - a stranger's program: built only from what `make install` put down. */
#include <karat/base.h>
#include <string.h>

int main(void)
{
    char built[32];
    snprintf(built, sizeof built, "%d.%d.%d", KT_VERSION_MAJOR, KT_VERSION_MINOR, KT_VERSION_PATCH);
    printf("built with %s, runs with %s\n", built, kt_version());
    return strcmp(built, kt_version()) != 0 || kt_failed();
}
