/* ops.c - `karat ops`: the operator table, read through the public functions: by sections, one row whole, or as JSON. */
#include <karat/plugin/call.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat.h"

/* ---- names ---- */

enum { NAME = 128 };

/* PyTorch's second names of operators. */
static const struct {
    const char *alias, *name;
} aliases[] = {
#define ALIAS(alias, name) {#alias, #name},
#include "tables/aliases.def"
};

/* The name that Python calls a row by: what its schema begins with, up to the overload. */
static void python_name(const kt_row *row, char *out)
{
    snprintf(out, NAME, "%.*s", (int)strcspn(kt_row_schema(row), ".("), kt_row_schema(row));
}

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* Every spelling of a name that people paste: torch.add, F.relu, kt_add_s_, Tensor.add_, linalg.norm, aten::add. */
static const char *const prefixes[] = {"torch.", "karat.", "aten::", "ops.aten.", "Tensor.", "kt_"};
static const char *const homes[][2] = {{"nn.functional.", "nn_"}, {"functional.", "nn_"}, {"F.", "nn_"}, {"linalg.", "linalg_"},
                                       {"special.", "special_"}, {"fft.", "fft_"}};

/* `name` without what stands before and after it; `home` gets what a row of that module begins with. */
static void strip(const char *asked, char *name, const char **home)
{
    *home = "";
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(asked, prefixes[i], strlen(prefixes[i])) == 0) {
                asked += strlen(prefixes[i]);
                again = true;
            }
        for (size_t i = 0; !**home && i < sizeof homes / sizeof *homes; i++)
            if (strncmp(asked, homes[i][0], strlen(homes[i][0])) == 0) {
                asked += strlen(homes[i][0]);
                *home = homes[i][1];
                again = true;
            }
    }
    snprintf(name, NAME, "%.*s", (int)strcspn(asked, "("), asked);
}

/* Does a row go by this name, in C or in Python, plain or with its module's prefix? */
static bool is_called(const kt_row *row, const char *name, const char *home)
{
    char python[NAME], full[2 * NAME];
    python_name(row, python);
    snprintf(full, sizeof full, "%s%s", home, name);
    if (*home && (strcmp(full, python) == 0 || strcmp(full, kt_row_name(row)) == 0))
        return true;
    return strcmp(name, kt_row_name(row)) == 0 || strcmp(name, python) == 0 ||
           (strncmp(python, "nn_", 3) == 0 && strcmp(name, python + 3) == 0);
}

static int print_called(const char *name, const char *home, bool json);

/* The name itself, then without the suffix of a form, then the name that it is an alias of. */
static int find(const char *asked, bool json)
{
    static const char *const suffixes[] = {"_kw", "_out", "_", "_ss", "_s"};
    char                     name[NAME];
    const char              *home;
    strip(asked, name, &home);
    for (int tries = 0; tries < 4; tries++) {
        int n = print_called(name, home, json);
        for (size_t i = 0; !n && i < sizeof aliases / sizeof *aliases; i++)
            if (strcmp(name, aliases[i].alias) == 0)
                n = print_called(aliases[i].name, home, json);
        if (n)
            return n;
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
            if (ends_in(name, suffixes[i])) {
                name[strlen(name) - strlen(suffixes[i])] = '\0';
                break;
            }
    }
    return 0;
}

/* ---- near names ---- */

static int least(int a, int b) { return a < b ? a : b; }

