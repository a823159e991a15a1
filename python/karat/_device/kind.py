"""kind.py - devices of one name: whether there are any, and which one an argument means."""

import uuid

from .. import _karat


class Kind:
    """Devices named `name`."""

    def __init__(self, name):
        self._name = name

    def _needed(self):
        """There must be one."""
        if not _karat.device_count(self._name):
            _karat.device_index(self._name)  # says whether the backend is missing or the device
            raise AssertionError(f"Torch not compiled with {self._name.upper()} enabled")

    def _device(self, given=None):
        """The device that an argument means: None is the current one."""
        self._needed()
        if given is None:
            return _karat.device(self._name, _karat.device_index(self._name))
        if isinstance(given, int) and not isinstance(given, bool):
            return _karat.device(self._name, given)
        if isinstance(given, str):
            given = _karat.device(given)
        if not isinstance(given, _karat.device):
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{given}")
        if given.type != self._name:
            raise ValueError(f"Expected a {self._name} device, but got: {given}")
        return given if given.index is not None else self._device()

    def _all(self):
        """Every one of them."""
        return [_karat.device(self._name, index) for index in range(_karat.device_count(self._name))]

    def is_available(self):
        """Is there a device?"""
        return self.device_count() > 0

    def device_count(self):
        """How many devices there are."""
        return _karat.device_count(self._name)

    def is_initialized(self):
        """Has a device been found?"""
        return self.is_available()

    def init(self):
        """Looks for devices, which every function does that needs one."""
        self._needed()

    def current_device(self):
        """The index of the device that a name without one means, on this thread."""
        return self._device().index

    def set_device(self, device):
        """Chooses the device that a name without an index means, on this thread; a negative index chooses none."""
        if not isinstance(device, int) or device >= 0:
            _karat.set_device_index(self._device(device))

    def synchronize(self, device=None):
        """Waits for all work of the device."""
        _karat.device_sync(self._device(device))

    def get_device_properties(self, device=None):
        """Its name, its memory and what else its backend knows of it."""
        return Properties(**_karat.device_properties(self._device(device)))

    def get_device_name(self, device=None):
        """The device's name."""
        return self.get_device_properties(device).name

    def get_device_capability(self, device=None):
        """Its compute capability, (major, minor)."""
        properties = self.get_device_properties(device)
        return properties.major, properties.minor

    def set_sync_debug_mode(self, debug_mode):
        """What a call does that makes the host wait for a device: "default" or 0, "warn" or 1, "error" or 2."""
        self._needed()
        modes = ("default", "warn", "error")
        if isinstance(debug_mode, str):
            if debug_mode not in modes:
                raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
            debug_mode = modes.index(debug_mode)
        _karat.set_wait_mode(debug_mode)

    def get_sync_debug_mode(self):
        """The mode as a number."""
        self._needed()
        return _karat.get_wait_mode()


class Properties:
    """What is known of a device."""

    def __init__(self, **values):
        vars(self).update(values)
        self.uuid = Uuid(self.uuid)

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count}, "
                f"uuid={self.uuid}, pci_bus_id={self.pci_bus_id}, pci_device_id={self.pci_device_id}, "
                f"pci_domain_id={self.pci_domain_id}, L2_cache_size={self.L2_cache_size >> 20}MB)")


class Uuid:
    """The 16 bytes that name a device; str() writes them as people do."""

    def __init__(self, content):
        self.bytes = list(content)

    def __str__(self):
        return str(uuid.UUID(bytes=bytes(self.bytes)))
