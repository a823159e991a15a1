"""karat.utils.tensorboard: SummaryWriter, which writes through the package tensorboard; without it the import fails as in
PyTorch.
"""

import tensorboard  # noqa: F401

from .writer import FileWriter, SummaryWriter  # noqa: F401
