"""karat._signatures: the signatures of functions of the operator table that are Python's in PyTorch, for inspect.signature:
tools read options from a function's parameters. Those that are C in PyTorch have none there, nor here."""

_TEXT = """
alpha_dropout(input, p=0.5, training=False, inplace=False)
batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)
binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction='mean')
binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean',
    pos_weight=None)
cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')
cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean',
    label_smoothing=0.0)
ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)
dropout(input, p=0.5, training=True, inplace=False)
dropout1d(input, p=0.5, training=True, inplace=False)
dropout2d(input, p=0.5, training=True, inplace=False)
dropout3d(input, p=0.5, training=True, inplace=False)
embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)
embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None)
feature_alpha_dropout(input, p=0.5, training=False, inplace=False)
gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction='mean')
group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)
gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1)
hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean')
huber_loss(input, target, reduction='mean', delta=1.0, weight=None)
instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
    eps=1e-05)
kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)
l1_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)
layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)
local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0)
log_softmax(input, dim=None, _stacklevel=3, dtype=None)
margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')
mse_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)
multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean')
multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')
multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction='mean')
nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')
normalize(input, p=2.0, dim=1, eps=1e-12, out=None)
pad(input, pad, mode='constant', value=None)
poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean')
rms_norm(input, normalized_shape, weight=None, eps=None)
sigmoid(input)
smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)
soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')
softmax(input, dim=None, _stacklevel=3, dtype=None)
softmin(input, dim=None, _stacklevel=3, dtype=None)
softsign(input)
tanh(input)
tanhshrink(input)
triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None,
    reduction='mean')
"""

_OF_TORCH = """
norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None)
pca_lowrank(A, q=None, center=True, niter=2)
sigmoid(input)
split(tensor, split_size_or_sections, dim=0)
svd_lowrank(A, q=6, niter=2, M=None)
tanh(input)
"""


def _read(text):
    """The rows as functions without bodies: Python's own parser reads them."""
    made = {}
    for row in text.strip().replace("\n    ", " ").splitlines():
        exec(f"def {row}: pass", made)  # rows of this file
    return made


_functions, _of_torch = {}, {}  # filled at the first use


def has(function):
    """Is a function of nn.functional Python's in PyTorch?"""
    if not _functions:
        _functions.update(_read(_TEXT))
        _of_torch.update(_read(_OF_TORCH))
    return function.__name__ in _functions


def of(function):
    """The signature of a function of the table; an AttributeError: it has none."""
    from inspect import signature

    has(function)
    rows = _functions if function.__module__.endswith("functional") else _of_torch
    if function.__name__ not in rows:
        raise AttributeError(f"{function.__name__!r} has no signature")
    return signature(rows[function.__name__])
