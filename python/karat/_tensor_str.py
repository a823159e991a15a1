"""karat._tensor_str: the text of tensors, by PyTorch's private names. The text itself is written by the engine."""

from . import _karat, _missing
from .printing import get_printoptions, printoptions, set_printoptions  # noqa: F401


class _Options:
    """The print options as attributes."""

    def __getattr__(self, name):
        options = get_printoptions()
        if name not in options:
            raise AttributeError(f"there is no print option {name!r}")
        return options[name]

    def __setattr__(self, name, value):
        set_printoptions(**{name: value})

    def __repr__(self):
        options = ", ".join(f"{name}={value!r}" for name, value in get_printoptions().items())
        return f"__PrinterOptions({options})"


PRINT_OPTS = _Options()


def _str(self, *, tensor_contents=None):
    """The text of a tensor, with its class, dtype and gradient."""
    return repr(self) if tensor_contents is None else _add_suffixes("tensor(" + tensor_contents, [], 0, False)


_str_intern = _str


def _tensor_str(self, indent):
    """The numbers alone; lines after the first begin `indent` columns further right."""
    plain = self.detach().as_subclass(_karat.Tensor)
    width = get_printoptions()["linewidth"]
    with printoptions(linewidth=max(width + len("tensor(") - indent, 10)):
        text = repr(plain)
    begin, text = len("tensor("), _numbers(text)
    return text.replace("\n" + " " * begin, "\n" + " " * indent)


def _numbers(text):
    """tensor([1., 2.], dtype=torch.float64): the list, or the number, that it begins with."""
    inside = text[len("tensor("):-1]
    if not inside.startswith("["):
        return inside.partition(", ")[0]
    depth = 0
    for place, letter in enumerate(inside):
        depth += (letter == "[") - (letter == "]")
        if depth == 0:
            return inside[:place + 1]
    return inside


def _add_suffixes(tensor_str, suffixes, indent, force_newline):
    """The text with ", dtype=..." and the like behind it; a suffix that does not fit begins a new line."""
    text, room = tensor_str, get_printoptions()["linewidth"]
    column = len(tensor_str) - tensor_str.rfind("\n")
    for suffix in suffixes:
        if force_newline or column + len(suffix) + 2 > room:
            text, column, force_newline = f"{text},\n{' ' * indent}{suffix}", indent + len(suffix), False
        else:
            text, column = f"{text}, {suffix}", column + len(suffix) + 2
    return text + ")"


__getattr__ = _missing.of(__name__)
