"""karat.nn.utils.parametrizations: weights that are orthogonal, of length and direction apart, or of spectral norm 1."""

from ... import _karat
from ...limits import finfo
from .. import functional as F
from ..modules.module import Module
from . import parametrize
from ._power_iteration import as_matrix, follow, output_dim, random_unit_vectors

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_rows, _linalg = _karat.functions, _karat.linalg_functions


def _diagonal(matrix):
    return matrix.diagonal(dim1=-2, dim2=-1)


def _eye_like(matrix, size):
    return _rows["eye"](size, dtype=matrix.dtype, device=matrix.device)


def _orthonormal(matrix):
    """Orthonormal columns of the same span: Q of the QR decomposition whose R has a positive diagonal, which is unique."""
    q, r = _linalg["qr"](matrix)
    return q * _diagonal(r).sgn().unsqueeze(-2)


def _has_orthonormal_columns(matrix):
    """As far as its dtype can say."""
    rows, columns = matrix.shape[-2:]
    gram = _rows["matmul"](matrix.mH, matrix)
    return _karat.allclose(gram, _eye_like(matrix, columns), atol=10.0 * rows * finfo(matrix.dtype).eps)


def _reflected(X):
    """The product of the Householder reflections whose vectors stand below the diagonal, with the diagonal's signs."""
    vectors = X.tril(-1)
    scales = 2.0 / (1.0 + (vectors * vectors).sum(-2))
    return _linalg["householder_product"](vectors, scales) * _diagonal(X).int().unsqueeze(-2)


def _of_a_skew_matrix(orthogonal_of):
    """A map by the skew-symmetric matrix of X's lower triangle, which is widened to a square; as many columns as X has."""

    def mapped(X):
        rows, columns = X.shape[-2:]
        lower = _rows["constant_pad_nd"](X.tril(), (0, rows - columns)) if columns < rows else X.tril()
        return orthogonal_of(lower - lower.mH)[..., :columns]

    return mapped


def _cayley(skew):
    unit = _eye_like(skew, skew.size(-1))
    return _linalg["solve"](unit - skew / 2, unit + skew / 2)


_MAPS = {"matrix_exp": _of_a_skew_matrix(_rows["matrix_exp"]), "cayley": _of_a_skew_matrix(_cayley), "householder": _reflected}


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows if it is wide: the map of an arbitrary matrix, times a base if there is one."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if orthogonal_map == "householder" and weight.is_complex():
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def _upright(self, matrix):
        """The matrix, transposed if it is wide; its own inverse."""
        return matrix.mT if self.shape[-2] < self.shape[-1] else matrix

    def forward(self, X):
        q = _MAPS[self.orthogonal_map](self._upright(X))
        return self._upright(_rows["matmul"](self.base, q) if hasattr(self, "base") else q)

    def right_inverse(self, Q):
        """What maps to Q. With a base, Q becomes the base, and what maps to the identity is returned."""
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        matrix = self._upright(Q)
        if hasattr(self, "base"):
            self.base = self._completed(matrix)
            identity = _rows["zeros_like"](Q)  # its skew-symmetric matrix is zero
            _diagonal(identity).fill_(-1.0)
            return identity
        if self.orthogonal_map != "householder":
            raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley parametrizations "
                                      "when use_trivialization=False.")
        reflections, scales = _rows["geqrf"](matrix)
        diagonal = _diagonal(reflections)
        sign = _rows["ones_like"](diagonal).copysign(diagonal)
        # what geqrf leaves as it is (the last column of a square) is reflected by the map
        diagonal.copy_(_rows["where"](scales == 0, -sign, sign))
        return self._upright(reflections)

    @staticmethod
    def _completed(matrix):
        """A square matrix with orthonormal columns, of which the first span what the given ones do."""
        rows, columns = matrix.shape[-2:]
        if rows > columns:
            more = _rows["randn"](*matrix.shape[:-1], rows - columns, dtype=matrix.dtype, device=matrix.device)
            matrix = _rows["cat"]([matrix, more], -1)
        elif _has_orthonormal_columns(matrix):
            return matrix.clone()
        return _orthonormal(matrix)


def _tensor_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, _karat.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keeps a matrix orthogonal. The map is matrix_exp, cayley or householder; by default householder of a real matrix that is
    not square, matrix_exp of others."""
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    rows, columns = weight.shape[-2:]
    chosen = orthogonal_map or ("householder" if rows != columns and not weight.is_complex() else "matrix_exp")
    if chosen not in _MAPS:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    parametrization = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, parametrization, unsafe=True)


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
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            for name, vector in zip(("_u", "_v"), random_unit_vectors(matrix, eps)):
                self.register_buffer(name, vector)
            self._follow(matrix, 15)

    def _follow(self, matrix, times):
        follow(((self._u, matrix, self._v), (self._v, matrix.mH, self._u)), times, self.eps)

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._follow(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call writes them again, and backward needs these
        return weight / _rows["vdot"](u, _rows["mv"](matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value."""
    made = _SpectralNorm(_tensor_of(module, name), n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
