"""Module: a tree of named parameters, buffers and children.

`_ModuleBase` (python/module/*.c) has the call, with its hooks, and the attributes; this file has the tree: registration,
walks, conversion, hooks. What saving and loading share is in `_state.py`.

A module notes parameters, children and buffers in three tables. A row of `_KINDS` says what is special to one; registering,
assigning and finding are the same for the three. The hooks of all modules are those of one more owner of hooks, `_every`."""

import functools
import sys
import warnings
import weakref
from collections import OrderedDict
from types import ModuleType
from typing import TypeVar

from ... import _karat
from ..._karat import Tensor
from ..._torch_private import private_names
from ...asking import typename
from ...copying import set_state
from ...utils import swap_tensors
from ...utils.hooks import BackwardHook, RemovableHandle
from ..parameter import Buffer, Parameter
from ._conversion import Conversion, pin_of, pins_of, step_to
from ._state import Loading, _IncompatibleKeys, by_position, own_state, swap, take, with_metadata  # noqa: F401

__all__ = ["register_module_forward_pre_hook", "register_module_forward_hook", "register_module_full_backward_pre_hook",
           "register_module_backward_hook", "register_module_full_backward_hook", "register_module_buffer_registration_hook",
           "register_module_module_registration_hook", "register_module_parameter_registration_hook", "Module"]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
_foreach_zero_ = _karat.functions["_foreach_zero_"]


def _fresh():
    """The attributes of a new module, in the order that its pickles show."""
    return {"training": True, "_parameters": {}, "_buffers": {}, "_non_persistent_buffers_set": set(),
            "_backward_pre_hooks": OrderedDict(), "_backward_hooks": OrderedDict(), "_is_full_backward_hook": None,
            "_forward_hooks": OrderedDict(), "_forward_hooks_with_kwargs": OrderedDict(),
            "_forward_hooks_always_called": OrderedDict(), "_forward_pre_hooks": OrderedDict(),
            "_forward_pre_hooks_with_kwargs": OrderedDict(), "_state_dict_hooks": OrderedDict(),
            "_state_dict_pre_hooks": OrderedDict(), "_load_state_dict_pre_hooks": OrderedDict(),
            "_load_state_dict_post_hooks": OrderedDict(), "_modules": {}}


class _Kind:
    """What a module notes by name: a table, what stands in it, and how messages call that.

    `owned`: what goes into the table wherever it is assigned; `taken`: what a name that stands there may become."""

    def __init__(self, table, noun, owned, taken, **words):
        self.table, self.noun, self.owned, self.taken = table, noun, owned, taken
        self.required, self.expected = words["required"], words["expected"]
        self.assigned, self.one, self.before_init = words["assigned"], words["one"], words["before_init"]
        self.hooks = OrderedDict()

    def takes(self, value):
        """May a name of this kind become the value? A buffer may be what acts as a tensor."""
        return value is None or isinstance(value, self.taken) or self is _BUFFERS and hasattr(value, "__torch_function__")

    def check_name(self, module, name):
        if not isinstance(name, str):
            raise TypeError(f"{self.noun} name should be a string. Got {typename(name)}")
        if not name or "." in name:
            got = f", got: {name}" if self is _CHILDREN else ""
            why = 'contain "."' + got if name else 'be empty string ""'
            raise KeyError(f"{self.noun} name can't {why}")
        if name not in getattr(module, self.table) and hasattr(module, name):
            raise KeyError(f"attribute '{name}' already exists")

    def check(self, module, name, value):
        """What register_parameter and register_buffer refuse alike."""
        if self.table not in module.__dict__:
            raise AttributeError(f"cannot assign {self.noun} before Module.__init__() call")
        self.check_name(module, name)
        if not self.takes(value):
            raise TypeError(f"cannot assign '{typename(value)}' object to {self.noun} '{name}' "
                            f"({self.required} or None required)")

    def put(self, module, name, value):
        """Notes a value, or what the hooks of registration make of it."""
        getattr(module, self.table)[name] = _through(self.hooks, [module, name, value], 2) if self.hooks else value

    def assign(self, module, name, value):
        """An assignment as programs make it. False: it does not concern this kind."""
        own = module.__dict__
        table = own.get(self.table)
        if isinstance(value, self.owned):
            if table is None:
                raise AttributeError(f"cannot assign {self.before_init} before Module.__init__() call")
            if self is not _BUFFERS:  # a buffer's name must be free of plain attributes
                own.pop(name, None)
            for kind in _KINDS:
                if kind is not self and own.get(kind.table):
                    own[kind.table].pop(name, None)
            if own.get("_non_persistent_buffers_set"):
                own["_non_persistent_buffers_set"].discard(name)
        elif table is None or name not in table:
            return False
        elif not self.takes(value):
            raise TypeError(f"cannot assign '{typename(value)}' as {self.assigned} '{name}' ({self.expected} or None expected)")
        if self is _PARAMETERS:
            module.register_parameter(name, value)
        elif self is _BUFFERS and isinstance(value, Buffer):
            module.register_buffer(name, value, *([] if value.persistent else [False]))  # overrides may not take it
        else:
            self.put(module, name, value)
        return True

    def find(self, module, name):
        """The attribute of a module, which has to be of this kind."""
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        found = getattr(module, name)
        if not (name in module._buffers if self is _BUFFERS else isinstance(found, self.owned)):
            raise AttributeError(f"`{name}` is not {self.one}")
        return found

    def at(self, root, path):
        above, _, name = path.rpartition(".")
        return self.find(root.get_submodule(above), name)

    def members(self, module):
        return getattr(module, self.table).items()


