"""karat.utils._contextlib: classes whose objects are scopes and decorators, which libraries derive their own from."""

from ..modes import inside


class _DecoratorContextManager:
    """with scope(): and @scope(), of functions and generators; every call enters a clone."""

    def __call__(self, function):
        if isinstance(function, type):
            raise RuntimeError("Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods "
                               "should have the context manager applied; additionally, decorating a class at definition-site "
                               "will prevent use of the identifier as a conventional type.  To specify which methods to "
                               "decorate, decorate each of them individually.")
        return inside(self.clone, function)

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
