"""Parametrized weights, pruned weights, and modules as functions of their parameters, with PyTorch's refusals."""

import copy
import pickle

import karat as torch
import pytest
from karat import func, nn
from karat.nn.utils import parametrizations, parametrize, prune, stateless


class Double(nn.Module):
    def forward(self, x):
        return 2 * x

    def right_inverse(self, x):
        return x / 2


class Sum(nn.Module):
    """Takes two tensors."""

    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x / 4, 3 * x / 4


# ---- parametrize ----


def test_a_parametrized_weight():
    linear = nn.Linear(2, 3)
    weight, before = linear.weight, linear.weight.detach().clone()
    made = parametrize.register_parametrization(linear, "weight", Double())
    assert made is linear and parametrize.is_parametrized(linear, "weight") and not parametrize.is_parametrized(linear, "bias")
    assert type(linear).__name__ == "ParametrizedLinear" and parametrize.type_before_parametrizations(linear) is nn.Linear
    assert linear.parametrizations.weight.original is weight  # what an optimizer holds
    assert torch.equal(linear.weight, before) and torch.equal(weight, before / 2)
    linear(torch.ones(2)).sum().backward()
    assert weight.grad.tolist() == [[2, 2]] * 3
    linear.weight = torch.ones(3, 2)
    assert weight.tolist() == [[0.5, 0.5]] * 3
    assert list(linear.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert repr(linear) == """ParametrizedLinear(
  in_features=2, out_features=3, bias=True
  (parametrizations): ModuleDict(
    (weight): ParametrizationList(
      (0): Double()
    )
  )
)"""


def test_several_parametrizations():
    linear = nn.Linear(2, 3)
    for one in (Double(), nn.ReLU()):
        parametrize.register_parametrization(linear, "weight", one)
    original = linear.parametrizations.weight.original
    assert torch.equal(linear.weight, (2 * original).relu())
    with pytest.raises(RuntimeError, match="parametrization ReLU does not implement right_inverse."):
        linear.weight = torch.ones(3, 2)
    parametrize.register_parametrization(linear, "bias", Double())
    assert list(linear.parametrizations) == ["weight", "bias"] and type(linear).__mro__[1] is nn.Linear


@pytest.mark.parametrize("leave", [True, False])
def test_a_parametrization_is_removed(leave):
    linear = nn.Linear(2, 3)
    weight = linear.weight
    parametrize.register_parametrization(linear, "weight", Double())
    value, original = linear.weight.detach(), weight.detach().clone()
    parametrize.remove_parametrizations(linear, "weight", leave_parametrized=leave)
    assert type(linear) is nn.Linear and linear.weight is weight and not hasattr(linear, "parametrizations")
    assert torch.equal(weight, value if leave else original)
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(linear, "weight")


def test_a_parametrization_of_two_tensors():
    linear = nn.Linear(2, 3)
    before = linear.weight.detach().clone()
    parametrize.register_parametrization(linear, "weight", Sum())
    assert [name for name, _ in linear.named_parameters()] == [
        "bias", "parametrizations.weight.original0", "parametrizations.weight.original1"]
    assert torch.allclose(linear.weight, before)
    with pytest.raises(ValueError, match=r"Cannot leave unparametrized \(`leave_parametrized=False`\)"):
        parametrize.remove_parametrizations(linear, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(linear, "weight")
    assert isinstance(linear.weight, nn.Parameter) and torch.allclose(linear.weight, before)


def test_a_parametrized_buffer_and_a_copy():
    norm = nn.BatchNorm1d(2)
    parametrize.register_parametrization(norm, "running_var", nn.ReLU())
    assert "parametrizations.running_var.original" in dict(norm.named_buffers())
    again = copy.deepcopy(norm)
    assert type(again) is type(norm) and again.parametrizations is not norm.parametrizations
    with pytest.raises(RuntimeError, match="Serialization of parametrized modules is only supported through state_dict"):
        pickle.dumps(norm)


def test_what_is_computed_once():
    calls = []

    class Counted(nn.Module):
        def forward(self, x):
            calls.append(1)
            return x + 0

    linear = parametrize.register_parametrization(nn.Linear(2, 3), "weight", Counted())
    calls.clear()
    with parametrize.cached():
        assert linear.weight is linear.weight
    assert len(calls) == 1 and linear.weight is not linear.weight and len(calls) == 3


def test_parametrizations_are_transferred():
    a, b = parametrize.register_parametrization(nn.Linear(2, 3), "weight", Double()), nn.Linear(2, 3)
    parametrize.transfer_parametrizations_and_params(a, b)
    assert torch.equal(a.weight, b.weight) and parametrize.is_parametrized(b, "weight")
    assert parametrize.transfer_parametrizations_and_params(nn.Linear(2, 3), b) is b


@pytest.mark.parametrize("call, kind, text", [
    (lambda m: parametrize.register_parametrization(m, "foo", Double()), ValueError,
     "does not have a parameter, a buffer, or a parametrized element with name 'foo'"),
    (lambda m: parametrize.register_parametrization(m, "weight", nn.Flatten(0)), ValueError,
     "may not change the shape of the tensor, unless `unsafe` flag is enabled"),
    (lambda m: parametrize.register_parametrization(parametrize.register_parametrization(m, "weight", Double()), "weight",
                                                    nn.Flatten(0)), ValueError,
     "may not change the shape of the tensor, unless the `unsafe` flag is enabled"),
    (lambda m: parametrize.ParametrizationList([], m.weight), ValueError, "ParametrizationList requires one or more modules."),
    (lambda m: parametrizations.orthogonal(m, "bias"), ValueError, "Expected a matrix or batch of matrices. Got a tensor of 1"),
    (lambda m: parametrizations.orthogonal(m, orthogonal_map="foo"), ValueError, "orthogonal_map has to be one of"),
    (lambda m: parametrizations.orthogonal(m, "foo"), ValueError, "has no parameter or buffer with name 'foo'"),
    (lambda m: parametrizations.spectral_norm(m, dim=5), IndexError, r"Dimension out of range \(expected to be in range of"),
    (lambda m: parametrizations.spectral_norm(m, n_power_iterations=0), ValueError, "Expected n_power_iterations to be positive"),
])
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call(nn.Linear(2, 3))


def test_unsafe_parametrizations_change_the_shape():
    linear = parametrize.register_parametrization(nn.Linear(2, 3), "weight", nn.Flatten(0), unsafe=True)
    assert linear.weight.shape == (6,)


# ---- parametrizations ----


@pytest.mark.parametrize("sizes", [(3, 3), (2, 4), (4, 2)])
@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("base", [True, False])
def test_orthogonal(sizes, name, base):
    torch.manual_seed(0)
    linear = parametrizations.orthogonal(nn.Linear(*sizes, dtype=torch.float64), orthogonal_map=name, use_trivialization=base)
    for _ in range(3):
        weight = linear.weight
        small = weight @ weight.T if weight.shape[0] <= weight.shape[1] else weight.T @ weight
        assert torch.allclose(small, torch.eye(min(sizes), dtype=torch.float64))
        weight.sin().sum().backward()
        original = linear.parametrizations.weight.original
        with torch.no_grad():
            original -= 0.1 * original.grad.tril(-1)
    if base:
        wanted = torch.eye(sizes[1], sizes[0], dtype=torch.float64)
        linear.weight = wanted
        assert torch.allclose(linear.weight, wanted)
    elif name != "householder":
        with pytest.raises(NotImplementedError, match="It is not possible to assign to the matrix exponential or the Cayley"):
            linear.weight = torch.eye(sizes[1], sizes[0], dtype=torch.float64)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(dim):
    linear = nn.Linear(3, 4)
    before = linear.weight.detach().clone()
    parametrizations.weight_norm(linear, dim=dim)
    assert torch.allclose(linear.weight, before, atol=1e-6)
    linear.parametrizations.weight.original0.data *= 3
    assert torch.allclose(linear.weight, 3 * before, atol=1e-5)
    state = {"bias": linear.bias.detach(), "weight_g": linear.parametrizations.weight.original0.detach(),
             "weight_v": linear.parametrizations.weight.original1.detach()}
    other = parametrizations.weight_norm(nn.Linear(3, 4), dim=dim)
    other.load_state_dict(state)  # the names of the hook of that name
    assert torch.equal(other.weight, linear.weight)


def test_weight_norm_inside_a_recurrent_layer():
    layer = nn.LSTM(2, 3)
    x = torch.randn(4, 2, 2)
    before = layer(x)[0]
    parametrizations.weight_norm(layer, "weight_hh_l0")
    assert torch.allclose(layer(x)[0], before, atol=1e-6)
    layer.parametrizations.weight_hh_l0.original0.data *= 3
    assert not torch.allclose(layer(x)[0], before, atol=1e-6)


@pytest.mark.parametrize("make, dim", [(lambda: nn.Linear(3, 4), 0), (lambda: nn.ConvTranspose1d(3, 4, 2), 1)])
def test_spectral_norm(make, dim):
    torch.manual_seed(0)
    layer = parametrizations.spectral_norm(make(), n_power_iterations=20)
    weight = layer.weight
    matrix = weight.transpose(0, dim).flatten(1).detach()
    assert torch.linalg.matrix_norm(matrix, 2).item() == pytest.approx(1, abs=1e-4)
    weight.sum().backward()
    assert layer.parametrizations.weight.original.grad is not None
    u = layer.parametrizations.weight[0]._u.clone()
    layer.eval().weight
    assert torch.equal(u, layer.parametrizations.weight[0]._u)
    assert parametrizations.spectral_norm(nn.Linear(3, 4), "bias").bias.norm().item() == pytest.approx(1, abs=1e-5)


# ---- prune ----


@pytest.mark.parametrize("call, zeros", [
    (lambda m: prune.random_unstructured(m, "weight", 0.5), 6), (lambda m: prune.l1_unstructured(m, "weight", 5), 5),
    (lambda m: prune.random_structured(m, "weight", 1, 0), 4), (lambda m: prune.ln_structured(m, "weight", 0.5, 2, 1), 6),
    (lambda m: prune.identity(m, "weight"), 0), (lambda m: prune.custom_from_mask(m, "weight", torch.eye(3, 4)), 9),
])
def test_pruning(call, zeros):
    linear = nn.Linear(4, 3)
    weight = linear.weight
    assert call(linear) is linear and linear.weight_orig is weight and prune.is_pruned(linear)
    assert linear.weight.eq(0).sum().item() == zeros == linear.weight_mask.eq(0).sum().item()
    linear(torch.ones(4)).sum().backward()
    assert torch.equal(weight.grad, linear.weight_mask)
    prune.remove(linear, "weight")
    assert linear.weight is weight and weight.eq(0).sum().item() == zeros and not prune.is_pruned(linear)
    assert sorted(linear.state_dict()) == ["bias", "weight"]


def test_the_smallest_go_first_and_masks_add_up():
    linear = nn.Linear(3, 2)
    linear.weight.data = torch.tensor([[1.0, -6.0, 2.0], [5.0, 3.0, -4.0]])
    prune.l1_unstructured(linear, "weight", 2)
    assert linear.weight.tolist() == [[0, -6, 0], [5, 3, -4]]
    prune.ln_structured(linear, "weight", 1, 1, 0)
    assert linear.weight.tolist() == [[0, 0, 0], [5, 3, -4]]
    prune.l1_unstructured(linear, "weight", 1)
    assert linear.weight.tolist() == [[0, 0, 0], [5, 0, -4]]
    (hook,) = linear._forward_pre_hooks.values()
    assert isinstance(hook, prune.PruningContainer) and len(hook) == 3 and hook[0] is next(iter(hook))


def test_global_pruning():
    a, b = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)
    a.weight.data, b.weight.data = torch.tensor([[1.0, 4.0]]), torch.tensor([[2.0, 3.0]])
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=0.5)
    assert a.weight.tolist() == [[0, 4]] and b.weight.tolist() == [[0, 3]]
    scores = {(a, "weight"): torch.tensor([[1.0, 0.0]])}
    prune.global_unstructured([(a, "weight")], prune.L1Unstructured, importance_scores=scores, amount=1)
    assert a.weight.tolist() == [[0, 0]]


