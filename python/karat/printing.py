"""printing.py - set_printoptions and printoptions."""

from . import _karat

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": float("inf"), "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Sets the print options; profile is "default", "short" or "full"."""
    asked = dict(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    asked.update({name: value for name, value in given.items() if value is not None})
    _karat.set_print_options(**asked, sci_mode=sci_mode)


def get_printoptions():
    """The current options, as a dict."""
    return _karat.get_print_options()


class printoptions:
    """set_printoptions for a scope."""

    def __init__(self, **options):
        self._options = options

    def __enter__(self):
        self._before = get_printoptions()
        set_printoptions(**{**self._before, **self._options})

    def __exit__(self, *error):
        _karat.set_print_options(**self._before)
