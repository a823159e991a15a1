"""_no_device.py - functions of modules for devices that Karat does not have."""


def is_available():
    """Always False."""
    return False


def device_count():
    """Always 0."""
    return 0


def is_initialized():
    """Always False."""
    return False
