"""The layers of karat.nn: each is built, called and differentiated, prints and draws as PyTorch's does, keeps dtype= and device=,
and refuses bad arguments with PyTorch's words. The values are those that PyTorch 2.11 prints."""

import ast
import copy
import inspect
import math
import pickle
import re
import warnings

import karat as torch
import karat.nn.functional as F
import pytest
from karat import nn
from karat.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

IMAGE, SIGNAL, VOLUME = (2, 4, 6, 6), (2, 4, 8), (2, 4, 4, 4, 4)


def r(*sizes):
    return torch.randn(*sizes)


def labels(count, *sizes):
    return torch.randint(0, count, sizes)


# Every class, an example, its text, and its inputs.
LAYERS = [
    (lambda: nn.Identity(1, a=2), "Identity()", lambda: (r(2, 3),)),
    (lambda: nn.Linear(3, 5), "Linear(in_features=3, out_features=5, bias=True)", lambda: (r(2, 3),)),
    (lambda: nn.Bilinear(3, 4, 5, bias=False), "Bilinear(in1_features=3, in2_features=4, out_features=5, bias=False)",
     lambda: (r(2, 3), r(2, 4))),
    (lambda: nn.Conv1d(4, 6, 3, 2, 1), "Conv1d(4, 6, kernel_size=(3,), stride=(2,), padding=(1,))", lambda: (r(*SIGNAL),)),
    (lambda: nn.Conv2d(4, 6, 3, padding="same", dilation=2),
     "Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1), padding=same, dilation=(2, 2))", lambda: (r(*IMAGE),)),
    (lambda: nn.Conv2d(4, 6, 3, padding=1, groups=2, bias=False, padding_mode="circular"),
     "Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), groups=2, bias=False, padding_mode=circular)",
     lambda: (r(*IMAGE),)),
    (lambda: nn.Conv3d(4, 6, (1, 2, 3)), "Conv3d(4, 6, kernel_size=(1, 2, 3), stride=(1, 1, 1))", lambda: (r(*VOLUME),)),
    (lambda: nn.ConvTranspose1d(4, 6, 3), "ConvTranspose1d(4, 6, kernel_size=(3,), stride=(1,))", lambda: (r(*SIGNAL),)),
    (lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1),
     "ConvTranspose2d(4, 6, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), output_padding=(1, 1))", lambda: (r(*IMAGE),)),
    (lambda: nn.ConvTranspose3d(4, 6, 2), "ConvTranspose3d(4, 6, kernel_size=(2, 2, 2), stride=(1, 1, 1))",
     lambda: (r(*VOLUME),)),
    (lambda: nn.BatchNorm1d(4), "BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)",
     lambda: (r(*SIGNAL),)),
    (lambda: nn.BatchNorm2d(4, momentum=None),
     "BatchNorm2d(4, eps=1e-05, momentum=None, affine=True, track_running_stats=True)", lambda: (r(*IMAGE),)),
    (lambda: nn.BatchNorm3d(4, track_running_stats=False),
     "BatchNorm3d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=False)", lambda: (r(*VOLUME),)),
    (lambda: nn.SyncBatchNorm(4), "SyncBatchNorm(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)",
     lambda: (r(*SIGNAL),)),
    (lambda: nn.InstanceNorm1d(4), "InstanceNorm1d(4, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False)",
     lambda: (r(*SIGNAL),)),
    (lambda: nn.InstanceNorm2d(4, affine=True),
     "InstanceNorm2d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=False)", lambda: (r(*IMAGE),)),
    (lambda: nn.InstanceNorm3d(4, track_running_stats=True),
     "InstanceNorm3d(4, eps=1e-05, momentum=0.1, affine=False, track_running_stats=True)", lambda: (r(*VOLUME),)),
    (lambda: nn.LayerNorm(8), "LayerNorm((8,), eps=1e-05, elementwise_affine=True)", lambda: (r(*SIGNAL),)),
    (lambda: nn.LayerNorm((4, 8), bias=False), "LayerNorm((4, 8), eps=1e-05, elementwise_affine=True)", lambda: (r(*SIGNAL),)),
    (lambda: nn.RMSNorm(8), "RMSNorm((8,), eps=None, elementwise_affine=True)", lambda: (r(*SIGNAL),)),
    (lambda: nn.GroupNorm(2, 4), "GroupNorm(2, 4, eps=1e-05, affine=True)", lambda: (r(*SIGNAL),)),
    (lambda: nn.LocalResponseNorm(3), "LocalResponseNorm(3, alpha=0.0001, beta=0.75, k=1.0)", lambda: (r(*IMAGE),)),
    (lambda: nn.CrossMapLRN2d(3), "CrossMapLRN2d(3, alpha=0.0001, beta=0.75, k=1)", lambda: (r(*IMAGE),)),
    (lambda: nn.Dropout(0.2), "Dropout(p=0.2, inplace=False)", lambda: (r(*SIGNAL),)),
    (lambda: nn.Dropout1d(), "Dropout1d(p=0.5, inplace=False)", lambda: (r(*SIGNAL),)),
    (lambda: nn.Dropout2d(), "Dropout2d(p=0.5, inplace=False)", lambda: (r(*IMAGE),)),
    (lambda: nn.Dropout3d(), "Dropout3d(p=0.5, inplace=False)", lambda: (r(*VOLUME),)),
    (lambda: nn.AlphaDropout(), "AlphaDropout(p=0.5, inplace=False)", lambda: (r(*SIGNAL),)),
    (lambda: nn.FeatureAlphaDropout(), "FeatureAlphaDropout(p=0.5, inplace=False)", lambda: (r(*SIGNAL),)),
    (lambda: nn.Threshold(0.1, 20), "Threshold(threshold=0.1, value=20)", lambda: (r(2, 4),)),
    (lambda: nn.ReLU(), "ReLU()", lambda: (r(2, 4),)),
    (lambda: nn.RReLU(), "RReLU(lower=0.125, upper=0.3333333333333333)", lambda: (r(2, 4),)),
    (lambda: nn.Hardtanh(), "Hardtanh(min_val=-1.0, max_val=1.0)", lambda: (r(2, 4),)),
    (lambda: nn.ReLU6(), "ReLU6()", lambda: (r(2, 4),)),
    (lambda: nn.Sigmoid(), "Sigmoid()", lambda: (r(2, 4),)),
    (lambda: nn.Hardsigmoid(), "Hardsigmoid()", lambda: (r(2, 4),)),
    (lambda: nn.Tanh(), "Tanh()", lambda: (r(2, 4),)),
    (lambda: nn.SiLU(), "SiLU()", lambda: (r(2, 4),)),
    (lambda: nn.Mish(), "Mish()", lambda: (r(2, 4),)),
    (lambda: nn.Hardswish(), "Hardswish()", lambda: (r(2, 4),)),
    (lambda: nn.ELU(), "ELU(alpha=1.0)", lambda: (r(2, 4),)),
    (lambda: nn.CELU(2.0), "CELU(alpha=2.0)", lambda: (r(2, 4),)),
    (lambda: nn.SELU(), "SELU()", lambda: (r(2, 4),)),
    (lambda: nn.GLU(), "GLU(dim=-1)", lambda: (r(2, 4),)),
    (lambda: nn.GELU("tanh"), "GELU(approximate='tanh')", lambda: (r(2, 4),)),
    (lambda: nn.Hardshrink(), "Hardshrink(0.5)", lambda: (r(2, 4),)),
    (lambda: nn.LeakyReLU(), "LeakyReLU(negative_slope=0.01)", lambda: (r(2, 4),)),
    (lambda: nn.LogSigmoid(), "LogSigmoid()", lambda: (r(2, 4),)),
    (lambda: nn.Softplus(), "Softplus(beta=1.0, threshold=20.0)", lambda: (r(2, 4),)),
    (lambda: nn.Softshrink(), "Softshrink(0.5)", lambda: (r(2, 4),)),
    (lambda: nn.PReLU(4), "PReLU(num_parameters=4)", lambda: (r(2, 4),)),
    (lambda: nn.Softsign(), "Softsign()", lambda: (r(2, 4),)),
    (lambda: nn.Tanhshrink(), "Tanhshrink()", lambda: (r(2, 4),)),
    (lambda: nn.Softmin(1), "Softmin(dim=1)", lambda: (r(2, 4),)),
    (lambda: nn.Softmax(-1), "Softmax(dim=-1)", lambda: (r(2, 4),)),
    (lambda: nn.LogSoftmax(1), "LogSoftmax(dim=1)", lambda: (r(2, 4),)),
    (lambda: nn.Softmax2d(), "Softmax2d()", lambda: (r(*IMAGE),)),
    (lambda: nn.MaxPool1d(2), "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
     lambda: (r(*SIGNAL),)),
    (lambda: nn.MaxPool2d(3, 2, 1, return_indices=True),
     "MaxPool2d(kernel_size=3, stride=2, padding=1, dilation=1, ceil_mode=False)", lambda: (r(*IMAGE),)),
    (lambda: nn.MaxPool3d(2), "MaxPool3d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
     lambda: (r(*VOLUME),)),
    (lambda: nn.MaxUnpool1d(2), "MaxUnpool1d(kernel_size=(2,), stride=(2,), padding=(0,))",
     lambda: F.max_pool1d(r(*SIGNAL), 2, return_indices=True)),
    (lambda: nn.MaxUnpool2d(2), "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))",
     lambda: F.max_pool2d(r(*IMAGE), 2, return_indices=True)),
    (lambda: nn.MaxUnpool3d(2), "MaxUnpool3d(kernel_size=(2, 2, 2), stride=(2, 2, 2), padding=(0, 0, 0))",
     lambda: F.max_pool3d(r(*VOLUME), 2, return_indices=True)),
    (lambda: nn.AvgPool1d(2), "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))", lambda: (r(*SIGNAL),)),
    (lambda: nn.AvgPool2d(2, divisor_override=3), "AvgPool2d(kernel_size=2, stride=2, padding=0)", lambda: (r(*IMAGE),)),
    (lambda: nn.AvgPool3d(2), "AvgPool3d(kernel_size=2, stride=2, padding=0)", lambda: (r(*VOLUME),)),
    (lambda: nn.FractionalMaxPool2d(2, 3), "FractionalMaxPool2d()", lambda: (r(*IMAGE),)),
    (lambda: nn.FractionalMaxPool3d(2, output_ratio=0.5), "FractionalMaxPool3d()", lambda: (r(*VOLUME),)),
    (lambda: nn.LPPool1d(2, 3), "LPPool1d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)", lambda: (r(*SIGNAL),)),
    (lambda: nn.LPPool2d(2, 3), "LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)", lambda: (r(*IMAGE),)),
    (lambda: nn.LPPool3d(2, 2), "LPPool3d(norm_type=2, kernel_size=2, stride=None, ceil_mode=False)", lambda: (r(*VOLUME),)),
    (lambda: nn.AdaptiveMaxPool1d(3), "AdaptiveMaxPool1d(output_size=3)", lambda: (r(*SIGNAL),)),
    (lambda: nn.AdaptiveMaxPool2d((3, None)), "AdaptiveMaxPool2d(output_size=(3, None))", lambda: (r(*IMAGE),)),
    (lambda: nn.AdaptiveMaxPool3d(2), "AdaptiveMaxPool3d(output_size=2)", lambda: (r(*VOLUME),)),
    (lambda: nn.AdaptiveAvgPool1d(3), "AdaptiveAvgPool1d(output_size=3)", lambda: (r(*SIGNAL),)),
    (lambda: nn.AdaptiveAvgPool2d(1), "AdaptiveAvgPool2d(output_size=1)", lambda: (r(*IMAGE),)),
    (lambda: nn.AdaptiveAvgPool3d((1, 2, 3)), "AdaptiveAvgPool3d(output_size=(1, 2, 3))", lambda: (r(*VOLUME),)),
    (lambda: nn.CircularPad1d(1), "CircularPad1d((1, 1))", lambda: (r(*SIGNAL),)),
    (lambda: nn.CircularPad2d(1), "CircularPad2d((1, 1, 1, 1))", lambda: (r(*IMAGE),)),
    (lambda: nn.CircularPad3d(1), "CircularPad3d((1, 1, 1, 1, 1, 1))", lambda: (r(*VOLUME),)),
    (lambda: nn.ConstantPad1d(1, 3.5), "ConstantPad1d(padding=(1, 1), value=3.5)", lambda: (r(*SIGNAL),)),
    (lambda: nn.ConstantPad2d((1, 2, 0, 1), 0), "ConstantPad2d(padding=(1, 2, 0, 1), value=0)", lambda: (r(*IMAGE),)),
    (lambda: nn.ConstantPad3d(1, 1), "ConstantPad3d(padding=(1, 1, 1, 1, 1, 1), value=1)", lambda: (r(*VOLUME),)),
    (lambda: nn.ZeroPad1d(1), "ZeroPad1d((1, 1))", lambda: (r(*SIGNAL),)),
    (lambda: nn.ZeroPad2d(1), "ZeroPad2d((1, 1, 1, 1))", lambda: (r(*IMAGE),)),
    (lambda: nn.ZeroPad3d(1), "ZeroPad3d((1, 1, 1, 1, 1, 1))", lambda: (r(*VOLUME),)),
    (lambda: nn.ReflectionPad1d(1), "ReflectionPad1d((1, 1))", lambda: (r(*SIGNAL),)),
    (lambda: nn.ReflectionPad2d(1), "ReflectionPad2d((1, 1, 1, 1))", lambda: (r(*IMAGE),)),
    (lambda: nn.ReflectionPad3d(1), "ReflectionPad3d((1, 1, 1, 1, 1, 1))", lambda: (r(*VOLUME),)),
    (lambda: nn.ReplicationPad1d(1), "ReplicationPad1d((1, 1))", lambda: (r(*SIGNAL),)),
    (lambda: nn.ReplicationPad2d(1), "ReplicationPad2d((1, 1, 1, 1))", lambda: (r(*IMAGE),)),
    (lambda: nn.ReplicationPad3d(1), "ReplicationPad3d((1, 1, 1, 1, 1, 1))", lambda: (r(*VOLUME),)),
    (lambda: nn.PixelShuffle(2), "PixelShuffle(upscale_factor=2)", lambda: (r(*IMAGE),)),
    (lambda: nn.PixelUnshuffle(2), "PixelUnshuffle(downscale_factor=2)", lambda: (r(*IMAGE),)),
    (lambda: nn.ChannelShuffle(2), "ChannelShuffle(groups=2)", lambda: (r(*IMAGE),)),
    (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), "Upsample(scale_factor=2.0, mode='bilinear')", lambda: (r(*IMAGE),)),
    (lambda: nn.UpsamplingNearest2d((3, 4)), "UpsamplingNearest2d(size=(3, 4), mode='nearest')", lambda: (r(*IMAGE),)),
    (lambda: nn.UpsamplingBilinear2d(scale_factor=2), "UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')",
     lambda: (r(*IMAGE),)),
    (lambda: nn.Flatten(), "Flatten(start_dim=1, end_dim=-1)", lambda: (r(*IMAGE),)),
    (lambda: nn.Unflatten(1, (2, 2)), "Unflatten(dim=1, unflattened_size=(2, 2))", lambda: (r(*IMAGE),)),
    (lambda: nn.Fold((4, 5), 2), "Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)",
     lambda: (r(3, 8, 12),)),
    (lambda: nn.Unfold(2), "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)", lambda: (r(*IMAGE),)),
    (lambda: nn.PairwiseDistance(), "PairwiseDistance()", lambda: (r(3, 4), r(3, 4))),
    (lambda: nn.CosineSimilarity(), "CosineSimilarity()", lambda: (r(3, 4), r(3, 4))),
    (lambda: nn.Embedding(6, 4, padding_idx=-1), "Embedding(6, 4, padding_idx=5)", lambda: (labels(6, 3, 2),)),
    (lambda: nn.EmbeddingBag(6, 4, mode="sum"), "EmbeddingBag(6, 4, mode='sum')", lambda: (labels(6, 3, 2),)),
    (lambda: nn.RNN(3, 4, 2, "relu"), "RNN(3, 4, num_layers=2)", lambda: (r(5, 2, 3),)),
    (lambda: nn.LSTM(3, 4, 2, dropout=0.5, bidirectional=True, proj_size=2),
     "LSTM(3, 4, proj_size=2, num_layers=2, dropout=0.5, bidirectional=True)", lambda: (r(5, 2, 3),)),
    (lambda: nn.GRU(3, 4, batch_first=True, bias=False), "GRU(3, 4, bias=False, batch_first=True)", lambda: (r(2, 5, 3),)),
    (lambda: nn.RNNCell(3, 4, nonlinearity="relu"), "RNNCell(3, 4, nonlinearity=relu)", lambda: (r(2, 3),)),
    (lambda: nn.LSTMCell(3, 4), "LSTMCell(3, 4)", lambda: (r(2, 3),)),
    (lambda: nn.GRUCell(3, 4, bias=False), "GRUCell(3, 4, bias=False)", lambda: (r(2, 3),)),
]
LOSSES = [
    (lambda: nn.L1Loss(), lambda: (r(4, 5), r(4, 5))),
    (lambda: nn.MSELoss(), lambda: (r(4, 5), r(4, 5))),
    (lambda: nn.SmoothL1Loss(beta=0.5), lambda: (r(4, 5), r(4, 5))),
    (lambda: nn.HuberLoss(delta=0.5), lambda: (r(4, 5), r(4, 5))),
    (lambda: nn.SoftMarginLoss(), lambda: (r(4, 5), r(4, 5).sign())),
    (lambda: nn.HingeEmbeddingLoss(), lambda: (r(4, 5), r(4, 5).sign())),
    (lambda: nn.PoissonNLLLoss(full=True), lambda: (r(4, 5), r(4, 5).abs())),
    (lambda: nn.GaussianNLLLoss(), lambda: (r(4, 5), r(4, 5), r(4, 5).abs())),
    (lambda: nn.KLDivLoss(reduction="batchmean"), lambda: (r(4, 5), r(4, 5).softmax(1))),
    (lambda: nn.BCELoss(torch.ones(5)), lambda: (r(4, 5).sigmoid(), r(4, 5).sigmoid())),
    (lambda: nn.BCEWithLogitsLoss(pos_weight=torch.ones(5)), lambda: (r(4, 5), r(4, 5).sigmoid())),
    (lambda: nn.NLLLoss(torch.ones(5)), lambda: (r(4, 5), labels(5, 4))),
    (lambda: nn.CrossEntropyLoss(label_smoothing=0.1), lambda: (r(4, 5), labels(5, 4))),
    (lambda: nn.MultiLabelMarginLoss(), lambda: (r(2, 4), torch.tensor([[3, 0, -1, 1], [1, -1, 0, 0]]))),
    (lambda: nn.MultiLabelSoftMarginLoss(), lambda: (r(4, 5), labels(2, 4, 5).float())),
    (lambda: nn.MultiMarginLoss(2, 0.5), lambda: (r(4, 5), labels(5, 4))),
    (lambda: nn.CosineEmbeddingLoss(), lambda: (r(4, 5), r(4, 5), r(4).sign())),
    (lambda: nn.MarginRankingLoss(), lambda: (r(4), r(4), r(4).sign())),
    (lambda: nn.TripletMarginLoss(swap=True), lambda: (r(4, 5), r(4, 5), r(4, 5))),
    (lambda: nn.CTCLoss(), lambda: (r(8, 2, 5), labels(4, 2, 3) + 1, torch.tensor([8, 7]), torch.tensor([3, 2]))),
]


