"""karat.autograd: autograd.grad, backward, the grad modes, the functional forms and the checks of derivatives."""

from .. import _karat, _missing
from .._karat import Tensor
from .. import modes as grad_mode  # noqa: F401
from . import anomaly_mode, forward_ad, function, graph  # noqa: F401
from .anomaly_mode import detect_anomaly, set_detect_anomaly  # noqa: F401
from .function import Function  # noqa: F401
from ..modes import (  # noqa: F401
    _force_original_view_tracking,
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    is_view_replay_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from . import functional, profiler, profiler_util  # noqa: F401
from .profiler_util import DeviceType  # noqa: F401
from .gradcheck import gradcheck, gradgradcheck  # noqa: F401
from .variable import Variable  # noqa: F401

def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """Gradients of the sum of the outputs with respect to the inputs, returned instead of accumulated in the leaves."""
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        from warnings import warn

        warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
             "of the graph, please use torch.autograd.backward.", FutureWarning, 2)
    unused = True if materialize_grads else allow_unused
    if is_grads_batched:
        found = _of_rows(outputs, inputs, grad_outputs, retain_graph, create_graph, unused)
    else:
        found = _karat.gradients(outputs, inputs, grad_outputs, retain_graph, create_graph, unused)
    if not materialize_grads:
        return found
    like = (inputs,) if isinstance(inputs, (Tensor, graph.GradientEdge)) else tuple(inputs)
    if any(g is None and isinstance(one, graph.GradientEdge) for g, one in zip(found, like)):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros_like = _karat.functions["zeros_like"]
    return tuple(zeros_like(one, requires_grad=create_graph) if g is None else g for g, one in zip(found, like))


def _of_rows(outputs, inputs, rows, *options):
    """The gradients for each row of grad_outputs at once."""
    from ..func._vmap import vmap

    rows = (rows,) if isinstance(rows, Tensor) else tuple(rows)
    for i, (row, out) in enumerate(zip(rows, (outputs,) if isinstance(outputs, Tensor) else outputs)):
        if isinstance(row, Tensor) and isinstance(out, Tensor) and row.shape[1:] != out.shape:
            raise RuntimeError("If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                               "dimension. The sizes of the remaining dimensions are expected to match the shape of "
                               "corresponding "
                               f"output, but a mismatch was detected: grad_output[{i}] has a shape of {row.shape} and "
                               f"output[{i}] "
                               f"has a shape of {out.shape}. If you only want some tensors in `grad_output` to be considered "
                               "batched, consider using vmap.")
    unreached = []

    def one(*given):
        found = _karat.gradients(outputs, inputs, given, *options)
        unreached[:] = [g is None for g in found]
        return tuple(g for g in found if g is not None)

    found = iter(vmap(one, in_dims=tuple(None if g is None else 0 for g in rows))(*rows))
    return tuple(None if absent else next(found) for absent in unreached)


backward = _karat.backward
_profiler_enabled = _karat.profiler_is_on
kineto_available = profiler.kineto_available

__getattr__ = _missing.of(__name__)
