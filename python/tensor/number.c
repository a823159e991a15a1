/* number.c - Tensor's operators: + - * / // % ** @ & | ^ << >>, their in-place and reflected forms, comparisons, and
 * conversion to a Python number.
 *
 * In: a Tensor and a Tensor or number. Out: a Tensor, or NotImplemented for other types, so that Python tries the other
 * operand. Rows are looked up once and arguments are not parsed; the call itself is like any other. */
#include "core/binding.h"

/* Python's operator, its row, and what `number op tensor` becomes: the same row with operands swapped, another row,
 * number * reciprocal(tensor) (as in PyTorch), the number as a tensor, or nothing. */
#define OPERATORS(X)                                                                          \
    X(add, add, SWAP, add, "add", "add")                                                      \
    X(subtract, sub, OTHER, rsub, "sub", "__rsub__")                                          \
    X(multiply, mul, SWAP, mul, "mul", "mul")                                                 \
    X(true_divide, div, RECIPROCAL, mul, "div", "__rdiv__")                                   \
    X(floor_divide, floor_divide, TENSOR, floor_divide, "__floordiv__", "__rfloordiv__")      \
    X(remainder, remainder, TENSOR, remainder, "remainder", "__rmod__")                       \
    X(matrix_multiply, matmul, NOTHING, matmul, "matmul", "__rmatmul__")                      \
    X(and, bitwise_and, SWAP, bitwise_and, "__and__", "bitwise_and")                          \
    X(or, bitwise_or, SWAP, bitwise_or, "__or__", "bitwise_or")                               \
    X(xor, bitwise_xor, SWAP, bitwise_xor, "__xor__", "bitwise_xor")                          \
    X(lshift, bitwise_left_shift, TENSOR, bitwise_left_shift, "__lshift__", "__rlshift__")    \
    X(rshift, bitwise_right_shift, TENSOR, bitwise_right_shift, "__rshift__", "__rrshift__")  \
    X(power, pow, BASE, pow_base, "pow", "__rpow__")

enum reflect { SWAP, OTHER, RECIPROCAL, BASE, TENSOR, NOTHING };
enum operator {
#define X(slot, row, reflect, other, method, reflected) OP_##slot,
    OPERATORS(X)
#undef X
        N_OPERATORS
};

static const kt_row *plain[N_OPERATORS], *reflected[N_OPERATORS];
static const kt_row *comparison[6]; /* indexed by Py_LT.. */
static const kt_row *row_neg, *row_abs, *row_not, *row_reciprocal;

static const struct {
    const char  *row, *other, *method, *reflected; /* the last two: names for __torch_function__ */
    enum reflect reflect;
} facts[N_OPERATORS] = {
#define X(slot, row, reflect, other, method, reflected) {#row, #other, method, reflected, reflect},
    OPERATORS(X)
#undef X
};

int kp_numbers_start(void)
{
    static const char *const names[6] = {[Py_LT] = "lt", [Py_LE] = "le", [Py_EQ] = "eq",
                                           [Py_NE] = "ne", [Py_GT] = "gt", [Py_GE] = "ge"};
    for (int i = 0; i < N_OPERATORS; i++)
        if (!(plain[i] = kp_row(facts[i].row)) || !(reflected[i] = kp_row(facts[i].other)))
            return -1;
    for (int i = 0; i < 6; i++)
        if (!(comparison[i] = kp_row(names[i])))
            return -1;
    return (row_neg = kp_row("neg")) && (row_abs = kp_row("abs")) && (row_not = kp_row("bitwise_not")) &&
                   (row_reciprocal = kp_row("reciprocal"))
               ? 0
               : -1;
}

static inline PyObject *finish(kt_call *call, bool large)
{
    if (KP_UNLIKELY(kp_run(call, large)))
        return kp_raise();
    return kp_wrap(call->out[0]);
}

static inline void begin(kt_call *call, const kt_row *row, kt_form form, kt_tensor *self)
{
    kt_call_begin(call, row, form);
    call->arg[0].t = self;
    call->given = 3;
}

/* The second operand is a number, or not supported. */
static PyObject *with_number(PyObject *a, PyObject *b, const kt_row *row, kt_form form)
{
    kt_call call;
    int     is_number = kp_to_operand(b, &call.arg[1].s);
    if (is_number < 0)
        return NULL;
    if (!is_number)
        Py_RETURN_NOTIMPLEMENTED;
    begin(&call, row, form, kp_tensor_of(a));
    call.scalars = 2;
    return finish(&call, kp_is_large(kp_tensor_of(a), NULL));
}

