/* explain.c - the explanation below an error's first line, and the text of kt_explain.
 *
 * In: a mistake (operator, operands, fixes), records, sites. Out: deterministic text, with calls spelled as in the
 * caller's language. Independent of: how records and sites are stored, how fixes are found; kernels, the tape. Never
 * fails: unknown parts are left out, long text is truncated. An error that is not about dtypes shows the call alone.
 *
 *       matmul(input: float32[64, 784], other: float16[784, 10])          train.py:41
 *         input  float32   born as float64, numpy.load                    data.py:12
 *                          cast to float32, .float()                      data.py:15
 *         other  float16   born as float16, from_numpy                    model.py:22
 *       fix: other.float() at train.py:41, or input.half() (can lose values), or run under karat.policy("permissive") */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "lineage/lineage.h"
#include "plan/observe.h"

#include <karat/dtype.h>
#include <karat/mode.h>
#include <karat/plugin/site.h>
#include <stdlib.h>
#include <string.h>

enum {
    SITE_COLUMN = 68,  /* where sites begin, unless a line is longer */
    LEFT_ROOM   = 320, /* the longest line without its site */
    SITE_ROOM   = 128,
    BODY_ROOM   = 2304, /* of an error's 4,095 bytes: leaves room for the first line and the fixes */
    FIX_ROOM    = 1376,
    NAME_ROOM   = 64,
    SHOWN_LINES = 24,   /* of chains in one error, shared by the operands */
    SHOWN_LEAST = 4
};

/* ---- lines with a site in the right column ---- */

/* Lines are laid out twice: first to measure, then to write. */
typedef struct sheet {
    kt__str *to; /* NULL: measuring */
    int      column;
} sheet;

static int width(const char *text)
{
    int n = 0;
    for (; *text; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80; /* continuation bytes of UTF-8 take no room */
    }
    return n;
}

static void put_line(sheet *s, const char *left, uint32_t site)
{
    const int taken = width(left);
    char      place[SITE_ROOM];
    if (!s->to) {
        s->column = site != 0 && taken + 2 > s->column ? taken + 2 : s->column;
        return;
    }
    kt__str_addf(s->to, "%s%s", s->to->length ? "\n" : "", left);
    if (site != 0 && kt__site_text(site, place, sizeof place))
        kt__str_addf(s->to, "%*s%s", s->column - taken, "", place);
}

/* ---- one record, one chain ---- */
static const struct {
    const char *before, *after; /* around the dtype */
} phrases[KT_NUM_REASONS] = {
    [KT_WHY_NONE] = {"became ", ""},
    [KT_WHY_EXPLICIT] = {"cast to ", ""},
    [KT_WHY_PROMOTION] = {"promoted to ", ""},
    [KT_WHY_SCALAR] = {"promoted to ", " by a number"},
    [KT_WHY_AUTOCAST] = {"autocast to ", ""},
    [KT_WHY_RESULT] = {"stored as ", ""},
    [KT_WHY_ASSIGN] = {"assigned as ", ""},
    [KT_WHY_INDEX] = {"widened to ", " as an index"},
    [KT_WHY_GRADIENT] = {"cast to ", " as a gradient"},
    [KT_WHY_LOADING] = {"cast to ", " on loading"},
    [KT_WHY_OPTIMIZER] = {"cast to ", " by the optimizer"},
    [KT_WHY_INTEROP] = {"cast to ", " on the way in or out"},
    [KT_WHY_POLICY] = {"cast to ", " by the policy"},
    [KT_BORN] = {"born as ", ""},
    [KT_BORN_LOADED] = {"loaded as ", ""},
    [KT_BORN_INTEROP] = {"taken over as ", ""},
};

/* A comparison gives bool, abs of complex its real type: "became", not "promoted to". */
static bool loses_kind(const kt__record *r)
{
    return r->why == KT_WHY_PROMOTION && r->from != KT_NONE &&
           kt_dtype_category((kt_dtype)r->to) < kt_dtype_category((kt_dtype)r->from);
}

