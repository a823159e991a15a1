/* trace.c - a profile as text: Chrome's trace format, and a table. In: a profile. Out: a file. Independent of: who made it. */
#include <karat/plugin/site.h>
#include <karat/profiler.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

/* ---- JSON ---- */
static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
    fputc('"', f);
}

static void put_member(FILE *f, const char *name, const char *text)
{
    fprintf(f, ",\"%s\":", name);
    put_text(f, text);
}

static void put_inputs(FILE *f, const kt_profile_event *e)
{
    fputs(",\"Input Dims\":[", f);
    for (int64_t i = 0; i < e->n_inputs; i++) {
        fputs(i ? ",[" : "[", f);
        for (int64_t d = 0; e->inputs[i].tensor && d < e->inputs[i].shape.n; d++)
            fprintf(f, d ? ",%lld" : "%lld", (long long)e->inputs[i].shape.d[d]);
        fputc(']', f);
    }
    fputs("],\"Input type\":[", f);
    for (int64_t i = 0; i < e->n_inputs; i++) {
        fputs(i ? "," : "", f);
        put_text(f, e->inputs[i].tensor ? kt_dtype_name(e->inputs[i].dtype) : e->inputs[i].dtype ? "Scalar" : "");
    }
    fputc(']', f);
}

static void put_details(FILE *f, const kt_profile_event *e, int64_t id)
{
    fprintf(f, "\"args\":{\"Ev Idx\":%lld", (long long)id);
    if (e->n_inputs)
        put_inputs(f, e);
    if (e->sequence >= 0)
        fprintf(f, ",\"Sequence number\":%lld", (long long)e->sequence);
    if (e->dtype)
        put_member(f, "dtype", kt_dtype_name(e->dtype));
    if (e->file) {
        put_member(f, "file", e->file);
        fprintf(f, ",\"line\":%d", e->line);
    }
    if (e->where)
        put_member(f, "where", e->where);
    if (e->kind == KT_PROFILE_CONVERSION)
        put_member(f, "why", kt_reason_name(e->why));
    if (e->kind == KT_PROFILE_MEMORY) {
        fprintf(f, ",\"Device Type\":%d,\"Device Id\":%d,\"Addr\":%llu", e->device.kind - KT_CPU, e->device.index,
                (unsigned long long)(uintptr_t)e->address);
        fprintf(f, ",\"Bytes\":%lld", (long long)e->bytes);
    } else if (e->bytes)
        fprintf(f, ",\"bytes\":%lld", (long long)e->bytes);
    if (e->flops)
        fprintf(f, ",\"flops\":%lld", (long long)e->flops);
    if (e->failed)
        fputs(",\"failed\":true", f);
    fputs("}}", f);
}

static const char *category(kt_profile_kind kind)
{
    switch (kind) {
    case KT_PROFILE_MODULE: return "python_function";
    case KT_PROFILE_RANGE: return "user_annotation";
    case KT_PROFILE_PLAN: return "kernel";
    case KT_PROFILE_MEMORY: return "cpu_instant_event";
    default: return "cpu_op";
    }
}

static double us(uint64_t ns) { return (double)ns / 1000; }

