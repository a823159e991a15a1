"""karat.autograd.functional: vjp, jvp, jacobian, hessian, hvp and vhp of a Python function.

In: a function of tensors and its inputs. Out: the products and matrices of its derivatives, with PyTorch's shapes and messages.
It is Python because the function is: each form is a few calls of autograd.grad, and all arithmetic happens inside them. A product
with the Jacobian from the right is taken as PyTorch takes it, by two backward passes: u -> u J is linear, and its own
derivative along v is J v. vectorize=True takes all rows of a Jacobian at once (karat.func.vmap), and with strategy="forward-mode"
column after column, in forward mode.
"""

from .. import _karat, _missing
from .._karat import Tensor
from ..modes import enable_grad as _enable_grad
from . import forward_ad as _forward

_zeros_like = _karat.functions["zeros_like"]
_ones_like = _karat.functions["ones_like"]
_stack = _karat.functions["stack"]
_zeros = _karat.functions["zeros"]
_eye = _karat.functions["eye"]

_NOT_STRICT = " This is not allowed in strict mode."
_NOT_STRICT_GRAPH = _NOT_STRICT[:-1] + " when create_graph=True."
_OUTPUT = "The output of the user-provided function is independent of input {}." + _NOT_STRICT
_JACOBIAN = "The jacobian of the user-provided function is independent of input {}."
_HESSIAN = "The hessian of the user-provided function is independent of input {}." + _NOT_STRICT_GRAPH
_LINEAR = ("While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
           "independent of the input." + _NOT_STRICT + " You should ensure that your function is twice differentiable and that "
           "the jacobian depends on the inputs (this would be violated by a linear function for example).")
_TWICE = ("The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward "
          "trick to compute forward mode gradients." + _NOT_STRICT)
_HESSIAN_TWICE = ("The hessian of the user-provided function is independent of entry {} in the grad_jacobian." +
                  _NOT_STRICT[:-1] + " as it prevents from using the double backward trick to replace forward mode AD.")


def _tuple_of(given, what, form):
    """(`given` is a tuple, its tensors)."""
    if isinstance(given, Tensor):
        return False, (given,)
    wrong = f"The {what} given to {form} must be either a Tensor or a tuple of Tensors but the "
    if not isinstance(given, tuple):
        raise TypeError(f"{wrong}given {what} has type {type(given)}.")
    for i, one in enumerate(given):
        if not isinstance(one, Tensor):
            raise TypeError(f"{wrong}value at index {i} has type {type(one)}.")
    return True, given


def _like(was_tuple, tensors):
    return tuple(tensors) if was_tuple else tensors[0]


def _variables(inputs, create_graph):
    """What the function is called with: leaves of its own, or views that stay in the caller's graph."""
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


def _called(func, inputs, form, strict):
    """(the results are a tuple, the results)."""
    several, outputs = _tuple_of(func(*inputs), "outputs of the user-provided function", form)
    for i, out in enumerate(outputs):
        if strict and not out.requires_grad:
            raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                               "computed in a differentiable manner from the input when running in strict mode.")
    return several, outputs


def _called_for_one(func, inputs, form, strict):
    """The one result, of one element, that a Hessian is of."""
    several, outputs = _called(func, inputs, form, strict)
    if several:
        raise RuntimeError(f"The function given to {form} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {form} should contain a single element")
    return outputs[0]