@pytest.mark.parametrize("call, kind, text", [
    (lambda m: prune.remove(m, "weight"), ValueError, "has to be pruned before pruning can be removed"),
    (lambda m: prune.l1_unstructured(m, "weight", 1.5), ValueError, r"amount=1.5 should either be a float in the range \[0, 1\]"),
    (lambda m: prune.l1_unstructured(m, "weight", "a"), TypeError, "Invalid type for amount: a. Must be int or float."),
    (lambda m: prune.l1_unstructured(m, "weight", 99), ValueError, "should be smaller than the number of parameters to prune=6"),
    (lambda m: prune.ln_structured(m, "bias", 1, 1, 0), ValueError, "can only be applied to multidimensional tensors"),
    (lambda m: prune.ln_structured(m, "weight", 1, 1, 3), IndexError, "Invalid index 3 for tensor of size"),
    (lambda m: prune.global_unstructured(3, prune.L1Unstructured), TypeError, "parameters is not an Iterable"),
    (lambda m: prune.global_unstructured([(m, "weight")], prune.LnStructured, amount=1, n=1), TypeError,
     'Only "unstructured" PRUNING_TYPE supported'),
    (lambda m: prune.BasePruningMethod(), TypeError, "abstract"),
    (lambda m: prune.custom_from_mask(m, "weight", torch.ones(2)), AssertionError,
     r"default_mask shape torch.Size\(\[3, 2\]\) must match self.mask shape torch.Size\(\[2\]\)"),
    (lambda m: prune.l1_unstructured(m, "weight", -1), ValueError, "amount=-1 should either be a float"),
])
def test_pruning_refusals(call, kind, text):
    linear = nn.Linear(2, 3)
    with pytest.raises(kind, match=text):
        call(linear)
    assert sorted(linear.state_dict()) == ["bias", "weight"]  # a refusal leaves the module as it was


