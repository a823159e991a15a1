"""karat.nn.common_types: names for sizes in annotations: of one number, or one per dim."""

from typing import Optional, TypeVar, Union

from .._karat import Tensor

T = TypeVar("T")


def _scalar_or_tuple(count):
    return Union[T, tuple[(T,) * count] if count else tuple[T, ...]]


_scalar_or_tuple_any_t = _scalar_or_tuple(0)
_scalar_or_tuple_1_t, _scalar_or_tuple_2_t, _scalar_or_tuple_3_t = map(_scalar_or_tuple, (1, 2, 3))
_scalar_or_tuple_4_t, _scalar_or_tuple_5_t, _scalar_or_tuple_6_t = map(_scalar_or_tuple, (4, 5, 6))
_size_any_t = _scalar_or_tuple_any_t[int]
_size_1_t, _size_2_t, _size_3_t = _scalar_or_tuple_1_t[int], _scalar_or_tuple_2_t[int], _scalar_or_tuple_3_t[int]
_size_4_t, _size_5_t, _size_6_t = _scalar_or_tuple_4_t[int], _scalar_or_tuple_5_t[int], _scalar_or_tuple_6_t[int]
_size_any_opt_t = _scalar_or_tuple_any_t[Optional[int]]
_size_2_opt_t, _size_3_opt_t = _scalar_or_tuple_2_t[Optional[int]], _scalar_or_tuple_3_t[Optional[int]]
_ratio_2_t, _ratio_3_t, _ratio_any_t = _scalar_or_tuple_2_t[float], _scalar_or_tuple_3_t[float], _scalar_or_tuple_any_t[float]
_tensor_list_t = _scalar_or_tuple_any_t[Tensor]
_maybe_indices_t = _scalar_or_tuple_2_t[Tensor]