def _vector(v, like, form, whose):
    """v as a tuple of the sizes of `like`; None stands for a single 1."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {whose} a single Tensor with a single element.")
        return (_ones_like(like[0]),)
    v = _tuple_of(v, "v", form)[1]
    if len(v) != len(like):
        raise RuntimeError("The given v should contain a single Tensor." if len(like) == 1 else
                           f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            which = "" if len(like) == 1 else f"Entry {i} in "
            raise RuntimeError(f"{which}v has invalid size: should be {other.shape} but got {one.shape}.")
    return v


_OF_INPUT = "the input to the user-provided function is"
_OF_RESULT = "the user-provided function returns"


def _gradients(outputs, inputs, given, create_graph):
    """autograd.grad, with None for what no output reaches; outputs without a graph count as constants."""
    reached = [(out, g) for out, g in zip(outputs, given) if out is not None and out.requires_grad]
    if not reached:
        return (None,) * len(inputs)
    return _karat.gradients([out for out, _ in reached], inputs, [g for _, g in reached], True, create_graph, True)


def _complete(grads, like, strict, none, flat=None):
    """Zeros where there is no gradient; strict refuses those, and with `flat` gradients that are constants."""
    for i, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(none.format(i))
        if flat and not g.requires_grad:
            raise RuntimeError(flat.format(i))
    return tuple(_zeros_like(x) if g is None else g for g, x in zip(grads, like))


def _handed(was_tuple, tensors, create_graph):
    return _like(was_tuple, tensors if create_graph else [t.detach() for t in tensors])


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), v times the Jacobian of func at the inputs)."""
    with _enable_grad():
        tupled, inputs = _tuple_of(inputs, "inputs", "vjp")
        inputs = _variables(inputs, create_graph)
        several, outputs = _called(func, inputs, "vjp", strict)
        v = _vector(v, outputs, "vjp", _OF_RESULT)
        found = _complete(_gradients(outputs, inputs, v, create_graph), inputs, strict, _OUTPUT,
                          create_graph and _JACOBIAN + _NOT_STRICT_GRAPH)
    return _handed(several, outputs, create_graph), _handed(tupled, found, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), the Jacobian of func at the inputs times v)."""
    with _enable_grad():
        inputs = _tuple_of(inputs, "inputs", "jvp")[1]
        v = _vector(v, inputs, "jvp", _OF_INPUT)
        inputs = _variables(inputs, create_graph)
        several, outputs = _called(func, inputs, "jvp", strict)
        left = tuple(_zeros_like(out, requires_grad=True) for out in outputs)
        rows = _gradients(outputs, inputs, left, True)
        _complete(rows, inputs, strict, _OUTPUT)
        found = _complete(_gradients(rows, left, v, create_graph), outputs, strict, _TWICE,
                          create_graph and _JACOBIAN + _NOT_STRICT_GRAPH)
    return _handed(several, outputs, create_graph), _handed(several, found, create_graph)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of func at the inputs: of sizes output + input, for each output and input that is in a tuple."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more '
                             'outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
                             '"reverse-mode".')
    if strategy == "forward-mode":
        _refuse_forward(create_graph, strict, vectorize)
        return _by_columns(func, inputs)
    with _enable_grad():
        tupled, inputs = _tuple_of(inputs, "inputs", "jacobian")
        inputs = _variables(inputs, create_graph)
        several, outputs = _called(func, inputs, "jacobian", strict)
        if strict and vectorize:
            raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                               "together. Please either set `strict=False` or `vectorize=False`.")
        found = []
        for i, out in enumerate(outputs):
            # PyTorch's text has the number of the output where it says "input".
            constant = create_graph and _JACOBIAN.format(i) + _NOT_STRICT_GRAPH
            none = f"Output {i} of the user-provided function is independent of input {{}}." + _NOT_STRICT
            if vectorize:
                rows = _rows_at_once(out, inputs, create_graph)
            else:
                each = [_complete(_gradients((one,), inputs, (None,), create_graph), inputs, strict, none, constant)
                        for one in out.reshape(-1).unbind()]
                rows = [_stack([row[j] for row in each]) for j in range(len(inputs))]
            blocks = [row.reshape(out.shape + x.shape) for row, x in zip(rows, inputs)]
            found.append(_handed(tupled, blocks, create_graph))
    return _like(several, found)


def _rows_at_once(out, inputs, create_graph):
    """The gradients of every element of `out`, by one backward pass of all."""
    from ..func._vmap import vmap

    def one(v):
        grads = _gradients((out,), inputs, (v,), create_graph)
        return tuple(_zeros_like(x) if g is None else g for g, x in zip(grads, inputs))

    return vmap(one)(_eye(out.numel(), dtype=out.dtype, device=out.device).reshape((out.numel(),) + tuple(out.shape)))


def _refuse_forward(create_graph, strict, vectorize):
    for asked, error, option in ((create_graph, NotImplementedError, "create_graph"), (strict, RuntimeError, "strict")):
        if asked:
            raise error(f'torch.autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not supported '
                        f'together (yet). Please either set `{option}=False` or `strategy="reverse-mode"`.')
    if not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                                  "`vectorize=True`.")


def _column(func, inputs, j, direction):
    """(the results are a tuple, the results, their tangents for one direction of input j)"""
    with _forward.dual_level():
        dual = tuple(_forward.make_dual(x, direction) if k == j else x for k, x in enumerate(inputs))
        several, outputs = _tuple_of(func(*dual), "outputs", None)
        unpacked = [_forward.unpack_dual(out) for out in outputs]
    return several, [one.primal for one in unpacked], [one.tangent for one in unpacked]


def _by_columns(func, inputs):
    """The Jacobian in forward mode, element by element of the inputs. Several results, or inputs, are in lists, as in PyTorch."""
    tupled, inputs = _tuple_of(inputs, "inputs", "jacobian")
    several, outputs = _column(func, inputs, 0, _zeros_like(inputs[0]))[:2]
    found = [[] for _ in outputs]
    for j, x in enumerate(inputs):
        units = _eye(x.numel(), dtype=x.dtype, device=x.device).reshape((x.numel(),) + x.shape).unbind()
        columns = [_column(func, inputs, j, one)[2] for one in units]
        for k, out in enumerate(outputs):
            slopes = [_zeros_like(out) if column[k] is None else column[k] for column in columns]
            sizes = out.shape + x.shape
            found[k].append(_stack(slopes, -1).view(sizes) if slopes else _zeros(sizes, dtype=out.dtype, device=out.device))
    blocks = found if tupled else [row[0] for row in found]
    return blocks if several else blocks[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of func, which returns one element: of sizes input + input, for each pair of a tuple of inputs."""
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    tupled, inputs = _tuple_of(inputs, "inputs", "hessian")

    def gradient(*own):
        if outer_jacobian_strategy == "forward-mode":  # the dual tensors themselves: a leaf of its own would have no tangent
            own = tuple(x if x.requires_grad else x.requires_grad_() for x in own)
        slopes = jacobian(lambda *x: _called_for_one(func, x, "hessian", strict).reshape(()), own, create_graph=True)
        return _like(tupled, _complete(slopes, own, strict, _OUTPUT, _LINEAR))

    return jacobian(gradient, _like(tupled, inputs), create_graph, strict, vectorize, outer_jacobian_strategy)