def test_a_container_takes_prunings_of_one_parameter():
    of_weight, of_bias = prune.L1Unstructured(0.5), prune.L1Unstructured(0.5)
    of_weight._tensor_name, of_bias._tensor_name = "weight", "bias"
    container = prune.PruningContainer(of_weight)
    with pytest.raises(ValueError, match="acting on the parameter named 'weight' to PruningContainer .* Found 'bias'"):
        container.add_pruning_method(of_bias)
    with pytest.raises(TypeError, match="<class 'int'> is not a BasePruningMethod subclass"):
        container.add_pruning_method(3)
    assert len(container) == 1 and list(prune.PruningContainer(of_weight, of_weight)) == [of_weight, of_weight]


def test_two_parameters_pruned_and_one_taken_back():
    linear = nn.Linear(2, 3)
    prune.l1_unstructured(linear, "weight", 2)
    prune.l1_unstructured(linear, "bias", 1)
    prune.remove(linear, "weight")
    assert sorted(linear.state_dict()) == ["bias_mask", "bias_orig", "weight"] and linear.weight.eq(0).sum() == 2
    assert [hook._tensor_name for hook in linear._forward_pre_hooks.values()] == ["bias"] and prune.is_pruned(linear)


# ---- modules as functions ----


def test_functional_call():
    linear, x = nn.Linear(2, 3), torch.ones(2)
    before = linear(x)
    made = func.functional_call(linear, {"weight": torch.ones(3, 2)}, (x,))
    assert torch.allclose(made, 2 + linear.bias) and torch.equal(linear(x), before)
    both = ({"weight": torch.ones(3, 2)}, {"bias": torch.zeros(3)})
    assert func.functional_call(linear, both, x, strict=True).tolist() == [2, 2, 2]
    assert func.functional_call(linear, both, (), {"input": x}).tolist() == [2, 2, 2]
    grads = func.grad(lambda p: func.functional_call(linear, p, (x,)).sum())(dict(linear.named_parameters()))
    assert grads["weight"].tolist() == [[1, 1]] * 3 and grads["bias"].tolist() == [1, 1, 1]


