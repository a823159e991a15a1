"""karat.autograd.anomaly_mode: looking for what fails, or gives NaN, in backward."""

import warnings

from .. import _karat

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """From now on, or in a with block: an error in backward is preceded by a warning that names the line of the forward call, and
    with check_nan a gradient with NaN is an error."""

    def __init__(self, mode, check_nan=True):
        for place, (name, value) in enumerate({"enabled": mode, "check_nan": check_nan}.items()):
            if not isinstance(value, bool):
                raise TypeError(f"set_anomaly_enabled(): argument '{name}' (position {place + 1}) must be bool, not "
                                f"{type(value).__name__}")
        self.prev = _karat.is_anomaly_enabled()
        self.prev_check_nan = _karat.is_anomaly_check_nan_enabled()
        _karat.set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *args):
        _karat.set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly(set_detect_anomaly):
    """The same for a with block alone."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
                      "debugging.", stacklevel=2)

    def __enter__(self):
        super().__init__(True, self.check_nan)
