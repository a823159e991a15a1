"""_search.py - one training step in which values are looked at: what first made one that is not finite, and the paths of the
parameters of the modules that were called."""

from .. import _karat


def _notes_paths_in(names):
    """A hook of modules; it holds the dict alone, so that a search ends with its scaler."""

    def note(module, args):  # the outermost module is called first: its paths are the longest
        if any(id(parameter) not in names for parameter in module.parameters()):
            for path, parameter in module.named_parameters():
                names.setdefault(id(parameter), path)

    return note


class Search:
    """From now until stop(), on this thread; or until nobody has it any more."""

    def __init__(self):
        from ..nn.modules.module import register_module_forward_pre_hook

        self.names = {}  # the path of a parameter, by its id
        self._hook = register_module_forward_pre_hook(_notes_paths_in(self.names))
        _karat.search_not_finite(True)

    def stop(self):
        """The first: a dict of op, file, line, backward (was it a node of backward?) and value ("inf" or "nan"); None: all values
        were finite."""
        self._hook.remove()
        self._hook = None
        _karat.search_not_finite(False)
        return _karat.first_not_finite()

    def __del__(self):
        if getattr(self, "_hook", None):  # its scaler went after a skipped step
            self.stop()
