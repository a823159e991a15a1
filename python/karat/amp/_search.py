"""_search.py - one training step in which values are looked at: what first made one that is not finite, and the paths of the
parameters of the modules that were called."""

from .. import _karat


class Search:
    """From now until stop(), on this thread."""

    def __init__(self):
        from ..nn.modules.module import register_module_forward_pre_hook

        self.names = {}  # the path of a parameter, by its id
        self._hook = register_module_forward_pre_hook(self._note_paths)
        _karat.search_not_finite(True)

    def _note_paths(self, module, args):
        """The outermost module is called first: its paths are the longest."""
        if any(id(parameter) not in self.names for parameter in module.parameters()):
            for path, parameter in module.named_parameters():
                self.names.setdefault(id(parameter), path)

    def stop(self):
        """The first: a dict of op, file, line, backward (was it a node of backward?) and value ("inf" or "nan"); None: all values
        were finite."""
        self._hook.remove()
        _karat.search_not_finite(False)
        return _karat.first_not_finite()