/* In Python a cast is a method: .half() */
static void say_op(kt__str *s, const char *op, const kt__record *r)
{
    const bool method = r->why == KT_WHY_EXPLICIT && r->site != 0 && kt__site_in_binding(r->site) && !strpbrk(op, ".() ");
    kt__str_addf(s, method ? ".%s()" : "%s", op);
}

static void say_record(kt__str *s, const kt__record *r)
{
    if (r->to == KT_NONE || r->folded) {
        kt__str_add(s, r->op ? r->op : "");
        return;
    }
    const int why = loses_kind(r) ? KT_WHY_NONE : r->why;
    if (why == KT_WHY_GRADIENT && r->op && strcmp(r->op, "backward") == 0) {
        kt__str_add(s, "gradient of it");
        if (r->from != r->to)
            kt__str_addf(s, ", cast from %s to %s", kt_dtype_name((kt_dtype)r->from), kt_dtype_name((kt_dtype)r->to));
    } else {
        kt__str_addf(s, "%s%s%s", phrases[why].before, kt_dtype_name((kt_dtype)r->to), phrases[why].after);
    }
    if (r->op) {
        char room[NAME_ROOM];
        kt__str_add(s, ", ");
        say_op(s, kt__op_shown(r, room, sizeof room), r);
    }
}

typedef struct chain {
    int               n;
    const kt__record *record[KT__LINEAGE_DEPTH]; /* from birth to now */
} chain;

static void read_chain(chain *c, uint32_t id)
{
    const kt__record *r = kt__record_at(id);
    c->n = r ? r->depth : 0;
    for (int i = c->n; i-- > 0; r = kt__record_at(r->parent))
        c->record[i] = r;
}

/* `head` before the first line of a chain, blanks of the same width before the others. */
static void put_record(sheet *s, const char *head, bool first, const char *text, uint32_t site)
{
    char    left[LEFT_ROOM];
    kt__str line = kt__str_in(left, sizeof left);
    if (first) {
        kt__str_add(&line, head);
    } else {
        kt__str_addf(&line, "%*s", width(head), "");
    }
    kt__str_add(&line, text);
    put_line(s, left, site);
}

static void put_like(sheet *s, const char *head, uint32_t like);

static void put_chain(sheet *s, const char *head, const chain *c, int most)
{
    char    text[LEFT_ROOM];
    kt__str t = kt__str_in(text, sizeof text);
    bool    first = true;
    if (c->n == 0) {
        put_record(s, head, true, "of unknown origin", 0);
    } else if (c->record[0]->from != KT_NONE) {
        kt__str_addf(&t, "%s of unknown origin", kt_dtype_name((kt_dtype)c->record[0]->from));
        put_record(s, head, true, text, 0);
        first = false;
    }
    const int before = c->n <= most ? c->n : most / 2, after = c->n <= most ? 0 : most - before - 1;
    for (int i = 0; i < c->n; i++) {
        t = kt__str_in(text, sizeof text);
        if (i == before && i < c->n - after) {
            int left_out = 0;
            for (; i < c->n - after; i++)
                left_out += c->record[i]->folded ? (int)c->record[i]->folded : 1;
            i--;
            kt__str_addf(&t, "... %d conversions ...", left_out);
            put_record(s, head, first, text, 0);
        } else {
            say_record(&t, c->record[i]);
            put_record(s, head, first, text, c->record[i]->site);
            if (c->record[i]->like)
                put_like(s, head, c->record[i]->like);
        }
        first = false;
    }
}

/* The history of the tensor whose dtype a conversion had to give. */
static void put_like(sheet *s, const char *head, uint32_t like)
{
    char              text[LEFT_ROOM];
    chain             c;
    const char *const words[] = {"  as its parameter: ", "                    "};
    read_chain(&c, like);
    for (int i = 0; i < c.n; i++) {
        kt__str t = kt__str_in(text, sizeof text);
        kt__str_add(&t, words[i > 0]);
        say_record(&t, c.record[i]);
        put_record(s, head, false, text, c.record[i]->site);
    }
}

