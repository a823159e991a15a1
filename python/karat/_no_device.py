"""_no_device.py - what the modules of devices that are never here answer."""


def is_available():
    """Is there one that Karat can use? No."""
    return False


def device_count():
    """How many there are: none."""
    return 0


def is_initialized():
    """Has one been used? No."""
    return False
