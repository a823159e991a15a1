"""karat.overrides: __torch_function__ for functions written in Python."""

from functools import cache

from . import _karat, _missing
from ._karat import Tensor
from ._karat import has_override as has_torch_function


def has_torch_function_unary(obj):
    """Does it override __torch_function__?"""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args):
    """Does one of them override __torch_function__?"""
    return has_torch_function(args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Calls __torch_function__ of the arguments' classes for public_api."""
    result = _karat.ask_override(public_api, relevant_args, args, kwargs)
    if result is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: "
                        f"{[type(one) for one in relevant_args if has_torch_function((one,))]}")
    return result


class TorchFunctionMode:
    """A scope in which every call of a function of torch, of a method and of an attribute of a tensor goes through the mode's
    __torch_function__(func, types, args, kwargs), whatever the arguments are. Inside that, the mode is not entered. torch.tensor
    and other functions that take data from elsewhere are not shown."""

    inner: "TorchFunctionMode"

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _karat.push_function_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _karat.pop_function_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode of this class: TorchFunctionMode.push() is TorchFunctionMode()."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls the function."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_function_mode():
    """The innermost mode of this thread, or None."""
    entered = _karat.function_modes()
    return entered[-1] if entered else None


def _get_current_function_mode_stack():
    """The modes of this thread, the innermost last."""
    return list(_karat.function_modes())


def _is_torch_function_mode_enabled():
    """Is a mode entered on this thread?"""
    return bool(_karat.function_modes())


def is_tensor_like(inp):
    """Is it a Tensor, or has it __torch_function__?"""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func):
    """Is it a method of Tensor, or what reads one of its attributes?"""
    return func in _all_methods() or getattr(func, "__name__", None) == "__get__"


# What Tensor has of every object, what makes tensors of a class, and what is deprecated: no tensor of the arguments is asked.
_UNASKED = frozenset("""__class__ __delattr__ __delitem__ __dir__ __getattribute__ __getstate__ __hash__ __init__
    __init_subclass__ __new__ __reduce__ __setattr__ __sizeof__ __str__ __subclasshook__ __torch_function__ _make_subclass
    as_subclass eig lstsq solve symeig""".split())


def _is_own(name):
    """Is it a helper of Karat's Tensor, which PyTorch's has not?"""
    return name.startswith("_") and not name.endswith("__") and name not in _missing._PRIVATE


def _methods(names=None):
    """The methods of Tensor; those of these names."""
    found = set()
    for name in dir(Tensor) if names is None else names:
        value = getattr(Tensor, name, None)
        if callable(value) and getattr(type(value), "__hash__", None) and not _is_own(name):
            found.add(value)
    return found


@cache
def _all_methods():
    """The methods of Tensor as they were when first asked for: all names are looked up, those that are absent too."""
    return frozenset(_methods())


def _attributes():
    """The descriptors of Tensor's attributes: the function that __torch_function__ is given is their __get__."""
    named = [(name, getattr(Tensor, name, None)) for name in dir(Tensor)]
    return [value for name, value in named
            if hasattr(value, "__get__") and not callable(value) and not _is_own(name) and name != "__weakref__"]


def _functions():
    """(the module's name, it, its functions that can be overridden) of torch, nn.functional and others."""
    import karat

    for name in ("", "functional", "nn.functional", "linalg", "special", "fft"):
        module = karat
        for part in filter(None, name.split(".")):
            module = getattr(module, part)
        own = [getattr(module, one) for one in _missing.names_of(name) if one in vars(module)]
        yield ("torch." + name).rstrip("."), module, [one for one in own if callable(one) and not isinstance(one, type)]


def get_overridable_functions():
    """{module or class: its functions that __torch_function__ is asked about}, and {an attribute of Tensor: what reads it}."""
    ignored = get_ignored_functions()
    found = {module: [one for one in functions if one not in ignored] for _, module, functions in _functions()}
    found[Tensor] = sorted(_methods() - ignored, key=repr)
    found.update((one, [one.__get__]) for one in _attributes())
    return found


def get_ignored_functions():
    """The functions that __torch_function__ is not asked about: those that make tensors, settings, what every object has."""
    import karat

    names = """typename is_tensor is_storage set_default_tensor_type set_default_device get_default_device set_rng_state
        get_rng_state manual_seed initial_seed seed save load set_printoptions get_printoptions fork_rng arange as_tensor
        asarray empty eye from_file from_numpy frombuffer full linspace logspace ones rand randint randn randperm range
        scalar_tensor tensor zeros tril_indices triu_indices can_cast promote_types get_default_dtype set_default_dtype
        get_num_threads set_num_threads is_grad_enabled set_grad_enabled no_grad enable_grad inference_mode compile
        use_deterministic_algorithms are_deterministic_algorithms_enabled cond vmap""".split()
    return {getattr(karat, name) for name in names if hasattr(karat, name)} | _methods(_UNASKED)


def _minus_one(function):
    """A function that returns -1; its signature is the other's, where that has one."""
    import inspect

    def minus_one(*args, **kwargs):
        return -1

    try:
        minus_one.__signature__ = inspect.signature(function)
    except ValueError:
        pass
    return minus_one


def get_testing_overrides():
    """{function: one of the same parameters that returns -1}, of all that can be overridden."""
    def of_attribute(self):
        return -1

    found = {one.__get__: of_attribute for one in _attributes()}
    found.update((one, _minus_one(one)) for functions in get_overridable_functions().values() for one in functions
                 if one not in found)
    return found


def resolve_name(f):
    """The whole name of a function or of a method of Tensor; None: it is neither."""
    if f in _all_methods():
        return f"torch.Tensor.{f.__name__}"
    for module, _, functions in _functions():
        if f in functions:
            return f"{module}.{f.__name__}"
    return None


def wrap_torch_function(dispatcher):
    """A decorator: dispatcher(*args) gives the arguments whose classes may override the function."""
    from functools import partial

    return partial(_overridable, dispatcher)


def _overridable(dispatcher, function):
    from functools import partial, wraps

    @wraps(function)
    def asking(*args, **kwargs):
        asked = dispatcher(*args, **kwargs)
        answer = partial(handle_torch_function, asking, asked) if has_torch_function(asked) else function
        return answer(*args, **kwargs)

    return asking


def get_default_nowrap_functions():
    """The functions whose results Tensor.__torch_function__ leaves as they are."""
    return {Tensor._base.__get__, Tensor.grad.__get__}


__getattr__ = _missing.of(__name__)