static int lines_of(const chain *c)
{
    int n = c->n + 2;
    for (int i = 0; i < c->n; i++)
        n += c->record[i]->like ? kt__record_at(c->record[i]->like)->depth : 0;
    return n;
}

/* ---- the call ---- */
static void say_type(kt__str *s, kt_dtype dtype, const kt_tensor *t)
{
    if (t) {
        const kt_shape shape = kt_sizes(t);
        kt__str_add(s, kt_dtype_name(dtype));
        kt__str_dims(s, shape.d, (int)shape.n);
    } else {
        kt__str_addf(s, "%s%snumber", dtype != KT_NONE ? kt_dtype_name(dtype) : "", dtype != KT_NONE ? " " : "");
    }
}

/* "other", or "tensors[1]" */
static const char *name_of(const kt__operand_note *o, char *room, size_t size)
{
    kt__str s = kt__str_in(room, size);
    kt__str_add(&s, o->name);
    if (o->element)
        kt__str_addf(&s, "[%d]", o->element - 1);
    return room;
}

static void put_call(sheet *s, const kt__mistake *m, uint32_t site)
{
    char    left[LEFT_ROOM], name[NAME_ROOM];
    kt__str line = kt__str_in(left, sizeof left);
    kt__str_addf(&line, "  %s(", m->op);
    for (int i = 0; i < m->n; i++) {
        kt__str_addf(&line, "%s%s: ", i ? ", " : "", name_of(&m->operand[i], name, sizeof name));
        say_type(&line, (kt_dtype)m->operand[i].dtype, m->operand[i].tensor);
    }
    kt__str_add(&line, ")");
    put_line(s, left, site);
}

static void put_operands(sheet *s, const kt__mistake *m)
{
    char room[NAME_ROOM];
    int  names = 0, dtypes = 0, tensors = 0;
    for (int i = 0; i < m->n; i++) {
        if (m->operand[i].tensor) {
            const int name = width(name_of(&m->operand[i], room, sizeof room));
            const int dtype = width(kt_dtype_name((kt_dtype)m->operand[i].dtype));
            names = name > names ? name : names;
            dtypes = dtype > dtypes ? dtype : dtypes;
            tensors++;
        }
    }
    const int share = tensors ? SHOWN_LINES / tensors : 0;
    for (int i = 0; i < m->n; i++) {
        const kt__operand_note *o = &m->operand[i];
        if (o->tensor) {
            char        head[LEFT_ROOM];
            kt__str     h = kt__str_in(head, sizeof head);
            const char *dtype = kt_dtype_name((kt_dtype)o->dtype), *name = name_of(o, room, sizeof room);
            const int   after_name = names - width(name) + 2, after_dtype = dtypes - width(dtype) + 3;
            chain       c;
            kt__str_addf(&h, "    %s%*s%s%*s", name, after_name, "", dtype, after_dtype, "");
            read_chain(&c, kt_lineage_of(o->tensor));
            put_chain(s, head, &c, share < SHOWN_LEAST ? SHOWN_LEAST : share);
        }
    }
}

/* ---- the fixes ---- */
static const char *method_of(kt_dtype d) /* Tensor's short cast methods */
{
    switch (d) {
    case KT_BOOL: return "bool";
    case KT_U8: return "byte";
    case KT_I8: return "char";
    case KT_I16: return "short";
    case KT_I32: return "int";
    case KT_I64: return "long";
    case KT_F16: return "half";
    case KT_BF16: return "bfloat16";
    case KT_F32: return "float";
    case KT_F64: return "double";
    case KT_C32: return "chalf";
    case KT_C64: return "cfloat";
    case KT_C128: return "cdouble";
    default: return NULL;
    }
}

/* A parameter is called by the name in its first record: nn.Linear weight "head". */
static void say_owner(kt__str *s, const char *name, const chain *c)
{
    const char *op = c->n ? c->record[0]->op : NULL;
    const char *open = op ? strchr(op, '"') : NULL, *close = open ? strchr(open + 1, '"') : NULL;
    if (close) {
        kt__str_addn(s, open, (size_t)(close - open) + 1);
    } else {
        kt__str_add(s, name);
    }
}

