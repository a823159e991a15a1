"""karat.amp: automatic mixed precision. autocast chooses the dtype of each operator by its class; GradScaler keeps small float16
gradients from becoming zero."""

from .autocast_mode import _enter_autocast, _exit_autocast, autocast, custom_bwd, custom_fwd, is_autocast_available  # noqa: F401
from .grad_scaler import GradScaler  # noqa: F401
from .lists import lists  # noqa: F401
from .low_precision import step_in_float32  # noqa: F401
