"""karat.torch_version: a str that compares as a version: '2.11.0' >= '2.9', >= (2, 9)."""

import re

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)[-_.]?(a|b|rc|alpha|beta|c|pre|preview)?[-_.]?(\d*)(?:[-_.]?post(\d+))?"
                   r"(?:[-_.]?dev(\d*))?(?:\+([a-z0-9.]+))?", re.IGNORECASE)
_LAST = float("inf")


def _key(version):
    """The sort key of a version; None: not a version."""
    if version is None or isinstance(version, (int, float)):
        return None
    if isinstance(version, (tuple, list)):
        version = ".".join(map(str, version))
    found = _FORM.fullmatch(str(version).strip())
    if not found:
        return None
    numbers, stage, number, post, dev, local = found.groups()
    release = [int(n) for n in numbers.split(".")]
    while release and release[-1] == 0:
        release.pop()
    if stage:
        before = ({"alpha": "a", "beta": "b"}.get(stage.lower(), stage.lower()), int(number or 0))
    else:
        before = ("", -1) if dev is not None and post is None else ("z", 0)
    parts = tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in local.split(".")) if local else ()
    return release, before, -1 if post is None else int(post), _LAST if dev is None else int(dev or 0), parts


class TorchVersion(str):
    """A version number. Compared with a non-version it is a plain str; != is that of str, as in PyTorch."""

    def _compared(self, other, how):
        own, others = _key(self), _key(other)
        if own is None or others is None:
            return getattr(str, how)(self, other)
        return getattr(own, how)(others)

    def __lt__(self, other):
        return self._compared(other, "__lt__")

    def __le__(self, other):
        return self._compared(other, "__le__")

    def __gt__(self, other):
        return self._compared(other, "__gt__")

    def __ge__(self, other):
        return self._compared(other, "__ge__")

    def __eq__(self, other):
        return self._compared(other, "__eq__")

    __hash__ = str.__hash__
