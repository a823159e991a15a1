"""_parameter_hook.py - a parameter that a hook of its module computes before each call, from tensors that stand beside it under
names with a suffix: what weight_norm, spectral_norm and pruning have in common. A hook knows the parameter by its name."""


class ParameterHook:
    """The base of such hooks. `name_is` is the attribute that holds the parameter's name."""

    name_is = "name"

    @classmethod
    def on(cls, module, name):
        """The module's hooks of this class for the parameter, by their keys among its forward pre-hooks."""
        return {key: hook for key, hook in module._forward_pre_hooks.items()
                if isinstance(hook, cls) and getattr(hook, cls.name_is) == name}

    @classmethod
    def take_off(cls, module, name, missing):
        """Has the hook make the parameter an ordinary one, and takes the hook off. `missing` is what to say if there is none."""
        found = cls.on(module, name)
        if not found:
            raise ValueError(missing)
        key, hook = next(iter(found.items()))
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
