"""composed.py - overloads of torch.ops.aten that no single row serves: a schema, and the method or function that does the same.

They are bound by the schema, as those of rows are (python/core/operator.c), with PyTorch's texts."""

from .. import _karat, checking
from .slopes import FUNCTIONS as SLOPES

_Tensor = _karat.Tensor


def _wanted(row, args, mask):
    """The results of a row that takes numbers for `mask`; None where it says that they are not wanted."""
    found = _karat.functions[row](*args, [int(wanted) for wanted in mask])
    return tuple(one if wanted else None for one, wanted in zip(found, mask))


def _cross_entropy(x, target, weight, reduction, ignore_index, label_smoothing):
    from ..nn.functional import cross_entropy

    return cross_entropy(x, target, weight, ignore_index=ignore_index, reduction=("none", "mean", "sum")[reduction],
                         label_smoothing=label_smoothing)


def _itself(x):
    return x


# ORDER of the overloads of a name: PyTorch's, in which they are tried.
FUNCTIONS = {
    "size.int(Tensor self, int dim) -> int": _Tensor.size,
    "size(Tensor self) -> int[]": lambda x: list(x.size()),
    "sym_size.int(Tensor self, int dim) -> SymInt": _Tensor.size,
    "sym_size(Tensor self) -> SymInt[]": lambda x: list(x.size()),
    "stride.int(Tensor self, int dim) -> int": _Tensor.stride,
    "stride(Tensor self) -> int[]": lambda x: list(x.stride()),
    "sym_stride.int(Tensor self, int dim) -> SymInt": _Tensor.stride,
    "sym_stride(Tensor self) -> SymInt[]": lambda x: list(x.stride()),
    "numel(Tensor self) -> int": _Tensor.numel,
    "sym_numel(Tensor self) -> SymInt": _Tensor.numel,
    "dim(Tensor self) -> int": _Tensor.dim,
    "storage_offset(Tensor self) -> int": _Tensor.storage_offset,
    "sym_storage_offset(Tensor self) -> SymInt": _Tensor.storage_offset,
    "item(Tensor self) -> Scalar": _Tensor.item,
    "_local_scalar_dense(Tensor self) -> Scalar": _Tensor.item,
    "equal(Tensor self, Tensor other) -> bool": _Tensor.equal,
    "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool": _Tensor.allclose,
    "is_same_size(Tensor self, Tensor other) -> bool": _Tensor.is_same_size,
    "is_contiguous(Tensor self) -> bool": _Tensor.is_contiguous,
    "is_nonzero(Tensor self) -> bool": _Tensor.is_nonzero,
    "is_pinned(Tensor self, Device? device=None) -> bool": lambda x, device: x.is_pinned(),
    "is_floating_point(Tensor self) -> bool": _Tensor.is_floating_point,
    "is_complex(Tensor self) -> bool": _Tensor.is_complex,
    "is_conj(Tensor self) -> bool": _Tensor.is_conj,
    "is_neg(Tensor self) -> bool": _Tensor.is_neg,
    "is_signed(Tensor self) -> bool": _Tensor.is_signed,
    "is_leaf(Tensor self) -> bool": lambda x: x.is_leaf,
    "_version(Tensor self) -> int": lambda x: x._version,
    "_assert_scalar(Scalar self, str assert_msg) -> ()": checking._assert_scalar,
    "_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor": checking._functional_assert_scalar,
    "_assert_async(Tensor self) -> ()": checking._assert_async,
    "_assert_async.msg(Tensor self, str assert_msg) -> ()": checking._assert_async,
    "_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor": checking._functional_assert_async,
    "detach_(Tensor(a!) self) -> Tensor(a!)": _Tensor.detach_,
    "requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)": _Tensor.requires_grad_,
    "retain_grad(Tensor(a!) self) -> ()": _Tensor.retain_grad,
    "lift(Tensor self) -> Tensor": _itself,
    "lift_fresh(Tensor(a) self) -> Tensor(a)": _itself,
    "lift_fresh_copy(Tensor self) -> Tensor": _Tensor.clone,
    "einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor":
        lambda equation, tensors, path: _karat.functions["einsum"](equation, tensors),
    "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] "
    "padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, "
    "Tensor, Tensor)": lambda *a: _wanted("_convolution_backward", a[:-1], a[-1]),
    "grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
    "align_corners, bool[2] output_mask) -> (Tensor, Tensor)":
        lambda *a: _wanted("grid_sampler_2d_backward", a[:-1], a[-1]),
    "grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
    "align_corners, bool[2] output_mask) -> (Tensor, Tensor)":
        lambda *a: _wanted("grid_sampler_3d_backward", a[:-1], a[-1]),
    "native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? "
    "weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)":
        lambda grad, x, shape, mean, rstd, weight, bias, mask: _wanted("_native_layer_norm_backward",
                                                                       (grad, x, weight, [mean, rstd], shape), mask),
    "native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, "
    "SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)":
        lambda grad, x, mean, rstd, weight, n, c, size, group, mask: _wanted("_native_group_norm_backward",
                                                                             (grad, x, weight, [mean, rstd], group), mask),
    "log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor":
        lambda grad, x, buffer: _karat.nn_functions["log_sigmoid_backward"](grad, x),
    "multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor":
        lambda grad, x, target, reduction, is_target: _karat.functions["multilabel_margin_loss_backward"](grad, x, target,
                                                                                                          reduction),
    "cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float "
    "label_smoothing=0.) -> Tensor": _cross_entropy,
}


