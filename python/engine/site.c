/* site.c - the user's current line: (code object, instruction offset) of the innermost Python frame outside the karat
 * package and the standard library (copy.deepcopy, functools); where all of them are the library's, the innermost.
 *
 * In: the interpreter's frames. Out: the source of sites for lineage (karat/plugin/site.h). Independent of: tensors,
 * calls. It answers only during a call made by this extension on the same thread: then the thread's frames do not change
 * and may be read. The site is read before the GIL is released.
 *
 * Reading the interpreter's frame struct takes a few nanoseconds; the public API creates a frame object and takes about
 * twenty. The struct differs between CPython minor versions: each known one has its lines below, any other uses the
 * public API. -DKP_SITE_PUBLIC forces that. */
#include <patchlevel.h>

#if !defined(KP_SITE_PUBLIC) && PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030f0000
#define KP_SITE_FRAMES
#define Py_BUILD_CORE_MODULE 1
#endif

#include "core/binding.h"

#include <karat/plugin/site.h>

__thread kp_entry kp_here;

static PyObject *package; /* the package's folder with a final slash; NULL until known */
static PyObject *library; /* the standard library's; NULL: not known */

static bool is_below(PyObject *file, PyObject *folder)
{
    if (!folder)
        return false;
    const Py_ssize_t n = PyUnicode_GET_LENGTH(folder);
    if (PyUnicode_GET_LENGTH(file) <= n)
        return false;
    const int kind = PyUnicode_KIND(file), own_kind = PyUnicode_KIND(folder);
    const char *a = PyUnicode_DATA(file), *b = PyUnicode_DATA(folder);
    if (KP_LIKELY(kind == own_kind)) { /* compare from the end: paths differ there first */
        const Py_ssize_t last = (n - 1) * kind;
        return a[last] == b[last] && memcmp(a, b, (size_t)(n * kind)) == 0;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyUnicode_READ(kind, a, i) != PyUnicode_READ(own_kind, b, i))
            return false;
    return true;
}

static bool is_own(PyCodeObject *code) { return is_below(code->co_filename, package); }

/* What was installed lies below the library's folder too, in site-packages or dist-packages: that is the user's. */
static bool is_library(PyCodeObject *code)
{
    static const char ending[] = "-packages/";
    PyObject         *file = code->co_filename;
    if (KP_LIKELY(!is_below(file, library)))
        return false;
    const Py_ssize_t at = PyUnicode_GET_LENGTH(library) + 4;
    for (Py_ssize_t i = 0; ending[i]; i++)
        if (at + i >= PyUnicode_GET_LENGTH(file) || PyUnicode_READ_CHAR(file, at + i) != (Py_UCS4)ending[i])
            return true;
    return false;
}

#ifdef KP_SITE_FRAMES

#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#else
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#endif

#if PY_VERSION_HEX >= 0x030d0000
#define CODE_OF(frame) _PyFrame_GetCode(frame)
#define INNERMOST(ts)  ((ts)->current_frame)
#else
#define CODE_OF(frame) ((frame)->f_code)
#define INNERMOST(ts)  ((ts)->cframe->current_frame)
#endif

const char kp_site_variant[] = "frames of CPython " Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION);

static bool read_frame(uintptr_t *code, int32_t *offset)
{
    bool found = false;
    for (struct _PyInterpreterFrame *f = INNERMOST(PyThreadState_Get()); f; f = f->previous) {
        if (_PyFrame_IsIncomplete(f) || is_own(CODE_OF(f)))
            continue;
        const bool users = !is_library(CODE_OF(f));
        if (users || !found) {
            *code = (uintptr_t)CODE_OF(f);
            *offset = (int32_t)(_PyInterpreterFrame_LASTI(f) * (int)sizeof(_Py_CODEUNIT));
        }
        found = true;
        if (KP_LIKELY(users))
            break;
    }
    return found;
}