def tensors(made):
    """All tensors of a result."""
    if isinstance(made, torch.Tensor):
        return [made]
    return [one for part in made for one in tensors(part)] if isinstance(made, tuple) else []


def backward(made):
    results = [one for one in tensors(made) if one.requires_grad]
    assert results
    sum(one.sum() for one in results).backward()


@pytest.mark.parametrize("make, text, inputs", LAYERS, ids=[text.partition("(")[0] for _, text, _ in LAYERS])
def test_built_called_and_differentiated(make, text, inputs):
    torch.manual_seed(0)
    layer, given = make(), inputs()
    assert repr(layer) == text
    given = [one.detach().requires_grad_() if one.is_floating_point() else one for one in given]
    made = layer(*given)
    backward(made)
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None and parameter.grad.shape == parameter.shape, name
    assert all(one.grad is not None for one in given if one.requires_grad)
    again = copy.deepcopy(layer)
    assert repr(again) == text and list(again.state_dict()) == list(layer.state_dict())
    assert repr(layer.eval()) == text and not layer.training
    assert all(name in vars(layer) for name in getattr(layer, "__constants__", ()) if name not in ("name",))


@pytest.mark.parametrize("make, inputs", LOSSES, ids=[repr(make())[:-2] for make, _ in LOSSES])
def test_losses(make, inputs):
    torch.manual_seed(0)
    loss, given = make(), inputs()
    assert repr(loss) == type(loss).__name__ + "()"
    first = given[0].requires_grad_()
    made = loss(first, *given[1:])
    assert made.dim() == 0
    made.backward()
    assert first.grad.shape == first.shape
    loss.reduction = "nothing"
    with pytest.raises(ValueError, match="nothing is not (a )?valid"):
        loss(first, *given[1:])


