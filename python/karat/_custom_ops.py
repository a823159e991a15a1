"""karat._custom_ops: old names of what karat.library has."""

from .library import custom_op, get_ctx, impl_abstract, infer_schema  # noqa: F401
