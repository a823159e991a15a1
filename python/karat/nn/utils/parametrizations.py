"""karat.nn.utils.parametrizations: weights that are orthogonal, of length and direction apart, or of spectral norm 1."""

from enum import Enum, auto

from ... import _karat
from ...limits import finfo
from ...modes import no_grad
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from . import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_rows, _linalg = _karat.functions, _karat.linalg_functions


def _eye_like(matrix, size):
    return _rows["eye"](size, dtype=matrix.dtype, device=matrix.device)


def _is_orthogonal(Q, eps=None):
    """Are the columns orthonormal, as far as the dtype goes?"""
    rows, columns = Q.shape[-2:]
    eps = 10.0 * rows * finfo(Q.dtype).eps if eps is None else eps
    return _karat.allclose(_rows["matmul"](Q.mH, Q), _eye_like(Q, columns), atol=eps)


def _make_orthogonal(A):
    """Orthonormal columns of the same span, nearest in the sense of a QR decomposition with a positive diagonal."""
    packed, tau = _rows["geqrf"](A)
    q = _linalg["householder_product"](packed, tau)
    return q.mul(packed.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2))


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows if it is wide: the map of an arbitrary matrix, times a base if there is one."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def _mapped(self, X):
        rows, columns = X.shape[-2:]
        if self.orthogonal_map == _OrthMaps.householder:
            below = X.tril(diagonal=-1)
            tau = below.mul(below).sum(-2).add(1.0).reciprocal().mul(2.0)
            q = _linalg["householder_product"](below, tau)
            return q.mul(X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2))  # the diagonal is of signs
        lower = X.tril()
        if rows != columns:
            lower = _rows["cat"]([lower, lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)], -1)
        skew = lower.sub(lower.mH)
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            q = _rows["matrix_exp"](skew)
        else:
            unit = _eye_like(skew, rows)
            q = _linalg["solve"](unit.add(skew, alpha=-0.5), unit.add(skew, alpha=0.5))
        return q if rows == columns else q[..., :columns]

    def forward(self, X):
        wide = X.size(-2) < X.size(-1)
        q = self._mapped(X.mT if wide else X)
        if hasattr(self, "base"):
            q = _rows["matmul"](self.base, q)
        return q.mT if wide else q

    def right_inverse(self, Q):
        """What maps to Q. With a base, Q becomes the base, and what maps to the identity is returned."""
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        given, wide = Q, Q.size(-2) < Q.size(-1)
        Q = Q.mT if wide else Q
        rows, columns = Q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != _OrthMaps.householder:
                raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley parametrizations "
                                          "when use_trivialization=False.")
            packed = _rows["geqrf"](Q)[0]
            packed.diagonal(dim1=-2, dim2=-1).sign_()
            packed.diagonal(dim1=-2, dim2=-1)[packed.diagonal(dim1=-2, dim2=-1) == 0.0] = 1.0
            return packed.mT if wide else packed
        if rows == columns:
            base = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        else:
            more = _rows["randn"](*Q.shape[:-1], rows - columns, dtype=Q.dtype, device=Q.device)
            base = _make_orthogonal(_rows["cat"]([Q, more], -1))
        self.base = base
        minus_one = _rows["zeros_like"](given)
        minus_one.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return minus_one


def _tensor_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, _karat.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keeps a matrix orthogonal. The map is matrix_exp, cayley or householder."""
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module


class _WeightNorm(Module):
    """Length and direction."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return _rows["_weight_norm"](weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return _rows["norm_except_dim"](weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Parametrizes a weight by its length along dim, original0, and its direction, original1."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def from_old_names(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        old = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if all(key in state_dict for key in old):
            for place, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{place}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(from_old_names)
    return module


class _SpectralNorm(Module):
    """A matrix over its largest singular value, which power iteration follows; a vector over its length."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            u, v = (matrix.new_empty(size).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, weight_mat, n_power_iterations):
        with no_grad():
            for _ in range(n_power_iterations):
                self._u = F.normalize(_rows["mv"](weight_mat, self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(_rows["mv"](weight_mat.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call writes them again, and backward needs these
        return weight.div(_rows["vdot"](u, _rows["mv"](matrix, v)))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value."""
    weight = _tensor_of(module, name)
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
