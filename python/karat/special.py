"""karat.special: the rows of the operator table whose names begin with special_, and PyTorch's other names for functions
of its main module."""

from . import _karat, _missing

_same = """digamma erf erfc erfinv exp2 expm1 i0 log1p logit logsumexp polygamma round sinc xlogy""".split()
_other = {"expit": "sigmoid", "gammainc": "igamma", "gammaincc": "igammac", "gammaln": "lgamma", "multigammaln": "mvlgamma",
          "psi": "digamma"}

globals().update({new: _karat.functions[old] for new, old in [*zip(_same, _same), *_other.items()]
                  if old in _karat.functions})
globals().update(_karat.special_functions)

__getattr__ = _missing.of(__name__)