def test_a_loss_with_a_distance_of_its_own():
    loss = nn.TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity(), margin=0.5, swap=True)
    assert repr(loss) == "TripletMarginWithDistanceLoss(\n  (distance_function): CosineSimilarity()\n)"
    a = r(4, 5).requires_grad_()
    loss(a, r(4, 5), r(4, 5)).backward()
    assert a.grad is not None
    assert isinstance(nn.TripletMarginWithDistanceLoss().distance_function, nn.PairwiseDistance)


@pytest.mark.parametrize("old, name", [
    ({"size_average": True}, "mean"), ({"size_average": False}, "sum"), ({"reduce": False}, "none"), ({"reduce": True}, "mean"),
    ({"size_average": False, "reduce": False}, "none"),
])
def test_reductions_by_their_old_arguments(old, name):
    with pytest.warns(UserWarning, match=f"please use reduction='{name}' instead"):
        assert nn.MSELoss(**old).reduction == name


# ---- first values ----

DRAWN = [  # the first and the last element of each parameter, after torch.manual_seed(3)
    ("nn.Linear(3, 2)", [-0.5724272, -0.507934, 0.3139236, 0.2813998]),
    ("nn.Bilinear(2, 3, 2)", [-0.7010772, 0.4235437, -0.4951997, -0.1393441]),
    ("nn.Conv1d(2, 3, 2)", [-0.4957365, 0.2994906, -0.3501591, -0.4458231]),
    ("nn.Conv2d(4, 2, 3, groups=2, bias=False)", [-0.2336924, -0.1159856]),
    ("nn.ConvTranspose2d(2, 4, 2, groups=2)", [-0.3505386, -0.0287048, -0.2293817, 0.2650634]),
    ("nn.Embedding(4, 3, padding_idx=3)", [0.8032761, 0.0]),
    ("nn.EmbeddingBag(4, 3)", [0.8032761, 1.2379167]),
    ("nn.LSTM(2, 3, proj_size=2)", [-0.5724272, -0.5633684, -0.3684913, -0.13904, -0.080659, -0.2571374, 0.4097219, 0.475717,
                                    -0.2618977, 0.4827775]),
    ("nn.GRU(2, 3, bidirectional=True, bias=False)",
     [-0.5724272, 0.5186717, 0.401049, 0.29578, -0.1390865, -0.4269832, -0.2559032, -0.1968785]),
    ("nn.RNNCell(2, 3)", [-0.5724272, -0.507934, 0.3139236, -0.5147921, -0.0468748, 0.5186717, 0.401049, 0.1712541]),
    ("nn.MultiheadAttention(4, 2, kdim=3, vdim=2, add_bias_kv=True)",
     [0.2568812, -0.4261583, -0.2432575, -0.22296, -0.1397055, 0.2493345, 0.0, 0.0, -0.7255114, -0.1239951, 0.2267506, 0.7310019,
      -0.4957365, -0.0405948, 0.0, 0.0]),
    ("nn.MultiheadAttention(4, 2)", [0.1816424, -0.4388448, 0.0, 0.0, -0.4957365, -0.0405948, 0.0, 0.0]),
    ("nn.TransformerEncoderLayer(4, 2, 3)",
     [0.1816424, -0.4388448, 0.0, 0.0, -0.4957365, -0.0405948, 0.0, 0.0, 0.2664756, 0.3364156, -0.4309012, -0.4512972, 0.0326824,
      0.0841688, 0.2012708, -0.1348078, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
    ("nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4], div_value=2.0)",
     [-0.4957365, -0.0405948, -0.3243948, -0.4878913, -0.4513078, 0.1409952, -0.3787447, 0.3051719, -0.7212758, -0.8968962]),
]


@pytest.mark.cpu_only("other devices draw other numbers")
@pytest.mark.parametrize("source, values", DRAWN, ids=[source for source, _ in DRAWN])
def test_first_values(source, values):
    torch.manual_seed(3)
    layer = eval(source, {"nn": nn})
    drawn = [parameter.detach().flatten()[place].item() for parameter in layer.parameters() for place in (0, -1)]
    assert drawn == pytest.approx(values, abs=1e-6)
    if hasattr(layer, "reset_parameters"):
        before = [parameter.detach().clone() for parameter in layer.parameters()]
        torch.manual_seed(3)
        layer.reset_parameters()
        assert all(torch.equal(a, b) for a, b in zip(before, layer.parameters()))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("make", [
    lambda **o: nn.Linear(3, 2, **o), lambda **o: nn.Bilinear(2, 2, 2, **o), lambda **o: nn.Conv2d(2, 2, 1, **o),
    lambda **o: nn.ConvTranspose1d(2, 2, 1, **o), lambda **o: nn.BatchNorm1d(2, **o), lambda **o: nn.LayerNorm(2, **o),
    lambda **o: nn.RMSNorm(2, **o), lambda **o: nn.GroupNorm(1, 2, **o), lambda **o: nn.InstanceNorm1d(2, affine=True, **o),
    lambda **o: nn.PReLU(**o), lambda **o: nn.Embedding(3, 2, **o), lambda **o: nn.EmbeddingBag(3, 2, **o),
    lambda **o: nn.LSTM(2, 3, **o), lambda **o: nn.GRUCell(2, 3, **o), lambda **o: nn.MultiheadAttention(4, 2, **o),
    lambda **o: nn.TransformerDecoderLayer(4, 2, 3, **o), lambda **o: nn.Transformer(4, 2, 1, 1, 3, **o),
    lambda **o: nn.AdaptiveLogSoftmaxWithLoss(8, 6, [2], **o), lambda **o: nn.LazyLinear(2, **o),
])
def test_dtype_and_device_are_kept(make, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an encoder that is not batch_first
        layer = make(dtype=dtype)
        assert {parameter.dtype for parameter in layer.parameters()} == {dtype}
        assert all(buffer.dtype in (dtype, torch.int64) for buffer in layer.buffers())
        layer = make(device="meta")
    assert {parameter.device.type for parameter in layer.parameters()} == {"meta"}


def test_no_values_for_no_elements():
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        layer = nn.Linear(0, 3)
    assert torch.equal(layer(torch.ones(2, 0)), torch.zeros(2, 3) + layer.bias)


# ---- refusals ----

REFUSED = [
    (lambda: nn.Bilinear(0, 1, 1), ValueError, "in1_features must be > 0, but got (in1_features=0)"),
    (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 4, 3, groups=0), ValueError, "groups must be a positive integer"),
    (lambda: nn.Conv1d(1, 1, 1, padding="same", stride=2), ValueError, "padding='same' is not supported for strided"),
    (lambda: nn.ConvTranspose1d(1, 1, 1, padding_mode="reflect"), ValueError,
     'Only "zeros" padding mode is supported for ConvTranspose1d'),
    (lambda: nn.ConvTranspose2d(1, 1, 3)(r(1, 1, 5, 5), output_size=(9, 9)), ValueError,
     "requested an output size of (9, 9), but valid sizes range from [7, 7] to [7, 7]"),
    (lambda: nn.ConvTranspose2d(1, 1, 3)(r(1, 1, 5, 5), output_size=(9,)), ValueError,
     "ConvTranspose2D: for 4D input, output_size must have 2 or 4 elements (got 1)"),
    (lambda: nn.BatchNorm1d(3)(r(3)), ValueError, "expected 2D or 3D input (got 1D input)"),
    (lambda: nn.BatchNorm2d(3)(r(3)), ValueError, "expected 4D input (got 1D input)"),
    (lambda: nn.BatchNorm3d(3)(r(3)), ValueError, "expected 5D input (got 1D input)"),
    (lambda: nn.SyncBatchNorm(3)(r(3)), ValueError, "expected at least 2D input (got 1D input)"),
    (lambda: nn.SyncBatchNorm(3)(r(3, 0)), ValueError, "SyncBatchNorm number of input channels should be non-zero"),
    (lambda: nn.InstanceNorm2d(3)(r(3)), ValueError, "expected 3D or 4D input (got 1D input)"),
    (lambda: nn.InstanceNorm1d(3, affine=True)(r(2, 4, 5)), ValueError,
     "expected input's size at dim=1 to match num_features (3), but got: 4."),
    (lambda: nn.GroupNorm(3, 4), ValueError, "num_channels (4) must be divisible by num_groups (3)"),
    (lambda: nn.CrossMapLRN2d(3)(r(2)), ValueError, "CrossMapLRN2d: Expected input to be 4D, got 1D instead."),
    (lambda: nn.Dropout(2), ValueError, "dropout probability has to be between 0 and 1, but got 2"),
    (lambda: nn.Hardtanh(2, 1), AssertionError, "max_val (1) must be greater than min_val (2)"),
    (lambda: nn.Softmax2d()(r(3)), ValueError, "Softmax2d: expected input to be 3D or 4D, got 1D instead"),
    (lambda: nn.Sigmoid(3), TypeError, "takes 1 positional argument but 2 were given"),
    (lambda: nn.CircularPad1d(1)(r(3)), ValueError, "expected 2D or 3D input (got 1D input)"),
    (lambda: nn.FractionalMaxPool2d(2), ValueError, "requires specifying either an output size, or a pooling ratio"),
    (lambda: nn.FractionalMaxPool2d(2, 3, 0.5), ValueError, "only one of output_size and output_ratio may be specified"),
    (lambda: nn.FractionalMaxPool3d(2, output_ratio=2), ValueError, "output_ratio must be between 0 and 1 (got 2)"),
    (lambda: nn.Unflatten(1, 3), TypeError, "unflattened_size must be a tuple of ints, but found type int"),
    (lambda: nn.Unflatten(1, (2, 3.0)), TypeError, "but found element of type float at pos 1"),
    (lambda: nn.Unflatten("a", (2, 3)), TypeError, "must be tuple of tuples, but found element of type int at pos 0"),
    (lambda: nn.Unflatten("a", 3), TypeError, "unflattened_size must be a tuple of tuples, but found type int"),
    (lambda: nn.Unflatten(1.5, (2,)), TypeError, "invalid argument type for dim parameter"),
    (lambda: nn.Embedding(3, 4, 5), AssertionError, "Padding_idx must be within num_embeddings"),
    (lambda: nn.EmbeddingBag(3, 4, padding_idx=-4), AssertionError, "padding_idx must be within num_embeddings"),
    (lambda: nn.Embedding(3, 4, _weight=r(2, 2)), AssertionError, "Shape of weight does not match num_embeddings"),
    (lambda: nn.Embedding.from_pretrained(r(2)), AssertionError, "Embeddings parameter is expected to be 2-dimensional"),
    (lambda: nn.MultiMarginLoss(p=3), ValueError, "only p == 1 and p == 2 supported"),
    (lambda: nn.MultiMarginLoss(weight=r(2, 2)), ValueError, "expected weight to be None or 1D tensor, got 2D instead"),
    (lambda: nn.TripletMarginLoss(margin=0), ValueError, "TripletMarginLoss: expected margin to be greater than 0, got 0"),
    (lambda: nn.TripletMarginWithDistanceLoss(margin=-1), ValueError, "expected margin to be greater than 0, got -1 instead"),
    (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, []), ValueError, "cutoffs should be a sequence of length larger than 0"),
    (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, [5, 2]), ValueError, "sorted in an increasing order"),
    (lambda: nn.RNN(3, 4, nonlinearity="foo"), ValueError, "Unknown nonlinearity 'foo'. Select from 'tanh' or 'relu'."),
    (lambda: nn.GRU(3, 4, proj_size=2), ValueError, "proj_size argument is only supported for LSTM, not RNN or GRU"),
    (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller than hidden_size"),
    (lambda: nn.LSTM(3, 4, dropout=True), ValueError, "dropout should be a number in range [0, 1]"),
    (lambda: nn.LSTM(3.0, 4), TypeError, "input_size should be of type int, got: float"),
    (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
    (lambda: nn.RNNBase("FOO", 3, 4), ValueError, "Unrecognized RNN mode: FOO"),
    (lambda: nn.LSTM(3, 4)(r(2)), ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
    (lambda: nn.RNN(3, 4)(r(2)), ValueError, "RNN: Expected input to be 2D or 3D, got 1D tensor instead"),
    (lambda: nn.GRU(3, 4)(r(2, 2, 5)), RuntimeError, "input.size(-1) must be equal to input_size. Expected 3, got 5"),
    (lambda: nn.GRU(3, 4)(r(2, 2, 3), r(3, 4)), RuntimeError, "For batched 3-D input, hx should also be 3-D but got 2-D tensor"),
    (lambda: nn.GRU(3, 4)(r(2, 2, 3), r(1, 3, 4)), RuntimeError, "Expected hidden size (1, 2, 4), got [1, 3, 4]"),
    (lambda: nn.LSTM(3, 4)(r(2, 3), (r(1, 2, 4), r(1, 2, 4))), RuntimeError,
     "For unbatched 2-D input, hx and cx should also be 2-D but got (3-D, 3-D) tensors"),
    (lambda: nn.LSTM(3, 4)(r(2, 2, 3), (r(1, 2, 4), r(1, 2, 5))), RuntimeError, "Expected hidden[1] size (1, 2, 4), got"),
    (lambda: nn.RNNCell(3, 4)(r(1, 2, 3)), ValueError, "RNNCell: Expected input to be 1D or 2D, got 3D instead"),
    (lambda: nn.RNNCell(3, 4, nonlinearity="foo")(r(2, 3)), RuntimeError, "Unknown nonlinearity: foo"),
    (lambda: nn.LSTMCell(3, 4)(r(2, 3), (r(2, 4), r(1, 2, 4))), ValueError, "LSTMCell: Expected hx[1] to be 1D or 2D, got 3D"),
    (lambda: nn.MultiheadAttention(4, 3), AssertionError, "embed_dim must be divisible by num_heads"),
    (lambda: nn.MultiheadAttention(0, 3), ValueError, "embed_dim and num_heads must be greater than 0, got embed_dim=0"),
    (lambda: nn.TransformerEncoderLayer(4, 2, activation="foo"), RuntimeError, "activation should be relu/gelu, not foo"),
    (lambda: nn.LazyConv2d(2, 3)(r(3)), RuntimeError, "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d"),
    (lambda: nn.parallel.DistributedDataParallel(nn.Linear(1, 1)), ValueError, "Default process group has not been initialized"),
    (lambda: nn.DataParallel(nn.Linear(1, 1), [0, 1]), NotImplementedError, "on several devices is not supported"),
    (lambda: nn.factory_kwargs({"foo": 1}), TypeError, "unexpected kwargs {'foo'}"),
    (lambda: nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}}), TypeError, "dtype specified twice"),
]


