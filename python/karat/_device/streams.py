"""streams.py - streams and events of devices of one name, and scopes of a stream or a device."""

from .. import _karat
from .kind import Kind


def _dummy(kind, name):
    """The error of PyTorch built without that device, whose classes are others then."""
    try:
        kind._needed()
    except AssertionError:
        raise RuntimeError(f"Tried to instantiate dummy base class {name}") from None


class Stream(_karat.Stream):
    """Stream(device=None, priority=0): a queue of a device; a negative priority goes first."""

    _kind = None

    def __new__(cls, device=None, priority=0, **keywords):
        _dummy(cls._kind, f"_{cls._kind._name.capitalize()}StreamBase")
        if "stream_id" in keywords:
            return super().__new__(cls, **keywords)
        return super().__new__(cls, cls._kind._device(device), priority=priority, **keywords)

    def record_event(self, event=None):
        """An event that marks its work so far."""
        event = self._kind.Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self):
        name = self._kind._name
        return f"<torch.{name}.Stream device={self.device} {name}_stream={self.native_handle:#x}>"


class Event(_karat.Event):
    """Event(enable_timing=False, blocking=False, interprocess=False, external=False): a mark in the work of a stream."""

    _kind = None

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
        _dummy(cls._kind, f"_{cls._kind._name.capitalize()}EventBase")
        return super().__new__(cls, cls._kind._name, enable_timing=bool(enable_timing), blocking=bool(blocking),
                               interprocess=bool(interprocess))

    def __repr__(self):
        return f"<torch.{self._kind._name}.Event {f'{self.event_id:#x}' if self.event_id else 'uninitialized'}>"


class StreamContext:
    """A scope in which calls are queued on a stream; None changes nothing."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *error):
        if self.stream is not None:
            self.stream.__exit__(*error)


class DeviceScope:
    """A scope in which a name without an index means this device; a negative index changes nothing."""

    _kind = None

    def __init__(self, device):
        self.idx = device if isinstance(device, int) or device is None else self._kind._device(device).index
        self.prev_idx = -1

    def __enter__(self):
        if self.idx is not None and self.idx >= 0:
            self.prev_idx = self._kind.current_device()
            self._kind.set_device(self.idx)

    def __exit__(self, *error):
        if self.prev_idx >= 0:
            self._kind.set_device(self.prev_idx)
        return False


class Streams(Kind):
    """The functions of streams."""

    def __init__(self, name):
        super().__init__(name)
        raw = property(lambda self: self.native_handle, doc="the backend's own name of it")
        event = property(lambda self: self.event_id, doc="its number; 0: not recorded yet")
        self.Stream = self._class("Stream", Stream, {f"{name}_stream": raw})
        self.Event = self._class("Event", Event, {f"{name}_event": event})
        self.StreamContext = self._class("StreamContext", StreamContext, {})
        self.device = self._class("device", DeviceScope, {})
        self.device_of = self._class("device_of", self.device, {"__init__": _of_tensor})
        self.ExternalStream = self._class("ExternalStream", self.Stream, {"__new__": _external})

    def _class(self, name, base, more):
        return type(name, (base,), {"_kind": self, "__doc__": base.__doc__, "__module__": f"karat.{self._name}", **more})

    def stream(self, stream):
        """with stream(s): calls are queued on s."""
        return self.StreamContext(stream)

    def current_stream(self, device=None):
        """The stream that this thread's calls are queued on."""
        return _karat.current_stream(self._device(device), self.Stream)

    def default_stream(self, device=None):
        """The device's default stream."""
        return _karat.default_stream(self._device(device), self.Stream)

    def set_stream(self, stream):
        """This thread's calls are queued there from now on; None changes nothing."""
        self._needed()
        if stream is not None:
            _karat.set_stream(stream)

    def get_stream_from_external(self, data_ptr, device=None):
        """A stream of another library, by its handle."""
        return _karat.external_stream(data_ptr, self._device(device), self.Stream)


def _external(cls, stream_ptr, device=None):
    """ExternalStream(stream_ptr, device=None): a stream of another library, by its handle."""
    return _karat.external_stream(stream_ptr, cls._kind._device(device), cls)


def _of_tensor(self, obj):
    """device_of(tensor): a scope of the tensor's device; one that is elsewhere changes nothing."""
    DeviceScope.__init__(self, obj.get_device() if obj.device.type == self._kind._name else -1)
