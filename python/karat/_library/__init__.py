"""The parts of torch.library: schemas from annotations, derivatives of Python kernels, checks."""