@pytest.mark.parametrize("call, kind, text", REFUSED, ids=[text[:50] for _, _, text in REFUSED])
def test_refusals(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("layer", [nn.RNN(3, 4), nn.LSTM(3, 4), nn.GRU(3, 4)], ids=lambda layer: layer.mode)
def test_a_recurrent_layer_names_both_dtypes(layer):
    with pytest.raises(ValueError, match=r"RNN input dtype \(torch.float64\) does not match weight dtype \(torch.float32\)"):
        layer(r(2, 2, 3).double())


# ---- what a layer does that its function does not ----


def test_batch_norm_counts_batches_and_averages():
    norm, x, y = nn.BatchNorm1d(2, momentum=None), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 0.0], [5.0, 2.0]])
    norm(x), norm(y)
    assert norm.num_batches_tracked.item() == 2
    assert norm.running_mean.tolist() == [3.5, 2.0]  # the plain mean of both
    norm.eval()(x)
    assert norm.num_batches_tracked.item() == 2
    norm.reset_running_stats()
    assert norm.running_var.tolist() == [1, 1] and norm.num_batches_tracked.item() == 0


def test_batch_norm_loads_a_state_without_a_counter():
    state = nn.BatchNorm1d(2).state_dict()
    del state["num_batches_tracked"]
    state._metadata[""]["version"] = 1
    assert str(nn.BatchNorm1d(2).load_state_dict(state)) == "<All keys matched successfully>"
    state._metadata[""]["version"] = 2
    with pytest.raises(RuntimeError, match='Missing key.*"num_batches_tracked"'):
        nn.BatchNorm1d(2).load_state_dict(state)


def test_instance_norm_tells_of_statistics_it_does_not_keep():
    state = nn.InstanceNorm1d(2, track_running_stats=True).state_dict()
    del state._metadata, state["num_batches_tracked"]
    with pytest.raises(RuntimeError, match='Unexpected running stats buffer.* "running_mean" and "running_var" for Instance'):
        nn.InstanceNorm1d(2).load_state_dict(state)


def test_instance_norm_warns_of_other_channels():
    with pytest.warns(UserWarning, match="input's size at dim=0 does not match num_features"):
        nn.InstanceNorm1d(3)(r(4, 5))


def test_sync_batch_norm_takes_the_place_of_batch_norms():
    net = nn.Sequential(nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2, affine=False)))
    made = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert isinstance(made[0], nn.SyncBatchNorm) and isinstance(made[1][1], nn.SyncBatchNorm)
    assert made[0].weight is net[0].weight
    assert made(r(4, 3)).shape == (4, 2)


@pytest.mark.cpu_only("values in float32; other devices are compared with the CPU")
def test_cross_map_windows():
    x = torch.arange(1.0, 6).reshape(1, 5, 1, 1)
    made = nn.CrossMapLRN2d(2, 2, 0.75, 3)(x).flatten().tolist()
    assert made == pytest.approx([0.3536, 0.4204, 0.4382, 0.4229, 0.4001], abs=1e-4)
    made = nn.CrossMapLRN2d(3, 2, 0.75, 3)(torch.ones(1, 5, 1, 1)).flatten().tolist()
    assert made == pytest.approx([0.3330, 0.2991, 0.2723, 0.2723, 0.2991], abs=1e-4)


def test_padding_modes_of_convolutions_pad_first():
    conv = nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="reflect")
    x = r(1, 2, 5, 6)
    assert torch.allclose(conv(x), F.conv2d(F.pad(x, (2, 2, 1, 1), "reflect"), conv.weight, conv.bias))
    conv = nn.Conv1d(2, 3, 4, padding="same", padding_mode="circular")
    x = r(1, 2, 7)
    assert torch.allclose(conv(x), F.conv1d(F.pad(x, (1, 2), "circular"), conv.weight, conv.bias))


def test_output_size_of_transposed_convolutions():
    conv = nn.ConvTranspose2d(2, 3, 3, stride=2)
    assert conv(r(1, 2, 5, 5), output_size=(12, 11)).shape == (1, 3, 12, 11)
    assert conv(r(2, 5, 5), output_size=(11, 12)).shape == (3, 11, 12)
    assert conv(r(1, 2, 5, 5), output_size=(1, 3, 12, 12)).shape == (1, 3, 12, 12)


def test_embedding_of_a_matrix():
    matrix = r(5, 3)
    frozen, free = nn.Embedding.from_pretrained(matrix), nn.Embedding.from_pretrained(matrix, freeze=False, padding_idx=1)
    assert not frozen.weight.requires_grad and free.weight.requires_grad
    assert torch.equal(frozen(torch.tensor([4, 0])), matrix[[4, 0]])
    free(torch.tensor([1, 2])).sum().backward()
    assert free.weight.grad[1].eq(0).all() and free.weight.grad[2].eq(1).all()
    bag = nn.EmbeddingBag.from_pretrained(matrix, mode="max")
    assert not bag.weight.requires_grad
    assert torch.equal(bag(torch.tensor([[0, 1]])), matrix[:2].max(0, keepdim=True).values)


def test_embedding_renormalises_rows():
    embedding = nn.Embedding(4, 8, max_norm=0.5)
    embedding(torch.tensor([1, 2]))
    norms = embedding.weight.detach().norm(dim=1)
    assert (norms[1:3] <= 0.5001).all() and (norms[[0, 3]] > 0.5001).all()


# ---- what a class declares: its arguments become attributes, the repr shows what differs, the function is found at the call ----