def _names():
    by_name = {}
    for schema, function in {**FUNCTIONS, **SLOPES}.items():
        name, _, overload = schema.partition("(")[0].partition(".")
        by_name.setdefault(name, {})[overload] = (schema, function)
    return by_name


NAMES = _names()


class Composed:
    """What OpOverload calls where it is no row."""

    has_rule = False

    def __init__(self, schema, function):
        self.said, self.function, self.face = schema, function, None

    @staticmethod
    def parse(text, space):
        """The schema, whose result may be a list of numbers or an answer of a symbol, which no row gives."""
        from .._ops import _type_of, parse_schema

        before, _, result = text.rpartition(" -> ")
        if not result.endswith("[]") and result != "SymBool":
            return parse_schema(text, space)
        read = parse_schema(f"{before} -> int", space)
        read.returns[0].said, read.returns[0].type = result, _type_of(result)
        return read

    def take(self, one, value):
        """The value of an argument. TypeError: it does not fit."""
        if one.type == "Tensor" and not isinstance(value, _Tensor):
            raise TypeError
        return value

    def bind(self, args, kwargs):
        """The arguments in the schema's order. RuntimeError: they do not fit."""
        schema = self.face._schema
        name, wanted = schema.name, schema.arguments
        if len(args) + len(kwargs) > len(wanted):
            raise RuntimeError(f"{name}() expected at most {len(wanted)} argument(s) but received {len(args) + len(kwargs)} "
                               f"argument(s). Declaration: {schema}")
        positional = sum(not one.kwarg_only for one in wanted)
        if len(args) > positional:
            raise RuntimeError(f"{name}() takes {positional} positional argument(s) but {len(args)} was/were given.  "
                               f"Declaration: {schema}")
        bound, left = [], dict(kwargs)
        for place, one in enumerate(wanted):
            if place < len(args):
                value = args[place]
            elif one.name in left:
                value = left.pop(one.name)
            elif one.has_default_value():
                bound.append(one.default_value)
                continue
            else:
                raise RuntimeError(f"{name}() is missing value for argument '{one.name}'. Declaration: {schema}")
            try:
                value = self.take(one, value)
            except TypeError:
                raise RuntimeError(f"{name}() Expected a value of type '{one.type}' for argument '{one.name}' but instead found "
                                   f"type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {schema}\n"
                                   f"Cast error details: Unable to cast {value} to {one.type}") from None
            bound.append(value)
        for keyword in left:
            if keyword in (one.name for one in wanted):
                raise RuntimeError(f"Argument '{keyword}' specified both as positional and keyword argument. Schema: {schema}")
            raise RuntimeError(f"Unknown keyword argument '{keyword}' for operator '{name}'. Schema: {schema}")
        return bound

    def __call__(self, /, *args, **kwargs):
        return self.function(*self.bind(args, kwargs))


def call_first(overloads, args, kwargs):
    """The first that takes the arguments; none: all that is wrong."""
    wrong = []
    for one in overloads:
        try:
            bound = one.bind(args, kwargs)
        except RuntimeError as error:
            wrong.append(str(error))
            continue
        return one.function(*bound)
    if len(wrong) == 1:
        raise RuntimeError(wrong[0])
    raise RuntimeError("Overloaded torch operator invoked from Python failed to match any schema:\n" +
                       "".join(f"{text}\n\n" for text in wrong))