def _is_own(cls):
    """A layer of this package: its parameters are born in it, for all that a user sees."""
    return cls.__module__.startswith(Module.__module__.rpartition(".")[0])


def _indented(text, spaces=2):
    """The text with all lines but the first indented."""
    return text.replace("\n", "\n" + " " * spaces)


def _block(title, lines):
    """A module's text of several lines."""
    return f"{title}(\n  " + "\n  ".join(map(_indented, lines)) + "\n)"


def _distinct(pairs, once=True):
    """The pairs whose second is there; of equal ones the first, if `once`."""
    seen = set()
    for pair in pairs:
        value = pair[1]
        if value is not None and value not in seen:
            if once:
                seen.add(value)
            yield pair


# ---- hooks ----

class _Every:
    """The hooks of all modules, under the names that a module's own have."""

    alone, whose = "as a global Module hook", "global module"

    def __init__(self):
        self.__dict__.update(_fresh())


_every = _Every()


def _add(owner, kind, hook, first=False, **marks):
    """Puts a hook into a table; a true mark, its id into the table of that mark. The handle takes all out."""
    table = getattr(owner, kind)
    marked = [getattr(owner, f"{kind}_{mark}") for mark, holds in marks.items() if holds]
    handle = RemovableHandle(table, extra_dict=marked)
    table[handle.id] = hook
    for others in marked:
        others[handle.id] = True
    if first:
        table.move_to_end(handle.id, last=False)
    return handle


def _add_backward(owner, hook, full, first=False):
    """Full backward hooks and the old ones do not go together."""
    if owner._is_full_backward_hook is (not full):
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks "
                           f"{getattr(owner, 'alone', 'on a single Module')}. Please use only one of them.")
    owner._is_full_backward_hook = full
    return _add(owner, "_backward_hooks", hook, first)


def _hooks(module, kind):
    """(hook, id, owner) of a kind: the hooks of all modules, then the module's own."""
    every, own = getattr(_every, kind), getattr(module, kind)
    if not every:
        return [(hook, id_, module) for id_, hook in own.items()] if own else ()
    return [(hook, id_, owner) for owner, hooks in ((_every, every), (module, own)) for id_, hook in hooks.items()]


def _through(hooks, given, place):
    """One of the arguments of hooks, which each may replace by what it returns; register_state_dict_post_hook's may not."""
    for hook in hooks.values():
        result = hook(*given)
        if result is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            given[place] = result
    return given[place]


