"""karat.utils._contextlib: classes whose objects are scopes and decorators, which libraries derive their own from."""

from ..modes import _Mode


class _DecoratorContextManager:
    """with scope(): and @scope(), of functions and generators; every call enters a clone."""

    __call__ = _Mode.__call__

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError

    def clone(self):
        """Another one like it."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same, also as @scope without parentheses."""

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else cls()(orig_func)