static void say_place(kt__str *s, uint32_t site)
{
    char place[SITE_ROOM];
    if (kt__site_text(site, place, sizeof place))
        kt__str_addf(s, " (%s)", place);
}

/* ---- in the words of the program's own source, where the binding can read it ---- */

typedef struct wording { /* of the fixes of one mistake */
    kt__mistake *m;
    uint32_t     site;            /* of the refused call */
    bool         in_binding;
    bool         placed[KT__FIXES];  /* the words say where */
    int          unnamed[KT__FIXES]; /* operands that have the signature's name, which the program does not know */
    int          lacks_name;         /* the same, of the fix that is being worded */
} wording;

/* Asks about the operands whose bits are set; `site`: the line it is about. */
static bool ask(const wording *w, kt_site_about about, uint16_t operands, kt_dtype to, uint32_t site, char *text, size_t room)
{
    const kt_tensor *wanted[KT__NOTED], *others[KT__NOTED];
    char             dtype[NAME_ROOM], cast[NAME_ROOM + 8];
    kt_site_question q = {.about = about, .wanted = wanted, .others = others, .cast = cast, .dtype = dtype};
    if (!w->in_binding)
        return false;
    for (int i = 0; i < w->m->n; i++) {
        const kt_tensor *t = w->m->operand[i].tensor;
        if (t && operands >> i & 1 && q.n_wanted == 0)
            q.at = q.n_others;
        if (t && operands >> i & 1)
            wanted[q.n_wanted++] = t;
        else if (t)
            others[q.n_others++] = t;
    }
    kt__spell(kt_dtype_name(to), false, dtype, sizeof dtype);
    if (method_of(to))
        snprintf(cast, sizeof cast, "%s()", method_of(to));
    else
        snprintf(cast, sizeof cast, "to(%s)", dtype);
    return kt__site_answer(&q, site, text, room);
}

/* The operand as the call writes it, else by the name in the signature. */
static const char *written(wording *w, int i, char *room, size_t size)
{
    const bool asked = ask(w, KT_SITE_OPERAND, (uint16_t)(1u << i), KT_F32, w->site, room, size);
    w->lacks_name += asked && !room[0];
    return asked && room[0] ? room : name_of(&w->m->operand[i], room, size);
}

/* The cast from `to` that was the last to change the operand's dtype; NULL: there is none. */
static const kt__record *undoing(const kt__operand_note *o, kt_dtype to)
{
    chain c;
    read_chain(&c, kt_lineage_of(o->tensor));
    const kt__record *last = c.n ? c.record[c.n - 1] : NULL;
    return last && last->why == KT_WHY_EXPLICIT && last->from == to && !last->folded ? last : NULL;
}

/* How to make operand i a `to`: drop the cast if the user's last change was one, else add a cast. */
static void say_cast(kt__str *s, wording *w, int i, kt_dtype to)
{
    const kt__operand_note *o = &w->m->operand[i];
    const kt__record       *last = undoing(o, to);
    char                    name[KT__FIX_WORDS], left_out[KT__FIX_WORDS] = "";
    chain                   c;
    read_chain(&c, kt_lineage_of(o->tensor));
    const int lacked = w->lacks_name;
    w->lacks_name = 0;
    written(w, i, name, sizeof name);
    const bool unnamed = w->lacks_name; /* then it is no name of the program's, which could be typed */
    w->lacks_name += lacked;
    if (last && !ask(w, KT_SITE_CAST, (uint16_t)(1u << i), to, last->site, left_out, sizeof left_out)) {
        kt__str_add(s, "keep ");
        say_owner(s, name, &c);
        kt__str_addf(s, " in %s", kt_dtype_name(to));
        say_place(s, last->site);
    } else if (left_out[0]) {
        kt__str_add(s, left_out);
    } else if (!w->in_binding || unnamed) {
        kt__str_addf(s, "cast %s to %s", name, kt_dtype_name(to));
    } else if (kt_dtype_real((kt_dtype)o->dtype) == to && to != o->dtype) {
        kt__str_addf(s, "%s.real", name);
    } else if (method_of(to)) {
        kt__str_addf(s, "%s.%s()", name, method_of(to));
    } else {
        char dtype[NAME_ROOM];
        kt__spell(kt_dtype_name(to), false, dtype, sizeof dtype);
        kt__str_addf(s, "%s.to(%s)", name, dtype);
    }
}

