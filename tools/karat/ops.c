/* ops.c - `karat ops`: the operator table, read through the public functions: by section, one row in full, as JSON, or as
 * docs/operators.md (--markdown, run by `make gen`). */
#include <karat/plugin/call.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "karat.h"
#include "tables/schema.h"

/* ---- names ---- */

enum { NAME = KT_NEAR_MOST };

/* PyTorch's second names of operators. */
static const struct {
    const char *alias, *name;
} aliases[] = {
#define ALIAS(alias, name) {#alias, #name},
#include "tables/aliases.def"
};

/* A row's Python name: its schema up to the overload. */
static void python_name(const kt_row *row, char *out)
{
    snprintf(out, NAME, "%.*s", schema_name_length(kt_row_schema(row)), kt_row_schema(row));
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

/* `name` without module and arguments; `home` is the prefix of that module's rows. */
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

/* Does the row have this name, in C or in Python, with or without its module's prefix? */
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

static int print_called(const char *name, const char *home, bool json, int before);

/* Tries the name, then without the suffix of a form, then the row it is an alias of. */
static int find(const char *asked, bool json, int before)
{
    static const char *const suffixes[] = {"_kw", "_out", "_", "_ss", "_s"};
    char                     name[NAME], full[2 * NAME];
    const char              *home;
    strip(asked, name, &home);
    for (int tries = 0; tries < 4; tries++) {
        int n = print_called(name, home, json, before);
        snprintf(full, sizeof full, "%s%s", home, name);
        for (size_t i = 0; !n && i < sizeof aliases / sizeof *aliases; i++)
            if (strcmp(name, aliases[i].alias) == 0 || strcmp(full, aliases[i].alias) == 0)
                n = print_called(aliases[i].name, home, json, before);
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

static void say_nearest(const char *asked)
{
    char        name[NAME];
    const char *home, *comma = "; did you mean ";
    strip(asked, name, &home);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    fprintf(stderr, "karat ops: unknown operator '%s'", asked);
    const int most = 1 + (int)strlen(name) / 3;
    int       said = 0;
    for (int d = 0; d <= most; d++)
        for (int i = 0; said < 6 && kt_row_at(i); i++)
            if (!kt_row_is_internal(kt_row_at(i)) && kt__letters_apart(name, kt_row_name(kt_row_at(i))) == d) {
                fprintf(stderr, "%s%s", comma, kt_row_name(kt_row_at(i)));
                comma = ", ";
                said++;
            }
    for (int i = 0; strlen(name) > 2 && said < 6 && kt_row_at(i); i++)
        if (strstr(kt_row_name(kt_row_at(i)), name) && kt__letters_apart(name, kt_row_name(kt_row_at(i))) > most) {
            fprintf(stderr, "%s%s", comma, kt_row_name(kt_row_at(i)));
            comma = ", ";
            said++;
        }
    fputs("\n", stderr);
}

/* ---- one row ---- */

static const char *takes(const kt_row *row, char *text, size_t room)
{
    static const char *const words[] = {"bool", "integers", "floats", "complex"}; /* ORDER CATEGORY */
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

/* The C functions of a row, each between `quote`s. */
static void print_functions(const kt_row *row, const char *quote, const char *in_place)
{
    static const struct {
        kt_form     form;
        const char *suffix;
    } forms[] = {{KT_PLAIN, ""}, {KT_INPLACE, "_"}, {KT_OUT, "_out"}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (kt_row_has_form(row, forms[i].form)) {
            printf("%s%skt_%s%s%s%s", comma, quote, kt_row_name(row), forms[i].suffix, quote,
                   forms[i].form == KT_INPLACE ? in_place : "");
            comma = ", ";
        }
}

static void print_row(const kt_row *row)
{
    char text[64];
    printf("%s\n  %s\n", kt_row_schema(row), kt_row_doc(row));
    if (!kt_row_is_internal(row))
        print_python(row);
    printf("  C            ");
    print_functions(row, "", " (in place)");
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

/* `before`: how many rows were printed already. Out: how many are now. */
static int print_called(const char *name, const char *home, bool json, int before)
{
    int n = 0;
    for (int i = 0; kt_row_at(i); i++)
        if (is_called(kt_row_at(i), name, home)) {
            if (json)
                print_json(kt_row_at(i), before + n == 0);
            else {
                fputs(before + n ? "\n" : "", stdout);
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

/* ---- the reference ---- */

/* Plain text: Markdown's special characters are escaped. */
static void print_plain(const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_[]<>|", *text))
            putchar('\\');
        putchar(*text);
    }
}

/* Code in a cell of a table: only the bar between cells is escaped there. */
static void print_code(const char *text)
{
    putchar('`');
    for (; *text; text++)
        printf("%s%c", *text == '|' ? "\\" : "", *text);
    putchar('`');
}

static void print_reference_row(const kt_row *row)
{
    char              text[64];
    const char *const cells[] = {takes(row, text, sizeof text), kt_row_dtype_rule(row), kt_row_derivative(row), kt_row_doc(row)};
    fputs("| ", stdout);
    print_functions(row, "`", "");
    fputs(" | ", stdout);
    print_code(kt_row_schema(row));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        fputs(" | ", stdout);
        print_plain(cells[i]);
    }
    puts(kt_row_is_view(row) ? "; a view: shares storage with its input |" : " |");
}

static void print_reference(void)
{
    fputs("<!-- Written by `karat ops --markdown` (make gen): change the rows in src/tables/ops/ instead. -->\n"
          "# Operators\n\n"
          "Every operator, by sections, as the table of the engine has it; `karat ops NAME` shows one.\n\n"
          "- **C**: the functions of [ops.h](../include/karat/ops.h); a trailing `_` writes in place, `_out` into "
          "a tensor that is given.\n"
          "- **signature**: the arguments by PyTorch's names. What begins with `nn_`, `linalg_` or `special_` stands in that "
          "module in Python (`nn_` in `torch.nn.functional`).\n"
          "- **takes**: the kinds of dtypes that are accepted. **gives**: the dtype of the result. "
          "[Dtype rules](dtype_rules.md) explains both.\n"
          "- **derivative**: the name of the node that the tape records, which is `grad_fn` in Python.\n", stdout);
    const char *section = "";
    for (int i = 0; kt_row_at(i); i++) {
        const kt_row *row = kt_row_at(i);
        if (kt_row_is_internal(row))
            continue;
        if (strcmp(section, kt_row_section(row)) != 0) {
            section = kt_row_section(row);
            printf("\n## %c%s\n\n| C | signature | takes | gives | derivative | what it does |\n|---|---|---|---|---|---|\n",
                   toupper((unsigned char)section[0]), section + 1);
        }
        print_reference_row(row);
    }
}

static int usage(FILE *to)
{
    fputs("usage: karat ops [--json] [--internal] [NAME ...]\n"
          "       karat ops --markdown\n\n"
          "Without names: every operator in a line each. A name may be that of C (kt_add_s) or of Python (torch.add, F.relu).\n"
          "  --json       the same as data\n"
          "  --internal   also the rows that only formulas call\n"
          "  --markdown   the whole reference, as in docs/operators.md\n",
          to);
    return to == stderr ? 2 : 0;
}

int karat_ops(int n, char **words)
{
    bool json = false, internal = false, markdown = false;
    int  names = 0, status = 0;
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], "--json") == 0)
            json = true;
        else if (strcmp(words[i], "--internal") == 0)
            internal = true;
        else if (strcmp(words[i], "--markdown") == 0)
            markdown = true;
        else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return usage(stdout);
        else if (words[i][0] == '-') {
            fprintf(stderr, "karat ops: unknown option '%s'\n\n", words[i]);
            return usage(stderr);
        } else
            names++;
    if (markdown) {
        if (n > 1) {
            fputs("karat ops --markdown prints the whole reference: it takes no names and no other option\n", stderr);
            return 2;
        }
        print_reference();
        return 0;
    }
    fputs(json ? "[" : "", stdout);
    if (!names)
        print_all(internal, json);
    for (int i = 0, shown = 0; i < n; i++) {
        if (words[i][0] == '-')
            continue;
        const int found = strlen(words[i]) < NAME ? find(words[i], json, shown) : 0;
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
