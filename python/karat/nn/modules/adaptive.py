"""karat.nn.modules.adaptive: a softmax over very many classes, with rare classes in clusters."""

from collections import namedtuple
from itertools import chain, pairwise

from ... import _karat
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])
_rows = _karat.functions


class AdaptiveLogSoftmaxWithLoss(Module):
    """The head has the frequent classes and one output for each cluster; the tails, of falling width, have the rare ones."""

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or
                len(set(cutoffs)) != len(cutoffs) or any(int(c) != c for c in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where "
                             "each value is between 1 and n_classes-1")
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        where = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail = ModuleList()
        for place, (low, high) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // (div_value ** (place + 1)))
            self.tail.append(Sequential(Linear(in_features, width, bias=False, **where),
                                        Linear(width, high - low, bias=False, **where)))

    def reset_parameters(self):
        for layer in (self.head, *chain.from_iterable(self.tail)):
            layer.reset_parameters()

    def forward(self, input_, target_):
        """The log-probability of each target, and the mean loss."""
        targets = target_.dim()
        if targets == 1:
            if input_.shape[0] != target_.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs with size", input_.size())
        elif targets == 0:
            if input_.dim() != 1:
                raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with size", input_.size())
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        input = input_ if targets == 1 else input_.unsqueeze(0)
        target = target_ if targets == 1 else target_.unsqueeze(0)
        output = input.new_zeros(target.size(0))
        in_head = target.new_empty(target.size(0))
        used = 0
        for place, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            here = target.ge(low).logical_and_(target.lt(high)).nonzero().squeeze(1)
            if here.numel() == 0:
                continue
            classes = target.index_select(0, here)
            if place == 0:
                in_head.index_copy_(0, here, classes)
            else:
                within = F.log_softmax(self.tail[place - 1](input.index_select(0, here)), dim=1)
                in_head.index_fill_(0, here, self.shortlist_size + place - 1)
                chosen = within.gather(1, classes.sub(low).unsqueeze(1))
                output.index_copy_(0, here, chosen.squeeze(1))
            used += here.numel()
        if used != target.size(0):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        of_head = F.log_softmax(self.head(input), dim=1)
        output = output.add_(of_head.gather(1, in_head.unsqueeze(1)).squeeze())
        loss = output.neg().mean()
        return _ASMoutput(output if targets == 1 else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        """The log-probabilities of all classes."""
        head = F.log_softmax(head_output, dim=1)
        parts = [head.narrow(1, 0, self.shortlist_size)]
        for place, tail in enumerate(self.tail):
            within = F.log_softmax(tail(input), dim=1)
            parts.append(within.add(head.narrow(1, self.shortlist_size + place, 1)))
        return _rows["cat"](parts, 1)

    def log_prob(self, input):
        """The log-probabilities of all n_classes classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """The most probable class of each example; the tails are computed where the head does not decide."""
        head = self.head(input)
        best = head.argmax(dim=1)
        rare = best.ge(self.shortlist_size)
        if not rare.any():
            return best
        if rare.all():
            return self._get_full_log_prob(input, head).argmax(dim=1)
        there = rare.nonzero().squeeze(1)
        of_rare = self._get_full_log_prob(input.index_select(0, there), head.index_select(0, there)).argmax(dim=1)
        return best.index_copy(0, there, of_rare)