SHOWN = [
    (lambda: nn.Conv2d(4, 4, 3, padding=(0, 1), dilation=(1, 2), groups=2, bias=False, padding_mode="reflect"),
     "4, 4, kernel_size=(3, 3), stride=(1, 1), padding=(0, 1), dilation=(1, 2), groups=2, bias=False, padding_mode=reflect"),
    (lambda: nn.Conv1d(2, 2, 1, padding="valid"), "2, 2, kernel_size=(1,), stride=(1,), padding=valid"),
    (lambda: nn.ConvTranspose1d(2, 2, 3, 2, output_padding=1), "2, 2, kernel_size=(3,), stride=(2,), output_padding=(1,)"),
    (lambda: nn.LazyConv2d(3, 1), "0, 3, kernel_size=(1, 1), stride=(1, 1)"),
    (lambda: nn.MaxPool2d(3, padding=(1, 0)), "kernel_size=3, stride=3, padding=(1, 0), dilation=1, ceil_mode=False"),
    (lambda: nn.MaxUnpool2d(2), "kernel_size=(2, 2), stride=(2, 2), padding=(0, 0)"),
    (lambda: nn.AvgPool1d(2), "kernel_size=(2,), stride=(2,), padding=(0,)"),
    (lambda: nn.AvgPool3d(2, 1), "kernel_size=2, stride=1, padding=0"),
    (lambda: nn.LPPool2d(2, 3), "norm_type=2, kernel_size=3, stride=None, ceil_mode=False"),
    (lambda: nn.AdaptiveMaxPool2d((None, 2)), "output_size=(None, 2)"),
    (lambda: nn.FractionalMaxPool2d(2, 3), ""),
    (lambda: nn.ReplicationPad3d(1), "(1, 1, 1, 1, 1, 1)"), (lambda: nn.ZeroPad1d((1, 2)), "(1, 2)"),
    (lambda: nn.ConstantPad2d(1, 0.5), "padding=(1, 1, 1, 1), value=0.5"),
    (lambda: nn.Embedding(5, 3), "5, 3"),
    (lambda: nn.Embedding(5, 3, -1, 1.0, 1.0, True, True),
     "5, 3, padding_idx=4, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True"),
    (lambda: nn.EmbeddingBag(5, 3, 1.0, 1, True, "sum", padding_idx=0),
     "5, 3, max_norm=1.0, norm_type=1, scale_grad_by_freq=True, mode='sum', padding_idx=0"),
    (lambda: nn.BatchNorm1d(3, momentum=None), "3, eps=1e-05, momentum=None, affine=True, track_running_stats=True"),
    (lambda: nn.Upsample(4), "size=4, mode='nearest'"),
    (lambda: nn.Upsample(4, (2, 3), "bilinear"), "scale_factor=(2.0, 3.0), mode='bilinear'"),
    (lambda: nn.CrossEntropyLoss(torch.ones(2), reduction="sum"), ""),
]


@pytest.mark.parametrize("make, text", SHOWN, ids=[f"{n}" for n in range(len(SHOWN))])
def test_reprs_show_what_differs(make, text):
    layer = make()
    assert layer.extra_repr() == text


def test_reprs_show_what_a_layer_has_now():
    conv = nn.Conv2d(2, 2, 1, padding=1)
    conv.padding, conv.stride, conv.bias = (0, 0), (2, 2), None
    assert conv.extra_repr() == "2, 2, kernel_size=(1, 1), stride=(2, 2), bias=False"
    conv.padding = 0
    assert "padding" not in conv.extra_repr()


KEPT = {
    nn.Conv2d: dict(in_channels=2, out_channels=4, kernel_size=3, stride=2, padding=1, dilation=2, groups=2,
                    padding_mode="circular"),
    nn.ConvTranspose3d: dict(in_channels=2, out_channels=4, kernel_size=3, stride=2, padding=1, output_padding=1, groups=2,
                             dilation=2),
    nn.MaxPool2d: dict(kernel_size=3, stride=2, padding=1, dilation=2, return_indices=True, ceil_mode=True),
    nn.AvgPool2d: dict(kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False, divisor_override=4),
    nn.LPPool1d: dict(norm_type=2, kernel_size=3, stride=2, ceil_mode=True),
    nn.MaxUnpool3d: dict(kernel_size=3, stride=2, padding=1),
    nn.AdaptiveMaxPool3d: dict(output_size=3, return_indices=True), nn.FractionalMaxPool2d: dict(kernel_size=2, output_ratio=0.5),
    nn.ConstantPad1d: dict(padding=2, value=0.5), nn.LocalResponseNorm: dict(size=2, alpha=0.1, beta=0.2, k=3.0),
    nn.BatchNorm2d: dict(num_features=3, eps=0.1, momentum=0.2, affine=False, track_running_stats=False),
    nn.GroupNorm: dict(num_groups=2, num_channels=4, eps=0.1, affine=False),
    nn.LayerNorm: dict(normalized_shape=(3, 4), eps=0.1, elementwise_affine=False),
    nn.SyncBatchNorm: dict(num_features=3, process_group="all"),
    nn.Embedding: dict(num_embeddings=5, embedding_dim=3, padding_idx=1, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True,
                       sparse=True),
    nn.EmbeddingBag: dict(num_embeddings=5, embedding_dim=3, mode="max", include_last_offset=True, padding_idx=1),
    nn.Upsample: dict(scale_factor=2.0, mode="linear", align_corners=True, recompute_scale_factor=True),
    nn.PoissonNLLLoss: dict(log_input=False, full=True, eps=0.1, reduction="sum"), nn.KLDivLoss: dict(log_target=True),
    nn.GaussianNLLLoss: dict(full=True, eps=0.1, reduction="none"),
    nn.CTCLoss: dict(blank=1, reduction="sum", zero_infinity=True),
    nn.CrossEntropyLoss: dict(ignore_index=1, label_smoothing=0.5, reduction="none"), nn.MultiMarginLoss: dict(p=2, margin=0.5),
    nn.TripletMarginLoss: dict(margin=0.5, p=1.0, eps=0.1, swap=True), nn.SmoothL1Loss: dict(beta=0.5),
    nn.HuberLoss: dict(delta=2.0, reduction="none"),
}


@pytest.mark.parametrize("kind", KEPT, ids=lambda kind: kind.__name__)
def test_arguments_become_attributes(kind):
    layer = kind(**KEPT[kind])
    for name, given in KEPT[kind].items():
        kept = getattr(layer, name)
        assert kept == given or set(kept) == {given}, name  # as it is, or once for each dim
    assert not {"self", "device", "dtype", "__class__"} & set(vars(layer))
    no_attributes = {"device", "dtype", "size_average", "reduce", "bias", "_weight", "_freeze"}
    assert all(hasattr(layer, name) for name in inspect.signature(kind).parameters if name not in no_attributes)
    for other in copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)):
        assert vars(other).keys() == vars(layer).keys() and repr(other) == repr(layer)


FUNCTIONS = {"BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "KLDivLoss": "kl_div",
             "MultiLabelMarginLoss": "multilabel_margin_loss", "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
             "CrossEntropyLoss": "cross_entropy", "CTCLoss": "ctc_loss", "L1Loss": "l1_loss", "MSELoss": "mse_loss",
             "NLLLoss": "nll_loss", "PoissonNLLLoss": "poisson_nll_loss", "GaussianNLLLoss": "gaussian_nll_loss",
             "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss", "SoftMarginLoss": "soft_margin_loss",
             "HingeEmbeddingLoss": "hinge_embedding_loss", "CosineEmbeddingLoss": "cosine_embedding_loss",
             "MarginRankingLoss": "margin_ranking_loss", "MultiMarginLoss": "multi_margin_loss",
             "TripletMarginLoss": "triplet_margin_loss"}


@pytest.mark.parametrize("loss, function", FUNCTIONS.items())
def test_a_loss_has_the_options_of_its_function(loss, function):
    """Their names, order and defaults are those of the operator table's schema; forward has the tensors."""
    schema = next(line for line in getattr(F, function).__doc__.splitlines() if line.startswith(function + "("))
    table = dict((part.rpartition(" = ")[::2] if " = " in part else (part, None))
                 for part in re.findall(r"\w+ (\w+(?: = [^,)]+)?)[,)]", schema.replace("tuple of ints", "ints")))
    kind = getattr(nn, loss)
    options = inspect.signature(kind).parameters
    assert [name for name in table if name in options] == list(options)
    for name, option in options.items():
        assert option.default == ast.literal_eval(table[name]), name
    tensors = [name for name, default in table.items() if default is None]
    assert len(inspect.signature(kind.forward).parameters) == 1 + len(tensors)


@pytest.mark.parametrize("make, name, inputs", [
    (lambda: nn.Conv2d(4, 2, 1), "conv2d", lambda: (r(*IMAGE),)),
    (lambda: nn.ConvTranspose1d(4, 2, 1), "conv_transpose1d", lambda: (r(*SIGNAL),)),
    (lambda: nn.MaxPool3d(2), "max_pool3d", lambda: (r(*VOLUME),)), (lambda: nn.AvgPool2d(2), "avg_pool2d", lambda: (r(*IMAGE),)),
    (lambda: nn.AdaptiveAvgPool2d(2), "adaptive_avg_pool2d", lambda: (r(*IMAGE),)),
    (lambda: nn.MSELoss(), "mse_loss", lambda: (r(2), r(2))), (lambda: nn.BatchNorm2d(4), "batch_norm", lambda: (r(*IMAGE),)),
    (lambda: nn.ReflectionPad1d(1), "pad", lambda: (r(*SIGNAL),)),
])
def test_the_function_is_found_at_the_call(make, name, inputs, monkeypatch):
    """Profilers and counters of operations put their own function into nn.functional."""
    layer, seen, function = make(), [], getattr(F, name)
    monkeypatch.setattr(F, name, lambda *args, **kwargs: seen.append(len(args)) or function(*args, **kwargs))
    layer(*inputs())
    assert len(seen) == 1


def test_a_convolution_with_a_step_of_its_own():
    class Doubled(nn.Conv1d):
        def _conv_forward(self, input, weight, bias):
            return super()._conv_forward(input, weight * 2, None)

    conv, x = Doubled(2, 3, 2, padding=1, padding_mode="circular"), r(1, 2, 5)
    assert torch.allclose(conv(x), F.conv1d(F.pad(x, (1, 1), "circular"), conv.weight * 2), atol=1e-6)

    class Own(nn.modules.conv._ConvNd):
        def __init__(self):
            super().__init__(2, 3, (2, 2), (1, 1), (0, 1), (1, 1), False, (0, 0), 1, True, "zeros")

        def forward(self, x):
            return self.weight.sum() * x

    assert repr(Own()) == "Own(2, 3, kernel_size=(2, 2), stride=(1, 1), padding=(0, 1))"
    assert Own().weight.shape == (3, 2, 2, 2) and Own()._reversed_padding_repeated_twice == (1, 1, 0, 0)


def test_private_bases_that_public_code_imports():
    from karat.nn.modules.conv import _ConvNd, _ConvTransposeNd
    from karat.nn.modules.padding import _CircularPadNd, _ConstantPadNd, _ReflectionPadNd, _ReplicationPadNd
    from karat.nn.modules.pooling import _AdaptiveAvgPoolNd, _AdaptiveMaxPoolNd, _AvgPoolNd, _LPPoolNd, _MaxPoolNd, _MaxUnpoolNd

    families = {_ConvTransposeNd: "ConvTranspose", _AdaptiveAvgPoolNd: "AdaptiveAvgPool", _AdaptiveMaxPoolNd: "AdaptiveMaxPool",
                _AvgPoolNd: "AvgPool", _LPPoolNd: "LPPool", _MaxPoolNd: "MaxPool", _MaxUnpoolNd: "MaxUnpool",
                _CircularPadNd: "CircularPad", _ReflectionPadNd: "ReflectionPad", _ReplicationPadNd: "ReplicationPad"}
    kinds = [kind for kind in vars(nn).values() if isinstance(kind, type)]
    for base, name in families.items():
        found = {kind.__name__ for kind in kinds if issubclass(kind, base)} - {"Lazy" + name + f"{n}d" for n in (1, 2, 3)}
        assert found == {f"{name}{n}d" for n in (1, 2, 3)}
    assert issubclass(nn.ZeroPad2d, _ConstantPadNd) and issubclass(nn.ConvTranspose2d, _ConvNd)
    with pytest.raises(AttributeError, match="_NothingNd"):
        nn.modules.pooling._NothingNd

    class Windows(_MaxPoolNd):
        def forward(self, x):
            return self.kernel_size, self.stride

    assert Windows(3)(None) == (3, 3)


