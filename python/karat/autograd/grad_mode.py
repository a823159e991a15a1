"""torch.autograd.grad_mode: the scopes that say whether calls are recorded."""

from ..modes import _force_original_view_tracking, enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: F401
