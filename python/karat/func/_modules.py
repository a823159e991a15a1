"""Modules as functions of their parameters: functional_call, and the parameters of several modules stacked for vmap."""

from .. import _karat


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """module(*args, **kwargs), with tensors by name, from one dict or several, in the place of its parameters and buffers.
    strict: all of the module's names, and no others. tie_weights: tied parameters stay tied."""
    from ..nn.utils import stateless  # modules are not loaded when func is

    dicts = parameter_and_buffer_dicts
    if isinstance(dicts, dict):
        tensors = dicts
    elif isinstance(dicts, (list, tuple)):
        if not all(isinstance(one, dict) for one in dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for one in dicts for name in one]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        tensors = {name: tensor for one in dicts for name, tensor in one.items()}
    else:
        raise ValueError(f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}")
    return stateless._functional_call(module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict)


def replace_all_batch_norm_modules_(root):
    """Takes the running statistics from all batch norms of a module, in place: vmap cannot write to them."""
    from ..nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def _stacked(tensors, name):
    wants = {tensor.requires_grad for tensor in tensors}
    if len(wants) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    made = _karat.functions["stack"](tensors).detach()
    return made.requires_grad_() if wants == {True} else made


def stack_module_state(models):
    """The parameters of several modules of one class, stacked by name, and their buffers likewise."""
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters, buffers = ([dict(getattr(model, kind)()) for model in models] for kind in ("named_parameters", "named_buffers"))
    return tuple({name: _stacked([one[name] for one in each], name) for name in each[0]} for each in (parameters, buffers))