static inline PyObject *binary(PyObject *a, PyObject *b, const kt_row *row, kt_form form)
{
    if (KP_UNLIKELY(!kp_is_tensor(b)))
        return with_number(a, b, row, form);
    kt_call call;
    begin(&call, row, form, kp_tensor_of(a));
    call.arg[1].t = kp_tensor_of(b);
    return finish(&call, kp_is_large(kp_tensor_of(a), kp_tensor_of(b)));
}

static PyObject *unary(PyObject *a, const kt_row *row)
{
    kt_call call;
    begin(&call, row, KT_PLAIN, kp_tensor_of(a));
    call.given = 1;
    return finish(&call, kp_is_large(kp_tensor_of(a), NULL));
}

PyObject *kp_number_as_tensor(kt_scalar number, const kt_tensor *beside)
{
    kt_tensor *t;
    return kt_number_beside(number, beside, &t) ? kp_raise() : kp_wrap(t);
}

/* `b` is a Tensor, `a` is not. */
static PyObject *reflect(PyObject *a, PyObject *b, enum operator op)
{
    kt_call call;
    int     is_number;
    switch (facts[op].reflect) {
    case SWAP:
    case OTHER: return with_number(b, a, reflected[op], KT_PLAIN);
    case RECIPROCAL: {
        kt_scalar number;
        is_number = kp_to_operand(a, &number);
        if (is_number <= 0 && !(is_number == 0 && kp_is_array(a)))
            return is_number < 0 ? NULL : Py_NewRef(Py_NotImplemented);
        PyObject *inverse = unary(b, row_reciprocal); /* with an array, NumPy multiplies */
        PyObject *result = !inverse    ? NULL
                           : is_number ? with_number(inverse, a, reflected[op], KT_PLAIN)
                                       : PyNumber_Multiply(inverse, a);
        Py_XDECREF(inverse);
        return result;
    }
    case BASE:
        is_number = kp_to_operand(a, &call.arg[0].s);
        if (is_number <= 0)
            return is_number < 0 ? NULL : Py_NewRef(Py_NotImplemented);
        kt_call_begin(&call, reflected[op], KT_PLAIN);
        call.arg[1].t = kp_tensor_of(b);
        call.given = 3;
        call.scalars = 1;
        return finish(&call, kp_is_large(kp_tensor_of(b), NULL));
    case TENSOR: {
        kt_scalar number;
        is_number = kp_to_operand(a, &number);
        if (is_number <= 0)
            return is_number < 0 ? NULL : Py_NewRef(Py_NotImplemented);
        kt_tensor *t;
        if (kt_number_beside(number, kp_tensor_of(b), &t))
            return kp_raise();
        begin(&call, plain[op], KT_PLAIN, t);
        call.arg[1].t = kp_tensor_of(b);
        PyObject *result = finish(&call, kp_is_large(t, kp_tensor_of(b)));
        kt_drop(t);
        return result;
    }
    default: Py_RETURN_NOTIMPLEMENTED;
    }
}

/* Can it be an operand? If not, Python tries the other one's operator, and no class is asked. */
static bool is_operand(PyObject *o, enum operator op)
{
    kt_scalar number;
    if (kp_is_tensor(o) || kp_overrides(o))
        return true;
    const bool fits = facts[op].reflect != NOTHING && kp_to_operand(o, &number) != 0; /* a number that is too large is one */
    PyErr_Clear();
    return fits;
}

static PyObject *ask_operands(PyObject *a, PyObject *b, enum operator op)
{
    PyObject *answer;
    if (!is_operand(kp_is_tensor(a) ? b : a, op))
        return Py_NewRef(Py_NotImplemented);
    return (kp_is_tensor(a) ? kp_override_operator(facts[op].method, a, b, &answer)
                            : kp_override_operator(facts[op].reflected, b, a, &answer))
               ? answer
               : NULL;
}

static inline PyObject *operate(PyObject *a, PyObject *b, enum operator op)
{
    if (KP_UNLIKELY(kp_may_override(a) || kp_may_override(b))) {
        PyObject *answer = ask_operands(a, b, op);
        if (answer || PyErr_Occurred())
            return answer;
    }
    if (KP_LIKELY(kp_is_tensor(a))) {
        if (facts[op].reflect == NOTHING && !kp_is_tensor(b))
            Py_RETURN_NOTIMPLEMENTED;
        return binary(a, b, plain[op], KT_PLAIN);
    }
    return reflect(a, b, op);
}

