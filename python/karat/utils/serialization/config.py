"""config.py - what torch.save and torch.load do where their arguments do not say it: config.load.mmap = True."""

import mmap as _mmap


class load:
    """Settings of torch.load."""

    mmap = False
    endianness = None
    mmap_flags = getattr(_mmap, "MAP_PRIVATE", None)
    calculate_storage_offsets = False


class save:
    """Settings of torch.save."""

    compute_crc32 = True
    use_pinned_memory_for_d2h = False
    storage_alignment = 64
