"""elements.py - how far the elements of two tensors are apart, and how far an operator's may be.

In: a dtype's name and two payloads of bytes from execute.py. Out: a Gap, which knows for each element how far the sides are
apart; rounding.py says how far they may be.
"""

import numpy as np

REAL = {"float64": np.float64, "float32": np.float32, "float16": np.float16,
        "complex128": np.float64, "complex64": np.float32, "complex32": np.float16}
REAL_OF = {"complex128": "float64", "complex64": "float32", "complex32": "float16"}
EPSILON = {"float64": 2.0 ** -52, "float32": 2.0 ** -23, "float16": 2.0 ** -10, "bfloat16": 2.0 ** -7,
           "float8_e4m3fn": 2.0 ** -3, "float8_e4m3fnuz": 2.0 ** -3, "float8_e5m2": 2.0 ** -2, "float8_e5m2fnuz": 2.0 ** -2,
           "float8_e8m0fnu": 1.0}
LARGEST = {"float64": 2.0 ** 1023, "float32": 2.0 ** 127, "float16": 2.0 ** 15, "bfloat16": 2.0 ** 127}
TINY = {"float64": 2.0 ** -1022, "float32": 2.0 ** -126, "float16": 2.0 ** -14, "bfloat16": 2.0 ** -126,
        "float8_e4m3fn": 2.0 ** -6, "float8_e4m3fnuz": 2.0 ** -7, "float8_e5m2": 2.0 ** -14, "float8_e5m2fnuz": 2.0 ** -15,
        "float8_e8m0fnu": 2.0 ** -127}
INTEGER = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-2 ** 15, 2 ** 15 - 1), "int32": (-2 ** 31, 2 ** 31 - 1),
           "int64": (-2 ** 63, 2 ** 63 - 1), "uint16": (0, 2 ** 16 - 1), "uint32": (0, 2 ** 32 - 1), "uint64": (0, 2 ** 64 - 1)}


def byte_floats(mantissa, bias, zeros_have_a_sign, infinite):
    """What each of the 256 codes of a float8 stands for."""
    values = np.empty(256)
    for code in range(256):
        low, sign = code & 127, -1.0 if code & 128 else 1.0
        exponent, fraction = low >> mantissa, low & ((1 << mantissa) - 1)
        size = np.ldexp(fraction + (1 << mantissa if exponent else 0), max(exponent, 1) - bias - mantissa)
        values[code] = sign * size
        if not zeros_have_a_sign and code == 128:
            values[code] = np.nan
        if infinite and exponent == 31:
            values[code] = sign * np.inf if fraction == 0 else np.nan
        if zeros_have_a_sign and not infinite and low == 127:
            values[code] = np.nan
    return values


FLOAT8 = {"float8_e4m3fn": byte_floats(3, 7, True, False), "float8_e4m3fnuz": byte_floats(3, 8, False, False),
          "float8_e5m2": byte_floats(2, 15, True, True), "float8_e5m2fnuz": byte_floats(2, 16, False, False),
          "float8_e8m0fnu": np.array([2.0 ** (code - 127) for code in range(255)] + [np.nan])}


def decoded(dtype, payload):
    """Elements of a float or complex tensor as float64 (a complex one as pairs), or None for other dtypes."""
    if dtype in REAL:
        with np.errstate(invalid="ignore"):  # of a signaling NaN
            return np.frombuffer(payload, REAL[dtype]).astype(np.float64)
    if dtype == "bfloat16":
        return (np.frombuffer(payload, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype in FLOAT8:
        return FLOAT8[dtype][np.frombuffer(payload, np.uint8)]
    return None


def partner(x):
    """The other part of each complex number of a list of pairs."""
    return x.reshape(-1, 2)[:, ::-1].reshape(-1)


class Gap:
    """Two payloads of one dtype, element by element."""

    def __init__(self, dtype, a, b):
        self.dtype, self.real = dtype, REAL_OF.get(dtype, dtype)
        self.complex = dtype in REAL_OF
        self.karat, self.torch = x, y = decoded(dtype, a), decoded(dtype, b)
        self.is_float = x is not None
        if not self.is_float:
            kind = np.dtype(bool if dtype == "bool" else dtype)
            self.karat, self.torch = np.frombuffer(a, kind), np.frombuffer(b, kind)
            self.differs = self.karat != self.torch
            self.apart = np.where(self.differs, np.abs(self.karat.astype(np.float64) - self.torch.astype(np.float64)), 0)
            self.size = np.abs(self.karat.astype(np.float64))
            return
        with np.errstate(all="ignore"):
            self.differs = ~(((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y)))
            self.finite = np.isfinite(x) & np.isfinite(y)
            self.apart = np.where(self.finite, np.abs(x - y), 0)
            self.size = np.abs(np.where(np.isfinite(x), x, 0))
            if self.complex:  # the parts of one number are measured by its size
                self.size = np.hypot(self.size, partner(self.size))

    def ulps(self):
        tiny = TINY[self.real]
        unit = np.maximum(2.0 ** np.floor(np.log2(np.maximum(self.size, tiny))), tiny) * EPSILON[self.real]
        with np.errstate(over="ignore"):
            return self.apart / unit

    def largest(self):
        return max(float(np.max(self.size, initial=0)), TINY.get(self.real, 0.0))

    def share(self):
        """The largest difference as a share of the largest element, or of 1 where all are smaller."""
        return float(np.max(self.apart, initial=0)) / max(self.largest(), 1.0)

    def beyond(self, ulps, terms=0.0):
        """Where elements are further apart than that many units in the last place, or than so much of the terms' size.

        Either side may have gone over the end of the range; a zero's sign counts only where neither side is rounded to it."""
        if not self.is_float:
            return self.differs
        with np.errstate(all="ignore"):
            near = self.finite & ((self.ulps() <= ulps) | (self.apart <= terms)) & (self.apart > 0)
            if ulps:  # what lies below the normal numbers may be 0
                near |= self.finite & (self.apart > 0) & (np.maximum(np.abs(self.karat), np.abs(self.torch)) < TINY[self.real])
            if self.real in LARGEST:
                end = LARGEST[self.real] * (2 - 2 * EPSILON[self.real] * (1 + ulps))
                near |= (np.abs(self.karat) >= end) & (np.abs(self.torch) >= end) & (self.karat * self.torch > 0)
        return self.differs & ~near

    def shown(self, side, where=None):
        """The first element that differs."""
        at = np.flatnonzero(self.differs if where is None else where)
        i = int(at[0])
        value = (self.karat if side == 0 else self.torch)[i]
        return f"element {i}: {value!r} ({len(at)} of {len(self.karat)})"