def test_functional_call_puts_back_after_an_error():
    linear = nn.Linear(2, 3)
    weight = linear.weight
    with pytest.raises(RuntimeError):
        func.functional_call(linear, {"weight": torch.ones(3, 7)}, (torch.ones(2),))
    assert linear.weight is weight


@pytest.mark.parametrize("extra", [torch.ones(1), nn.Parameter(torch.ones(1))])
def test_functional_call_takes_back_what_the_module_did_not_have(extra):
    linear, x = nn.Linear(2, 3), torch.ones(2)
    for _ in range(2):
        func.functional_call(linear, {"bias": torch.zeros(3), "extra": extra}, (x,))
        assert not hasattr(linear, "extra") and list(linear.state_dict()) == ["weight", "bias"]


def test_functional_call_of_buffers_and_recurrent_layers():
    norm = nn.BatchNorm1d(2)
    buffers = {name: tensor.clone() for name, tensor in norm.named_buffers()}
    func.functional_call(norm, buffers, (torch.randn(4, 2),))
    assert buffers["num_batches_tracked"].item() == 1 and norm.num_batches_tracked.item() == 0
    layer = nn.GRU(2, 3)
    zeros = {name: torch.zeros_like(tensor) for name, tensor in layer.named_parameters()}
    assert func.functional_call(layer, zeros, (torch.randn(4, 2),))[0].eq(0).all()


