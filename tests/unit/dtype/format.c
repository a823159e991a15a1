/* format.c - numbers as text: known texts, and random doubles that must read back and have no shorter text. */
#include "dtype/format.h"
#include "harness.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static void check_double(double x, const char *want)
{
    char text[KT__FORMAT_MAX];
    const int n = kt__format_double(text, x);
    CHECK_STR(text, want);
    CHECK_EQ_INT(n, strlen(want));
}

TEST(doubles)
{
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1.0, "1.0");
    check_double(-2.5, "-2.5");
    check_double(0.1, "0.1");
    check_double((double)0.1f, "0.10000000149011612");
    check_double(1e-5, "1e-05");
    check_double(0.0001, "0.0001");
    check_double(0.00012345, "0.00012345");
    check_double(1.5e-7, "1.5e-07");
    check_double(123456789.0, "123456789.0");
    check_double(1e15, "1000000000000000.0");
    check_double(1e16, "1e+16");
    check_double(9007199254740993.0, "9007199254740992.0");
    check_double(12345678901234567.0, "1.2345678901234568e+16");
    check_double(1e22, "1e+22");
    check_double(1e23, "1e+23");
    check_double(1e100, "1e+100");
    check_double(3.4028234663852886e+38, "3.4028234663852886e+38");
    check_double(1.7976931348623157e308, "1.7976931348623157e+308");
    check_double(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_double(5e-324, "5e-324");
    check_double(0x1p-44, "5.684341886080802e-14"); /* the neighbour below is nearer: 16 digits do */
    check_double(0x1p-1022, "2.2250738585072014e-308");
    check_double(1.0 / 3.0, "0.3333333333333333");
    check_double(2.0 / 3.0, "0.6666666666666666");
    check_double(4.35, "4.35");
    check_double(0x1.fffffffffffffp+52, "9007199254740991.0");
    check_double(INFINITY, "inf");
    check_double(-INFINITY, "-inf");
    check_double(NAN, "nan");
    check_double(-NAN, "nan");
}

static void check_scalar(kt_scalar s, const char *want)
{
    char text[KT__FORMAT_MAX];
    CHECK_EQ_INT(kt__format_scalar(text, s), strlen(want));
    CHECK_STR(text, want);
}

TEST(scalars)
{
    check_scalar(KT_FLAG(true), "True");
    check_scalar(KT_FLAG(false), "False");
    check_scalar(KT_INT(0), "0");
    check_scalar(KT_INT(-17), "-17");
    check_scalar(KT_INT(INT64_MAX), "9223372036854775807");
    check_scalar(KT_INT(INT64_MIN), "-9223372036854775808");
    kt_scalar big = KT_INT(-1);
    big.is_unsigned = 1;
    check_scalar(big, "18446744073709551615");
    check_scalar(KT_FLOAT(0.5), "0.5");
    check_scalar(KT_COMPLEX(1, 2), "(1+2j)");
    check_scalar(KT_COMPLEX(1, -2), "(1-2j)");
    check_scalar(KT_COMPLEX(0, 1), "1j");
    check_scalar(KT_COMPLEX(0, 0), "0j");
    check_scalar(KT_COMPLEX(0, -0.0), "-0j");
    check_scalar(KT_COMPLEX(-0.0, 1.5), "(-0+1.5j)");
    check_scalar(KT_COMPLEX(1, -0.0), "(1-0j)");
    check_scalar(KT_COMPLEX(NAN, NAN), "(nan+nanj)");
    check_scalar(KT_COMPLEX(1, -NAN), "(1+nanj)");
    check_scalar(KT_COMPLEX(INFINITY, -INFINITY), "(inf-infj)");
    check_scalar(KT_COMPLEX(1e16, 1e-5), "(1e+16+1e-05j)");
    check_scalar(KT_COMPLEX(-1.2345678901234567e-300, -1.2345678901234567e-300),
                 "(-1.2345678901234568e-300-1.2345678901234568e-300j)");
    check_scalar((kt_scalar){{0}, 0, 0, 0}, "None");
}

TEST(elements)
{
    char text[KT__FORMAT_MAX];
    const uint16_t half = 0x2e66, brain = 0x3dcd;
    const float single = 1e-5f;
    const uint8_t e4 = 0x7f, byte = 200;
    const int8_t small = -56;
    const float pair[2] = {0, 0.1f};
    kt__format_element(text, &half, KT_F16);
    CHECK_STR(text, "0.0999755859375");
    kt__format_element(text, &brain, KT_BF16);
    CHECK_STR(text, "0.10009765625");
    kt__format_element(text, &single, KT_F32);
    CHECK_STR(text, "9.999999747378752e-06");
    kt__format_element(text, &e4, KT_E4M3FN);
    CHECK_STR(text, "nan");
    kt__format_element(text, &byte, KT_U8);
    CHECK_STR(text, "200");
    kt__format_element(text, &small, KT_I8);
    CHECK_STR(text, "-56");
    kt__format_element(text, &byte, KT_BOOL);
    CHECK_STR(text, "True");
    kt__format_element(text, pair, KT_C64);
    CHECK_STR(text, "0.10000000149011612j");
}

static int digits_of(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n || *text != '0')) {
            n++;
            zeros = *text == '0' ? zeros + 1 : 0;
        }
    return n - zeros;
}

/* The n-th significant digit. */
static char digit_at(const char *text, int n)
{
    text += strcspn(text, "123456789");
    for (;; text++)
        if (*text < '0' || *text > '9') {
            if (*text != '.')
                return '0'; /* past the end */
        } else if (n-- == 0) {
            return *text;
        }
}

static bool same_digits(const char *a, const char *b, int n)
{
    for (int i = 0; i < n; i++)
        if (digit_at(a, i) != digit_at(b, i))
            return false;
    return true;
}

TEST(random_doubles_read_back)
{
    const int n = test_all() ? 3000000 : 100000;
    test_seed();
    for (int i = 0; i < n; i++) {
        uint64_t bits = test_random();
        if (i % 3 == 0)
            bits &= ~(uint64_t)0 << test_below(53); /* few bits: short texts, and powers of two */
        if (i % 7 == 0)
            bits = (bits & ~(uint64_t)0x7ff << 52) | (1023 - 60 + test_below(120)) << 52;
        double x;
        memcpy(&x, &bits, 8);
        if (!isfinite(x) || x == 0)
            continue;
        char text[KT__FORMAT_MAX], shorter[64];
        kt__format_double(text, x);
        const double back = strtod(text, NULL);
        if (!CHECK_MSG(back == x, "%a as %s", x, text))
            return;
        const int digits = digits_of(text);
        if (digits > 1) {
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, x);
            if (!CHECK_MSG(strtod(shorter, NULL) != x, "%s reads back too, as %s", shorter, text))
                return;
        }
        snprintf(shorter, sizeof shorter, "%.*e", digits - 1, x); /* nearest with so many digits, if that reads back */
        if (strtod(shorter, NULL) == x &&
            !CHECK_MSG(same_digits(shorter, text, digits), "%s is nearer than %s", shorter, text))
            return;
    }
}

TEST(locale_plays_no_part)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) {
            check_double(2.5, "2.5");
            setlocale(LC_ALL, "C");
            return;
        }
    test_skip("no locale with a decimal comma here");
}
