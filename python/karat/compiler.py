"""karat.compiler: nothing is compiled here; decorated code runs unchanged."""

from . import _missing


def is_compiling():
    """Always False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def _as_it_is(name, doc):
    def same(fn=None, *args, **keywords):
        return (lambda function: function) if fn is None else fn

    same.__name__ = same.__qualname__ = name
    same.__doc__ = doc
    return same


def compile(model=None, **options):
    """Returns the model itself; operators run eagerly, with the same results."""
    return (lambda function: function) if model is None else model


disable = _as_it_is("disable", "The function itself: nothing is compiled.")
allow_in_graph = _as_it_is("allow_in_graph", "The function itself.")
assume_constant_result = _as_it_is("assume_constant_result", "The function itself.")


def reset():
    """No effect: nothing was compiled."""


def cudagraph_mark_step_begin():
    """No effect."""


__getattr__ = _missing.of(__name__)