static int read_stack(uintptr_t *code, int32_t *offset, int room)
{
    int n = 0;
    for (struct _PyInterpreterFrame *f = INNERMOST(PyThreadState_Get()); f && n < room; f = f->previous) {
        if (_PyFrame_IsIncomplete(f) || is_own(CODE_OF(f)))
            continue;
        code[n] = (uintptr_t)CODE_OF(f);
        offset[n++] = (int32_t)(_PyInterpreterFrame_LASTI(f) * (int)sizeof(_Py_CODEUNIT));
    }
    return n;
}

#else

const char kp_site_variant[] = "public API";

static int read_stack(uintptr_t *code, int32_t *offset, int room)
{
    PyFrameObject *frame = PyEval_GetFrame();
    int            n = 0;
    Py_XINCREF(frame);
    while (frame) {
        PyCodeObject *of = PyFrame_GetCode(frame);
        if (n < room && !is_own(of)) {
            code[n] = (uintptr_t)of; /* the frame holds it */
            offset[n++] = PyFrame_GetLasti(frame);
        }
        Py_DECREF(of);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    return n;
}

static bool read_frame(uintptr_t *code, int32_t *offset)
{
    PyFrameObject *frame = PyEval_GetFrame();
    bool           found = false;
    Py_XINCREF(frame);
    while (frame) {
        PyCodeObject *of = PyFrame_GetCode(frame);
        const bool    own = is_own(of), users = !own && !is_library(of);
        if (users || (!own && !found)) {
            *code = (uintptr_t)of; /* the frame holds it */
            *offset = PyFrame_GetLasti(frame);
        }
        found |= !own;
        Py_DECREF(of);
        if (users) {
            Py_DECREF(frame);
            break;
        }
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    return found;
}

#endif

void kp_site_capture(kp_entry *entry)
{
    entry->code = 0;
    entry->offset = 0;
    read_frame(&entry->code, &entry->offset);
    entry->state = 2;
}

PyObject *kp_site_place(int *line)
{
    uintptr_t code;
    int32_t   offset;
    *line = 0;
    if (!read_frame(&code, &offset))
        Py_RETURN_NONE;
    *line = PyCode_Addr2Line((PyCodeObject *)code, offset);
    return Py_NewRef(((PyCodeObject *)code)->co_filename);
}

PyObject *kp_site_columns(PyObject *code, Py_ssize_t offset)
{
    int line = 0, column = -1, end_line = 0, end_column = -1;
    if (PyCode_Check(code) && offset >= 0 && offset <= INT_MAX)
        PyCode_Addr2Location((PyCodeObject *)code, (int)offset, &line, &column, &end_line, &end_column);
    if (column < 0 || end_column < 0)
        Py_RETURN_NONE;
    return Py_BuildValue("iiii", line, end_line, column, end_column);
}

/* ---- the source ---- */

static bool site_now(uintptr_t *code, int32_t *offset)
{
    if (KP_LIKELY(kp_here.state == 1))
        return read_frame(code, offset);
    *code = kp_here.code;
    *offset = kp_here.offset;
    return kp_here.state == 2 && *code;
}

/* Without the GIL the frames cannot be read: then only the line is known that was read before. */
static int site_stack(uintptr_t *code, int32_t *offset, int room)
{
    if (kp_here.state == 1 && room > 0)
        return read_stack(code, offset, room);
    return room > 0 && site_now(code, offset) ? 1 : 0;
}

static void site_hold(uintptr_t code)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_INCREF((PyObject *)code);
    PyGILState_Release(gil);
}

/* The line of an instruction. Looking it up goes through all that stand before it, which in the code of a long file takes
 * milliseconds, and one error asks for the same lines many times. Codes are held, so that an address stays one code's. */
static int line_of(uintptr_t code, int32_t offset)
{
    enum { KEPT = 256 };
    static struct {
        uintptr_t code;
        int32_t   offset;
        int       line;
    } kept[KEPT]; /* guarded by the GIL */
    const size_t at = (code >> 4 ^ (uintptr_t)offset >> 1) % KEPT;
    if (kept[at].code != code || kept[at].offset != offset) {
        kept[at].line = PyCode_Addr2Line((PyCodeObject *)code, offset);
        kept[at].code = code;
        kept[at].offset = offset;
    }
    return kept[at].line;
}

static bool site_locate(uintptr_t code, int32_t offset, char *file, size_t room, int *line)
{
    if (!Py_IsInitialized())
        return false;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *type, *value, *trace; /* keep a pending exception */
    PyErr_Fetch(&type, &value, &trace);
    Py_ssize_t  n = 0;
    PyObject   *bytes = PyUnicode_AsEncodedString(((PyCodeObject *)code)->co_filename, "utf-8", "replace");
    const char *text = bytes ? PyBytes_AS_STRING(bytes) : NULL;
    n = bytes ? PyBytes_GET_SIZE(bytes) : 0;
    bool fits = text && (size_t)n < room;
    if (fits) {
        memcpy(file, text, (size_t)n + 1);
        *line = line_of(code, offset);
    }
    Py_XDECREF(bytes);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return fits;
}

/* ---- the user's words ---- */

/* A module that has the dtypes: karat, or torch under `karat run`. */
static bool has_dtypes(PyObject *module, PyObject *float32)
{
    return module && PyModule_Check(module) && PyDict_GetItemString(PyModule_GetDict(module), "float32") == float32;
}

/* The name of such a module in a namespace, preferably a usual one; new references to both; NULL: none. The namespace of a
 * large file has thousands of names: they are gone through only for an unusual one. */
static PyObject *find_module(PyObject *names, PyObject *float32, PyObject **called)
{
    static const char *const usual[] = {"karat", "torch"};
    PyObject                *name, *value;
    Py_ssize_t               at = 0;
    for (int i = 0; i < 2; i++) {
        PyObject *known = PyDict_GetItemString(names, usual[i]);
        if (has_dtypes(known, float32) && (*called = PyUnicode_FromString(usual[i])))
            return Py_NewRef(known);
    }
    while (PyDict_Next(names, &at, &name, &value))
        if (PyUnicode_Check(name) && has_dtypes(value, float32)) {
            *called = Py_NewRef(name);
            return Py_NewRef(value);
        }
    return NULL;
}

/* Searches the user's innermost frame: locals, then globals, then sys.modules. */
static PyObject *users_module(PyObject *float32, PyObject **called)
{
    static const char *const spaces[] = {"f_locals", "f_globals"}, *const imports[] = {"torch", "karat"};
    PyObject                *frame = Py_XNewRef((PyObject *)PyEval_GetFrame()), *module = NULL;
    while (frame) {
        PyCodeObject *code = PyFrame_GetCode((PyFrameObject *)frame);
        const bool    own = is_own(code);
        Py_DECREF(code);
        if (!own)
            break;
        Py_SETREF(frame, (PyObject *)PyFrame_GetBack((PyFrameObject *)frame));
    }
    for (int i = 0; frame && i < 2 && !module; i++) {
        PyObject *names = PyObject_GetAttrString(frame, spaces[i]);
        module = names && PyDict_Check(names) ? find_module(names, float32, called) : NULL;
        PyErr_Clear();
        Py_XDECREF(names);
    }
    Py_XDECREF(frame);
    for (int i = 0; i < 2 && !module; i++) {
        PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), imports[i]);
        if (has_dtypes(loaded, float32) && (*called = PyUnicode_FromString(imports[i])))
            module = Py_NewRef(loaded);
    }
    return module;
}