def _slopes(func, inputs, form, strict, create_graph):
    """The one result, the variables it was computed from, and its gradient with a graph."""
    inputs = _variables(inputs, create_graph)
    output = _called_for_one(func, inputs, form, strict)
    return output, inputs, _complete(_gradients((output,), inputs, (None,), True), inputs, strict, _OUTPUT, _LINEAR)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), v times the Hessian of func, which returns one element)."""
    with _enable_grad():
        tupled, inputs = _tuple_of(inputs, "inputs", "vhp")
        v = _vector(v, inputs, "vhp", _OF_INPUT)
        output, inputs, slopes = _slopes(func, inputs, "vhp", strict, create_graph)
        found = _complete(_gradients(slopes, inputs, v, create_graph), inputs, strict, _JACOBIAN + _NOT_STRICT,
                          create_graph and _HESSIAN)
    return _handed(False, (output,), create_graph), _handed(tupled, found, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), the Hessian of func, which returns one element, times v)."""
    with _enable_grad():
        tupled, inputs = _tuple_of(inputs, "inputs", "hvp")
        v = _vector(v, inputs, "hvp", _OF_INPUT)
        output, inputs, slopes = _slopes(func, inputs, "hvp", strict, create_graph)
        left = tuple(_zeros_like(x, requires_grad=True) for x in inputs)
        rows = _gradients(slopes, inputs, left, True)
        found = _complete(_gradients(rows, left, v, create_graph), inputs, strict, _HESSIAN_TWICE, create_graph and _HESSIAN)
    return _handed(False, (output,), create_graph), _handed(tupled, found, create_graph)


__getattr__ = _missing.of(__name__)
