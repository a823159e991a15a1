"""Module: a tree of named parameters, buffers and children.

`_ModuleBase` (python/module/*.c) has the call, with its hooks, and the attributes; this file has the tree: registration,
walks, conversion, the state dict."""

import functools
import itertools
import warnings
import weakref
from collections import OrderedDict, namedtuple
from typing import TypeVar

from ... import _karat
from ..._karat import Tensor
from ...asking import typename
from ...copying import set_state
from ...utils.hooks import BackwardHook, RemovableHandle
from ..parameter import Buffer, Parameter, is_lazy
from ._conversion import Conversion, pin_of, pins_of, step_to

__all__ = ["register_module_forward_pre_hook", "register_module_forward_hook", "register_module_full_backward_pre_hook",
           "register_module_backward_hook", "register_module_full_backward_hook", "register_module_buffer_registration_hook",
           "register_module_module_registration_hook", "register_module_parameter_registration_hook", "Module"]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict did not find, and what it did not need."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


def _is_own(cls):
    """A layer of this package: its parameters are born in it, for all that a user sees."""
    return cls.__module__.startswith(Module.__module__.rpartition(".")[0])


def _addindent(text, spaces):
    """The text with all lines but the first indented."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


# ---- hooks of all modules ----

_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()
_global_backward_pre_hooks = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_is_full_backward_hook = None
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()


def _add(table, hook, *marks, first=False):
    """Puts a hook into a table, and its id into those of the marking tables that are given; the handle takes all out."""
    handle = RemovableHandle(table, extra_dict=list(marks))
    table[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    if first:
        table.move_to_end(handle.id, last=False)
    return handle


def register_module_buffer_registration_hook(hook):
    """hook(module, name, buffer) runs whenever a module registers a buffer; its result, if any, is registered instead."""
    return _add(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """hook(module, name, submodule) runs whenever a module registers a child; its result, if any, is registered instead."""
    return _add(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """hook(module, name, param) runs whenever a module registers a parameter; its result, if any, is registered instead."""
    return _add(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """hook(module, args) runs before forward of every module; its result, if any, replaces the arguments."""
    return _add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """hook(module, args, output) runs after forward of every module; its result, if any, replaces the output."""
    marks = [_global_forward_hooks_with_kwargs] * with_kwargs + [_global_forward_hooks_always_called] * always_call
    return _add(_global_forward_hooks, hook, *marks)


def _one_kind(full, present, where):
    """Full backward hooks and the old ones do not go together."""
    if present is not None and present is not full:
        raise RuntimeError(f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of "
                           "them.")


def register_module_backward_hook(hook):
    """The old hook(module, grad_input, grad_output) on the last node of every module. Use the full form."""
    global _global_is_full_backward_hook
    _one_kind(False, _global_is_full_backward_hook, "as a global Module hook")
    _global_is_full_backward_hook = False
    return _add(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook):
    """hook(module, grad_output) runs before the gradients of every module are computed; its result replaces grad_output."""
    return _add(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook):
    """hook(module, grad_input, grad_output) runs when the gradients of a module's inputs are there; its result replaces them."""
    global _global_is_full_backward_hook
    _one_kind(True, _global_is_full_backward_hook, "as a global Module hook")
    _global_is_full_backward_hook = True
    return _add(_global_backward_hooks, hook)



def _path_between(outer, inner):
    """The path of a module below another; None: it is not there."""
    return next((path for path, module in outer.named_modules() if module is inner), None)


def _name_layer(error, modules):
    """An operator's error says in which layer it happened: the path from the outermost module that reaches it."""
    if error.karat["module"] is not None:
        return
    layer, parts = modules[-1], []
    for i in range(len(modules) - 1, 0, -1):
        path = _path_between(modules[i - 1], modules[i])
        if path is None:
            break
        parts.insert(0, path)
    name = ".".join(part for part in parts if part)
    error.karat["module"] = name
    kind = type(layer).__name__
    error.args = (f'{error.args[0]}\n  in "{name}", {kind}({layer.extra_repr()})' if name else f"{error.args[0]}\n  in {kind}",
                  *error.args[1:])


