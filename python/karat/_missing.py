"""_missing.py - what a name that is not there says: the nearest one that is."""


def of(module):
    """A module's __getattr__."""

    def missing(name):
        text = f"module '{module}' has no attribute '{name}'"
        if not name.startswith("__"):
            from difflib import get_close_matches
            from sys import modules

            near = get_close_matches(name, [k for k in vars(modules[module]) if not k.startswith("_")], 1)
            text += f": PyTorch may have it, karat does not (yet){f'; the nearest here is {near[0]!r}' if near else ''}"
        raise AttributeError(text)

    return missing