def test_a_transposed_convolution_that_asks_for_its_output_padding():
    class Own(nn.ConvTranspose2d):
        def forward(self, x, output_size=None):
            more = self._output_padding(x, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation)
            return F.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    conv, x = Own(2, 3, 3, stride=3, padding=1), r(1, 2, 5, 4)
    assert conv(x).shape == (1, 3, 13, 10) and conv(x, (15, 11)).shape == (1, 3, 15, 11)
    assert conv._output_padding(x, (14, 12), (3, 3), (1, 1), (3, 3), 2) == [1, 2]
    with pytest.raises(ValueError, match=r"requested an output size of \(16, 11\), but valid sizes range from \[13, 10\] to "
                                         r"\[15, 12\] \(for an input of torch.Size\(\[5, 4\]\)\)"):
        conv(x, (16, 11))
    with pytest.raises(ValueError, match="for 4D input, output_size must have 2 or 4 elements \\(got 3\\)"):
        conv(x, (1, 2, 3))


@pytest.mark.parametrize("padding, kernel, dilation, ends", [
    ("valid", 3, 1, [0, 0, 0, 0]), ("same", (3, 4), (2, 1), [1, 2, 2, 2]), ((1, 2), 3, 1, (2, 2, 1, 1)), (3, 3, 1, (3, 3, 3, 3))])
def test_what_pad_adds_before_a_convolution(padding, kernel, dilation, ends):
    assert nn.Conv2d(1, 1, kernel, padding=padding, dilation=dilation)._reversed_padding_repeated_twice == ends


def test_a_norm_that_takes_inputs_of_its_own():
    class AnyDims(nn.InstanceNorm1d):
        def _check_input_dim(self, input):
            pass

    x = r(2, 3, 4, 5)
    assert torch.allclose(AnyDims(3)(x), nn.InstanceNorm2d(3)(x))

    class Rows(nn.modules.batchnorm._BatchNorm):
        pass

    with pytest.raises(NotImplementedError):
        Rows(3)(r(2, 3))
    norm = nn.BatchNorm1d(3)
    norm.num_batches_tracked = None
    norm(r(4, 3))
    assert not norm.running_mean.eq(0).all()


def test_sync_batch_norm_takes_everything_along():
    shared = nn.BatchNorm1d(3, eps=0.5, momentum=None).eval()
    shared.qconfig, shared.inner = "q", nn.Linear(1, 1)
    net = nn.Sequential(shared, shared, nn.InstanceNorm1d(3))
    tensors = [*shared.parameters(recurse=False), *shared.buffers(recurse=False)]

    class Mine(nn.SyncBatchNorm):
        pass

    made = Mine.convert_sync_batchnorm(net, "group")
    assert made is net and type(made[0]) is nn.SyncBatchNorm and type(made[2]) is nn.InstanceNorm1d
    assert made[1] is shared  # PyTorch's too visits a module once, under its first name
    taken = [*made[0].parameters(recurse=False), *made[0].buffers(recurse=False)]
    assert all(a is b for a, b in zip(taken, tensors, strict=True))
    assert (made[0].eps, made[0].momentum, made[0].training, made[0].qconfig) == (0.5, None, False, "q")
    assert made[0].process_group == "group" and made[0].inner is shared.inner
    for x, says in (r(3), "expected at least 2D input"), (r(2, 0), "number of input channels should be non-zero"):
        with pytest.raises(ValueError, match=says):
            made[0](x)


def test_old_states_of_layers_are_completed():
    for layer, names in ((nn.Conv2d(1, 1, 1), {"padding_mode": "zeros"}), (nn.Upsample(2), {"recompute_scale_factor": True}),
                         (nn.AvgPool3d(2), {"padding": 0, "ceil_mode": False, "count_include_pad": True})):
        for name in names:
            del layer.__dict__[name]
        other = copy.deepcopy(layer)
        assert {name: getattr(other, name) for name in names} == names
        assert not set(names) & set(vars(layer))  # the state that was given is not written


def test_rows_of_padding_are_zero():
    layer = nn.Embedding(4, 2, padding_idx=-3)
    assert layer.padding_idx == 1 and layer.weight[1].tolist() == [0, 0] and layer.weight[0].ne(0).all()
    layer.weight.data.fill_(3)
    layer._fill_padding_idx_with_zero()
    assert layer.weight[1].tolist() == [0, 0] and layer.weight.is_leaf and layer.weight.requires_grad
    for kind, says in (nn.Embedding, "Padding_idx must be within"), (nn.EmbeddingBag, "padding_idx must be within"):
        for place in (4, -5):
            with pytest.raises(AssertionError, match=says):
                kind(4, 2, padding_idx=place)


def test_a_table_of_a_class_of_its_own():
    class Own(nn.Embedding):
        def __init__(self, num_embeddings, embedding_dim, **options):
            super().__init__(num_embeddings, embedding_dim, **options)
            self.names = sorted(options)

    made = Own.from_pretrained(r(5, 3), padding_idx=2, sparse=True)
    assert type(made) is Own and {"padding_idx", "sparse", "_weight"} <= set(made.names) and not made.weight.requires_grad
    with pytest.raises(AssertionError, match="2-dimensional"):
        Own.from_pretrained(r(5))


def test_the_old_name_of_a_loss_warns_whenever_it_is_made():
    with pytest.warns(FutureWarning, match="`NLLLoss2d` has been deprecated"):
        loss = nn.NLLLoss2d(ignore_index=3)
    with pytest.warns(FutureWarning, match="`NLLLoss2d` has been deprecated"):
        assert copy.deepcopy(loss).ignore_index == 3

    class Mine(nn.NLLLoss2d):
        pass

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Mine(reduction="sum").reduction == "sum"


def test_a_lazy_convolution_refuses_what_its_groups_do_not_divide():
    lazy = nn.LazyConv1d(4, 1, groups=2)
    with pytest.raises(ValueError, match="^in_channels must be divisible by groups$"):
        lazy(r(1, 3, 5))
    with pytest.raises(RuntimeError, match=r"Expected 2D \(unbatched\) or 3D \(batched\) input to LazyConv1d"):
        nn.LazyConv1d(4, 1)(r(4))


# ---- recurrent layers ----


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize("batch_first", [False, True])
def test_a_packed_batch_is_each_sequence_alone(kind, batch_first):
    torch.manual_seed(0)
    layer = kind(3, 4, num_layers=2, bidirectional=True, batch_first=batch_first)
    batch, lengths = r(3, 5, 3), [2, 5, 3]
    packed = pack_padded_sequence(batch, lengths, batch_first=True, enforce_sorted=False)
    output, hidden = layer(packed)
    assert isinstance(output, PackedSequence)
    padded, _ = pad_packed_sequence(output, batch_first=True)
    for place, length in enumerate(lengths):
        alone, state = layer(batch[place, :length])
        assert torch.allclose(padded[place, :length], alone, atol=1e-6)
        for ours, its in zip(tensors(hidden), tensors(state)):
            assert torch.allclose(ours[:, place], its, atol=1e-6)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_parameters_of_recurrent_layers(kind):
    layer = kind(3, 4, num_layers=2, bidirectional=True)
    names = [f"{name}_l{n}{way}" for n in range(2) for way in ("", "_reverse")
             for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    assert layer._flat_weights_names == names == [name for name, _ in layer.named_parameters()]
    assert [len(group) for group in layer.all_weights] == [4] * 4
    assert all(a is b for a, b in zip(layer._flat_weights, layer.parameters()))
    layer.flatten_parameters()
    layer.weight_hh_l0 = nn.Parameter(torch.zeros_like(layer.weight_hh_l0))  # a replaced parameter counts at once
    assert layer._flat_weights[1] is layer.weight_hh_l0
    doubled = layer.double()
    assert doubled(r(5, 2, 3).double())[0].dtype == torch.float64


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_a_recurrent_layer_is_pickled(kind):
    layer, x = kind(3, 4), r(5, 2, 3)
    again = pickle.loads(pickle.dumps(layer))
    assert torch.equal(again(x)[0], layer(x)[0]) and again._flat_weights_names == layer._flat_weights_names


@pytest.mark.parametrize("cell, layer", [(nn.RNNCell, nn.RNN), (nn.LSTMCell, nn.LSTM), (nn.GRUCell, nn.GRU)])
def test_a_cell_is_one_step(cell, layer):
    one, whole = cell(3, 4), layer(3, 4)
    whole.load_state_dict({f"{name}_l0": value for name, value in one.state_dict().items()})
    x = r(2, 3)
    assert torch.allclose(tensors(one(x))[0], whole(x.unsqueeze(0))[0][0], atol=1e-6)
    assert torch.allclose(tensors(one(x[0]))[0], tensors(one(x))[0][0], atol=1e-6)
    assert tensors(one(x[0], tensors(one(x[0]))[0] if cell is not nn.LSTMCell else one(x[0])))[0].shape == (4,)


def test_dropout_in_one_layer_is_warned_of():
    with pytest.warns(UserWarning, match="non-zero dropout expects num_layers greater than 1"):
        nn.GRU(3, 4, dropout=0.5)


# ---- attention ----


def test_attention_by_its_definition():
    attention, x = nn.MultiheadAttention(8, 2, batch_first=True), r(3, 5, 8)
    output, weights = attention(x, x, x)
    q, k, v = F.linear(x, attention.in_proj_weight, attention.in_proj_bias).chunk(3, -1)
    q, k, v = (t.reshape(3, 5, 2, 4).transpose(1, 2) for t in (q, k, v))
    scores = (q @ k.transpose(-1, -2) / math.sqrt(4)).softmax(-1)
    assert torch.allclose(weights, scores.mean(1), atol=1e-6)
    assert torch.allclose(output, attention.out_proj((scores @ v).transpose(1, 2).reshape(3, 5, 8)), atol=1e-6)
    assert attention(x, x, x, need_weights=False)[1] is None
    assert attention(x, x, x, average_attn_weights=False)[1].shape == (3, 2, 5, 5)
    assert attention(x[0], x[0], x[0])[0].shape == (5, 8)


def test_attention_merges_masks():
    attention, query = nn.MultiheadAttention(8, 2), r(3, 5, 8)
    mask, padding = torch.zeros(5, 5), torch.ones(3, 5)
    merged, kind = attention.merge_masks(mask, padding, query)
    assert kind == 2 and merged.shape == (3, 2, 5, 5) and merged.eq(1).all()
    assert attention.merge_masks(None, padding, query) == (padding, 1)
    assert attention.merge_masks(None, None, query) == (None, None)


@pytest.mark.parametrize("norm_first", [False, True])
def test_transformers_do_not_look_ahead(norm_first):
    torch.manual_seed(0)
    net = nn.Transformer(8, 2, 1, 2, 16, dropout=0.0, batch_first=True, norm_first=norm_first,
                         custom_encoder=nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 1))
    source, target = r(2, 4, 8), r(2, 5, 8)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    before = net(source, target, tgt_mask=mask)
    target[:, 3:] += r(2, 2, 8)  # not one number, which a norm takes out again
    after = net(source, target, tgt_mask=mask)
    assert torch.allclose(before[:, :3], after[:, :3], atol=1e-6) and not torch.allclose(before[:, 3:], after[:, 3:])
    after.sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())


