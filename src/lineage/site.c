/* site.c - the current line of the user's program, as an interned id.
 *
 * In: the C site of the thread, or what a binding's source says. Out: interned ids, and their text. Independent of: what
 * a code object is; tensors, records.
 *
 * A site is (code, offset). In C, code is the file name and offset the line. A binding's code object is kept alive once
 * interned, so that its address is never reused. */
#include "lineage/intern.h"
#include "lineage/lineage.h"
#include "plan/observe.h"

#include <karat/plugin/site.h>
#include <stddef.h>
#include <string.h>

enum { SITES_CAP = 1 << 20, PATH_ROOM = 4096 };

typedef struct site_entry {
    uintptr_t code;
    uint64_t  where; /* as in the cache */
} site_entry;

const kt_site_source        *kt__site_source;
KT__HOT_LOCAL const kt_site *kt__site_here;

/* Offset and kind in one word, so that a C file name and a code object never compare equal. */
static inline uint64_t where_of(int32_t offset, bool in_c)
{
    return (uint64_t)(uint32_t)offset << 1 | (in_c ? 1 : 0);
}

static int32_t offset_of(const site_entry *e)
{
    return (int32_t)(uint32_t)(e->where >> 1);
}

static bool is_c(const site_entry *e)
{
    return (e->where & 1) != 0;
}

static uint64_t site_hash(const void *entry)
{
    const site_entry *e = entry;
    return kt__mix(kt__mix(e->code) + e->where);
}

static bool site_same(const void *a, const void *b)
{
    const site_entry *x = a, *y = b;
    return x->code == y->code && x->where == y->where;
}

static uint64_t code_hash(const void *entry)
{
    return kt__mix(*(const uintptr_t *)entry);
}

static bool code_same(const void *a, const void *b)
{
    return *(const uintptr_t *)a == *(const uintptr_t *)b;
}

static kt__intern sites = {.entry_bytes = sizeof(site_entry), .hash = site_hash, .same = site_same, .cap = SITES_CAP};
static kt__intern codes = {.entry_bytes = sizeof(uintptr_t), .hash = code_hash, .same = code_same, .cap = SITES_CAP};

static const kt_site_source *the_source(void)
{
    return __atomic_load_n(&kt__site_source, __ATOMIC_ACQUIRE);
}

void kt_site_set(const kt_site *site)
{
    kt__site_here = site;
    kt__site_known = 0;
}

