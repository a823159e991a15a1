"""karat.cpu: the CPU, with the functions of other device modules."""

from .. import _karat, _missing


def is_available():
    """Always True."""
    return True


def device_count():
    """Always 1."""
    return 1


def current_device():
    """Always "cpu"."""
    return "cpu"


def is_initialized():
    """Always True."""
    return True


def synchronize(device=None):
    """No effect: operators on the CPU are done when they return."""


def set_device(device):
    """No effect: there is one CPU."""


class Stream:
    """The one order in which the CPU works."""

    def __init__(self, priority=-1):
        pass

    def wait_stream(self, stream):
        """No effect: there is one."""

    def record_event(self):
        """No effect: there is nothing to wait for."""

    def wait_event(self, event):
        """No effect: there is nothing to wait for."""


class Event:
    """A moment in the order of work: it is past as soon as it is recorded."""

    def query(self):
        """True: what was before is done."""
        return True

    def record(self, stream=None):
        """No effect."""

    def synchronize(self):
        """No effect."""

    def wait(self, stream=None):
        """No effect."""


class StreamContext:
    """A scope in which a stream is the current one: no effect, there is one."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None


_stream = Stream()


def current_stream(device=None):
    """The stream."""
    return _stream


def stream(stream):
    """A scope in which it is the current one."""
    return StreamContext(stream)


def get_capabilities():
    """What is known of the processor: the machine, and which kernels are used."""
    import platform
    from types import MappingProxyType

    return MappingProxyType({"architecture": platform.machine(), "kernels": _karat.isa})


__getattr__ = _missing.of(__name__, lazy=["amp"])
