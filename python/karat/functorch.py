"""karat.functorch: PyTorch's package of that name, whose functions are torch.func's now."""

from . import _missing
from .func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap  # noqa: F401

_OLD = """make_functional make_functional_with_buffers combine_state_for_ensemble FunctionalModule
    FunctionalModuleWithBuffers""".split()


def __getattr__(name):
    from ._refused import _refuse

    if name in _OLD:
        return _refuse(f"karat.functorch.{name}", "of old; use torch.func.functional_call and stack_module_state")
    return _missing.of(__name__)(name)