static void say_target(kt__str *s, wording *w, int i, kt_dtype to)
{
    char  name[KT__FIX_WORDS];
    chain c;
    read_chain(&c, kt_lineage_of(w->m->operand[i].tensor));
    kt__str_addf(s, "make %s as %s", written(w, i, name, sizeof name), kt_dtype_name(to));
    say_place(s, c.n ? c.record[0]->site : 0);
}

static void say_dtype(kt__str *s, kt_dtype to, bool in_binding)
{
    char dtype[NAME_ROOM];
    if (!in_binding) {
        kt__str_addf(s, "dtype %s", kt_dtype_name(to));
        return;
    }
    kt__spell(kt_dtype_name(to), false, dtype, sizeof dtype);
    kt__str_addf(s, "dtype=%s", dtype);
}

static void say_policy(kt__str *s, kt_policy policy, bool in_binding)
{
    if (in_binding) {
        char call[NAME_ROOM], spelt[2 * NAME_ROOM];
        snprintf(call, sizeof call, "policy(\"%s\")", kt_policy_name(policy));
        kt__spell(call, true, spelt, sizeof spelt);
        kt__str_addf(s, "run under %s", spelt);
        return;
    }
    kt__str_add(s, "run under KT_POLICY(KT_");
    for (const char *p = kt_policy_name(policy); *p; p++)
        kt__str_addf(s, "%c", *p - 'a' + 'A');
    kt__str_add(s, ")");
}

/* One cast of the program made them all: the site of it; 0: there is none. */
static uint32_t one_cast(const kt__mistake *m, const kt__fix *fix)
{
    uint32_t site = 0;
    for (int i = 0; i < m->n; i++)
        if (fix->operands >> i & 1) {
            const kt__record *last = undoing(&m->operand[i], (kt_dtype)fix->dtype);
            if (!last || (site && site != last->site))
                return 0;
            site = last->site;
        }
    return site;
}

/* Is a tensor of the fix also an operand that stays as it is? */
static bool is_shared(const wording *w, const kt__fix *fix)
{
    for (int i = 0; i < w->m->n; i++)
        for (int k = 0; k < w->m->n && fix->operands >> i & 1; k++)
            if (!(fix->operands >> k & 1) && w->m->operand[k].tensor == w->m->operand[i].tensor)
                return true;
    return false;
}

/* The same fix without the cast that the program made: what was there before is lost by nobody. */
static bool say_uncast(const wording *w, kt__fix *fix)
{
    const bool     may = fix->kind == KT_FIX_CAST && w->in_binding && !is_shared(w, fix);
    const uint32_t site = may ? one_cast(w->m, fix) : 0;
    if (!site || !ask(w, KT_SITE_CAST, fix->operands, (kt_dtype)fix->dtype, site, fix->words, sizeof fix->words) ||
        !fix->words[0])
        return false;
    fix->loses = false;
    return true;
}

/* Is the phrase one of those that " and " joins? The same text for two operands is typed in both places. */
static bool has_phrase(const char *text, const char *phrase)
{
    const size_t n = strlen(phrase);
    for (const char *at = text; (at = strstr(at, phrase)) != NULL; at++)
        if ((at == text || (at - text >= 5 && memcmp(at - 5, " and ", 5) == 0)) && (!at[n] || strncmp(at + n, " and ", 5) == 0))
            return true;
    return false;
}