def register_module_buffer_registration_hook(hook):
    """hook(module, name, buffer) runs whenever a module registers a buffer; its result, if any, is registered instead."""
    return _add(_BUFFERS, "hooks", hook)


def register_module_module_registration_hook(hook):
    """hook(module, name, submodule) runs whenever a module registers a child; its result, if any, is registered instead."""
    return _add(_CHILDREN, "hooks", hook)


def register_module_parameter_registration_hook(hook):
    """hook(module, name, param) runs whenever a module registers a parameter; its result, if any, is registered instead."""
    return _add(_PARAMETERS, "hooks", hook)


def register_module_forward_pre_hook(hook):
    """hook(module, args) runs before forward of every module; its result, if any, replaces the arguments."""
    return _add(_every, "_forward_pre_hooks", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """hook(module, args, output) runs after forward of every module; its result, if any, replaces the output."""
    return _add(_every, "_forward_hooks", hook, with_kwargs=with_kwargs, always_called=always_call)


def register_module_backward_hook(hook):
    """The old hook(module, grad_input, grad_output) on the last node of every module. Use the full form."""
    return _add_backward(_every, hook, False)


def register_module_full_backward_pre_hook(hook):
    """hook(module, grad_output) runs before the gradients of every module are computed; its result replaces grad_output."""
    return _add(_every, "_backward_pre_hooks", hook)


def register_module_full_backward_hook(hook):
    """hook(module, grad_input, grad_output) runs when the gradients of a module's inputs are there; its result replaces them."""
    return _add_backward(_every, hook, True)


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


_karat.ModuleBase._set_up((_every._backward_pre_hooks, _every._backward_hooks, _every._forward_hooks, _every._forward_pre_hooks),
                          _name_layer)


def _never_called(method):
    raise RuntimeError(f"Reached a code path in Module.{method}() that should never be called. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")


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
        self.__dict__.update(_fresh())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward = _forward_unimplemented

    def __init_subclass__(cls, **options):
        base = _karat.ModuleBase
        super().__init_subclass__()
        super(base, cls).__init_subclass__(**options)  # of typing.Generic, say

    # ---- registration ----

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a buffer: part of the state, not a parameter. persistent=False keeps it out of the state dict."""
        _BUFFERS.check(self, name, tensor)
        _BUFFERS.put(self, name, tensor)
        note = self._non_persistent_buffers_set
        (note.discard if persistent else note.add)(name)

    def register_parameter(self, name, param):
        """Adds a parameter."""
        _PARAMETERS.check(self, name, param)
        if param is None:
            self._parameters[name] = None
            return
        if param.grad_fn:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                             f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                             "forward() method.")
        if _is_own(type(self)) and len(_karat.lineage(param)) == 1:
            _karat.lineage_say(param, f"nn.{type(self).__name__} {name}")
        _PARAMETERS.put(self, name, param)

    def add_module(self, name, module):
        """Adds a child."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        _CHILDREN.check_name(self, name)
        _CHILDREN.put(self, name, module)

    def register_module(self, name, module):
        """The same as add_module."""
        self.add_module(name, module)

    def _set_registered(self, name, value):
        """An assignment of a parameter, child or buffer, or to the name of one (module/base.c). False: a plain attribute."""
        for kind in _KINDS:
            if kind.assign(self, name, value):
                return True
        return False

    # ---- access by path ----

    def get_submodule(self, target):
        """The module with the path `target` ("encoder.layers.0"); "" is the module itself."""
        return functools.reduce(_CHILDREN.find, target.split(".") if target else (), self)

    def set_submodule(self, target, module, strict=False):
        """Puts a module at the path `target`. strict=True: one must be there already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            _CHILDREN.find(parent, name)
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter with the path `target`."""
        return _PARAMETERS.at(self, target)

    def get_buffer(self, target):
        """The buffer with the path `target`."""
        return _BUFFERS.at(self, target)

    # ---- walks ----

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(path, module) of this module and all below it, each module once."""
        seen, walk = set() if memo is None else memo, Module.named_modules
        levels = [("", iter([(prefix, self)]))]  # where the walk is in each of the tables above it
        while levels:
            above, table = levels[-1]
            for name, module in table:
                if module is None or module in seen:
                    continue
                path = above + name
                if module is not self and type(module).named_modules is not walk:
                    yield from module.named_modules(seen, path, remove_duplicate)
                    continue
                if remove_duplicate:
                    seen.add(module)
                yield path, module
                if module._modules:
                    levels.append((path and path + ".", iter(module._modules.items())))
                    break
            else:
                levels.pop()

    def modules(self, remove_duplicate=True):
        """This module and all below it, each once."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self):
        """(name, child), each child once."""
        return _distinct(self._modules.items())

    def children(self):
        """The children, each once."""
        return (child for _, child in self.named_children())

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        return _distinct(((f"{path}.{name}" if path else name, member) for path, module in modules
                          for name, member in get_members_fn(module)), once=remove_duplicate)

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, parameter), each parameter once."""
        return self._named_members(_PARAMETERS.members, prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters, each once."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, buffer), each buffer once."""
        return self._named_members(_BUFFERS.members, prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

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
                        self._parameters[name] = self._applied(fn, name, parameter)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    with step_to(fn, name):
                        self._buffers[name] = set_state(fn(buffer), pin_of(buffer))
        return self

    def _applied(self, fn, name, parameter):
        from ... import __future__, no_grad

        grad, new_grad = parameter.grad, None
        with no_grad(), pins_of(fn, parameter):
            new = fn(parameter)
            if grad is not None:
                new_grad = fn(grad)
        if __future__.get_swap_module_params_on_conversion():
            return self._swapped(name, parameter, new, new_grad)
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

    def _swapped(self, name, parameter, new, new_grad):
        """A parameter that becomes the tensor `new`, with what its gradient becomes: the same objects."""
        grad = parameter.grad
        try:
            parameter.grad = None  # it would not fit the parameter while it is converted
            swap(parameter, new.detach() if new is parameter else new)
            if grad is not None and new_grad is not grad:
                swap_tensors(grad, new_grad.requires_grad_(grad.requires_grad))
        except RuntimeError as e:
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{name}") from e
        finally:
            if grad is not None:
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
                              "modules might not work as expected when using complex tensors as parameters or buffers. Please "
                              "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a "
                              "complex module does not work as expected.", stacklevel=2)
        kinds = {True: dtype, False: None}

        def convert(t, cast):
            layout = None if memory_format is None or t.dim() not in (4, 5) else memory_format  # lazy ones have no dims
            return t.to(device, kinds[cast and (t.is_floating_point() or t.is_complex())], non_blocking, memory_format=layout)

        try:
            return self._apply(Conversion("Module.to()", convert))
        except NotImplementedError as e:
            what, *more = str(e).split("\n")
            if what != "Cannot copy out of meta tensor; no data!":
                raise
            what += (" Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a "
                     "different device.")
            raise NotImplementedError("\n".join([what, *more])) from None

    # ---- hooks ----

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """hook(module, grad_output) runs before the module's gradients are computed; its result replaces grad_output."""
        return _add(self, "_backward_pre_hooks", hook, prepend)

    def register_backward_hook(self, hook):
        """The old hook(module, grad_input, grad_output), on the module's last node. Use register_full_backward_hook."""
        return _add_backward(self, hook, False)

    def register_full_backward_hook(self, hook, prepend=False):
        """hook(module, grad_input, grad_output) runs when the gradients of the inputs are there; its result replaces them."""
        return _add_backward(self, hook, True, prepend)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """hook(module, args) runs before forward; its result, if any, replaces the arguments."""
        return _add(self, "_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """hook(module, args, output) runs after forward; its result, if any, replaces the output."""
        return _add(self, "_forward_hooks", hook, prepend, with_kwargs=with_kwargs, always_called=always_call)

    def _get_backward_hooks(self):
        """The full backward hooks of a call, and the old ones."""
        found = [], []
        for hook, _, owner in _hooks(self, "_backward_hooks"):
            found[owner._is_full_backward_hook is not True].append(hook)
        return found

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
        for hook, id_, owner in _hooks(self, "_forward_pre_hooks"):
            if id_ in owner._forward_pre_hooks_with_kwargs:
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
        full, old = self._get_backward_hooks() if self._backward_hooks or _every._backward_hooks else ((), ())
        before = ()
        if self._backward_pre_hooks or _every._backward_pre_hooks:
            before = [hook for hook, _, _ in _hooks(self, "_backward_pre_hooks")]
        backward = BackwardHook(self, full, before) if full or before else None
        if backward:
            args = backward.setup_input_hook(args)
        _karat.module_phase(1)
        result = self.forward(*args, **kwargs)
        _karat.module_phase(2)
        for hook, id_, owner in _hooks(self, "_forward_hooks"):
            if id_ in owner._forward_hooks_always_called:
                called.add(id_)
            given = hook(self, args, kwargs, result) if id_ in owner._forward_hooks_with_kwargs else hook(self, args, result)
            result = result if given is None else given
        if backward:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                              f"received {type(result)}", stacklevel=3)
            result = backward.setup_output_hook(result)
        if old:
            self._set_old_hooks(old, args, result)
        return result

    def _call_the_rest(self, args, kwargs, called):
        """After an error: the hooks that are always called and were not yet. Their own errors are warnings."""
        result = None
        for hook, id_, owner in _hooks(self, "_forward_hooks"):
            if id_ in called or id_ not in owner._forward_hooks_always_called:
                continue
            try:
                given = hook(self, args, kwargs, result) if id_ in owner._forward_hooks_with_kwargs else hook(self, args, result)
                result = result if given is None else given
            except Exception as e:
                warnings.warn(f"{getattr(owner, 'whose', 'module')} forward hook with ``always_call=True`` raised an exception "
                              f"that was silenced as another error was raised in forward: {e}", stacklevel=3)

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
        _never_called("get_extra_state")

    def set_extra_state(self, state):
        """Takes what get_extra_state gave."""
        _never_called("set_extra_state")

    def _has_extra(self, method):
        return getattr(type(self), method) is not getattr(Module, method)

    def _register_state_dict_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata) runs after state_dict; its result, if any, replaces it."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously registered via "
                               "register_state_dict_post_hook")
        return _add(self, "_state_dict_hooks", hook)

    def register_state_dict_post_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata) runs after state_dict and may change it in place."""
        hook._from_public_api = True
        return _add(self, "_state_dict_hooks", hook)

    def register_state_dict_pre_hook(self, hook):
        """hook(module, prefix, keep_vars) runs before state_dict."""
        return _add(self, "_state_dict_pre_hooks", hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) runs before loading."""
        return _add(self, "_load_state_dict_pre_hooks", _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook):
        """hook(module, state_dict, prefix, ...) runs before the module loads its state."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """hook(module, incompatible_keys) runs after the module has loaded its state; it may change the keys in place."""
        return _add(self, "_load_state_dict_post_hooks", hook)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Puts this module's own state into `destination`."""
        for name, tensor in own_state(self):
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """An ordered dict of all parameters and persistent buffers by path. The tensors share memory with the module's."""
        if args:
            warnings.warn("Positional args are being deprecated, use kwargs instead. Refer to "
                          "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                          FutureWarning, stacklevel=2)
            destination, prefix, keep_vars = by_position(args, destination, prefix, keep_vars)
        state = with_metadata((), OrderedDict()) if destination is None else destination
        about = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = about
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return _through(self._state_dict_hooks, [self, state, prefix, about], 1) if self._state_dict_hooks else state

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Takes this module's own state from `state_dict`; what is wrong goes to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own, extra = dict(own_state(self)), prefix + _EXTRA_STATE_KEY_SUFFIX
        assign = local_metadata.get("assign_to_params_buffers", False)
        missing, unexpected = (missing_keys, unexpected_keys) if strict else ([], [])
        for name, mine in own.items():
            key = prefix + name
            if key in state_dict:
                take(self, name, mine, key, state_dict[key], assign, error_msgs)
            else:
                missing.append(key)
        takes_extra = self._has_extra("set_extra_state")
        if takes_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif takes_extra or extra in state_dict:
            (missing if takes_extra else unexpected).append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, below, _ = key[len(prefix):].partition(".")
                    if name not in (self._modules if below else own):
                        unexpected.append(key)

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Takes parameters and buffers from a state dict. strict: its keys must be exactly the module's."""
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        loading = Loading(metadata, assign)
        loading.visit(self, with_metadata(state_dict, metadata))
        return loading.result(self, strict)

    # ---- modes ----

    def train(self, mode=True):
        """Sets training mode (dropout, batch norm) in this module and all below it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        if self._modules:  # most have none
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
                          "copied (in a differentiable manner) from the original module. This means they are not leaf nodes in "
                          "autograd and so don't accumulate gradients. If you need gradients in your forward method, consider "
                          "using autograd.grad instead.", stacklevel=2)
        found = [(parameter, grad) for parameter in self.parameters() if (grad := parameter.grad) is not None]
        if not set_to_none and found:  # the same tensors, without a history
            _foreach_zero_([grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_() for _, grad in found])
        for parameter, _ in found if set_to_none else ():
            parameter.grad = None

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
        lines = [*(extra.split("\n") if extra else ()), *(f"({name}): {module!r}" for name, module in self._modules.items())]
        if len(lines) > 1 or self._modules:
            return _block(self._get_name(), lines)
        return f"{self._get_name()}({extra})"

    def __dir__(self):
        keys = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(key for key in keys if not key[0].isdigit())

    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(max(protocol, 2))  # before, a pickle names the base that is written in C

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        for name, empty in _fresh().items():  # what a state from before it existed has not
            own.setdefault(name, empty)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def _replicate_for_data_parallel(self):
        """A module with the same attributes, whose children and buffers may be replaced; parameters come later."""
        replica = type(self).__new__(type(self))
        replica.__dict__.update(self.__dict__, _parameters={}, _buffers={**self._buffers}, _modules={**self._modules},
                                _is_replica=True)
        return replica

    def compile(self, *args, **kwargs):
        """Nothing is compiled: the module runs as it is (torch.compile says so once)."""
        from ... import compile as compile_

        compile_(self, *args, **kwargs)


_KINDS = _PARAMETERS, _CHILDREN, _BUFFERS = (
    _Kind("_parameters", "parameter", Parameter, Parameter, assigned="parameter", before_init="parameters", one="an nn.Parameter",
          required="torch.nn.Parameter", expected="torch.nn.Parameter"),
    _Kind("_modules", "module", Module, Module, assigned="child module", before_init="module", one="an nn.Module",
          required="torch.nn.Module", expected="torch.nn.Module"),
    _Kind("_buffers", "buffer", Buffer, Tensor, assigned="buffer", before_init="buffer", one="a buffer",
          required="torch Tensor", expected="torch.nn.Buffer, torch.Tensor"))


def _table_of_all(owner, name):
    """A table of hooks as an attribute of this module. Assigned to, it takes what it is given: calls know the table itself."""
    def assign(_, given):
        table, given = getattr(owner, name), dict(given)
        table.clear()
        table.update(given)

    return property(lambda _: getattr(owner, name), assign)


class _Tables(ModuleType):
    """PyTorch's names of the hooks of all modules, which test suites empty by assigning to them."""

    _global_is_full_backward_hook = property(lambda _: _every._is_full_backward_hook,
                                             lambda _, value: setattr(_every, "_is_full_backward_hook", value))


for _name in """_backward_pre_hooks _backward_hooks _forward_pre_hooks _forward_hooks _forward_hooks_always_called
        _forward_hooks_with_kwargs""".split():
    setattr(_Tables, "_global" + _name, _table_of_all(_every, _name))
for _kind in _KINDS:
    setattr(_Tables, f"_global_{_kind.noun}_registration_hooks", _table_of_all(_kind, "hooks"))

sys.modules[__name__].__class__ = _Tables
__getattr__ = private_names(__name__, globals())
