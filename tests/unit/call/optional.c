/* optional.c - every row with each of its optional arguments given or absent, in each combination: an absent one is its
 * default, in results and in errors, and nothing unset is read (the sanitizers see that). */
#include "harness.h"

#include "support/any_row.h"

enum { MOST_ELEMENTS = ANY_ROW_BYTES / 16, MOST_LISTED = 16 };

static bool same_results(kt_tensor *const *a, kt_tensor *const *b, int n)
{
    bool same = true;
    for (int i = 0; i < n && same; i++)
        same = kt_numel(a[i]) > MOST_ELEMENTS || same_values(a[i], b[i]);
    return same;
}

static void drop_warning(const char *text) { (void)text; }

TEST(each_combination)
{
    const kt_row *row;
    int           ran = 0, cases = 0;
    kt_on_warning(drop_warning);
    for (int i = 0; (row = kt_row_at(i)); i++)
        for (int d = 0; d < 2; d++) {
            uint32_t optional = 0;
            for (int a = 0; a < kt_row_n_args(row); a++)
                optional |= (uint32_t)(kt_row_arg(row, a)->has_default || kt_row_arg(row, a)->optional) << a;
            for (uint32_t given = optional;; given = (given - 1) & optional) { /* each subset of them is given a value */
                KT_SCOPE;
                kt_call    c, explicit;
                kt_tensor *got[MOST_LISTED], *want[MOST_LISTED];
                int        n, n_want;
                any_call(&c, row, kt_row_has_form(row, KT_PLAIN) ? KT_PLAIN : KT_INPLACE, d ? KT_I64 : KT_F32, 2);
                for (int a = 0; a < kt_row_n_args(row); a++)
                    if (given >> a & 1)
                        any_argument(&c, a, d ? KT_I64 : KT_F32, 2);
                explicit = c;
                for (int a = 0; a < kt_row_n_args(row); a++)
                    if (optional >> a & ~(c.given >> a) & 1 && kt_row_arg(row, a)->has_default && !kt_row_arg(row, a)->optional) {
                        explicit.arg[a] = kt_row_arg(row, a)->value;
                        explicit.given |= 1u << a;
                    }
                if (c.form == KT_INPLACE && kt_row_arg(row, 0)->kind == KT_ARG_TENSOR)
                    explicit.arg[0].t = kt_clone(c.arg[0].t);
                cases++;
                kt_manual_seed(1);
                const bool did = any_run(&c, got, MOST_LISTED, &n);
                char       text[2048];
                snprintf(text, sizeof text, "%s", error_line());
                kt_clear();
                kt_manual_seed(1);
                const bool same = any_run(&explicit, want, MOST_LISTED, &n_want);
                CHECK_MSG(did == same && strcmp(text, error_line()) == 0, "%s: absent \"%s\", the default given \"%s\"",
                          row->name, text, error_line());
                kt_clear();
                if (did && same && strncmp(row->name, "empty", 5) != 0 && strncmp(row->name, "new_empty", 9) != 0)
                    CHECK_MSG(n == n_want && same_results(got, want, n), "%s: an absent argument is not its default", row->name);
                kt_clear();
                ran += did;
                if (!given)
                    break;
            }
        }
    printf("  %d combinations of optional arguments, %d ran\n", cases, ran);
    CHECK(ran > 1000);
}