/* The in-place method of bits is Python's (__iand__); else it is the row's name and "_". */
static const char *method_inplace(enum operator op, const char *pythons, const char *rows)
{
    return op >= OP_and && op <= OP_rshift ? pythons : rows;
}

static inline PyObject *operate_inplace(PyObject *a, PyObject *b, enum operator op, const char *method)
{
    PyObject *answer;
    if (KP_UNLIKELY(kp_may_override(a) || kp_may_override(b)) && kp_override_operator(method, a, b, &answer))
        return answer;
    return binary(a, b, plain[op], KT_INPLACE);
}

#define X(slot, row, reflect, other, method, reflected)                                                            \
    static PyObject *slot_##slot(PyObject *a, PyObject *b) { return operate(a, b, OP_##slot); }                    \
    __attribute__((unused)) /* @= has no in-place row */                                                           \
    static PyObject *inplace_##slot(PyObject *a, PyObject *b)                                                      \
    {                                                                                                              \
        return operate_inplace(a, b, OP_##slot, method_inplace(OP_##slot, "__i" #slot "__", #row "_"));            \
    }
OPERATORS(X)
#undef X

static PyObject *power3(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return slot_power(a, b);
}

static PyObject *inplace_power3(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return inplace_power(a, b);
}

static PyObject *asking_unary(PyObject *a, const kt_row *row, const char *method)
{
    PyObject *answer;
    return KP_UNLIKELY(kp_may_override(a)) && kp_override_operator(method, a, NULL, &answer) ? answer : unary(a, row);
}

static PyObject *slot_negative(PyObject *a) { return asking_unary(a, row_neg, "neg"); }
static PyObject *slot_absolute(PyObject *a) { return asking_unary(a, row_abs, "abs"); }
static PyObject *slot_invert(PyObject *a)
{
    PyObject *answer;
    if (KP_UNLIKELY(kp_may_override(a)) && kp_override_operator("__invert__", a, NULL, &answer))
        return answer;
    if (kt_dtype_category(kt_dtype_of(kp_tensor_of(a))) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)) {
        return kp_refuse_dtype(KT_ERR_TYPE, kp_tensor_of(a), "~", KT_I64,
                               "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    }
    return unary(a, row_not);
}
static PyObject *slot_positive(PyObject *a)
{
    if (kt_dtype_of(kp_tensor_of(a)) == KT_BOOL) {
        PyErr_SetString(PyExc_RuntimeError, "The `+` operator, on a bool tensor is not supported.");
        return kp_tell("__pos__", NULL, &a, 1);
    }
    return Py_NewRef(a);
}

/* == and != with an array are elementwise here; other comparisons are NumPy's. */
static PyObject *equal_to_array(PyObject *a, PyObject *array)
{
    PyObject *b = kp_wrap(kp_from_array(array, "comparison", false));
    if (!b) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return NULL;
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *result = binary(a, b, comparison[Py_EQ], KT_PLAIN);
    Py_DECREF(b);
    return result;
}

static PyObject *compare(PyObject *a, PyObject *b, int op)
{
    static const char *const methods[6] = {[Py_LT] = "lt", [Py_LE] = "le", [Py_EQ] = "__eq__",
                                             [Py_NE] = "ne", [Py_GT] = "gt", [Py_GE] = "ge"};
    PyObject                *answer;
    if (KP_UNLIKELY(kp_may_override(a) || kp_may_override(b)) && (op == Py_EQ || is_operand(b, OP_add)) &&
        kp_override_operator(methods[op], a, b, &answer))
        return answer;
    if (KP_UNLIKELY(op == Py_EQ && !kp_is_tensor(b) && kp_is_array(b)))
        return equal_to_array(a, b);
    return binary(a, b, comparison[op], KT_PLAIN);
}

/* ---- to Python's numbers ---- */

int kp_only_element(PyObject *self, kt_scalar *s)
{
    if (kt_numel(kp_tensor_of(self)) != 1) {
        PyErr_SetString(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
        kp_tell("item", NULL, &self, 1);
        return -1;
    }
    *s = kp_item(kp_tensor_of(self));
    if (!s->kind) {
        kp_raise();
        return -1;
    }
    return 0;
}

/* PyTorch's once-only warning: the number carries no gradient. */
int kp_warn_of_lost_grad(const kt_tensor *t)
{
    static bool warned; /* under the GIL */
    if (!kt_requires_grad(t) || !kt_grad_enabled())
        return 0;
    return kp_warn_once(&warned, "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                                 "Consider using tensor.detach() first.");
}

static PyObject *as_number(PyObject *self, PyObject *(*convert)(PyObject *), const char *op, const char *type)
{
    kt_scalar s;
    if (kp_only_element(self, &s))
        return NULL;
    if (s.kind == KT_SCALAR_COMPLEX) {
        if (s.im != 0) {
            const kt_tensor *t = kp_tensor_of(self);
            char             text[80];
            PyOS_snprintf(text, sizeof text, "value cannot be converted to type %s without overflow", type);
            return kp_refuse_dtype(KT_ERR_RUNTIME, t, op, kt_dtype_real(kt_dtype_of(t)), text);
        }
        s = KT_FLOAT(s.v.re);
    }
    PyObject *number = kp_from_scalar(s);
    if (!number)
        return NULL;
    PyObject *result = convert(number);
    Py_DECREF(number);
    return result;
}

static PyObject *slot_float(PyObject *self)
{
    return kp_warn_of_lost_grad(kp_tensor_of(self)) ? NULL : as_number(self, PyNumber_Float, "float", "double");
}
static PyObject *slot_int(PyObject *self) { return as_number(self, PyNumber_Long, "int", "int64_t"); }

static PyObject *slot_index(PyObject *self)
{
    const kt_tensor *t = kp_tensor_of(self);
    static const char only[] = "only integer tensors of a single element can be converted to an index";
    if (kt_numel(t) != 1) {
        PyErr_SetString(PyExc_TypeError, only);
        return kp_tell("__index__", NULL, &self, 1);
    }
    if (!(kt_dtype_category(kt_dtype_of(t)) & (KT_CAT_INT | KT_CAT_BOOL)))
        return kp_refuse_dtype(KT_ERR_TYPE, t, "__index__", KT_I64, only);
    return slot_int(self);
}

static int slot_bool(PyObject *self)
{
    const int64_t n = kt_numel(kp_tensor_of(self));
    kt_scalar     s;
    if (n != 1) {
        PyErr_Format(PyExc_RuntimeError, "Boolean value of Tensor with %s is ambiguous",
                     n ? "more than one value" : "no values");
        return -1;
    }
    if (KP_UNLIKELY(kt_is_batched(kp_tensor_of(self)))) {
        PyErr_SetString(PyExc_RuntimeError,
                        "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
                        "support that yet, please shout over at https://github.com/pytorch/functorch/issues/257 .");
        return -1;
    }
    if (kp_only_element(self, &s))
        return -1;
    if (s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX)
        return s.v.re != 0 || s.im != 0;
    return s.v.i != 0;
}

const PyType_Slot kp_number_slots[] = {
    {Py_nb_add, slot_add},
    {Py_nb_subtract, slot_subtract},
    {Py_nb_multiply, slot_multiply},
    {Py_nb_true_divide, slot_true_divide},
    {Py_nb_floor_divide, slot_floor_divide},
    {Py_nb_remainder, slot_remainder},
    {Py_nb_power, power3},
    {Py_nb_matrix_multiply, slot_matrix_multiply},
    {Py_nb_and, slot_and},
    {Py_nb_or, slot_or},
    {Py_nb_xor, slot_xor},
    {Py_nb_lshift, slot_lshift},
    {Py_nb_rshift, slot_rshift},
    {Py_nb_inplace_add, inplace_add},
    {Py_nb_inplace_subtract, inplace_subtract},
    {Py_nb_inplace_multiply, inplace_multiply},
    {Py_nb_inplace_true_divide, inplace_true_divide},
    {Py_nb_inplace_floor_divide, inplace_floor_divide},
    {Py_nb_inplace_remainder, inplace_remainder},
    {Py_nb_inplace_power, inplace_power3},
    {Py_nb_inplace_and, inplace_and},
    {Py_nb_inplace_or, inplace_or},
    {Py_nb_inplace_xor, inplace_xor},
    {Py_nb_inplace_lshift, inplace_lshift},
    {Py_nb_inplace_rshift, inplace_rshift},
    {Py_nb_negative, slot_negative},
    {Py_nb_positive, slot_positive},
    {Py_nb_absolute, slot_absolute},
    {Py_nb_invert, slot_invert},
    {Py_nb_bool, slot_bool},
    {Py_nb_float, slot_float},
    {Py_nb_int, slot_int},
    {Py_nb_index, slot_index},
    {Py_tp_richcompare, compare},
    {0, NULL},
};