static void say_each(kt__str *s, wording *w, kt__fix *fix)
{
    for (int i = 0; i < w->m->n; i++) {
        char    room[KT__FIX_WORDS];
        kt__str phrase = kt__str_in(room, sizeof room);
        if (!(fix->operands >> i & 1))
            continue;
        const kt_dtype to = (kt_dtype)fix->dtype;
        fix->kind == KT_FIX_MAKE ? say_target(&phrase, w, i, to) : say_cast(&phrase, w, i, to);
        if (!has_phrase(fix->words, room))
            kt__str_addf(s, "%s%s", s->length ? " and " : "", room);
    }
}

/* Is it written as the program would write it? Else its words are those of the signature. */
static bool answered(wording *w, kt_site_about about, kt__fix *fix)
{
    const kt_dtype to = fix->kind == KT_FIX_OUT_OF_PLACE ? KT_F32 : (kt_dtype)fix->dtype;
    const bool     asked = ask(w, about, fix->operands, to, w->site, fix->words, sizeof fix->words);
    w->lacks_name += asked && !fix->words[0];
    return asked && fix->words[0];
}

/* Writes the words of a fix. Do they say where? */
static bool say_fix(wording *w, kt__fix *fix)
{
    const kt__mistake *m = w->m;
    const kt_dtype     to = (kt_dtype)fix->dtype;
    kt__str            s = kt__str_in(fix->words, sizeof fix->words);
    switch ((kt_fix_kind)fix->kind) {
    case KT_FIX_CAST:
        if (is_shared(w, fix) && answered(w, KT_SITE_CALL, fix))
            return false;
        if (say_uncast(w, fix) || ask(w, KT_SITE_HOLDER, fix->operands, to, w->site, fix->words, sizeof fix->words))
            return true;
        say_each(&s, w, fix);
        return strncmp(fix->words, "keep ", 5) == 0;
    case KT_FIX_MAKE:
        if (!answered(w, KT_SITE_AGAIN, fix))
            say_each(&s, w, fix);
        return true;
    case KT_FIX_OUT_OF_PLACE:
        if (!answered(w, KT_SITE_NEW, fix))
            kt__str_addf(&s, "%.*s instead of %s", (int)strlen(m->op) - 1, m->op, m->op);
        return false;
    case KT_FIX_DTYPE:
        if (!ask(w, KT_SITE_CALL, 0, to, w->site, fix->words, sizeof fix->words))
            say_dtype(&s, to, w->in_binding);
        return false;
    case KT_FIX_POLICY: say_policy(&s, (kt_policy)fix->policy, w->in_binding); return false;
    }
    return false;
}

/* Only from Python values: what NumPy made is float64 where nobody chose it. */
static bool is_numpys(const kt__operand_note *o)
{
    static const char *const makers[] = {"from_numpy", "tensor", "as_tensor", "asarray"};
    chain                    c;
    read_chain(&c, o->tensor ? kt_lineage_of(o->tensor) : 0);
    const kt__record *r = c.n == 1 ? c.record[0] : NULL;
    bool              made = false;
    for (size_t i = 0; r && r->op && i < sizeof makers / sizeof *makers; i++)
        made |= strcmp(r->op, makers[i]) == 0;
    return made && r->why == KT_BORN_INTEROP && r->to == KT_F64 && o->dtype == KT_F64 && kt_get_default_dtype() != KT_F64;
}

static bool mends_numpys(const kt__mistake *m, const kt__fix *fix)
{
    for (int i = 0; i < m->n; i++)
        if (fix->operands == 1u << i)
            return fix->kind == KT_FIX_CAST && is_numpys(&m->operand[i]);
    return false;
}

static bool is_one(const wording *w, const kt__fix *fix)
{
    for (int i = 0; i < w->m->n; i++)
        if (fix->operands >> i & 1 && w->m->operand[i].tensor != w->m->operand[__builtin_ctz(fix->operands)].tensor)
            return false;
    return true;
}

static bool say_birth(const wording *w, kt__fix *fix);