def test_padding_is_not_seen():
    torch.manual_seed(0)
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 2, nn.LayerNorm(8))
    x, padding = r(2, 4, 8), torch.tensor([[False, False, False, True]] * 2)
    before = net(x, src_key_padding_mask=padding)
    x[:, 3] += 1
    assert torch.allclose(before[:, :3], net(x, src_key_padding_mask=padding)[:, :3], atol=1e-6)
    assert not torch.allclose(before[:, :3], net(x)[:, :3])


@pytest.mark.parametrize("options, why", [
    ({}, "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"),
    ({"norm_first": True}, "encoder_layer.norm_first was True"),
    ({"batch_first": True, "bias": False}, "encoder_layer.self_attn was passed bias=False"),
])
def test_why_an_encoder_takes_no_nested_tensors(options, why):
    with pytest.warns(UserWarning) as told:
        net = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, **options), 1)
    assert str(told[0].message) == f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}"
    assert net.use_nested_tensor is False


def test_transformer_refusals():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = nn.Transformer(4, 2, 1, 1, 8)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        net(r(2, 2, 4), r(2, 3, 4))
    with pytest.raises(RuntimeError, match="the feature number of src and tgt must be equal to d_model"):
        net(r(2, 2, 5), r(2, 2, 5))
    with pytest.raises(AssertionError, match="only bool and floating types of mask are supported"):
        net.encoder(r(2, 2, 4), torch.zeros(2, 2, dtype=torch.int64))


def test_a_copied_decoder_layer_with_a_module_uses_relu():
    layer = nn.TransformerDecoderLayer(4, 2, 8, 0.0, activation=nn.Tanh())
    assert isinstance(layer.activation, nn.Tanh) and copy.deepcopy(layer).activation is F.relu
    assert isinstance(copy.deepcopy(nn.TransformerEncoderLayer(4, 2, 8, activation=nn.Tanh())).activation, nn.Tanh)


# ---- a softmax of clusters ----


def test_adaptive_softmax():
    torch.manual_seed(0)
    net = nn.AdaptiveLogSoftmaxWithLoss(16, 12, [2, 5], div_value=2.0, head_bias=True)
    x, target = r(20, 16), labels(12, 20)
    output, loss = net(x, target)
    every = net.log_prob(x)
    assert torch.allclose(every.exp().sum(1), torch.ones(20), atol=1e-5)
    assert torch.allclose(output, every.gather(1, target.unsqueeze(1)).squeeze(1), atol=1e-6)
    assert torch.allclose(loss, -output.mean())
    assert torch.equal(net.predict(x), every.argmax(1))
    loss.backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    alone = net(x[0], target[0])
    assert torch.allclose(alone.output, output[0], atol=1e-6) and alone.output.dim() == 0
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 11\], but values in range \[1, 15\] were found"):
        net(x[:2], torch.tensor([1, 15]))
    with pytest.raises(RuntimeError, match="Input and target should have the same size in the batch dimension"):
        net(x, target[:3])
    with pytest.raises(RuntimeError, match="0D or 1D target tensor expected, multi-target not supported"):
        net(x, target.unsqueeze(1))


# ---- lazy layers ----

LAZY = [
    (lambda: nn.LazyLinear(4), nn.Linear, (2, 3)), (lambda: nn.LazyConv1d(4, 2), nn.Conv1d, SIGNAL),
    (lambda: nn.LazyConv2d(4, 2), nn.Conv2d, IMAGE), (lambda: nn.LazyConv3d(4, 2), nn.Conv3d, VOLUME),
    (lambda: nn.LazyConvTranspose1d(4, 2), nn.ConvTranspose1d, SIGNAL),
    (lambda: nn.LazyConvTranspose2d(4, 2, groups=2), nn.ConvTranspose2d, IMAGE),
    (lambda: nn.LazyConvTranspose3d(4, 2, bias=False), nn.ConvTranspose3d, VOLUME),
    (lambda: nn.LazyBatchNorm1d(), nn.BatchNorm1d, SIGNAL), (lambda: nn.LazyBatchNorm2d(affine=False), nn.BatchNorm2d, IMAGE),
    (lambda: nn.LazyBatchNorm3d(), nn.BatchNorm3d, VOLUME), (lambda: nn.LazyInstanceNorm1d(), nn.InstanceNorm1d, SIGNAL),
    (lambda: nn.LazyInstanceNorm2d(), nn.InstanceNorm2d, IMAGE), (lambda: nn.LazyInstanceNorm3d(), nn.InstanceNorm3d, VOLUME),
]


@pytest.mark.parametrize("make, become, sizes", LAZY, ids=[become.__name__ for _, become, _ in LAZY])
def test_lazy_layers_become_others(make, become, sizes):
    layer = make()
    assert layer.has_uninitialized_params() and type(layer).__name__ == "Lazy" + become.__name__
    state = make().state_dict()
    made = layer(r(*sizes))
    assert type(layer) is become and not layer._forward_pre_hooks
    if made.requires_grad:
        made.sum().backward()
    other = make()
    other.load_state_dict(layer.state_dict())  # a state sizes the parameters too
    assert all(torch.equal(a, b) for a, b in zip(other.state_dict().values(), layer.state_dict().values()))
    assert len(state) == len(layer.state_dict())
    if "Instance" not in become.__name__:  # PyTorch's too keeps num_features=0 then, and refuses the input
        other(r(*sizes))
        assert type(other) is become


@pytest.mark.cpu_only("other devices draw other numbers")
def test_a_lazy_layer_draws_at_its_first_call():
    torch.manual_seed(0)
    lazy = nn.LazyLinear(4)
    torch.manual_seed(7)
    lazy(torch.ones(2, 3))
    torch.manual_seed(7)
    assert torch.equal(lazy.weight, nn.Linear(3, 4).weight)


def test_a_lazy_layer_must_say_how():
    class Lazy(nn.modules.lazy.LazyModuleMixin, nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Lazy"):
        Lazy()(1)
    with pytest.raises(RuntimeError, match="Modules with uninitialized parameters can't be used with `DataParallel`"):
        Lazy()._replicate_for_data_parallel()


# ---- the rest of karat.nn ----


def test_data_parallel_calls_its_module():
    linear = nn.Linear(2, 3)
    both, x = nn.DataParallel(linear), r(4, 2)
    assert torch.equal(both(x), linear(x)) and list(both.state_dict()) == ["module.weight", "module.bias"]


def test_factory_kwargs():
    assert nn.factory_kwargs(None) == {}
    assert nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"device": "meta"}}) == {"dtype": torch.float64,
                                                                                              "device": "meta"}
    twice = {"dtype": None, "device": 1, "factory_kwargs": {"dtype": None, "device": 2}}
    for wrong, says in ({"size": 1}, "unexpected kwargs {'size'}"), (twice, "^device specified twice, in"):
        with pytest.raises(TypeError, match=says):
            nn.factory_kwargs(wrong)


def test_prefixes_of_state_dicts():
    state = nn.Sequential(nn.Linear(1, 1)).state_dict(prefix="module.")
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["0.weight", "0.bias"] and set(state._metadata) == {"", "0"}


def test_every_name_of_pytorch_is_here():
    assert all(hasattr(nn, name) for name in nn.modules.__all__)
    assert nn.modules.linear.NonDynamicallyQuantizableLinear and nn.modules.conv._ConvNd and nn.modules.batchnorm._BatchNorm
    assert len(nn.modules.__all__) == len(set(nn.modules.__all__)) >= 160
    built = {text.partition("(")[0] for _, text, _ in LAYERS} | {type(make()).__name__ for make, _ in LOSSES}
    built |= {"Lazy" + become.__name__ for _, become, _ in LAZY}
    elsewhere = """AdaptiveLogSoftmaxWithLoss Container Module ModuleDict ModuleList MultiheadAttention NLLLoss2d ParameterDict
        ParameterList RNNBase RNNCellBase Sequential Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer TripletMarginWithDistanceLoss""".split()
    assert set(nn.modules.__all__) - built == set(elsewhere)


def ones(*sizes, **how):
    return torch.ones(sizes, **how)


