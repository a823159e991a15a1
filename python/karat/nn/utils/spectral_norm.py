"""karat.nn.utils.spectral_norm: a weight over its largest singular value, which power iteration follows call by call."""

from ... import _karat
from ...modes import no_grad
from ..parameter import Parameter, UninitializedParameter
from ._parameter_hook import ParameterHook
from ._power_iteration import as_matrix, follow, output_dim, random_unit_vectors

__all__ = ["SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "spectral_norm",
           "remove_spectral_norm"]

_dot, _mv = _karat.functions["dot"], _karat.functions["mv"]


class SpectralNorm(ParameterHook):
    """The hook: before a call it makes the weight of weight_orig and the vectors weight_u and weight_v."""

    _version = 1

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.name, self.dim = name, dim
        self.n_power_iterations, self.eps = n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight):
        """The weight with dim first and the others as one."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module, do_power_iteration):
        """The weight over its largest singular value, u.T W v."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            follow(((v, matrix.t(), u), (u, matrix, v)), self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()  # the next call writes them again, and backward needs these
        return weight / _dot(u, _mv(matrix, v))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def remove(self, module):
        """Makes the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Puts the hook on a module."""
        if SpectralNorm.on(module, name):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook, weight = SpectralNorm(name, n_power_iterations, dim, eps), module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError("The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the "
                             "dummy forward before applying spectral normalization")
        with no_grad():
            vectors = random_unit_vectors(hook.reshape_weight_to_matrix(weight), eps)
        del module._parameters[name]
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)  # a plain attribute until the first call
        for suffix, vector in zip(("_u", "_v"), vectors):
            module.register_buffer(name + suffix, vector)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


def _right_vector(matrix, u, sigma):
    """The v for which u.T W v is sigma: along the shortest solution of W v = u."""
    v = _mv(matrix.pinverse(), u)
    return v * (sigma / _dot(u, _mv(matrix, v)))


class SpectralNormLoadStateDictPreHook:
    """Gives the states of PyTorch before 1.1, which lack v, their v."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + self.fn.name
        if version is None and all(key + end in state_dict for end in ("_orig", "_u", "_v")) and key not in state_dict:
            return  # a state that was not yet called when it was saved
        complete = True
        for suffix in ("_orig", "", "_u"):
            if key + suffix not in state_dict:
                complete = False
                if strict:
                    missing_keys.append(key + suffix)
        if not complete:
            return
        with no_grad():
            original, weight, u = state_dict[key + "_orig"], state_dict.pop(key), state_dict[key + "_u"]
            sigma = original.div(weight).mean()
            state_dict[key + "_v"] = _right_vector(self.fn.reshape_weight_to_matrix(original), u, sigma)


class SpectralNormStateDictHook:
    """Notes the version of the state."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value before each call."""
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Makes the weight an ordinary parameter again."""
    SpectralNorm.take_off(module, name, f"spectral_norm of '{name}' not found in {module}")
    for table, kind in ((module._state_dict_hooks, SpectralNormStateDictHook),
                        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook)):
        for key, hook in table.items():
            hook = getattr(hook, "hook", hook)
            if isinstance(hook, kind) and hook.fn.name == name:
                del table[key]
                break
    return module