def test_tied_weights():
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    one = {"0.weight": torch.ones(2, 2)}
    assert func.functional_call(net, one, torch.ones(2)).tolist() == [4, 4]
    assert torch.allclose(func.functional_call(net, one, torch.ones(2), tie_weights=False), 2 * net[1].weight.sum(1))
    with pytest.raises(ValueError, match=r"got multiple values for keys \['0.weight', '1.weight'\], which are tied"):
        func.functional_call(net, one | {"1.weight": torch.zeros(2, 2)}, torch.ones(2))


@pytest.mark.parametrize("tensors, options, kind, text", [
    ({"weight": 1}, {}, TypeError, "1 is not an instance of torch.Tensor"),
    (3, {}, ValueError, "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got <class 'int'>"),
    ((3,), {}, ValueError, "Expected all elements of parameter_and_buffer_dicts to be dictionaries"),
    (({"weight": 1}, {"weight": 1}), {}, ValueError, r"\['weight'\] appeared in multiple dictionaries"),
    ({}, {"strict": True}, RuntimeError, r"Error\(s\) in reparametrizing for Linear:\n\tMissing key\(s\): 'bias', 'weight'."),
])
def test_functional_call_refusals(tensors, options, kind, text):
    with pytest.raises(kind, match=text):
        func.functional_call(nn.Linear(2, 3), tensors, (torch.ones(2),), **options)


def test_the_old_functional_call_warns():
    with pytest.warns(FutureWarning, match="`torch.nn.utils.stateless.functional_call` is deprecated"):
        made = stateless.functional_call(nn.Linear(2, 1, bias=False), {"weight": torch.ones(1, 2)}, (torch.ones(2),))
    assert made.tolist() == [2]


def test_stacked_modules():
    nets, x = [nn.Linear(2, 3) for _ in range(4)], torch.randn(5, 2)
    parameters, buffers = func.stack_module_state(nets)
    assert parameters["weight"].shape == (4, 3, 2) and parameters["weight"].is_leaf and buffers == {}
    made = func.vmap(lambda p, b: func.functional_call(nets[0], (p, b), (x,)))(parameters, buffers)
    assert torch.allclose(made, torch.stack([net(x) for net in nets]), atol=1e-6)
    for models, text in (([], "Expected at least one model, got 0"), ([nets[0], nn.ReLU()], "to be of the same class"),
                         ([nets[0], nn.Linear(2, 3).eval()], "to have the same training/eval mode")):
        with pytest.raises(RuntimeError, match=text):
            func.stack_module_state(models)
    nets[0].bias.requires_grad_(False)
    with pytest.raises(RuntimeError, match="Expected bias from each model to have the same .requires_grad"):
        func.stack_module_state(nets)


def test_the_cache_lasts_until_the_outermost_block_ends():
    linear = parametrizations.weight_norm(nn.Linear(2, 2))
    with parametrize.cached():
        first = linear.weight
        with parametrize.cached():
            assert linear.weight is first
        assert linear.weight is first
    assert linear.weight is not first
    assert parametrize.cached()(lambda: linear.weight is linear.weight)()
    with pytest.raises(RuntimeError, match="inside"), parametrize.cached():
        raise RuntimeError("inside")
    assert linear.weight is not linear.weight