static bool write_name(const char *name, bool own, PyObject *module, PyObject *called, char *text, size_t room)
{
    const char *by = PyUnicode_AsUTF8(called), *module_name = PyModule_GetName(module);
    const bool  foreign = own && (!module_name || strcmp(module_name, "karat") != 0);
    return by && (size_t)snprintf(text, room, "%s.%s%s", foreign ? "karat" : by, name, foreign ? " (import karat)" : "") < room;
}

static bool site_spell(const char *name, bool own, char *text, size_t room)
{
    if (!Py_IsInitialized())
        return false;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject  *float32 = kp_dtype_object(KT_F32), *called = NULL, *module = float32 ? users_module(float32, &called) : NULL;
    const bool written = module && called && write_name(name, own, module, called, text, room);
    Py_XDECREF(module);
    Py_XDECREF(called);
    Py_XDECREF(float32);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return written;
}

/* ---- questions of the explainer (karat/_source.py answers) ---- */

static PyObject *tensors_object(const kt_tensor *const *t, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *o = kp_wrap_borrowed((kt_tensor *)t[i]);
        if (!o)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, o);
    }
    return list;
}

static PyObject *ask_source(const kt_site_question *q)
{
    static const char *const abouts[] = {[KT_SITE_OPERAND] = "operand", [KT_SITE_BIRTH] = "birth", [KT_SITE_CAST] = "cast",
                                         [KT_SITE_HOLDER] = "holder",   [KT_SITE_CALL] = "call",   [KT_SITE_NEW] = "new",
                                         [KT_SITE_AGAIN] = "again"};
    PyObject *wanted = tensors_object(q->wanted, q->n_wanted), *others = wanted ? tensors_object(q->others, q->n_others) : NULL;
    PyObject *module = others ? PyImport_ImportModule("karat._source") : NULL;
    PyObject *text = module ? PyObject_CallMethod(module, "answer", "sOiOOiss", abouts[q->about], (PyObject *)q->code,
                                                  (int)q->offset, wanted, others, q->at, q->cast, q->dtype)
                            : NULL;
    Py_XDECREF(module);
    Py_XDECREF(others);
    Py_XDECREF(wanted);
    return text;
}

