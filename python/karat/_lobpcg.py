"""torch.lobpcg: a few eigenvalues of large symmetric matrices. The iteration is the engine's (src/ops/linalg/lobpcg.c)."""

from . import _karat

__all__ = ["lobpcg"]


def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
           ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The k largest (or smallest) eigenvalues and the matching eigenvectors of A x = e B x, of a symmetric positive definite
    problem. All methods are one here: bases are orthogonal, so the ortho parameters have nothing to set."""
    if tracker is not None:
        raise NotImplementedError("karat's lobpcg runs in one call and has no steps that a tracker could be shown")
    if k is None:
        k = 1 if X is None else X.shape[-1]
    niter, largest = 1000 if niter is None else niter, True if largest is None else largest
    return _karat.functions["_lobpcg"](A, k, B, X, n, iK, niter, tol, largest)
