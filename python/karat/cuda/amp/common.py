"""Is mixed precision of no use here?"""

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available():
    """Without a CUDA device it is not there."""
    from .. import is_available

    return not is_available()
