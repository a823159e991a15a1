/* error.c - the first failure of a thread, kept until it is cleared.
 *
 * In: failures. Out: one pending error a thread, with text, payload and record. Independent of: tensors, operators,
 * Python.
 *
 * Only a code and a few pointers are thread-local. The text lives in a page that the thread takes at its first failure:
 * from pages reserved in the library (untouched ones cost nothing), then from the system, so that an out-of-memory error
 * can always be reported. A thread keeps its page: a text stays readable after kt_clear until the next failure. */
#include "base/error.h"

#include <karat/linalg.h>

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

enum { TEXT_BYTES = 4096, RESERVED_PAGES = 64 };

typedef struct page {
    kt__str str;
    void   *foreign;
    void (*release_foreign)(void *);
    void *record;
    void (*free_record)(void *);
    int  device_code;
    bool from_system;
    bool taken; /* by a thread; atomic */
    char text[TEXT_BYTES];
} page;

struct kt_error_state { /* what kt_error_push saved */
    kt_error_state *below;
    page           *page;
    kt_status       code;
};

static page reserved[RESERVED_PAGES];

KT__HOT_LOCAL kt_status             kt__error_code;
static KT__HOT_LOCAL page          *current;
static KT__HOT_LOCAL kt_error_state *aside;
static KT__HOT_LOCAL kt__exit_hook  at_exit;
static KT__HOT_LOCAL bool           hooked;

static page *take_page(void)
{
    page *p = NULL;
    for (int i = 0; i < RESERVED_PAGES && !p; i++) {
        if (!KT__PEEK(reserved[i].taken) && !__atomic_exchange_n(&reserved[i].taken, true, __ATOMIC_ACQUIRE))
            p = &reserved[i];
    }
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            return NULL;
        p->from_system = true;
    }
    p->str = kt__str_in(p->text, TEXT_BYTES);
    return p;
}

static void give_page(page *p)
{
    if (p && p->from_system) {
        free(p);
    } else if (p) {
        __atomic_store_n(&p->taken, false, __ATOMIC_RELEASE);
    }
}

/* Clears the error before releasing its parts: a release function may itself fail, and clear. */
static void forget(void)
{
    kt__error_code = KT_OK;
    page *p = current;
    if (!p)
        return;
    void *foreign = p->foreign, *record = p->record;
    void (*release_foreign)(void *) = p->release_foreign;
    void (*free_record)(void *) = p->free_record;
    p->foreign = p->record = NULL;
    if (foreign && release_foreign)
        release_foreign(foreign);
    if (record && free_record)
        free_record(record);
}

static void end_thread(kt__exit_hook *hook)
{
    (void)hook;
    hooked = false;
    while (aside)
        kt_error_pop(aside);
    kt_clear();
    give_page(current);
    current = NULL;
}

/* An empty page for a new failure; NULL when out of memory: the error then has a code and no text. */
static page *open_page(void)
{
    if (!current) {
        current = take_page();
        if (current && !hooked)
            hooked = kt__on_thread_exit(&at_exit, end_thread);
    }
    if (current) {
        current->str = kt__str_in(current->text, TEXT_BYTES);
        current->device_code = 0;
    }
    return current;
}

/* The arguments may point into the text that was there before: format beside it, then copy. */
__attribute__((format(printf, 2, 0))) static void put_text(bool fresh, const char *format, va_list args)
{
    const int keep_errno = errno;
    char      buffer[TEXT_BYTES];
    kt__str   s = kt__str_in(buffer, sizeof buffer);
    kt__str_addv(&s, format, args);
    page *p = fresh ? open_page() : current;
    if (p)
        kt__str_addn(&p->str, s.text, s.length);
    errno = keep_errno;
}

kt_status kt_fail(kt_status code, const char *format, ...)
{
    if (kt__failed())
        return kt__error_code;
    va_list args;
    va_start(args, format);
    put_text(true, format ? format : "", args);
    va_end(args);
    kt__error_code = code != KT_OK ? code : KT_ERR_RUNTIME;
    return kt__error_code;
}

void kt_fail_more(const char *format, ...)
{
    if (!kt__failed())
        return;
    va_list args;
    va_start(args, format);
    put_text(false, format ? format : "", args);
    va_end(args);
}