def test_a_refused_assignment_changes_no_original():
    class Halves(nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, value):
            return value / 2, (value / 2).to(self.dtype)

    halves = Halves()
    halves.dtype = torch.float32
    linear = parametrize.register_parametrization(nn.Linear(2, 2), "weight", halves)
    before, halves.dtype = linear.weight.detach().clone(), torch.float64
    with pytest.raises(ValueError, match="has dtype torch.float64 while `original1` has dtype torch.float32"):
        linear.weight = torch.ones(2, 2)
    assert torch.equal(linear.weight, before)


class Several(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2))
        self.register_parameter("none", None)
        self.plain, self.empty, self.number = torch.full((2,), 5.0), None, 3
        self.sub = nn.Linear(2, 2, bias=False)

    def forward(self, x):
        more = [t for t in (self.none, self.empty, self.plain) if t is not None]
        return sum(more, x * self.w + self.b)


def test_functional_call_with_other_attributes():
    m, two = Several(), torch.full((2,), 2.0)
    x, before = torch.ones(2), dict(m.__dict__)
    for given, value in (({"plain": two}, 3), ({"empty": two}, 8), ({"none": two}, 8), ({"plain": None}, 1), ({"w": two}, 7),
                         ({"new": two}, 6), ({"sub.new": two}, 6), ({"b": two, "plain": two}, 5)):
        kept = dict(given)
        assert func.functional_call(m, given, (x,)).tolist() == [value, value], kept
        assert m(x).tolist() == [6, 6] and given == kept
        assert {k: v for k, v in m.__dict__.items() if k in before} == before
        assert not hasattr(m, "new") and not hasattr(m.sub, "new")


@pytest.mark.parametrize("given, error, text", (
    ({"number": torch.ones(2)}, TypeError, "attribute `number`: 3 is not an instance of torch.Tensor"),
    ({"w": 7}, TypeError, "7 is not an instance of torch.Tensor"),
    ({"nope.w": torch.ones(2)}, AttributeError, "Several has no attribute `nope`"),
    ({"w.data": torch.ones(2)}, TypeError, "submodule `w`:"),
    ({"": torch.ones(2)}, KeyError, "tensor name can"),
    ({"sub.": torch.ones(2)}, KeyError, "tensor name can"),
    ({"w": None}, TypeError, "NoneType"),
))
def test_functional_call_refuses_and_changes_nothing(given, error, text):
    m = Several()
    w = m.w
    with pytest.raises(error, match=text):
        func.functional_call(m, {"b": torch.ones(2), **given}, (torch.ones(2),))
    assert m.w is w and m.b.tolist() == [0, 0] and m.number == 3
    with pytest.raises(RuntimeError, match="Error\\(s\\) in reparametrizing for Several"):
        func.functional_call(m, given, (torch.ones(2),), strict=True)


def test_functional_call_with_what_forward_changed():
    class Changes(Several):
        def forward(self, x):
            self.plain = 3
            del self.w
            return x

    m = Changes()
    w, plain, given = m.w, m.plain, {"w": torch.zeros(2), "plain": torch.zeros(2)}
    func.functional_call(m, given, (torch.ones(2),))
    assert m.w is w and m.plain is plain


def test_functional_call_with_a_weight_that_is_computed():
    m = nn.Linear(2, 2, bias=False)
    parametrize.register_parametrization(m, "weight", nn.Identity())
    nn.init.ones_(m.parametrizations.weight.original)
    x = torch.ones(2)
    assert func.functional_call(m, {"parametrizations.weight.original": torch.zeros(2, 2)}, (x,)).tolist() == [0, 0]
    assert m(x).tolist() == [2, 2]


def test_a_square_is_kept_by_the_householder_map():
    for n in (1, 2, 4):
        torch.manual_seed(n)
        layer = nn.Linear(n, n, bias=False)
        nn.init.orthogonal_(layer.weight)
        before = layer.weight.detach().clone()
        parametrizations.orthogonal(layer, orthogonal_map="householder", use_trivialization=False)
        assert torch.allclose(layer.weight.abs(), before.abs(), atol=1e-5)
        layer.weight = before
        q, r = torch.linalg.qr(before)
        assert torch.allclose(layer.weight, q * r.diagonal().sign(), atol=1e-5)
