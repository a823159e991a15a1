"""karat.func: functions of functions. vmap runs a function of one example for all of them; grad, vjp and jacrev give its
derivatives backward, jvp, linearize and jacfwd forward, hessian by both. All nest: vmap(grad(f)) gives a gradient for every
example. functional_call makes a module a function of its parameters."""

from .. import _missing
from ._grad import grad, grad_and_value, jacrev, vjp  # noqa: F401
from ._jacfwd import hessian, jacfwd  # noqa: F401
from ._jvp import jvp, linearize  # noqa: F401
from ._modules import functional_call, replace_all_batch_norm_modules_, stack_module_state  # noqa: F401
from ._vmap import debug_unwrap, functionalize, vmap  # noqa: F401

__getattr__ = _missing.of(__name__)
