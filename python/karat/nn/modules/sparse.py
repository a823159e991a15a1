"""karat.nn.modules.sparse: rows of a table by their indices, and sums, means or maxima of bags of rows."""

from .. import functional as F
from .. import init
from ..parameter import Parameter
from ._declared import keep, new_parameter, shown
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


def _counted_from_first(place, rows, name):
    """A place that may be counted from the last row, or None."""
    if place is None:
        return None
    if not -rows <= place < rows:
        raise AssertionError(f"{name} must be within num_embeddings")
    return place % rows


def _pretrained(cls, embeddings, **options):
    """A layer of a matrix that exists."""
    if embeddings.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
    rows, columns = embeddings.shape
    return cls(num_embeddings=rows, embedding_dim=columns, _weight=embeddings, **options)


class _Table(Module):
    """The weight of both, and its first values."""

    def _take_weight(self, given, device, dtype, trained=True):
        sizes = self.num_embeddings, self.embedding_dim
        if given is None:
            new_parameter(self, "weight", sizes, device, dtype)
            self.weight.requires_grad_(trained)
            self.reset_parameters()
        elif tuple(given.shape) == sizes:
            self.weight = Parameter(given, requires_grad=trained)
        else:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")

    def reset_parameters(self):
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])


class Embedding(_Table):
    """The rows of weight that the input names."""

    __constants__ = ["num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"]

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 sparse=False, _weight=None, _freeze=False, device=None, dtype=None):
        super().__init__()
        padding_idx = _counted_from_first(padding_idx, num_embeddings, "Padding_idx")
        keep(self, locals(), but=["_weight", "_freeze"])
        self._take_weight(_weight, device, dtype, not _freeze)

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                           self.sparse)

    extra_repr = shown("num_embeddings", "embedding_dim", padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False,
                       sparse=False)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        sparse=False):
        """An Embedding of a matrix that exists; a frozen one may be of integers."""
        return _pretrained(cls, embeddings, _freeze=freeze, padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
                           scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows of each bag of indices."""

    __constants__ = ["num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
                     "include_last_offset", "padding_idx"]

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                 sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None):
        super().__init__()
        padding_idx = _counted_from_first(padding_idx, num_embeddings, "padding_idx")
        keep(self, locals(), but=["_weight"])
        self._take_weight(_weight, device, dtype)

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
                               self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    extra_repr = shown("num_embeddings", "embedding_dim", max_norm=None, norm_type=2, scale_grad_by_freq=False, mode=repr,
                       padding_idx=None)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                        sparse=False, include_last_offset=False, padding_idx=None):
        """An EmbeddingBag of a matrix that exists."""
        made = _pretrained(cls, embeddings, max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq,
                           mode=mode, sparse=sparse, include_last_offset=include_last_offset, padding_idx=padding_idx)
        made.weight.requires_grad_(not freeze)
        return made