/* The refusal is pending meanwhile, and an exception may be; what goes wrong here leaves the answer out. */
static bool site_answer(const kt_site_question *q, char *text, size_t room)
{
    if (!Py_IsInitialized())
        return false;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    kt_error_state *aside = kt_error_push();
    PyObject       *said = aside ? ask_source(q) : NULL;
    const char     *utf8 = said && PyUnicode_Check(said) ? PyUnicode_AsUTF8(said) : NULL;
    const bool      fits = utf8 && (size_t)snprintf(text, room, "%s", utf8) < room;
    Py_XDECREF(said);
    if (aside)
        kt_error_pop(aside);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return fits;
}

static const kt_site_source source = {.abi = KT_SITE_ABI,
                                      .size = sizeof source,
                                      .now = site_now,
                                      .hold = site_hold,
                                      .locate = site_locate,
                                      .spell = site_spell,
                                      .stack = site_stack,
                                      .answer = site_answer};

int kp_site_start(PyObject *module)
{
    if (kt_site_register(&source)) {
        kp_raise();
        return -1;
    }
    return PyModule_AddStringConstant(module, "sites", kp_site_variant);
}

/* The folder of os.py, with a final slash. New reference; NULL without an exception: not known. */
static PyObject *library_folder(void)
{
    PyObject        *os = PyImport_ImportModule("os"), *file = os ? PyObject_GetAttrString(os, "__file__") : NULL, *folder = NULL;
    const Py_ssize_t n = file && PyUnicode_Check(file) ? PyUnicode_FindChar(file, '/', 0, PyUnicode_GET_LENGTH(file), -1) : -1;
    if (n >= 0)
        folder = PyUnicode_Substring(file, 0, n + 1);
    Py_XDECREF(file);
    Py_XDECREF(os);
    PyErr_Clear();
    return folder;
}

int kp_site_set_package(PyObject *folder)
{
    if (!PyUnicode_Check(folder)) {
        PyErr_SetString(PyExc_TypeError, "the package's folder must be a str");
        return -1;
    }
    PyObject *with_slash = PyUnicode_FromFormat("%U/", folder);
    if (!with_slash)
        return -1;
    Py_XSETREF(package, with_slash);
    Py_XSETREF(library, library_folder());
    return 0;
}