kt_status kt_profile_write_trace(const kt_profile *profile, const char *file, const char *more)
{
    if (!profile || !file)
        return kt_fail(KT_ERR_VALUE, "kt_profile_write_trace: expected a profile and a file's name");
    FILE *f = fopen(file, "w");
    if (!f)
        return kt_fail(KT_ERR_RUNTIME, "%s: %s", file, strerror(errno));
    const long       pid = (long)getpid();
    uint64_t         begin, end;
    kt_profile_event e = {.size = sizeof e};
    kt_profile_span(profile, &begin, &end);
    fprintf(f, "{\n\"schemaVersion\":1,\n\"displayTimeUnit\":\"ms\",\n%s%s\"traceEvents\":[\n", more ? more : "",
            more && *more ? ",\n" : "");
    fprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%ld,\"tid\":0,\"args\":{\"name\":\"karat\"}}", pid);
    for (int64_t i = 0; kt_profile_read(profile, i, &e); i++) {
        fputs(",\n{\"name\":", f);
        put_text(f, e.name);
        fprintf(f, ",\"cat\":\"%s\",\"pid\":%ld,\"tid\":%llu,\"ts\":%.3f,", category(e.kind), pid, (unsigned long long)e.thread,
                us(e.begin - begin));
        if (e.kind == KT_PROFILE_MEMORY)
            fputs("\"ph\":\"i\",\"s\":\"t\",", f);
        else
            fprintf(f, "\"ph\":\"X\",\"dur\":%.3f,", us(e.end - e.begin));
        put_details(f, &e, i);
    }
    fprintf(f, "\n],\n\"traceSpan\":{\"ts\":0,\"dur\":%.3f}\n}\n", us(end - begin));
    const bool failed = ferror(f) != 0;
    return fclose(f) || failed ? kt_fail(KT_ERR_RUNTIME, "%s: %s", file, strerror(errno)) : KT_OK;
}

/* ---- a table ---- */
typedef struct sum {
    const char *name;
    int64_t     count, conversions, converted;
    uint64_t    total, self;
} sum;

static int by_self(const void *a, const void *b)
{
    const sum *x = a, *y = b;
    return x->self < y->self ? 1 : x->self > y->self ? -1 : strcmp(x->name, y->name);
}

static bool is_shown(kt_profile_kind kind) { return kind != KT_PROFILE_PLAN && kind != KT_PROFILE_MEMORY; }

static sum *sum_of(sum *sums, int64_t *n, const char *name)
{
    for (int64_t i = 0; i < *n; i++)
        if (strcmp(sums[i].name, name) == 0)
            return &sums[i];
    sums[*n] = (sum){.name = name};
    return &sums[(*n)++];
}

/* Kernels are no lines of their own: their time is that of the call, and their conversions are. */
static int64_t shown_parent(const kt_profile *profile, int64_t parent)
{
    kt_profile_event e = {.size = sizeof e};
    while (parent >= 0 && kt_profile_read(profile, parent, &e) && !is_shown(e.kind))
        parent = e.parent;
    return parent;
}

kt_status kt_profile_print(const kt_profile *profile, FILE *to)
{
    if (!profile || !to)
        return kt_fail(KT_ERR_VALUE, "kt_profile_print: expected a profile and a file");
    const int64_t    events = kt_profile_count(profile);
    int64_t          n = 0;
    const size_t     bytes = (size_t)(events + 1) * sizeof(sum);
    sum             *sums = kt__system_get(bytes);
    kt_profile_event e = {.size = sizeof e}, outer = {.size = sizeof outer};
    if (!sums)
        return kt__fail_memory(bytes);
    for (int64_t i = 0; kt_profile_read(profile, i, &e); i++) {
        if (!is_shown(e.kind))
            continue;
        sum *s = sum_of(sums, &n, e.name);
        s->count++;
        s->total += e.end - e.begin;
        s->self += e.end - e.begin;
        const int64_t parent = shown_parent(profile, e.parent);
        if (parent < 0 || !kt_profile_read(profile, parent, &outer))
            continue;
        s = sum_of(sums, &n, outer.name);
        s->self -= e.end - e.begin;
        s->conversions += e.kind == KT_PROFILE_CONVERSION;
        s->converted += e.kind == KT_PROFILE_CONVERSION ? e.bytes : 0;
    }
    qsort(sums, (size_t)n, sizeof *sums, by_self);
    fprintf(to, "%-55s %8s %14s %14s %12s %12s\n", "Name", "calls", "total us", "self us", "conversions", "bytes");
    for (int64_t i = 0; i < n; i++)
        fprintf(to, "%-55.55s %8lld %14.3f %14.3f %12lld %12lld\n", sums[i].name, (long long)sums[i].count, us(sums[i].total),
                us(sums[i].self), (long long)sums[i].conversions, (long long)sums[i].converted);
    kt__system_put(sums, bytes);
    return ferror(to) ? kt_fail(KT_ERR_RUNTIME, "kt_profile_print: %s", strerror(errno)) : KT_OK;
}