_karat.ModuleBase._set_up((_global_backward_pre_hooks, _global_backward_hooks, _global_forward_hooks, _global_forward_pre_hooks),
                          _name_layer)


def _registered(hooks, module, name, value):
    for hook in hooks.values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value


def _forward_unimplemented(self, *input):
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class _WrappedHook:
    """A hook that is called with the module first, which it holds weakly: a module's own hooks are no cycle."""

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        return {"hook": self.hook, "with_module": self.with_module, **({"module": self.module()} if self.with_module else {})}

    def __setstate__(self, state):
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class Module(_karat.ModuleBase):
    """The base of layers and models. A subclass makes parameters, buffers and children in __init__ and computes in forward."""

    dump_patches = False
    _version = 1
    training: bool
    call_super_init = False
    _compiled_call_impl = None
    _call_impl = _wrapped_call_impl = _karat.ModuleBase.__call__  # the call, hooks and all, under the names that programs know
    T_destination = TypeVar("T_destination", bound=dict)

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(), _is_full_backward_hook=None, _forward_hooks=OrderedDict(),
            _forward_hooks_with_kwargs=OrderedDict(), _forward_hooks_always_called=OrderedDict(),
            _forward_pre_hooks=OrderedDict(), _forward_pre_hooks_with_kwargs=OrderedDict(), _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(), _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(), _modules={})
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward = _forward_unimplemented

    # ---- registration ----

    def _check_name(self, name, what, registered):
        """A name that can be registered; `registered`: the table where it may stand already."""
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a buffer: part of the state, not a parameter. persistent=False keeps it out of the state dict."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = _registered(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Adds a parameter."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        if param is not None and param.grad_fn:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                             "explicitly. To "
                             f"express '{name}' as a function of another Tensor, compute the value in the forward() method.")
        if param is not None and _is_own(type(self)) and len(_karat.lineage(param)) == 1:
            _karat.lineage_say(param, f"nn.{type(self).__name__} {name}")
        self._parameters[name] = param if param is None else _registered(_global_parameter_registration_hooks, self, name, param)

    def add_module(self, name, module):
        """Adds a child."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        self._check_name(name, "module", self._modules)
        self._modules[name] = _registered(_global_module_registration_hooks, self, name, module)

    def register_module(self, name, module):
        """The same as add_module."""
        self.add_module(name, module)

    def _set_registered(self, name, value):
        """An assignment of a parameter, buffer or module, or to the name of one (module/base.c). False: a plain attribute."""
        tables = self.__dict__

        def forget(*others):
            for other in others:
                if other == "_non_persistent_buffers_set":
                    tables.get(other, set()).discard(name)
                else:
                    (tables if other is None else tables.get(other, {})).pop(name, None)

        parameters, modules, buffers = (tables.get(key) for key in ("_parameters", "_modules", "_buffers"))
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            forget(None, "_buffers", "_modules", "_non_persistent_buffers_set")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            forget(None, "_parameters", "_buffers", "_non_persistent_buffers_set")
            modules[name] = _registered(_global_module_registration_hooks, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            modules[name] = _registered(_global_module_registration_hooks, self, name, value)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' "
                                "(torch.nn.Buffer, torch.Tensor or None expected)")
            if isinstance(value, Buffer):
                if buffers is None:
                    raise AttributeError("cannot assign buffer before Module.__init__() call")
                forget(None, "_parameters", "_modules", "_non_persistent_buffers_set")
                self.register_buffer(name, value, value.persistent)
            else:
                buffers[name] = _registered(_global_buffer_registration_hooks, self, name, value)
        else:
            return False
        return True

    # ---- access by path ----

    def _step(self, name):
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        found = getattr(self, name)
        if not isinstance(found, Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def get_submodule(self, target):
        """The module with the path `target` ("encoder.layers.0"); "" is the module itself."""
        module = self
        for name in target.split(".") if target else ():
            module = Module._step(module, name)
        return module

    def set_submodule(self, target, module, strict=False):
        """Puts a module at the path `target`. strict=True: one must be there already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter with the path `target`."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        found = getattr(module, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        """The buffer with the path `target`."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)

    # ---- walks ----

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(path, module) of this module and all below it, each module once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate=True):
        """This module and all below it, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self):
        """(name, child), each child once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """The children, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield f"{path}.{name}" if path else name, member

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, parameter), each parameter once."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, buffer), each buffer once."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def apply(self, fn):
        """Calls fn(module) for every module, children first. Returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ---- conversion ----

    def _apply(self, fn, recurse=True):
        """Every parameter, gradient and buffer becomes fn of itself; a parameter stays the same object."""
        with pins_of(fn, self):
            if recurse:
                names = {id(module): name for name, module in self._modules.items()}
                for module in self.children():
                    with step_to(fn, names.get(id(module), type(module).__name__)):
                        module._apply(fn)
            for name, parameter in self._parameters.items():
                if parameter is not None:
                    with step_to(fn, name):
                        self._parameters[name] = self._applied(fn, parameter)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    with step_to(fn, name):
                        self._buffers[name] = set_state(fn(buffer), pin_of(buffer))
        return self

    @staticmethod
    def _applied(fn, parameter):
        from ... import __future__, no_grad

        grad, new_grad = parameter.grad, None
        with no_grad(), pins_of(fn, parameter):
            new = fn(parameter)
            if grad is not None:
                new_grad = fn(grad)
        if not __future__.get_overwrite_module_params_on_conversion() and parameter.is_meta == new.is_meta:
            parameter.data = new
        else:
            parameter = set_state(Parameter(new, parameter.requires_grad), pin_of(parameter))
            parameter.grad = None if grad is None else new_grad.requires_grad_(grad.requires_grad)
            return parameter
        if grad is not None:
            parameter.grad = None  # it would not fit the parameter while it is converted
            grad.data = new_grad
            parameter.grad = grad
        return parameter

    def cuda(self, device=None):
        """Moves all parameters and buffers to a GPU."""
        return self._apply(Conversion("Module.cuda()", lambda t, _: t.cuda(device)))

    def cpu(self):
        """Moves all parameters and buffers to the CPU."""
        return self._apply(Conversion("Module.cpu()", lambda t, _: t.cpu()))

    def _moved(self, kind, device):
        target = kind if device is None else f"{kind}:{device}" if isinstance(device, int) else device
        return self._apply(Conversion(f"Module.{kind}()", lambda t, _: t.to(target)))

    def xpu(self, device=None):
        """Moves all parameters and buffers to an XPU."""
        return self._moved("xpu", device)

    def ipu(self, device=None):
        """Moves all parameters and buffers to an IPU."""
        return self._moved("ipu", device)

    def mtia(self, device=None):
        """Moves all parameters and buffers to an MTIA device."""
        return self._moved("mtia", device)

    def type(self, dst_type):
        """Casts all parameters and buffers, also those of integers."""
        return self._apply(Conversion("Module.type()", lambda t, cast: t.type(dst_type) if cast else t))

    def _cast(self, name, convert):
        return self._apply(Conversion(f"Module.{name}()", lambda t, cast: convert(t) if cast and t.is_floating_point() else t))

    def float(self):
        """Casts floating-point parameters and buffers to float32."""
        return self._cast("float", lambda t: t.float())

    def double(self):
        """Casts floating-point parameters and buffers to float64."""
        return self._cast("double", lambda t: t.double())

    def half(self):
        """Casts floating-point parameters and buffers to float16."""
        return self._cast("half", lambda t: t.half())

    def bfloat16(self):
        """Casts floating-point parameters and buffers to bfloat16."""
        return self._cast("bfloat16", lambda t: t.bfloat16())

    def to_empty(self, *, device, recurse=True):
        """Moves parameters and buffers to a device without copying their values."""
        from ... import empty_like

        return self._apply(Conversion("Module.to_empty()", lambda t, _: empty_like(t, device=device)), recurse=recurse)

    def to(self, *args, **kwargs):
        """Moves and casts parameters and buffers. Only floating-point and complex ones are cast."""
        device, dtype, non_blocking, memory_format = _karat.parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                error = TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
                raise _karat.told(error, "Module.to", self)
            if dtype.is_complex:
                warnings.warn("Complex modules are a new feature under active development whose design may change, and some "
                              "modules "
                              "might not work as expected when using complex tensors as parameters or buffers. Please file an "
                              "issue "
                              "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module "
                              "does not "
                              "work as expected.", stacklevel=2)

        def convert(t, cast):
            target = dtype if cast and (t.is_floating_point() or t.is_complex()) else None
            try:
                if memory_format is not None and t.dim() in (4, 5):
                    return t.to(device, target, non_blocking, memory_format=memory_format)
                return t.to(device, target, non_blocking)
            except NotImplementedError as e:
                first, *rest = str(e).split("\n")
                if first == "Cannot copy out of meta tensor; no data!":
                    first += (" Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from "
                              "meta to a different device.")
                    raise NotImplementedError("\n".join([first, *rest])) from None
                raise

        return self._apply(Conversion("Module.to()", convert))

    # ---- hooks ----

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """hook(module, grad_output) runs before the module's gradients are computed; its result replaces grad_output."""
        return _add(self._backward_pre_hooks, hook, first=prepend)

    def register_backward_hook(self, hook):
        """The old hook(module, grad_input, grad_output), on the module's last node. Use register_full_backward_hook."""
        _one_kind(False, self._is_full_backward_hook, "on a single Module")
        self._is_full_backward_hook = False
        return _add(self._backward_hooks, hook)

    def register_full_backward_hook(self, hook, prepend=False):
        """hook(module, grad_input, grad_output) runs when the gradients of the inputs are there; its result replaces them."""
        _one_kind(True, self._is_full_backward_hook, "on a single Module")
        self._is_full_backward_hook = True
        return _add(self._backward_hooks, hook, first=prepend)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """hook(module, args) runs before forward; its result, if any, replaces the arguments."""
        return _add(self._forward_pre_hooks, hook, *[self._forward_pre_hooks_with_kwargs] * with_kwargs, first=prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """hook(module, args, output) runs after forward; its result, if any, replaces the output."""
        marks = [self._forward_hooks_with_kwargs] * with_kwargs + [self._forward_hooks_always_called] * always_call
        return _add(self._forward_hooks, hook, *marks, first=prepend)

    def _get_backward_hooks(self):
        """The full backward hooks of a call, and the old ones."""
        full, old = [], []
        (full if _global_is_full_backward_hook is True else old).extend(_global_backward_hooks.values())
        (full if self._is_full_backward_hook is True else old).extend(self._backward_hooks.values())
        return full, old

    def _get_backward_pre_hooks(self):
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _call_with_hooks(self, args, kwargs):
        """The call where a hook is set; module/base.c makes the others."""
        called = set()
        try:
            return self._run_stages(args, kwargs, called)
        except Exception:
            self._call_the_rest(args, kwargs, called)
            raise

    def _run_stages(self, args, kwargs, called):
        _karat.module_phase(0)
        for id_, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if id_ in self._forward_pre_hooks_with_kwargs:
                given = hook(self, args, kwargs)
                if given is not None:
                    if not (isinstance(given, tuple) and len(given) == 2):
                        raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                                           f"{given}.")
                    args, kwargs = given
            else:
                given = hook(self, args)
                if given is not None:
                    args = given if isinstance(given, tuple) else (given,)
        full, old = self._get_backward_hooks() if self._backward_hooks or _global_backward_hooks else ((), ())
        before = self._get_backward_pre_hooks() if self._backward_pre_hooks or _global_backward_pre_hooks else ()
        backward = BackwardHook(self, full, before) if full or before else None
        if backward:
            args = backward.setup_input_hook(args)
        _karat.module_phase(1)
        result = self.forward(*args, **kwargs)
        _karat.module_phase(2)
        for id_, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            if id_ in self._forward_hooks_always_called or id_ in _global_forward_hooks_always_called:
                called.add(id_)
            if id_ in self._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs:
                given = hook(self, args, kwargs, result)
            else:
                given = hook(self, args, result)
            result = result if given is None else given
        if backward:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                              "received "
                              f"{type(result)}", stacklevel=3)
            result = backward.setup_output_hook(result)
        if old:
            self._set_old_hooks(old, args, result)
        return result

    def _call_the_rest(self, args, kwargs, called):
        """After an error: the hooks that are always called and were not yet. Their own errors are warnings."""
        for id_, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            with_kwargs = id_ in self._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs
            if id_ in called or not (id_ in self._forward_hooks_always_called or id_ in _global_forward_hooks_always_called):
                continue
            whose = "global module" if id_ in _global_forward_hooks_always_called else "module"
            try:
                hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            except Exception as e:
                warnings.warn(f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced as another "
                              "error "
                              f"was raised in forward: {e}", stacklevel=3)

    def _set_old_hooks(self, hooks, args, result):
        found = result
        while not isinstance(found, Tensor):
            one_of = [one for one in found.values() if isinstance(one, Tensor)] if isinstance(found, dict) else found
            found = one_of[0] if one_of else None
            if found is None:
                return
        if found.grad_fn is None:
            return
        for hook in hooks:
            found.grad_fn.register_hook(_WrappedHook(hook, self))
        self._warn_of_old_hooks(args, result, found.grad_fn)

    @staticmethod
    def _warn_of_old_hooks(args, result, node):
        def warn(text, lost):
            warnings.warn(f"Using {text} is deprecated and will be removed in future versions. This hook will be missing some "
                          f"{lost}. Please use register_full_backward_hook to get the documented behavior.", FutureWarning,
                          stacklevel=5)

        results = result if isinstance(result, tuple) else (result,)
        inputs = args if isinstance(args, tuple) else (args,)
        if not all(isinstance(one, Tensor) for one in results):
            warn("non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors",
                 "of the grad_output")
        elif not all(isinstance(one, Tensor) for one in inputs):
            warn("non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors",
                 "of the grad_input")
        elif len({one.grad_fn for one in results if one.grad_fn is not None}) > 1:
            warn("a non-full backward hook when outputs are generated by different autograd Nodes", "grad_output")
        elif {one.grad_fn for one in inputs if one.grad_fn is not None} != {
                next_[0] for next_ in node.next_functions if next_[0] is not None}:
            warn("a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input")

    # ---- state ----

    def get_extra_state(self):
        """What a subclass adds to its state dict. set_extra_state takes it back."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
                           "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")

    def set_extra_state(self, state):
        """Takes what get_extra_state gave."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
                           "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")

    def _has_extra(self, method):
        return getattr(type(self), method) is not getattr(Module, method)

    def _register_state_dict_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata) runs after state_dict; its result, if any, replaces it."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously registered via "
                               "register_state_dict_post_hook")
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata) runs after state_dict and may change it in place."""
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook):
        """hook(module, prefix, keep_vars) runs before state_dict."""
        return _add(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) runs before loading."""
        return _add(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook):
        """hook(module, state_dict, prefix, ...) runs before the module loads its state."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """hook(module, incompatible_keys) runs after the module has loaded its state; it may change the keys in place."""
        return _add(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Puts this module's own state into `destination`."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """An ordered dict of all parameters and persistent buffers by path. The tensors share memory with the module's."""
        if args:
            warnings.warn("Positional args are being deprecated, use kwargs instead. Refer to "
                          "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                          FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = dict(version=self._version)
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            given = hook(self, destination, prefix, local_metadata)
            if not getattr(hook, "_from_public_api", False):
                destination = destination if given is None else given
            elif given is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Takes this module's own state from `state_dict`; what is wrong goes to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        saved = ((name, t) for name, t in self._buffers.items() if name not in self._non_persistent_buffers_set)
        own = {name: t for name, t in itertools.chain(self._parameters.items(), saved) if t is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, mine in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_one(name, key, mine, state_dict[key], assign, error_msgs)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._has_extra("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first = key[len(prefix):].split(".", 1)
                    if (first[0] not in self._modules) if len(first) > 1 else (first[0] not in own):
                        unexpected_keys.append(key)

    def _load_one(self, name, key, mine, given, assign, error_msgs):
        from ... import no_grad

        if not isinstance(given, Tensor):
            error_msgs.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                              'checkpoint '
                              f"but received {type(given)}")
            return
        lazy = is_lazy(mine)
        if not lazy and mine.dim() == 0 and given.dim() == 1:  # checkpoints of PyTorch 0.3 have no tensors of no dims
            given = given[0]
        if not lazy and given.shape != mine.shape:
            error_msgs.append(f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                              "current "
                              f"model is {mine.shape}.")
            return
        if not lazy and mine.is_meta and not given.is_meta and not assign:
            warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                          "model, "
                          "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to "
                          "their "
                          "corresponding key in the module instead of copying them in place?)", stacklevel=4)
        try:
            with no_grad():
                if assign:
                    if _karat.has_pinned_dtype(mine):
                        given = given.to(mine.dtype).detach()
                    if isinstance(mine, Parameter):
                        if not isinstance(given, Parameter):
                            given = Parameter(given, requires_grad=mine.requires_grad)
                        else:
                            given.requires_grad_(mine.requires_grad)
                    setattr(self, name, set_state(given, pin_of(mine)))
                else:
                    _karat.copy_why(mine, given, "loading")
        except Exception as e:
            action = "swapping" if assign else "copying"
            error_msgs.append(f'While {action} the parameter named "{key}", whose dimensions in the model are {mine.size()} and '
                              'whose '
                              f"dimensions in the checkpoint are {given.size()}, an exception occurred : {e.args}.")

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Takes parameters and buffers from a state dict. strict: its keys must be exactly the module's."""
        if not isinstance(state_dict, (dict, OrderedDict)) and not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, local, prefix=""):
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(local, prefix, local_metadata, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {key: value for key, value in local.items() if key.startswith(below)}, below)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are notexpected to "
                                         "return new "
                                         "values, if incompatible_keys need to be modified,it should be done inplace.")

        load(self, state_dict)
        if strict:
            for keys, what in ((unexpected, "Unexpected"), (missing, "Missing")):
                if keys:
                    quoted = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {quoted}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return _IncompatibleKeys(missing, unexpected)

    # ---- modes ----

    def train(self, mode=True):
        """Sets training mode (dropout, batch norm) in this module and all below it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Sets evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Sets requires_grad of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters, or fills them with zeros."""
        if getattr(self, "_is_replica", False):
            warnings.warn("Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are "
                          "copied "
                          "(in a differentiable manner) from the original module. This means they are not leaf nodes in "
                          "autograd and so "
                          "don't accumulate gradients. If you need gradients in your forward method, consider using "
                          "autograd.grad "
                          "instead.", stacklevel=2)
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if parameter.grad.grad_fn is not None:
                    parameter.grad.detach_()
                else:
                    parameter.grad.requires_grad_(False)
                parameter.grad.zero_()

    def share_memory(self):
        """Moves parameters and buffers to shared memory."""
        return self._apply(lambda t: t.share_memory_())

    # ---- text, copies ----

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What a subclass shows between its parentheses."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

    def __dir__(self):
        keys = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(key for key in keys if not key[0].isdigit())

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in ("_forward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
                     "_load_state_dict_post_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
                     "_forward_pre_hooks_with_kwargs", "_backward_pre_hooks"):
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def _replicate_for_data_parallel(self):
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica

    def compile(self, *args, **kwargs):
        """Nothing is compiled: the module runs as it is (torch.compile says so once)."""
        from ... import compile as compile_

        compile_(self, *args, **kwargs)
