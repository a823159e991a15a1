"""karat.compiler: nothing is compiled here; decorated code runs unchanged."""

from . import _missing


def is_compiling():
    """Always False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


_said = set()


def _say_once(name):
    """One warning for each name: the program runs as it is written."""
    import warnings

    if name not in _said:
        _said.add(name)
        warnings.warn(f"{name}: nothing is compiled here; it runs as it is written, with the same results", stacklevel=3)


def _as_it_is(name, doc, said=None):
    """A function that returns its argument; `said`: what the warning calls it, None: there is none."""

    def same(fn=None, *args, **keywords):
        if said:
            _say_once(said)
        return (lambda function: function) if fn is None else fn

    same.__name__ = same.__qualname__ = name
    same.__doc__ = doc
    return same


def compile(model=None, **options):
    """Returns the model itself; operators run eagerly, with the same results."""
    _say_once("torch.compile")
    return (lambda function: function) if model is None else model


disable = _as_it_is("disable", "The function itself: nothing is compiled.")
allow_in_graph = _as_it_is("allow_in_graph", "The function itself.")
assume_constant_result = _as_it_is("assume_constant_result", "The function itself.")


def reset():
    """No effect: nothing was compiled."""


def cudagraph_mark_step_begin():
    """No effect."""


class set_stance:
    """How compiled code is run: called, a scope or a decorator. No effect: nothing is compiled."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        self.stance = stance

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None

    def __call__(self, fn):
        return fn


nested_compile_region = _as_it_is("nested_compile_region", "The function itself.")


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False):
    """A decorator that leaves the function as it is: nothing is traced."""
    return lambda function: function


def list_backends(exclude_tags=("debug", "experimental")):
    """Empty: there is no compiler."""
    return []


def save_cache_artifacts():
    """None: nothing was compiled."""


def load_cache_artifacts(serialized_artifacts):
    """None: nothing is compiled."""


__getattr__ = _missing.of(__name__)
