"""memory.py - the memory of devices: figures, peaks, limits. A device whose memory is cached in pools of small and large blocks
tells their figures apart, as PyTorch does; of another there are the sums, the keys "...all...".
"""

import warnings
from collections import OrderedDict

from .. import _karat
from .kind import Kind


_PARTS = ("current", "peak", "allocated", "freed")


def _stats_of_pools(figures, pools):
    """The figures of a caching allocator by PyTorch's keys. No block is too large to be split, so that none is oversize."""
    stats = {"num_ooms": figures["out_of_memory"], "num_alloc_retries": pools.pop("retries"),
             "num_device_alloc": pools.pop("taken"), "num_device_free": pools.pop("given"),
             "num_sync_all_streams": pools.pop("waits"), "max_split_size": -1}
    for name in ("oversize_allocations", "oversize_segments"):
        stats |= {f"{name}.{part}": 0 for part in _PARTS}
    for name, counts in pools.items():
        stats |= {f"{name}.{part}": count for part, count in zip(_PARTS, counts)}
    return stats


def _stats_of_sums(figures):
    stats = {"num_ooms": figures["out_of_memory"]}
    for name in ("allocation", "active"):
        stats |= {f"{name}.all.current": figures["count"], f"{name}.all.peak": figures["count_peak"],
                  f"{name}.all.allocated": figures["count_total"], f"{name}.all.freed": figures["count_freed"]}
    for name in ("allocated_bytes", "active_bytes"):
        stats |= {f"{name}.all.current": figures["allocated"], f"{name}.all.peak": figures["allocated_peak"],
                  f"{name}.all.allocated": figures["allocated_total"], f"{name}.all.freed": figures["freed_total"]}
    return stats | {"reserved_bytes.all.current": figures["reserved"], "reserved_bytes.all.peak": figures["reserved_peak"]}


def _stats(device):
    figures, pools = _karat.device_memory(device), _karat.device_memory_pools(device)
    return OrderedDict(sorted((_stats_of_pools(figures, pools) if pools else _stats_of_sums(figures)).items()))


def _readable(figure, key):
    """A figure of memory_summary: bytes with their unit."""
    if figure is None:
        return ""
    if not key.endswith("bytes"):
        return str(figure)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if figure < 10240 or unit == "GiB":
            return f"{figure:.0f} {unit}"
        figure /= 1024


class Memory(Kind):
    """The functions of memory."""

    def __init__(self, name):
        super().__init__(name)
        self._fractions = {}

    def _figure(self, name, device):
        return _karat.device_memory(self._device(device))[name] if self.is_available() else 0

    def memory_stats(self, device=None):
        """The figures of a device's memory by PyTorch's keys; empty without a device."""
        return _stats(self._device(device)) if self.is_available() else OrderedDict()

    def memory_stats_as_nested_dict(self, device=None):
        """The same, a dict of dicts; empty without a device."""
        nested = {}
        for name, figure in self.memory_stats(device).items():
            *path, last = name.split(".")
            at = nested
            for part in path:
                at = at.setdefault(part, {})
            at[last] = figure
        return nested

    def memory_summary(self, device=None, abbreviated=False):
        """The figures as a table; unless abbreviated those of the pools of large and small blocks too, where there are any."""
        stats, lines = self.memory_stats(device), []
        for name, key in (("Allocated memory", "allocated_bytes"), ("Reserved memory", "reserved_bytes"),
                          ("Allocations", "allocation")):
            for pool, title in (("all", name), ("large_pool", "  large blocks"), ("small_pool", "  small blocks")):
                figures = [stats.get(f"{key}.{pool}.{part}") for part in _PARTS]
                if pool == "all" or figures != [None] * 4 and not abbreviated:
                    lines.append(f"| {title:<17}|" + "".join(f" {_readable(f, key):>12} |" for f in figures))
        width = len(lines[0])
        device = self._device(device)
        head = [f" memory of {device}, {stats['num_ooms']} times out of memory ".center(width - 2).join("||"),
                f"| {'':<17}|" + "".join(f" {part:>12} |" for part in ("current", "peak", "total taken", "total freed"))]
        rule = "|" + "-" * (width - 2) + "|"
        return "\n".join([rule, head[0], rule, head[1], rule, *lines, rule])

    def get_allocator_backend(self):
        """Which allocator serves the device: one of its own, which PyTorch calls native."""
        return "native"

    def memory_allocated(self, device=None):
        """Bytes of tensors on the device."""
        return self._figure("allocated", device)

    def max_memory_allocated(self, device=None):
        """The most bytes of tensors since the start, or since the peaks were reset."""
        return self._figure("allocated_peak", device)

    def memory_reserved(self, device=None):
        """Bytes taken from the device, in use or kept for later."""
        return self._figure("reserved", device)

    def max_memory_reserved(self, device=None):
        """The most bytes taken from it, since the start or since the peaks were reset."""
        return self._figure("reserved_peak", device)

    def memory_cached(self, device=None):
        """Deprecated: memory_reserved."""
        self._renamed("memory_cached", "memory_reserved")
        return self.memory_reserved(device)

    def max_memory_cached(self, device=None):
        """Deprecated: max_memory_reserved."""
        self._renamed("max_memory_cached", "max_memory_reserved")
        return self.max_memory_reserved(device)

    def _renamed(self, old, new):
        warnings.warn(f"`torch.{self._name}.{old}` has been renamed to `torch.{self._name}.{new}`", FutureWarning, stacklevel=3)

    def reset_peak_memory_stats(self, device=None):
        """Peaks are what is in use now."""
        if self.is_available():
            _karat.device_memory_reset_peaks(self._device(device))

    def reset_accumulated_memory_stats(self, device=None):
        """Totals are 0."""
        if self.is_available():
            _karat.device_memory_reset_totals(self._device(device))

    def reset_max_memory_allocated(self, device=None):
        """Deprecated: reset_peak_memory_stats."""
        self._resets("reset_max_memory_allocated")
        self.reset_peak_memory_stats(device)

    def reset_max_memory_cached(self, device=None):
        """Deprecated: reset_peak_memory_stats."""
        self._resets("reset_max_memory_cached")
        self.reset_peak_memory_stats(device)

    def _resets(self, old):
        warnings.warn(f"torch.{self._name}.{old} now calls torch.{self._name}.reset_peak_memory_stats, which resets /all/ peak "
                      "memory stats.", FutureWarning, stacklevel=3)

    def empty_cache(self):
        """Gives back to the devices what is kept for later."""
        for device in self._all():
            _karat.device_memory_empty(device)

    def ipc_collect(self):
        """Nothing: memory is not shared between processes."""

    def mem_get_info(self, device=None):
        """(free, total) bytes of the device."""
        figures = _karat.device_memory(self._device(device))
        return figures["free"], figures["total"]

    def set_per_process_memory_fraction(self, fraction, device=None):
        """Tensors may use this part of the device's memory; more is an OutOfMemoryError."""
        device = self._device(device)
        if not isinstance(fraction, float):
            raise TypeError("Invalid type for fraction argument, must be `float`")
        if not 0 <= fraction <= 1:
            raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
        _karat.device_memory_limit(device, int(_karat.device_memory(device)["total"] * fraction))
        self._fractions[device] = fraction

    def get_per_process_memory_fraction(self, device=None):
        """The part that was set; 1.0 if none was."""
        return self._fractions.get(self._device(device), 1.0)