/* The same of several operands, if each was made in a line of its own. */
static bool say_births(const wording *w, kt__fix *fix)
{
    char    room[KT__FIX_WORDS];
    kt__str words = kt__str_in(room, sizeof room);
    int     line = 0;
    for (int i = 0; i < w->m->n; i++) {
        if (!(fix->operands >> i & 1))
            continue;
        kt__fix     one = *fix;
        const char *file;
        int         at;
        chain       c;
        one.operands = (uint16_t)(1u << i);
        read_chain(&c, kt_lineage_of(w->m->operand[i].tensor));
        if (!c.n || !kt__site_place(c.record[c.n - 1]->site, &file, &at) || at == line || !say_birth(w, &one))
            return false;
        line = at;
        kt__str_addf(&words, "%s%s", words.length ? " and " : "", one.words);
    }
    if (words.cut)
        return false;
    memcpy(fix->words, room, sizeof room);
    return true;
}

/* The same fix where the operand was made: by a function, or by an operator that gives another kind, as a comparison does. */
static bool say_birth(const wording *w, kt__fix *fix)
{
    chain c;
    const uint16_t operands = fix->operands;
    if ((fix->kind != KT_FIX_CAST && fix->kind != KT_FIX_MAKE) || !operands || is_shared(w, fix))
        return false;
    if (!is_one(w, fix))
        return say_births(w, fix);
    read_chain(&c, kt_lineage_of(w->m->operand[__builtin_ctz(operands)].tensor));
    const kt__record *last = c.n ? c.record[c.n - 1] : NULL;
    return last && (c.n == 1 || loses_kind(last)) &&
           ask(w, KT_SITE_BIRTH, operands, (kt_dtype)fix->dtype, last->site, fix->words, sizeof fix->words) && fix->words[0];
}

/* An operand that is made in the refused call itself: the line as it should read has the cast in it. */
static bool is_said_already(const kt__mistake *m, const kt__fix *fix)
{
    const kt__fix *last = m->n_fixes ? &m->fix[m->n_fixes - 1] : NULL;
    const char    *found = last && last->operands == fix->operands ? strstr(last->words, fix->words) : NULL;
    return found && found > last->words && found[-1] == '(';
}

static void add_fix(wording *w, kt__fix fix, int still_to_come)
{
    kt__mistake *m = w->m;
    kt__fix      born = fix;
    if (m->n_fixes + still_to_come < KT__FIXES && say_birth(w, &born)) {
        w->placed[m->n_fixes] = true;
        m->fix[m->n_fixes++] = born;
        if (fix.kind == KT_FIX_MAKE)
            return;
    }
    w->lacks_name = 0;
    w->placed[m->n_fixes] = say_fix(w, &fix);
    w->unnamed[m->n_fixes] = w->lacks_name;
    if (fix.words[0] && !is_said_already(m, &fix))
        m->fix[m->n_fixes++] = fix;
}

/* A fix of operands that the program does not name is no help beside one that can be typed, or that has fewer of them. */
static void drop_unnamed(wording *w)
{
    kt__mistake *m = w->m;
    int          least = KT__NOTED + 1, kept = 0;
    for (int i = 0; i < m->n_fixes; i++)
        if (m->fix[i].kind != KT_FIX_POLICY && w->unnamed[i] < least)
            least = w->unnamed[i];
    for (int i = 0; i < m->n_fixes; i++)
        if (w->unnamed[i] <= least) {
            w->placed[kept] = w->placed[i];
            m->fix[kept++] = m->fix[i];
        }
    m->n_fixes = kept;
}

/* What NumPy made is mended first, though that loses digits: nobody chose them. Then what the program itself cast. */
enum { OF_NUMPY, UNCAST, OTHERWISE, RANKS };

static int rank_of(const wording *w, const kt__fix *fix)
{
    kt__fix tried = *fix;
    return mends_numpys(w->m, fix) ? OF_NUMPY : say_uncast(w, &tried) ? UNCAST : OTHERWISE;
}

