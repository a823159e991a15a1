/* module.c - the module karat._karat: its types, its functions, its constants. The package karat re-exports them.
 *
 * In: the files of the extension. Out: PyInit__karat. One interpreter per process: the engine has one source of sites. */
#include "core/binding.h"

static PyObject *own_package(PyObject *module, PyObject *folder)
{
    (void)module;
    return kp_site_set_package(folder) ? NULL : Py_NewRef(Py_None);
}

/* Under `karat run` types are named torch.dtype, not karat.dtype. */
const char *kp_package = "karat";

static PyObject *name_types_of_torch(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kp_package = "torch";
    kp_dtype_type.tp_name = "torch.dtype";
    kp_device_type.tp_name = "torch.device";
    kp_size_type.tp_name = "torch.Size";
    kp_format_type.tp_name = "torch.memory_format";
    kp_layout_type.tp_name = "torch.layout";
    kp_generator_type.tp_name = "torch._C.Generator";
    kp_stream_type.tp_name = "torch.Stream";
    kp_event_type.tp_name = "torch.Event";
    Py_RETURN_NONE;
}

static PyObject *code_place(PyObject *module, PyObject *args)
{
    PyObject  *code;
    Py_ssize_t offset;
    (void)module;
    return PyArg_ParseTuple(args, "On", &code, &offset) ? kp_site_columns(code, offset) : NULL;
}

static PyMethodDef own_functions[] = {
    {"code_place", code_place, METH_VARARGS, "code_place(code, offset): lines and columns of an instruction, or None"},
    {"name_types_of_torch", name_types_of_torch, METH_NOARGS, "types are called torch.dtype, torch.Size and so on"},
    {"own_package", own_package, METH_O, "own_package(folder): frames of files in it are not the user's"},
    {NULL, NULL, 0, NULL},
};

static int add_types(PyObject *module)
{
    static PyTypeObject *const types[] = {&kp_dtype_type, &kp_device_type,   &kp_format_type, &kp_size_type,
                                          &kp_node_type,  &kp_function_type, &kp_method_type, &kp_empty_type,
                                          &kp_lender_type, &kp_layout_type, &kp_handle_type, &kp_stream_type,
                                          &kp_event_type,   &kp_graph_type, &kp_context_type,
                                          &kp_saved_type, &kp_form_type, &kp_operator_type, &kp_seen_type, &kp_profile_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (PyModule_AddType(module, types[i]))
            return -1;
    return 0;
}

static int add_dtypes(PyObject *module)
{
    static const struct {
        const char *name;
        kt_dtype    dtype;
    } short_names[] = {{"half", KT_F16}, {"float", KT_F32},  {"double", KT_F64},  {"short", KT_I16},   {"int", KT_I32},
                       {"long", KT_I64}, {"chalf", KT_C32},  {"cfloat", KT_C64},  {"cdouble", KT_C128}};
    PyObject *dtypes = PyDict_New(); /* by every name */
    int       status = dtypes ? 0 : -1;
    for (int d = KT_NONE + 1; !status && d < KT_NUM_DTYPES; d++) {
        PyObject *o = kp_dtype_object((kt_dtype)d);
        status = o ? PyDict_SetItemString(dtypes, kt_dtype_name((kt_dtype)d), o) : -1;
        Py_XDECREF(o);
    }
    for (size_t i = 0; !status && i < sizeof short_names / sizeof *short_names; i++) {
        PyObject *o = kp_dtype_object(short_names[i].dtype);
        status = o ? PyDict_SetItemString(dtypes, short_names[i].name, o) : -1;
        Py_XDECREF(o);
    }
    if (!status)
        status = PyModule_AddObjectRef(module, "dtypes", dtypes);
    Py_XDECREF(dtypes);
    return status;
}

static int add_functions(PyObject *module)
{
    static PyMethodDef *const all[] = {kp_make_functions,    kp_buffer_functions, kp_grad_functions,
                                       kp_lineage_functions, kp_mode_functions,   kp_dtype_functions,
                                       kp_ceiling_functions, kp_random_functions, kp_print_functions,
                                       kp_dlpack_functions,  kp_compare_functions, kp_device_functions,
                                       kp_override_functions, kp_warn_functions, kp_autocast_functions,
                                       kp_stream_functions, kp_facts_functions, kp_graph_functions, kp_custom_functions,
                                       kp_saved_functions,  kp_task_functions, kp_node_functions, kp_operator_functions,
                                       kp_kernel_functions,
                                       kp_shown_functions, kp_forward_functions, kp_batch_functions, kp_module_functions,
                                       kp_optim_functions, kp_profiler_functions, kp_flops_functions, kp_probes_functions,
                                       own_functions};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyModule_AddFunctions(module, all[i]))
            return -1;
    return 0;
}

/* Types and engine hooks are process-wide: a second interpreter would share objects with the first. */
static int refuse_second_interpreter(void)
{
    static int64_t first = -1;
    const int64_t  here = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (first < 0)
        first = here;
    if (here != first)
        PyErr_SetString(PyExc_ImportError, "karat supports one interpreter per process, and is already loaded in another");
    return here == first ? 0 : -1;
}

static int start(PyObject *module)
{
    if (refuse_second_interpreter() || kp_error_start(module) || kp_rows_start() ||
        kp_warn_start() || kp_override_start(module) || kp_tensor_start(module) || kp_site_start(module) ||
        kp_run_start() || kp_numbers_start() || kp_index_start() ||
        kp_methods_start() || add_types(module) || kp_module_start(module) || add_dtypes(module) ||
        kp_formats_start(module) || kp_generator_start(module) ||
        kp_results_start(module) || kp_functions_start(module) || add_functions(module) ||
        PyModule_AddStringConstant(module, "version", kt_version()) ||
        PyModule_AddStringConstant(module, "isa", kt_cpu_isa()))
        return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)start},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "karat._karat",
    .m_doc = PyDoc_STR("The engine's face for the package karat."),
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__karat(void)
{
    return PyModuleDef_Init(&definition);
}