kt_status kt_site_register(const kt_site_source *s)
{
    if (!s || s->abi != KT_SITE_ABI || s->size < offsetof(kt_site_source, spell) || !s->now || !s->locate) {
        return kt_fail(KT_ERR_VALUE, "kt_site_register: the source is not of abi %d, or lacks now() or locate()",
                       KT_SITE_ABI);
    }
    const kt_site_source *none = NULL;
    if (!__atomic_compare_exchange_n(&kt__site_source, &none, s, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
        none != s) {
        return kt_fail(KT_ERR_RUNTIME, "kt_site_register: a source of sites is already registered");
    }
    return KT_OK;
}

/* The caller runs inside the code that is interned here, so it lives at least until hold() has returned. */
static bool hold_code(uintptr_t code)
{
    if (kt__intern_find(&codes, &code) != 0)
        return true;
    bool added;
    if (kt__intern_add(&codes, &code, &added) == 0)
        return false;
    const kt_site_source *s = the_source();
    if (added && s->hold)
        s->hold(code);
    return true;
}

static KT__COLD uint32_t intern_site(uintptr_t code, uint64_t where)
{
    site_entry entry = {code, where};
    if (is_c(&entry))
        entry.code = (uintptr_t)kt__intern_text((const char *)code);
    uint32_t id = entry.code ? kt__intern_find(&sites, &entry) : 0;
    if (id == 0 && entry.code && !kt__intern_full(&sites) && (is_c(&entry) || hold_code(code)))
        id = kt__intern_add(&sites, &entry, NULL);
    kt__lineage_cache *cache = id != 0 ? kt__lineage_cache_open() : NULL;
    if (cache)
        cache->site[kt__cache_slot(code + (where << 32))] = (kt__site_slot){code, where, id};
    return id;
}

KT__HOT static uint32_t cached_site(uintptr_t code, uint64_t where)
{
    const kt__lineage_cache *cache = kt__my_lineage;
    if (KT__LIKELY(cache != NULL)) {
        const kt__site_slot *slot = &cache->site[kt__cache_slot(code + (where << 32))];
        if (KT__LIKELY(slot->code == code && slot->where == where))
            return slot->id;
    }
    return code ? intern_site(code, where) : 0;
}

/* A line is left and entered again in a loop: the last one is looked at first. */
static inline uint32_t c_site(const kt_site *c)
{
    const uintptr_t    code = (uintptr_t)c->file;
    const uint64_t     where = where_of(c->line, true);
    kt__lineage_cache *cache = kt__my_lineage;
    if (KT__LIKELY(cache != NULL && cache->c_site.code == code && cache->c_site.where == where))
        return cache->c_site.id;
    const uint32_t id = cached_site(code, where);
    if (id != 0 && (cache = kt__my_lineage) != NULL)
        cache->c_site = (kt__site_slot){code, where, id};
    return id;
}

KT__HOT uint32_t kt__site_now(void)
{
    const kt_site *c = kt__site_here;
    if (c)
        return kt__site_known = c_site(c);
    const kt_site_source *s = the_source();
    uintptr_t             code;
    int32_t               offset;
    return s && s->now(&code, &offset) ? cached_site(code, where_of(offset, false)) : 0;
}

int kt__site_stack(uint32_t *lines, int room)
{
    enum { MOST = 64 };
    uintptr_t             code[MOST];
    int32_t               offset[MOST];
    const kt_site_source *s = the_source();
    if (kt__site_here || !s || s->size < offsetof(kt_site_source, answer) || !s->stack) {
        const uint32_t one = kt__site_now();
        if (one && room > 0)
            lines[0] = one;
        return one && room > 0;
    }
    const int n = s->stack(code, offset, room < MOST ? room : MOST);
    for (int i = 0; i < n; i++)
        lines[i] = cached_site(code[i], where_of(offset[i], false));
    return n;
}

bool kt__site_in_binding(uint32_t site)
{
    const site_entry *e = kt__intern_at(&sites, site);
    return e ? !is_c(e) : kt__site_here == NULL && the_source() != NULL;
}

bool kt__in_binding(void)
{
    return kt__site_in_binding(kt__site_now());
}

void kt__spell(const char *name, bool own, char *text, size_t room)
{
    const kt_site_source *s = the_source();
    if (!s || s->size < offsetof(kt_site_source, stack) || !s->spell || !s->spell(name, own, text, room))
        snprintf(text, room, "karat.%s", name);
}

bool kt__site_answer(kt_site_question *question, uint32_t site, char *text, size_t room)
{
    const kt_site_source *s = the_source();
    const site_entry     *e = kt__intern_at(&sites, site);
    if (!e || is_c(e) || !s || s->size < sizeof *s || !s->answer)
        return false;
    question->code = e->code;
    question->offset = offset_of(e);
    return s->answer(question, text, room);
}

uint32_t kt__site_count(void)
{
    return kt__intern_count(&sites);
}

/* ---- back to text ---- */
static bool locate(uint32_t site, char *path, size_t room, int *line)
{
    const site_entry *e = kt__intern_at(&sites, site);
    if (!e)
        return false;
    if (is_c(e)) {
        const char  *file = (const char *)e->code;
        const size_t n = strlen(file);
        if (n >= room)
            return false;
        memcpy(path, file, n + 1);
        *line = offset_of(e);
        return true;
    }
    path[0] = '\0';
    return the_source()->locate(e->code, offset_of(e), path, room, line);
}

bool kt__site_text(uint32_t site, char *buffer, size_t room)
{
    char path[PATH_ROOM];
    int  line = 0;
    if (room > 0)
        buffer[0] = '\0';
    if (!locate(site, path, sizeof path, &line))
        return false;
    const char *slash = strrchr(path, '/');
    snprintf(buffer, room, "%s:%d", slash ? slash + 1 : path, line);
    return true;
}

bool kt__site_place(uint32_t site, const char **file, int *line)
{
    char path[PATH_ROOM];
    if (!locate(site, path, sizeof path, line))
        return false;
    *file = kt__intern_text(path);
    return *file != NULL;
}

uintptr_t kt_site_code(uint32_t site)
{
    const site_entry *e = kt__intern_at(&sites, site);
    return e && !is_c(e) ? e->code : 0;
}

const char *kt_site_file(uint32_t site, int *line)
{
    const char *file = NULL;
    int         at = 0;
    const bool  known = kt__site_place(site, &file, &at);
    if (line)
        *line = known ? at : 0;
    return known ? file : "?";
}