@pytest.mark.parametrize("call,kind,says", [
    (lambda: torch.rnn_tanh_cell(ones(3, 2, 2), ones(3, 3), ones(3, 2), ones(3, 3)), RuntimeError,
     r"The size of tensor a \(3\) must match the size of tensor b \(2\) at non-singleton dimension 1"),
    (lambda: torch.rnn_relu_cell(ones(3, 2, 2), ones(3, 1, 1), ones(1, 2), ones(1, 1)), RuntimeError,
     r"output with shape \[3, 1, 1\] doesn't match the broadcast shape \[3, 2, 1\]"),
    (lambda: torch.lstm_cell(ones(1, 2, 2), (ones(1, 1), ones(1, 1)), ones(4, 2), ones(4, 1)), RuntimeError,
     r"output with shape \[1, 4\] doesn't match the broadcast shape \[1, 2, 4\]"),
    (lambda: torch.gru_cell(ones(2, 2, 2), ones(2, 3), ones(9, 2), ones(9, 3)), RuntimeError, r"\[2, 2, 9\]"),
    (lambda: torch.lstm_cell(ones(1, 2), (ones(1, 3), ones(1, 3)), ones(12, 2), ones(12, 3), ones(11), ones(13)), RuntimeError,
     r"The expanded size of the tensor \(12\) must match the existing size \(13\)"),
    (lambda: F.fractional_max_pool3d(ones(1, 1, 5, 2, 2), (1, 3, 3), output_size=1, _random_samples=ones(1, 1, 3)), RuntimeError,
     "pool width 3 too large relative to input width 2"),
    (lambda: F.fractional_max_pool3d(ones(1, 2, 5, 5, 5), 0, output_size=2, _random_samples=ones(1, 2, 3, 1)), RuntimeError,
     "Expect _random_samples to have 3 dimensions, got 4"),
    (lambda: F.fractional_max_pool2d(ones(1, 2, 5, 5), 0, output_size=2, _random_samples=ones(1, 2, 2)), RuntimeError,
     "fractional_max_pool2d: kernel_size must be greater than zero"),
    (lambda: F.grid_sample(ones(3, 3, 1), ones(3, 1, 2, 1), align_corners=False), RuntimeError,
     "expected 5D input and grid with same number of dimensions"),
    (lambda: F.cross_entropy(ones(5, 2), ones(5, 2, dtype=torch.int64), label_smoothing=1.5), RuntimeError,
     "Expected floating point type for target with class probabilities, got Long"),
    (lambda: F.cross_entropy(ones(5, 2), ones(5, 2), label_smoothing=1.5), RuntimeError, "label_smoothing must be between"),
    (lambda: F.mse_loss(ones(3, 2), ones(4), reduction="other"), RuntimeError, "must match the size of tensor b"),
    (lambda: F.l1_loss(ones(3, 2), ones(3, 2), reduction="other"), ValueError, "other is not a valid value for reduction"),
    (lambda: F.embedding(ones(3, dtype=torch.int64), ones(0, 4)), RuntimeError, "self indexing axis dim should be positive"),
    (lambda: F.bilinear(ones(3, 4), ones(3, 2), ones(2, 4, 2, 1)), RuntimeError, "number of dimensions must match"),
    (lambda: F.fold(ones(3, 27, 4), (2, 2), 3, 2), RuntimeError,
     r"calculated shape of the array of sliding blocks as \(-2, -2\), which is too small \(non-positive\)"),
    (lambda: F.conv3d(ones(3, 3, 9, 7, 2), ones(3, 1, 2, 4, 2, 2)), RuntimeError,
     r"expected stride to be a single integer value or a list of 4 values .* but got stride=\[1, 1, 1\]"),
    (lambda: F.conv3d(ones(3, 3, 9, 7, 2), ones(3, 1, 2, 4), padding="same"), RuntimeError,
     r"Expected 4-dimensional input for 4-dimensional weight\[3, 1, 2, 4\], but got 5-dimensional input of size"),
    (lambda: F.conv2d(ones(3, 2, 6, 7), ones(3, 2, 1, 1), padding="same", dilation=(1, 2, 1)), RuntimeError,
     "dilation cannot broadcast to 2 dimensions"),
    (lambda: F.conv2d(ones(3, 2, 6, 7), ones(3, 2, 1, 1), ones(3, dtype=torch.float64), padding="same", stride=2), RuntimeError,
     "padding='same' is not supported for strided convolutions"),
    (lambda: F.conv2d(ones(3, 2, 6, 7), ones(3, 2, 1, 1), ones(3, dtype=torch.float64), padding="other"), RuntimeError,
     "Invalid padding string: 'other'"),
    (lambda: torch._convolution_mode(ones(1, 1, 2, 2, 2, 2), ones(1, 1, 1, 1, 1, 1), None, [1], "same", [1], 1), RuntimeError,
     "dims"),
    (lambda: F.conv2d(ones(2, 2, 8, 1, dtype=torch.complex64), ones(5, 2, 1, 3, dtype=torch.int64), groups=0), RuntimeError,
     r"Input type \(CPUComplexFloatType\) and weight type \(torch.LongTensor\) should be the same")])
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_of_two_mistakes_pytorchs_is_told(call, kind, says):
    with pytest.raises(kind, match=says):
        call()


def test_attention_of_several_heads_looks_at_the_masks_dtypes_first():
    m, x = nn.MultiheadAttention(4, 2), ones(4)
    for name in ("key_padding_mask", "attn_mask"):
        with pytest.raises(AssertionError, match=f"only bool and floating types of {name} are supported"):
            m(x, x, x, **{name: ones(3, 5, dtype=torch.int32)})
    with pytest.raises(AssertionError, match="query should be unbatched 2D or batched 3D tensor but received 1-D query tensor"):
        m(x, x, x, attn_mask=ones(3, 5))


@pytest.mark.parametrize("wrong,says", [
    ({"query": (4, 5)}, r"expecting query weights shape of \(4, 4\), but got torch.Size\(\[4, 5\]\)"),
    ({"key": (5, 5)}, r"expecting key weights shape of \(4, 5\), but got torch.Size\(\[5, 5\]\)"),
    ({"value": (4, 4)}, r"expecting value weights shape of \(4, 7\), but got torch.Size\(\[4, 4\]\)"),
    ({"bias": (11,)}, r"expecting value bias shape of \(4,\), but got torch.Size\(\[3\]\)")])
def test_separate_projections_must_fit(wrong, says):
    sizes = {"query": (4, 4), "key": (4, 5), "value": (4, 7), "bias": (12,)} | wrong
    with pytest.raises(AssertionError, match=says):
        F.multi_head_attention_forward(ones(3, 2, 4), ones(5, 2, 5), ones(5, 2, 7), 4, 2, None, ones(*sizes["bias"]), None, None,
                                       False, 0.0, ones(4, 4), ones(4), use_separate_proj_weight=True,
                                       q_proj_weight=ones(*sizes["query"]), k_proj_weight=ones(*sizes["key"]),
                                       v_proj_weight=ones(*sizes["value"]))


@pytest.mark.parametrize("options, error, text", [
    (dict(bias=1), TypeError, "bias should be of type bool, got: int"),
    (dict(batch_first=0, input_size=0), TypeError, "batch_first should be of type bool, got: int"),
    (dict(dropout=2, bias=1), ValueError, "dropout should be a number in range [0, 1]"),
    (dict(input_size=0, hidden_size=2.0), ValueError, "input_size must be greater than zero"),
    (dict(hidden_size=2.0), TypeError, "hidden_size should be of type int, got: float"),
    (dict(num_layers=0), ValueError, "num_layers must be greater than zero"),
    (dict(proj_size=4), ValueError, "proj_size has to be smaller than hidden_size"),
])
def test_options_of_recurrent_layers_are_refused_in_order(options, error, text):
    with pytest.raises(error, match=re.escape(text)):
        nn.LSTM(**{"input_size": 3, "hidden_size": 4, **options})


def test_states_of_recurrent_layers():
    lstm, gru, x = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2), nn.GRU(3, 4), torch.ones(5, 3)
    assert [[tuple(w.shape) for w in layer] for layer in lstm.all_weights][0] == [(16, 3), (16, 2), (16,), (16,), (2, 4)]
    out, (h, c) = lstm(x)
    assert out.shape == (5, 4) and h.shape == (4, 2) and c.shape == (4, 4)
    assert all(torch.equal(a, b) for a, b in zip(lstm(x, (torch.zeros(4, 2), torch.zeros(4, 4)))[1], (h, c)))
    for layer, hx, text in ((lstm, (torch.zeros(4, 1, 2), torch.zeros(4, 4)),
                             "For unbatched 2-D input, hx and cx should also be 2-D but got (3-D, 2-D) tensors"),
                            (gru, torch.zeros(1, 1, 4), "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor"),
                            (lstm, (torch.zeros(4, 2), torch.zeros(4, 2)), "Expected hidden[1] size (4, 1, 4), got [4, 1, 2]")):
        with pytest.raises(RuntimeError, match=re.escape(text)):
            layer(x, hx)
    cell = nn.LSTMCell(3, 4)
    assert [t.shape for t in cell(torch.ones(3))] == [(4,), (4,)]
    with pytest.raises(TypeError, match="argument 'hx' .*must be tuple of Tensors, not Tensor"):
        cell(torch.ones(2, 3), torch.zeros(2, 4))
    with pytest.raises(ValueError, match=re.escape("LSTMCell: Expected hx[1] to be 1D or 2D, got 3D instead")):
        type("Mine", (nn.LSTMCell,), {})(3, 4)(torch.ones(2, 3), (torch.zeros(2, 4), torch.zeros(1, 1, 4)))
    with pytest.raises(ValueError, match="RNN: Expected input to be 2D or 3D, got 1D tensor instead"):
        type("Mine", (nn.RNN,), {})(3, 4)(torch.ones(3))


def test_masks_of_a_decoder_reach_its_layers_by_their_names():
    class Seen(nn.TransformerDecoderLayer):
        def forward(self, tgt, memory, **options):
            seen.append(options)
            return super().forward(tgt, memory, **options)

    seen = []
    decoder = nn.TransformerDecoder(Seen(4, 2, 8), 2)
    model = nn.Transformer(4, 2, 1, 1, 8, custom_decoder=decoder)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    assert model(torch.ones(3, 1, 4), torch.ones(3, 1, 4), tgt_mask=mask).shape == (3, 1, 4)
    assert len(seen) == 2 and set(seen[0]) == {"tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask",
                                               "tgt_is_causal", "memory_is_causal"}
    assert seen[0]["tgt_mask"] is mask and seen[0]["tgt_is_causal"] is True and seen[0]["memory_is_causal"] is False
    assert [name for name, _ in decoder.layers[0].named_children()] == [
        "self_attn", "multihead_attn", "linear1", "dropout", "linear2", "norm1", "norm2", "norm3", "dropout1", "dropout2",
        "dropout3"]
    assert list(nn.ELU().__dict__)[-2:] == ["alpha", "inplace"]
    assert nn.modules.transformer._get_activation_fn("relu") is F.relu


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_only_the_padding_of_a_plain_convolution_may_be_a_word(dims):
    plain, transposed = getattr(nn, f"Conv{dims}d"), getattr(nn, f"ConvTranspose{dims}d")
    assert plain(1, 1, 3, padding="same").padding == "same"
    assert plain(1, 1, 3, stride="a").stride == ("a",)
    assert transposed(1, 1, 3, padding="same", stride=2).padding == ("s", "a", "m", "e")
    with pytest.raises(TypeError, match="found element of type str at pos 0"):
        transposed(1, 1, 3, padding="foo")(torch.ones(1, 1, *[5] * dims))


def test_the_states_of_an_lstm_cell_are_a_plain_tuple():
    cell = nn.LSTMCell(3, 4)
    assert type(cell(torch.ones(2, 3))) is tuple and type(cell(torch.ones(3))) is tuple
