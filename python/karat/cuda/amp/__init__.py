"""karat.cuda.amp: the old names of torch.amp for CUDA."""

from .autocast_mode import autocast, custom_bwd, custom_fwd  # noqa: F401
from .common import amp_definitely_not_available  # noqa: F401
from .grad_scaler import GradScaler  # noqa: F401
