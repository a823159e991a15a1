"""karat.nn.functional: the rows of the operator table whose names begin with nn_, and those names that PyTorch has both
here and in its main module."""

from .. import _karat, _missing

_shared = """adaptive_avg_pool1d alpha_dropout avg_pool1d bilinear binary_cross_entropy_with_logits celu celu_ channel_shuffle
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc cosine_embedding_loss cosine_similarity
    ctc_loss dropout dropout_ embedding feature_alpha_dropout grid_sample hardshrink hinge_embedding_loss instance_norm
    kl_div layer_norm log_softmax margin_ranking_loss max_pool1d native_channel_shuffle pairwise_distance pdist
    pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu_ rms_norm rrelu rrelu_ selu selu_ sigmoid softmax tanh
    threshold threshold_ triplet_margin_loss""".split()

globals().update({name: _karat.functions[name] for name in _shared if name in _karat.functions})
globals().update(_karat.nn_functions)

__getattr__ = _missing.of(__name__)