KT_API kt_status kt_fail_foreign(void *payload, void (*release)(void *payload))
{
    if (kt__failed()) {
        const kt_status code = kt__error_code;
        if (payload && release)
            release(payload);
        return code;
    }
    page *p = open_page();
    kt__error_code = KT_ERR_FOREIGN;
    if (p) {
        p->foreign = payload;
        p->release_foreign = release;
    } else if (payload && release) {
        release(payload);
    }
    return KT_ERR_FOREIGN;
}

KT_API void *kt_error_take_foreign(void)
{
    void *payload = kt__failed() && current ? current->foreign : NULL;
    if (payload)
        current->foreign = NULL;
    return payload;
}

void kt__error_set_record(void *record, void (*free_record)(void *record))
{
    void *old = record;
    void (*free_old)(void *) = free_record;
    if (kt__failed() && current) {
        old = current->record;
        free_old = current->free_record;
        current->record = record;
        current->free_record = free_record;
    }
    if (old && free_old)
        free_old(old);
}

void *kt__error_record(void)
{
    return kt__failed() && current ? current->record : NULL;
}

void *kt__error_take_record(void)
{
    void *record = kt__error_record();
    if (record)
        current->record = NULL;
    return record;
}

void kt__error_set_device_code(int code)
{
    if (kt__failed() && current)
        current->device_code = code;
}

int kt_error_device_code(void)
{
    return kt__failed() && current ? current->device_code : 0;
}

kt_status kt__fail_memory(size_t bytes)
{
    return kt_fail(KT_ERR_MEMORY,
                   "[enforce fail at alloc_cpu] DefaultCPUAllocator: can't allocate memory: you tried to allocate %zu "
                   "bytes.",
                   bytes);
}

bool kt_failed(void)
{
    return kt__failed();
}

kt_status kt_error_status(void)
{
    return kt__error_code;
}

const char *kt_error(void)
{
    if (!kt__failed())
        return "";
    return current ? current->text : "failed, and no memory was left to say why";
}

char *kt__no_text(void)
{
    static char text[] = "(no text: see kt_error())"; /* not malloc's: kt_free_string knows it */
    return text;
}

void kt_clear(void)
{
    forget();
}

const char *kt__status_name(kt_status code)
{
    if (code == KT_ERR_LINALG)
        return "LinAlgError";
    switch (code) {
    case KT_OK: return "OK";
    case KT_ERR_RUNTIME: return "RuntimeError";
    case KT_ERR_TYPE: return "TypeError";
    case KT_ERR_VALUE: return "ValueError";
    case KT_ERR_INDEX: return "IndexError";
    case KT_ERR_NOT_IMPLEMENTED: return "NotImplementedError";
    case KT_ERR_MEMORY: return "MemoryError";
    case KT_ERR_OS: return "OSError";
    case KT_ERR_FOREIGN: return "Error";
    case KT_ERR_ASSERTION: return "AssertionError";
    case KT_ERR_ZERO_DIVISION: return "ZeroDivisionError";
    }
    return "Error";
}

int kt_report(FILE *to)
{
    if (!kt__failed())
        return 0;
    if (to)
        fprintf(to, "%s: %s\n", kt__status_name(kt__error_code), kt_error());
    return 1;
}

kt_error_state *kt_error_push(void)
{
    kt_error_state *state = kt__pool_get(sizeof *state);
    if (!state)
        return NULL;
    *state = (kt_error_state){aside, current, kt__error_code};
    aside = state;
    current = NULL;
    kt__error_code = KT_OK;
    return state;
}

static void pop_one(void)
{
    forget();
    kt_error_state *state = aside;
    aside = state->below;
    if (state->page) { /* else the thread keeps its current page */
        give_page(current);
        current = state->page;
    }
    kt__error_code = state->code;
    kt__pool_put(state, sizeof *state);
}

/* States pushed after `state` are popped with it; one that is not on the stack (popped already, another thread's) is ignored. */
void kt_error_pop(kt_error_state *state)
{
    const kt_error_state *s = aside;
    while (s && s != state)
        s = s->below;
    if (!s)
        return;
    for (bool last = false; !last;) {
        last = aside == state;
        pop_one();
    }
}