/* How many letters must change, come or go (Levenshtein). */
static int distance(const char *a, const char *b)
{
    int row[NAME + 1], n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least(least(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

static void say_nearest(const char *asked)
{
    char        name[NAME];
    const char *home, *comma = "; near to it: ";
    strip(asked, name, &home);
    fprintf(stderr, "karat ops: there is no operator '%s'", asked);
    const int most = 1 + (int)strlen(name) / 3;
    int       said = 0;
    for (int d = 0; d <= most; d++)
        for (int i = 0; said < 6 && kt_row_at(i); i++)
            if (!kt_row_is_internal(kt_row_at(i)) && distance(name, kt_row_name(kt_row_at(i))) == d) {
                fprintf(stderr, "%s%s", comma, kt_row_name(kt_row_at(i)));
                comma = ", ";
                said++;
            }
    for (int i = 0; strlen(name) > 2 && said < 6 && kt_row_at(i); i++)
        if (strstr(kt_row_name(kt_row_at(i)), name) && distance(name, kt_row_name(kt_row_at(i))) > most) {
            fprintf(stderr, "%s%s", comma, kt_row_name(kt_row_at(i)));
            comma = ", ";
            said++;
        }
    fputs("\n", stderr);
}

/* ---- one row ---- */

static const char *takes(const kt_row *row, char *text, size_t room)
{
    static const char *const words[] = {"bool", "integers", "floats", "complex"};
    const unsigned           bits = kt_row_takes(row);
    text[0] = '\0';
    for (int i = 0; i < 4; i++)
        if (bits >> i & 1)
            snprintf(text + strlen(text), room - strlen(text), "%s%s", text[0] ? ", " : "", words[i]);
    return text;
}

/* "torch.nn.functional.gelu": where Python has it. */
static void print_python(const kt_row *row)
{
    char python[NAME];
    python_name(row, python);
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (strncmp(python, homes[i][1], strlen(homes[i][1])) == 0) {
            printf("  Python       torch.%s%s\n", homes[i][0], python + strlen(homes[i][1]));
            return;
        }
    const bool plain = kt_row_has_form(row, KT_PLAIN), written = ends_in(python, "_");
    printf("  Python       torch.%s%s%s\n", plain && !written ? "" : "Tensor.", python, plain || written ? "" : "_");
}

static void print_row(const kt_row *row)
{
    const bool plain = kt_row_has_form(row, KT_PLAIN);
    char       text[64];
    printf("%s\n  %s\n", kt_row_schema(row), kt_row_doc(row));
    if (!kt_row_is_internal(row))
        print_python(row);
    printf("  C            ");
    if (plain)
        printf("kt_%s", kt_row_name(row));
    if (kt_row_has_form(row, KT_INPLACE))
        printf("%skt_%s_ (in place)", plain ? ", " : "", kt_row_name(row));
    if (kt_row_has_form(row, KT_OUT))
        printf(", kt_%s_out", kt_row_name(row));
    printf("\n  takes        %s\n", takes(row, text, sizeof text));
    printf("  gives        %s\n", kt_row_dtype_rule(row));
    printf("  derivative   %s\n", kt_row_derivative(row));
    if (kt_row_is_view(row))
        puts("  a view: shares storage with its input");
    printf("  section      %s%s\n", kt_row_section(row), kt_row_is_internal(row) ? " (internal)" : "");
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_json(const kt_row *row, bool first)
{
    char              text[64], python[NAME];
    const char *const field[][2] = {{"name", kt_row_name(row)}, {"python", python}, {"section", kt_row_section(row)},
                                    {"schema", kt_row_schema(row)}, {"doc", kt_row_doc(row)},
                                    {"takes", takes(row, text, sizeof text)},
                                    {"gives", kt_row_dtype_rule(row)}, {"derivative", kt_row_derivative(row)}};
    python_name(row, python);
    printf("%s{", first ? "" : ",\n ");
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        printf("%s\"%s\": ", i ? ", " : "", field[i][0]);
        print_quoted(field[i][1]);
    }
    printf(", \"plain\": %s, \"in_place\": %s, \"out\": %s, \"view\": %s, \"internal\": %s}",
           kt_row_has_form(row, KT_PLAIN) ? "true" : "false", kt_row_has_form(row, KT_INPLACE) ? "true" : "false",
           kt_row_has_form(row, KT_OUT) ? "true" : "false", kt_row_is_view(row) ? "true" : "false",
           kt_row_is_internal(row) ? "true" : "false");
}

static int print_called(const char *name, const char *home, bool json)
{
    int n = 0;
    for (int i = 0; kt_row_at(i); i++)
        if (is_called(kt_row_at(i), name, home)) {
            if (json)
                print_json(kt_row_at(i), n == 0);
            else {
                fputs(n ? "\n" : "", stdout);
                print_row(kt_row_at(i));
            }
            n++;
        }
    return n;
}

/* ---- all of them ---- */

static void print_all(bool internal, bool json)
{
    const char *section = "";
    int         shown = 0, hidden = 0;
    for (int i = 0; kt_row_at(i); i++) {
        const kt_row *row = kt_row_at(i);
        if (kt_row_is_internal(row) && !internal) {
            hidden++;
            continue;
        }
        if (json)
            print_json(row, shown == 0);
        else {
            if (strcmp(section, kt_row_section(row)) != 0)
                printf("%s%s\n", shown ? "\n" : "", section = kt_row_section(row));
            printf("  %-26s %s\n", kt_row_name(row), kt_row_doc(row));
        }
        shown++;
    }
    if (!json)
        printf("\n%d operators%s", shown, hidden ? "" : "\n");
    if (!json && hidden)
        printf("; %d internal ones with --internal\n", hidden);
}

int karat_ops(int n, char **words)
{
    bool json = false, internal = false;
    int  names = 0, status = 0;
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], "--json") == 0)
            json = true;
        else if (strcmp(words[i], "--internal") == 0)
            internal = true;
        else if (words[i][0] == '-') {
            fprintf(stderr, "karat ops [--json] [--internal] [NAME ...]: there is no option '%s'\n", words[i]);
            return 2;
        } else
            names++;
    fputs(json ? "[" : "", stdout);
    if (!names)
        print_all(internal, json);
    for (int i = 0, shown = 0; i < n; i++) {
        if (words[i][0] == '-')
            continue;
        fputs(shown ? json ? "," : "\n" : "", stdout);
        const int found = strlen(words[i]) < NAME ? find(words[i], json) : 0;
        shown += found;
        if (!found) {
            fflush(stdout);
            say_nearest(words[i]);
            status = 1;
        }
    }
    fputs(json ? "]\n" : "", stdout);
    return status;
}