static void word_fixes(wording *w)
{
    kt__mistake *m = w->m;
    kt__fix      found[KT__FIXES];
    int          rank[KT__FIXES], left = m->n_fixes;
    const int    n = m->n_fixes;
    memcpy(found, m->fix, sizeof found);
    for (int i = 0; i < n; i++)
        rank[i] = rank_of(w, &found[i]);
    m->n_fixes = 0;
    for (int now = 0; now < RANKS; now++)
        for (int i = 0; i < n; i++)
            if (rank[i] == now)
                add_fix(w, found[i], left--);
    drop_unnamed(w);
}

/* Writes each fix, then all on one line; the first that changes the call names its site. */
static void put_fixes(kt__str *s, kt__mistake *m, uint32_t site)
{
    wording    w = {.m = m, .site = site, .in_binding = kt__site_in_binding(site)};
    char       place[SITE_ROOM];
    bool       placed = !kt__site_text(site, place, sizeof place);
    word_fixes(&w);
    for (int i = 0; i < m->n_fixes; i++) {
        kt__str_addf(s, "%s%s", i ? ", or " : "\n  fix: ", m->fix[i].words);
        if (!w.placed[i] && !placed && (i == 0 || m->fix[i].kind != KT_FIX_POLICY)) {
            kt__str_addf(s, " at %s", place);
            placed = true;
        }
        kt__str_add(s, m->fix[i].loses ? " (can lose values)" : "");
    }
}

/* Why is there a float64 in a program of float32? */
static void put_numpys(sheet *s, const kt__mistake *m, uint32_t site)
{
    wording w = {.m = (kt__mistake *)m, .site = site, .in_binding = kt__site_in_binding(site)};
    char    name[KT__FIX_WORDS], left[LEFT_ROOM];
    for (int unnamed = 0; unnamed < 2; unnamed++) /* first one that the program has a name for */
        for (int i = 0; i < m->n; i++) {
            w.lacks_name = 0;
            if (!is_numpys(&m->operand[i]) || (!written(&w, i, name, sizeof name)) || !!w.lacks_name != unnamed)
                continue;
            snprintf(left, sizeof left, "  %s is float64 because NumPy's numbers are; the default dtype is %s", name,
                     kt_dtype_name(kt_get_default_dtype()));
            put_line(s, left, 0);
            return;
        }
}

void kt__lineage_explain(kt__mistake *m)
{
    if (!kt__failed())
        return;
    const uint32_t site = m->site ? m->site : kt__site_now();
    char           body[BODY_ROOM], fix[FIX_ROOM];
    kt__str        text = kt__str_in(body, sizeof body), hint = kt__str_in(fix, sizeof fix);
    sheet          s = {NULL, SITE_COLUMN};
    for (int pass = 0; pass < 2; pass++, s.to = &text) {
        put_call(&s, m, site);
        if (m->about_dtypes) {
            put_operands(&s, m);
            put_numpys(&s, m, site);
        }
    }
    put_fixes(&hint, m, site);
    kt_fail_more("\n%s%s", body, fix);
    if (!kt__site_place(site, &m->file, &m->line)) {
        m->file = NULL;
        m->line = 0;
    }
}

/* ---- any tensor ---- */
char *kt_explain(const kt_tensor *t)
{
    if (!t) {
        kt_fail(KT_ERR_VALUE, "kt_explain: the tensor is NULL");
        return kt__no_text();
    }
    chain c;
    read_chain(&c, kt_lineage_of(t));
    const size_t room = 2 * LEFT_ROOM + (size_t)lines_of(&c) * (LEFT_ROOM + SITE_ROOM);
    char        *text = malloc(room);
    if (!text) {
        kt__fail_memory(room);
        return kt__no_text();
    }
    kt__str out = kt__str_in(text, room);
    char    head[LEFT_ROOM];
    kt__str h = kt__str_in(head, sizeof head);
    say_type(&h, kt_dtype_of(t), t);
    sheet s = {NULL, 0};
    for (int pass = 0; pass < 2; pass++, s.to = &out) {
        put_line(&s, head, 0);
        put_chain(&s, "  ", &c, KT__LINEAGE_DEPTH);
    }
    return text;
}
