"""nn.Module: the tree, hooks, conversion, state, and what it says about dtypes."""

import copy
import gc
import os
import pickle
import re
import typing
import weakref
from collections import OrderedDict

import karat
import karat as torch
import pytest
from karat import nn


class Affine(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(n * m, dtype=torch.float32).reshape(m, n))
        self.bias = nn.Parameter(torch.zeros(m))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)

    def extra_repr(self):
        return "affine"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Affine(3, 3), Affine(3, 3))
        self.head = Affine(3, 2)

    def forward(self, x):
        return self.head(self.body(x))


KEYS = [f"{path}.{name}" for path in ("body.0", "body.1", "head") for name in ("weight", "bias", "count")]


# ---- the tree ----


def test_walks_name_every_part_once():
    net = Net()
    assert [path for path, _ in net.named_modules()] == ["", "body", "body.0", "body.1", "head"]
    assert [path for path, _ in net.named_parameters()] == [key for key in KEYS if not key.endswith("count")]
    assert [path for path, _ in net.named_buffers()] == ["body.0.count", "body.1.count", "head.count"]
    assert list(net.children()) == [net.body, net.head]
    net.again = net.head
    assert len(list(net.parameters())) == 6
    assert len(list(net.named_parameters(remove_duplicate=False))) == 8


def test_access_by_path():
    net = Net()
    assert net.get_submodule("body.1") is net.body[1] and net.get_submodule("") is net
    assert net.get_parameter("head.weight") is net.head.weight
    assert net.get_buffer("head.count") is net.head.count
    net.set_submodule("body.1", Affine(3, 4))
    assert net.body[1].weight.shape == (4, 3)
    for call, text in (
        (lambda: net.get_submodule("body.5"), "Sequential has no attribute `5`"),
        (lambda: net.get_submodule("head.weight"), "`weight` is not an nn.Module"),
        (lambda: net.get_parameter("head.count"), "`count` is not an nn.Parameter"),
        (lambda: net.get_buffer("head.weight"), "`weight` is not a buffer"),
        (lambda: net.nothing, "'Net' object has no attribute 'nothing'"),
    ):
        with pytest.raises(AttributeError, match=text):
            call()


def test_assignment_keeps_the_tables():
    m = nn.Module()
    m.x = nn.Parameter(torch.ones(2))
    assert list(m._parameters) == ["x"] and "x" not in m.__dict__
    m.x = None
    assert m._parameters == {"x": None} and m.x is None
    m.y = torch.ones(2)
    assert "y" in m.__dict__ and not m._buffers
    del m.y
    m.y = nn.Buffer(torch.zeros(1), persistent=False)
    assert list(m._buffers) == ["y"] and "y" not in m.__dict__ and not m.state_dict()
    m.y = nn.Parameter(torch.ones(1))
    assert list(m._parameters) == ["x", "y"] and not m._buffers and not m._non_persistent_buffers_set
    m.z = nn.Module()
    del m.z, m.y
    assert not m._modules and not hasattr(m, "y")
    with pytest.raises(AttributeError):
        del m.y


@pytest.mark.cpu_only("the texts name the device")
@pytest.mark.parametrize("call, error, text", [
    (lambda m: setattr(m, "weight", torch.ones(2)), TypeError,
     "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)"),
    (lambda m: setattr(m, "count", 3), TypeError,
     "cannot assign 'int' as buffer 'count' (torch.nn.Buffer, torch.Tensor or None expected)"),
    (lambda m: m.register_parameter("a.b", None), KeyError, 'parameter name can\'t contain "."'),
    (lambda m: m.register_parameter("", None), KeyError, 'parameter name can\'t be empty string ""'),
    (lambda m: m.register_parameter("forward", None), KeyError, "attribute 'forward' already exists"),
    (lambda m: m.register_parameter("z", 3), TypeError,
     "cannot assign 'int' object to parameter 'z' (torch.nn.Parameter or None required)"),
    (lambda m: m.register_parameter("z", nn.Parameter(torch.ones(1)) * 2), TypeError,
     "cannot assign 'torch.FloatTensor' object to parameter 'z' (torch.nn.Parameter or None required)"),
    (lambda m: m.register_buffer("weight", None), KeyError, "attribute 'weight' already exists"),
    (lambda m: m.register_buffer(3, None), TypeError, "buffer name should be a string. Got int"),
    (lambda m: m.add_module("a.b", m), KeyError, 'module name can\'t contain ".", got: a.b'),
    (lambda m: m.add_module("z", 3), TypeError, "int is not a Module subclass"),
    (lambda m: m.train(3), ValueError, "training mode is expected to be boolean"),
    (lambda m: m.to(torch.int32), TypeError,
     "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int32"),
    (lambda m: nn.Module(3), TypeError, "Module.__init__() takes 1 positional argument but 2 were given"),
    (lambda m: nn.Module(a=3), TypeError, "Module.__init__() got an unexpected keyword argument 'a'"),
    (lambda m: nn.Module()(), NotImplementedError, 'Module [Module] is missing the required "forward" function'),
    (lambda m: m.to("cpu", 3), TypeError, "to() received an invalid combination of arguments"),
])
def test_bad_use_says_what_pytorch_says(call, error, text):
    m = Affine(2, 2)
    with pytest.raises(error) as e:
        call(m)
    assert e.value.args[0].startswith(text)
    assert list(m.state_dict()) == ["weight", "bias", "count"]  # nothing was changed


def test_nothing_is_assigned_before_init():
    one = torch.ones(1)
    for value, what in ((nn.Parameter(one), "parameters"), (nn.Module(), "module"), (nn.Buffer(one), "buffer")):
        class Early(nn.Module):
            def __init__(self, value=value):
                self.a = value

        with pytest.raises(AttributeError, match=f"cannot assign {what} before Module.__init__"):
            Early()


def test_overridden_getattr_is_asked():
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name)

    w = Wrapper(Affine(2, 3))
    assert w.weight.shape == (3, 2) and w.inner is w._modules["inner"]
    with pytest.raises(AttributeError, match="'Affine' object has no attribute 'nothing'"):
        w.nothing


@pytest.mark.cpu_only("the text names the device")
def test_text():
    assert repr(Net()) == """Net(
  (body): Sequential(
    (0): Affine(affine)
    (1): Affine(affine)
  )
  (head): Affine(affine)
)"""
    assert repr(nn.ModuleList([Affine(1, 1) for _ in range(3)])) == "ModuleList(\n  (0-2): 3 x Affine(affine)\n)"
    assert repr(nn.Parameter(torch.ones(1))) == "Parameter containing:\ntensor([1.], requires_grad=True)"


# ---- hooks ----


def test_order_of_hooks_and_what_they_change():
    seen, m = [], Affine(2, 2)
    m.register_forward_pre_hook(lambda m, args: seen.append("before") or (args[0] + 1,))
    m.register_forward_pre_hook(lambda m, args, kwargs: seen.append("before, kwargs") or None, with_kwargs=True, prepend=True)
    m.register_forward_hook(lambda m, args, out: seen.append(("after", args[0].tolist())) or out * 2)
    handle = nn.modules.module.register_module_forward_hook(lambda m, args, out: seen.append("all modules"))
    with handle:
        out = m(torch.zeros(2))
    assert seen == ["before, kwargs", "before", "all modules", ("after", [1.0, 1.0])]
    assert out.tolist() == [2.0, 10.0]
    assert m(torch.zeros(2)).tolist() == [2.0, 10.0] and len(seen) == 7


def test_hooks_that_are_always_called():
    class Bad(nn.Module):
        def forward(self, x):
            raise RuntimeError("forward failed")

    seen, m = [], Bad()
    m.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    m.register_forward_hook(lambda m, args, out: seen.append("never"))
    with pytest.raises(RuntimeError, match="forward failed"):
        m(1)
    assert seen == [None]

    def bad_hook(m, args, out):
        raise ValueError("hook failed")

    m.register_forward_hook(bad_hook, always_call=True)
    with pytest.raises(RuntimeError, match="forward failed"), pytest.warns(UserWarning, match="hook failed"):
        m(1)


def test_full_backward_hooks():
    seen, m = [], Affine(2, 2)
    m.register_full_backward_pre_hook(lambda m, grads: (grads[0] * 2,))
    m.register_full_backward_hook(lambda m, grad_in, grad_out: seen.append((grad_in, grad_out)))
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    (grad_in, grad_out), = seen
    assert grad_out[0].tolist() == [[2.0, 2.0]] and grad_in[0].tolist() == [[4.0, 8.0]] and x.grad.tolist() == [[4.0, 8.0]]
    seen.clear()
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        m(torch.ones(1, 2)).sum().backward()
    assert seen[0][0] == (None,) and seen[0][1][0].tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize("given, text", [
    ((None, None), "Backward hook returned an invalid number of grad_input, got 2, but expected 1"),
    ((torch.ones(1),), "hook 'hook' has changed the size of value"),
    ((), "Backward hook returned an invalid number of grad_input, got 0, but expected 1"),
    (torch.ones(2, 2), "Backward hook returned an invalid number of grad_input, got 2, but expected 1"),  # a sequence of two
])
def test_bad_results_of_backward_hooks(given, text):
    m = Affine(2, 2)
    m.register_full_backward_hook(lambda m, a, b: given)
    with pytest.raises(RuntimeError, match=text):
        m(torch.ones(1, 2, requires_grad=True)).sum().backward()


def test_old_and_full_hooks_do_not_mix():
    m = Affine(2, 2)
    m.register_backward_hook(lambda m, a, b: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks on a single Module."):
        m.register_full_backward_hook(lambda m, a, b: None)


def test_an_error_of_a_hook_is_the_users_own():
    class Mine(Exception):
        pass

    def hook(m, args):
        raise Mine("mine")

    m = Affine(2, 2)
    m.register_forward_pre_hook(hook)
    with pytest.raises(Mine, match="mine"):
        m(torch.ones(2))
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple of"):
        n = Affine(2, 2)
        n.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
        n(torch.ones(2))


# ---- state ----


def test_state_dict_and_back():
    net, other = Net(), Net()
    state = net.state_dict()
    assert list(state) == KEYS and list(state._metadata) == ["", "body", "body.0", "body.1", "head"]
    assert not state["head.weight"].requires_grad and state["head.weight"].data_ptr() == net.head.weight.data_ptr()
    with torch.no_grad():
        net.head.weight.fill_(7)
    assert str(other.load_state_dict(state)) == "<All keys matched successfully>"
    assert other.head.weight.tolist() == [[7.0] * 3] * 2
    assert net.state_dict(keep_vars=True)["head.weight"] is net.head.weight


def test_what_does_not_fit_is_named_all_at_once():
    net = Net()
    state = net.state_dict()
    del state["head.bias"]
    state["more"] = torch.ones(1)
    state["body.0.weight"] = torch.ones(2, 3)
    state["body.0.bias"] = 3
    with pytest.raises(RuntimeError) as e:
        net.load_state_dict(state)
    assert str(e.value).replace("karat.Size", "torch.Size") == (
        'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "head.bias". '
        '\n\tUnexpected key(s) in state_dict: "more". '
        '\n\tsize mismatch for body.0.weight: copying a param with shape torch.Size([2, 3]) from checkpoint, the shape in '
        'current model is torch.Size([3, 3]).\n\tWhile copying the parameter named "body.0.bias", expected torch.Tensor or '
        "Tensor-like object from checkpoint but received <class 'int'>")
    del state["body.0.weight"], state["body.0.bias"]
    keys = net.load_state_dict(state, strict=False)
    assert keys.missing_keys == ["body.0.weight", "body.0.bias", "head.bias"] and keys.unexpected_keys == ["more"]
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'int'>."):
        net.load_state_dict(3)


def test_loading_keeps_the_dtype_and_assign_takes_it():
    m = Affine(2, 2)
    half = {key: t.half() if t.is_floating_point() else t for key, t in m.state_dict().items()}
    parameter = m.weight
    m.load_state_dict(half)
    assert m.weight is parameter and m.weight.dtype is torch.float32
    m.load_state_dict(half, assign=True)
    assert m.weight is not parameter and m.weight.dtype is torch.float16 and m.weight.requires_grad


def test_hooks_and_extra_state():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def get_extra_state(self):
            return {"steps": self.steps}

        def set_extra_state(self, state):
            self.steps = state["steps"]

    m, other = Counter(), Counter()
    m.steps = 5
    m.register_state_dict_pre_hook(lambda module, prefix, keep: setattr(module, "asked", prefix))
    m._register_state_dict_hook(lambda module, state, prefix, meta: OrderedDict(state, more=1))
    state = m.state_dict()
    assert state == {"_extra_state": {"steps": 5}, "more": 1} and m.asked == ""
    other._register_load_state_dict_pre_hook(lambda state, *rest: state.pop("more"))
    other.register_load_state_dict_post_hook(lambda module, keys: keys.unexpected_keys.clear())
    other.load_state_dict(state)
    assert other.steps == 5


def test_copies_and_pickles():
    net = Net()
    net.head.again = net.head.weight
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert list(other.state_dict()) == list(net.state_dict())
        assert other.head.weight is not net.head.weight and other.head.weight.tolist() == net.head.weight.tolist()
        assert isinstance(other.head.weight, nn.Parameter)
    assert copy.deepcopy(net).head.again is not None


def test_cycles_through_modules_and_hooks_are_collected():
    m = Affine(2, 2)
    m.register_forward_hook(lambda module, args, out, m=m: out)
    m.me = m
    reference = weakref.ref(m)
    m(torch.ones(2)).sum().backward()
    del m
    gc.collect()
    assert reference() is None


# ---- dtypes ----


def test_a_module_moves_between_devices_with_the_same_parameters():
    net = Net()
    weight = net.head.weight
    net.cpu()
    assert net.head.weight is weight and weight.device.type == "cpu" and net(torch.ones(3, device="cpu")).device.type == "cpu"
    net.to("meta")
    assert net.head.weight is not weight and net.head.weight.is_meta
    net.to_empty(device="cpu")
    assert net.head.weight.device.type == "cpu" and net.head.weight.shape == (2, 3)
    with pytest.raises(NotImplementedError, match="Please use torch.nn.Module.to_empty"):
        net.to("meta").to("cpu")


def test_conversion_keeps_parameters_and_casts_gradients():
    net = Net()
    net(torch.ones(3)).sum().backward()
    weight = net.head.weight
    assert net.half() is net
    assert net.head.weight is weight and weight.dtype is torch.float16 and weight.grad.dtype is torch.float16
    assert net.head.count.dtype is torch.int64
    assert net.to(torch.bfloat16).head.bias.dtype is torch.bfloat16
    assert net.double().float().head.weight.dtype is torch.float32
    assert net.type(torch.float64).head.count.dtype is torch.float64


def test_pinned_dtypes_stay():
    net = Net()
    karat.pin_dtype(net.head)
    karat.pin_dtype(net.body[0].bias, torch.float64)
    net.half()
    net.to(net.head.weight.device, torch.bfloat16)
    dtypes = {key: t.dtype for key, t in net.state_dict().items() if not key.endswith("count")}
    assert dtypes == {"body.0.weight": torch.bfloat16, "body.0.bias": torch.float64, "body.1.weight": torch.bfloat16,
                      "body.1.bias": torch.bfloat16, "head.weight": torch.float32, "head.bias": torch.float32}
    karat.unpin_dtype(net.head)
    assert net.half().head.weight.dtype is torch.float16
    with pytest.raises(TypeError, match="expected a tensor or a module, got int"):
        karat.pin_dtype(3)


def test_pins_of_parameters_hold_gradients_data_and_copies():
    net = Net()
    net(torch.ones(3)).sum().backward()
    weight = karat.pin_dtype(net.head.weight)
    net.half()
    assert weight.dtype is torch.float32 and weight.grad.dtype is torch.float32 and net.head.bias.dtype is torch.float16
    with pytest.raises(RuntimeError, match=r"pinned to float32 \(pin_dtype\): data of float16 cannot take its place"):
        weight.data = weight.data.half()
    for copied in (copy.copy(weight), copy.deepcopy(weight), pickle.loads(pickle.dumps(weight)), copy.deepcopy(net).head.weight):
        assert type(copied) is nn.Parameter
        with pytest.raises(RuntimeError, match="pinned"):
            copied.data = copied.data.half()
    net.load_state_dict({**net.state_dict(), "head.weight": torch.zeros(2, 3, dtype=torch.float64)}, assign=True)
    assert net.half().head.weight.dtype is torch.float32 and not net.head.weight.any()
    assert karat.unpin_dtype(net.head.weight) is net.head.weight
    assert net.half().head.weight.dtype is torch.float16
    assert karat.pin_dtype(karat.pin_dtype(net.head.bias), torch.float64).dtype is torch.float64


def test_pins_hold_under_autocast():
    kind = Net().head.weight.device.type
    before = karat._karat.get_autocast(kind)
    net, x = Net(), torch.ones(1, 3)
    karat.pin_dtype(net.head)
    product = nn.Linear(3, 3)
    karat.pin_dtype(product.weight)

    class Activations(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3, 3))

        def forward(self, x):
            assert karat._karat.get_autocast(kind) == (True, torch.float32)
            return x @ x.T

    activations = karat.pin_dtype(Activations())
    karat._karat.set_autocast(kind, True, torch.bfloat16)
    try:
        assert net.body(x).dtype is torch.bfloat16 and net(x).dtype is torch.float32
        assert product(x.bfloat16()).dtype is torch.float32
        assert activations(x.bfloat16()).dtype is torch.float32
        assert (x @ x.T).dtype is torch.bfloat16
    finally:
        karat._karat.set_autocast(kind, *before)


def test_conversion_keeps_the_gradient_object_and_asks_for_children():
    net = nn.Linear(2, 2)
    net(torch.ones(2)).sum().backward()
    grad = net.weight.grad
    assert net.half().weight.grad is grad and grad.dtype is torch.float16

    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

        def children(self):
            return iter([self.a])

    half = Half().half()
    assert half.a.weight.dtype is torch.float16 and half.b.weight.dtype is torch.float32


@pytest.mark.cpu_only("memory of the host")
def test_shared_memory_is_seen_by_a_forked_process():
    net = nn.Linear(2, 2)
    before, weight = net.weight.detach().clone(), net.weight
    assert not weight.is_shared() and net.share_memory() is net
    assert net.weight is weight and weight.is_shared() and net.bias.is_shared() and weight.share_memory_() is weight
    assert torch.equal(weight, before) and weight.t().is_shared()
    child = os.fork()
    if not child:
        with torch.no_grad():
            weight.fill_(7.0)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0 and weight.tolist() == [[7.0, 7.0], [7.0, 7.0]]
    empty = torch.empty(0)
    assert empty.share_memory_() is empty


def test_explain_of_a_lazy_module(capsys):
    karat.explain(nn.Sequential(nn.LazyLinear(3)))
    assert "weight  not initialized yet" in capsys.readouterr().out


def test_the_dtype_of_a_layers_result_came_from_its_input():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4).half())
    x = torch.ones(2, 4)
    with pytest.raises(RuntimeError) as e:
        net(x)
    assert e.value.karat["operands"][0]["lineage"][0]["op"] == "ones"


def test_data_of_other_sizes_is_no_place_for_a_gradient():
    net = nn.Linear(2, 2)
    y = net(torch.ones(1, 2))
    net.weight.data = torch.ones(7, 7)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(7\) must match the size of tensor b \(2\)"):
        y.sum().backward()
    assert net.weight.grad is None


def test_an_encoder_drops_the_padding_where_pytorch_does():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2).eval()
    x, padding = torch.randn(2, 3, 4), torch.tensor([[False, False, True], [False, True, True]])
    with torch.no_grad():
        y = encoder(x, src_key_padding_mask=padding)
        assert not y[padding].any() and y[~padding].all()
        assert encoder(x, src_key_padding_mask=padding.flip(1))[padding.flip(1)].any()  # not on the right
    assert encoder(x, src_key_padding_mask=padding)[padding].any()


def test_explain_prints_conversions_by_phase(capsys):
    net = Net()
    net.head.half()
    net.head.register_forward_pre_hook(lambda module, args: args[0].half())
    net.head.register_forward_hook(lambda module, args, result: result.double())
    for _ in range(2):
        net(torch.ones(1, 3))
    karat.explain(net)
    text = capsys.readouterr().out
    head = text[text.index("  head: Affine"):]
    assert "    pre-hook: to converted float32 to float16 (explicit) at test_modules.py:" in head
    assert "    hook: to converted float16 to float64 (explicit) at test_modules.py:" in head
    assert head.count(", 2 times, ") == 2 and "forward:" not in text
    assert "hook:" not in text[:text.index("  head: Affine")]


def test_lineage_names_the_path_and_the_method():
    net = Net()
    net.half()
    *_, last = karat.lineage(net.body[1].weight)
    assert last["op"] == "Module.half() of body.1.weight" and last["to"] is torch.float16
    assert last["file"].endswith("test_modules.py")


def test_an_error_names_the_layer_and_where_its_dtypes_came_from():
    net = Net()
    net.head.half()
    with pytest.raises(RuntimeError) as e:
        net(torch.ones(1, 3))
    assert str(e.value).split("\n")[0] == "mat1 and mat2 must have the same dtype, but got Float and Half"
    assert "cast to float16, Module.half() of weight" in str(e.value)
    assert str(e.value).endswith('in "head", Affine(affine)') and e.value.karat["module"] == "head"


def test_an_error_outside_operators_is_left_alone():
    class Bad(nn.Module):
        def forward(self, x):
            return {}[x]

    with pytest.raises(KeyError) as e:
        nn.Sequential(Bad())(3)
    assert e.value.args == (3,)


def test_explain_prints_the_tree(capsys):
    net = Net()
    net.body.half()
    karat.pin_dtype(net.head)
    net.twin = net.head
    karat.explain(net)
    text = capsys.readouterr().out
    assert "    0: Affine\n      weight  float16[3, 3]  18 bytes\n" in text
    assert "cast to float16, Module.half() of 0.weight" in text
    assert "  head: Affine, pinned\n    weight  float32[2, 3]  24 bytes, pinned\n" in text
    assert "  twin: Affine, pinned, the same as above\n" in text
    assert text.endswith("float16: 4 tensors, 48 bytes; float32: 2 tensors, 32 bytes; int64: 3 tensors, 24 bytes\n")


# ---- containers ----


def test_sequential_is_a_sequence():
    s = nn.Sequential(*(Affine(2, 2) for _ in range(3)))
    first, second, third = s
    assert s[-1] is third and len(s[1:]) == 2 and list(s[1:]._modules) == ["1", "2"]
    del s[1]
    assert list(s._modules) == ["0", "1"] and s[1] is third
    s.insert(1, second).append(first)
    assert list(s) == [first, second, third, first] and s.pop(0) is first
    assert len(s + s) == 6 and len(s * 2) == 6
    for call, error in ((lambda: s[7], IndexError), (lambda: s + [1], ValueError), (lambda: s * 0, ValueError),
                        (lambda: s.insert(9, first), IndexError)):
        with pytest.raises(error):
            call()


def test_lists_and_dicts():
    modules = nn.ModuleList([Affine(1, 1)])
    modules += [Affine(2, 2)]
    modules.insert(0, Affine(3, 3))
    assert [m.weight.shape[0] for m in modules] == [3, 1, 2] and len(modules[1:]) == 2
    named = nn.ModuleDict({"a": Affine(1, 1)})
    named["b"] = modules[0]
    assert list(named) == ["a", "b"] and "a" in named and named.pop("a") is not None and len(named) == 1
    parameters = nn.ParameterList([torch.ones(2), nn.Parameter(torch.ones(3)), 5])
    assert [type(p) for p in parameters] == [nn.Parameter, nn.Parameter, int] and len(list(parameters.parameters())) == 2
    by_name = nn.ParameterDict({"x": torch.ones(2)})
    by_name.update({"y": torch.ones(1)})
    assert list(by_name.keys()) == ["x", "y"] and isinstance(by_name["x"], nn.Parameter)
    for call, error, text in (
        (lambda: modules.extend(3), TypeError, "ModuleList.extend should be called with an iterable, but got int"),
        (lambda: named.update(3), TypeError, "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                                             "int"),
        (lambda: parameters(), RuntimeError, "ParameterList should not be called."),
        (lambda: by_name[3], TypeError, "not a string"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_uninitialized_parameters():
    p = nn.UninitializedParameter(dtype=torch.float64)
    assert repr(p) == "<UninitializedParameter>" and p.dtype is torch.float64 and nn.parameter.is_lazy(p)
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        p.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        p + 1
    p.materialize((2, 3))
    assert type(p) is nn.Parameter and p.shape == (2, 3) and p.dtype is torch.float64 and p.requires_grad


# ---- what only has to be there ----


def test_compilers_return_what_they_are_given_and_say_so_once():
    karat.compiler._said.clear()
    net = Net()
    with pytest.warns(UserWarning, match="torch.compile: nothing is compiled here"):
        assert torch.compile(net) is net
    with pytest.warns(UserWarning, match="torch.jit.script: nothing is compiled here"):
        assert torch.jit.script(net) is net
    net.compile()
    assert torch.compile(mode="max-autotune")(net) is net


def test_the_call_under_its_other_names():
    layer, seen = nn.Linear(2, 1), []
    layer.register_forward_hook(lambda module, args, out: seen.append(out))
    x = torch.ones(1, 2)
    assert layer._call_impl(x).equal(layer(x)) and layer._wrapped_call_impl(x).equal(layer(x)) and len(seen) == 4
    assert nn.Module._call_impl(layer, input=x).shape == (1, 1)


class TwoInputs(nn.Module):
    def forward(self, x, y):
        return x * y


def test_backward_hooks_are_shown_zeros_for_inputs_that_want_no_gradient():
    shown, module = [], TwoInputs()
    module.register_full_backward_hook(lambda m, inputs, outputs: shown.extend(g if g is None else g.tolist() for g in inputs))
    x = torch.ones(2, requires_grad=True)
    module(x, torch.full((2,), 3.0)).sum().backward()
    assert shown == [[3, 3], [0, 0]] and x.grad.tolist() == [3, 3]


def test_backward_hooks_without_inputs_that_want_a_gradient_warn():
    layer = nn.Linear(2, 2)
    layer.register_full_backward_pre_hook(lambda m, outputs: None)
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients are computed"):
        layer(torch.ones(1, 2)).sum().backward()


# ---- one mechanism for what is noted by name ----

class Doubled(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.ones(1))
        self.child = nn.ReLU()

    def __getattr__(self, name):
        if name in self.__dict__.get("_parameters", {}):
            return self._parameters[name] * 2
        return super().__getattr__(name)


class DoubledToo(Doubled):
    pass


@pytest.mark.parametrize("kind", [Doubled, DoubledToo])
def test_a_class_with_its_own_getattr_is_asked_for_what_is_registered(kind):
    m = kind()
    assert m.w.tolist() == [2.0, 2.0] and m.b.tolist() == [1.0] and type(m.child) is nn.ReLU
    m.w = nn.Parameter(torch.full((2,), 3.0))
    assert m.w.tolist() == [6.0, 6.0] and m._parameters["w"].tolist() == [3.0, 3.0]
    with pytest.raises(AttributeError, match=f"'{kind.__name__}' object has no attribute 'nothing'"):
        m.nothing


def test_generic_modules_and_options_of_classes():
    T = typing.TypeVar("T")

    class Holder(nn.Module, typing.Generic[T]):
        def forward(self, x):
            return x

    assert Holder.__parameters__ == (T,) and isinstance(Holder[int](), Holder) and Holder()(3) == 3

    class Named:
        def __init_subclass__(cls, called=None, **options):
            super().__init_subclass__(**options)
            cls.called = called

    class Layer(nn.Linear, Named, called="it"):
        pass

    assert Layer.called == "it" and Layer(1, 1).weight.shape == (1, 1)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        type("Bad", (nn.Module,), {}, called=3)


def test_a_walk_sees_what_is_replaced_and_asks_overridden_walks():
    class Closed(nn.Sequential):
        def named_modules(self, memo=None, prefix="", remove_duplicate=True):
            yield prefix + "!", self

    inner = nn.Linear(1, 1)
    m = nn.Sequential(nn.Sequential(inner, inner), Closed(nn.ReLU()))
    assert [name for name, _ in m.named_modules()] == ["", "0", "0.0", "1!"]
    assert [name for name, _ in m.named_modules(remove_duplicate=False)] == ["", "0", "0.0", "0.1", "1!"]
    assert [name for name, _ in m.named_modules({m[0]}, "at")] == ["at", "at.1!"]
    assert [name for name, _ in m.named_parameters("at")] == ["at.0.0.weight", "at.0.0.bias"]
    assert [name for name, _ in m[0].named_parameters(remove_duplicate=False)] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    seen = []
    for name, module in m.named_modules():
        seen.append(type(module).__name__)
        if name == "":
            m[0] = nn.Tanh()
    assert seen == ["Sequential", "Tanh", "Closed"]


def test_registration_hooks_replace_what_is_registered():
    register = nn.modules.module
    log = []

    def note(module, name, value):
        log.append((type(module).__name__, name))

    handles = [register.register_module_parameter_registration_hook(note),
               register.register_module_buffer_registration_hook(note),
               register.register_module_module_registration_hook(note),
               register.register_module_buffer_registration_hook(lambda module, name, value: torch.zeros(7))]
    try:
        m = nn.Module()
        m.p, m.b, m.c = nn.Parameter(torch.ones(1)), nn.Buffer(torch.ones(1)), nn.ReLU()
        m.register_parameter("none", None)
        m.b = torch.ones(2)
    finally:
        for handle in handles:
            handle.remove()
    assert log == [("Module", "p"), ("Module", "b"), ("Module", "c"), ("Module", "b")] and m.b.shape == (7,)
    m.b = torch.ones(2)
    assert m.b.shape == (2,) and len(log) == 4
    assert register._global_parameter_registration_hooks is register._PARAMETERS.hooks
    assert register._global_forward_hooks == {} and register._addindent("a\nb", 3) == "a\n   b"
    with pytest.raises(AttributeError, match="has no attribute '_global_nothing'"):
        register._global_nothing


def test_hooks_of_all_modules_go_before_a_modules_own():
    log = []
    m = nn.ReLU()
    m.register_forward_hook(lambda module, args, out: log.append("own"))
    m.register_forward_hook(lambda module, args, kwargs, out: log.append(kwargs), with_kwargs=True, prepend=True)
    handle = nn.modules.module.register_module_forward_hook(lambda module, args, kwargs, out: out + 1, with_kwargs=True)
    try:
        assert m(torch.ones(1)).item() == 2.0 and log == [{}, "own"]
    finally:
        handle.remove()
    assert m(torch.ones(1)).item() == 1.0


def test_a_state_is_split_by_child_after_the_hooks_of_its_parent():
    m = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1)))
    seen = {}
    m.register_load_state_dict_pre_hook(
        lambda module, state, *rest: state.update({key.replace("old.", "1."): state.pop(key) for key in list(state)}))
    m[1].register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: seen.update({prefix: sorted(state)}))
    state = {key.replace("1.", "old.", 1): value + 1 for key, value in m.state_dict().items()}
    assert m.load_state_dict(state) == ([], []) and seen == {"1.": ["1.0.bias", "1.0.weight"]}
    assert torch.equal(m[1][0].weight, state["old.0.weight"])


def test_loading_leaves_the_metadata_alone():
    state = nn.Linear(1, 1).state_dict()
    m = nn.Linear(1, 1)
    weight = m.weight
    m.load_state_dict(state, assign=True)
    assert m.weight is not weight and dict(state._metadata[""]) == {"version": 1}
    weight = m.weight
    m.load_state_dict(state)
    assert m.weight is weight


def test_hooks_that_must_return_nothing():
    m, ran = nn.Linear(1, 1), []
    m.register_load_state_dict_post_hook(lambda module, keys: keys)
    m.register_load_state_dict_post_hook(lambda module, keys: ran.append(1))
    with pytest.raises(AssertionError, match="should be done inplace"):
        m.load_state_dict(m.state_dict())
    assert not ran

    def post(module, state, prefix, metadata):
        return state

    m.register_state_dict_post_hook(post)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        m.state_dict()
    with pytest.raises(RuntimeError, match="Cannot register the same function as the state dict post hook"):
        m._register_state_dict_hook(post)


def test_a_state_from_before_a_table_existed():
    state = nn.Linear(1, 1).__getstate__()
    del state["_forward_hooks_with_kwargs"], state["_non_persistent_buffers_set"]
    m = nn.Linear.__new__(nn.Linear)
    m.__setstate__(state)
    assert m._forward_hooks_with_kwargs == {} and m._non_persistent_buffers_set == set() and m(torch.ones(1)).shape == (1,)
    assert list(m.state_dict()) == ["weight", "bias"]


def test_a_replica_shares_all_but_its_parameters_and_may_lose_children():
    m = Net()
    replica = m._replicate_for_data_parallel()
    assert type(replica) is Net and replica._parameters == {} and list(replica.__dict__)[-1] == "_is_replica"
    name = next(iter(m._modules))
    del replica._modules[name]
    assert name in m._modules
    with pytest.warns(UserWarning, match=r"Calling .zero_grad\(\) from a module created with nn.DataParallel"):
        replica.zero_grad()


def test_zero_grad_keeps_the_tensor_and_drops_its_history():
    m = nn.Linear(2, 1)
    m(torch.ones(1, 2)).pow(2).sum().backward(create_graph=True)
    grad = m.weight.grad
    assert grad.grad_fn is not None
    m.zero_grad(set_to_none=False)
    assert m.weight.grad is grad and grad.grad_fn is None and not grad.requires_grad and grad.tolist() == [[0.0, 0.0]]
    m.zero_grad()
    assert m.weight.grad is None


def test_set_submodule_looks_at_the_module_first():
    m = nn.Sequential(nn.ReLU())
    with pytest.raises(ValueError, match="`module` is not an nn.Module, found <class 'int'>"):
        m.set_submodule("nowhere.at", 3)
    with pytest.raises(AttributeError, match="Sequential has no attribute `1`"):
        m.set_submodule("1", nn.ReLU(), strict=True)
    with pytest.raises(AttributeError, match="`training` is not an nn.Module"):
        m.set_submodule("training", nn.ReLU())
    m.set_submodule("0", nn.Tanh(), strict=True)
    assert type(m[0]) is nn.Tanh


def test_names_of_a_sequential_stay_where_nothing_moves():
    m = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    assert list(m.insert(2, nn.ReLU())._modules) == ["a", "b", "2"]
    assert type(m.pop(0)) is nn.ReLU and list(m._modules) == ["0", "1"]
    m *= 2
    assert [type(one).__name__ for one in m] == ["Tanh", "ReLU", "Tanh", "ReLU"]
    with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
        m * 0
    with pytest.raises(ValueError, match="add operator supports only objects of Sequential class"):
        m += [nn.ReLU()]
    with pytest.raises(AssertionError, match="module should be of type"):
        m.insert(0, 3)


@pytest.mark.parametrize("call, text", [
    (lambda: nn.ParameterList(torch.ones(2)), "ParameterList.extend should be called with an iterable, but got Tensor"),
    (lambda: nn.ModuleList(3), "ModuleList.extend should be called with an iterable, but got int"),
    (lambda: nn.ModuleDict(3), "ModuleDict.update should be called with an iterable of key/value pairs, but got int"),
    (lambda: nn.ParameterDict(3), "ParametersDict.update should be called with an iterable of key/value pairs, but got int"),
    (lambda: nn.ParameterDict([3]), "ParameterDict update sequence element #0 should be Iterable; isint"),
    (lambda: nn.ParameterDict()[3], "Index given to ParameterDict cannot be used as a key as it is not a string"),
])
def test_what_containers_refuse(call, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        call()


def test_a_hook_that_is_always_called_gets_what_the_one_before_it_returned():
    seen = []

    class Fails(nn.Module):
        def forward(self, x):
            raise RuntimeError("no")

    m = Fails()
    for given in (5, None, 7):
        m.register_forward_hook(lambda m, args, out, given=given: seen.append(out) or given, always_call=True)
    with pytest.raises(RuntimeError, match="no"):
        m(1)
    assert seen == [None, 5, 5]


def test_tables_of_all_modules_hooks_can_be_assigned_to():
    """As suites do between tests: the hooks that were there are gone, the tables go on."""
    table, seen = nn.modules.module, []
    table.register_module_forward_hook(lambda m, args, out: seen.append("first"))
    table.register_module_full_backward_hook(lambda m, grads, out: None)
    table.register_module_parameter_registration_hook(lambda m, name, value: seen.append(name))
    assert table._global_is_full_backward_hook is True and len(table._global_backward_hooks) == 1
    table._global_forward_hooks = table._global_backward_hooks = table._global_parameter_registration_hooks = {}
    table._global_is_full_backward_hook = None
    nn.Linear(1, 1)(karat.ones(1))
    assert seen == [] and not table._global_backward_hooks
    table._global_forward_pre_hooks = {7: lambda m, args: seen.append("given")}
    nn.Sigmoid()(karat.ones(1))
    table._global_forward_pre_hooks = {}
    nn.Sigmoid()(karat.ones(1))
    assert seen == ["given"]
    handle = table.register_module_forward_hook(lambda m, args, out: seen.append("again"))
    nn.Sigmoid()(karat.ones(1))
    handle.remove()
    assert seen == ["given", "again"]


@pytest.fixture
def swapping():
    karat.__future__.set_swap_module_params_on_conversion(True)
    yield
    karat.__future__.set_swap_module_params_on_conversion(False)


def test_swapped_parameters_are_the_same_objects_with_other_tensors(swapping):
    layer = nn.Linear(2, 3)
    layer(karat.ones(1, 2)).sum().backward()
    weight, grad = layer.weight, layer.weight.grad
    before = weight._cdata, grad._cdata
    layer.double()
    assert layer.weight is weight and weight.grad is grad and weight._cdata != before[0] and grad._cdata != before[1]
    assert weight.dtype == grad.dtype == karat.float64 and type(weight) is nn.Parameter and weight.requires_grad
    kept = weight._cdata
    layer.float()
    assert weight._cdata != kept and layer.weight.dtype == karat.float32
    reference = weakref.ref(weight)
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight") as raised:
        layer.half()
    assert "weakref" in str(raised.value.__cause__) and weight.grad is grad and reference() is weight


def test_without_swapping_a_parameter_keeps_its_tensor():
    layer = nn.Linear(2, 3)
    before = layer.weight._cdata, layer.bias._cdata
    layer.double()
    assert (layer.weight._cdata, layer.bias._cdata) == before


@pytest.mark.parametrize("assign", [False, True])
def test_state_dicts_are_loaded_by_swapping(swapping, assign):
    layer, other = nn.Linear(2, 3), nn.Linear(2, 3)
    weight, state = layer.weight, other.state_dict()
    layer.load_state_dict(state, assign=assign)
    assert layer.weight is weight and karat.equal(weight, other.weight) and weight.requires_grad
    assert (weight.data_ptr() == other.weight.data_ptr()) is assign

    class Loading(karat.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function is karat.Tensor.module_load:
                return args[1] if kwargs["assign"] else karat.zeros(args[0].shape)
            return super().__torch_function__(function, types, args, kwargs or {})

    state = {name: value.as_subclass(Loading) for name, value in state.items()}
    if assign:
        with pytest.raises(RuntimeError, match='While swapping the parameter named "weight".*module_load returned one of'):
            layer.load_state_dict(state, assign=True)
    else:
        layer.load_state_dict(state)
        assert not layer.weight.any() and layer.weight is weight


def test_module_load_copies_or_takes():
    x, y = karat.ones(2), karat.full((2,), 3.0)
    assert x.module_load(y, assign=True).data_ptr() == y.data_ptr() and x.tolist() == [1, 1]
    assert x.module_load(y).data_ptr() == x.data_ptr() and x.tolist() == [3, 3]


def test_register_buffer_of_a_class_may_have_no_persistent():
    class Own(nn.Module):
        def register_buffer(self, name, value):
            super().register_buffer(name, value)

    module = Own()
    module.kept = nn.Buffer(karat.ones(1))
    assert list(module.state_dict()) == ["kept"]
    with pytest.raises(TypeError):
        module.other = nn.Buffer(karat.ones(1), persistent=False)


@pytest.mark.parametrize("dtype", [karat.int8, karat.int64, karat.bool])
def test_a_frozen_embedding_may_be_of_integers(dtype):
    table = karat.tensor([[1, 0], [0, 1]]).to(dtype)
    layer = nn.Embedding.from_pretrained(table)
    assert layer(karat.tensor([1])).tolist() == table[1:].tolist() and not layer.weight.requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        nn.Embedding.from_pretrained(table, freeze=False)


@pytest.mark.parametrize("kind", [lambda: nn.LazyLinear(3), lambda: nn.LazyConv2d(3, 3), lambda: nn.LazyBatchNorm1d()])
def test_lazy_modules_are_converted_before_their_first_call(kind):
    lazy = kind()
    assert lazy.to("cpu") is lazy and lazy.to(karat.float64) is lazy and lazy.double() is lazy and lazy.cpu() is lazy
    assert {parameter.dtype for parameter in lazy.parameters()} == {karat.float64}
    assert {parameter.dtype for parameter in lazy.to("cpu", karat.float32).parameters()} == {karat.float32}
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        lazy.to(memory_format=karat.channels_last)  # which of them have four dims?
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter"):
        lazy.share_memory()


@pytest.mark.parametrize("register", (nn.modules.module.register_module_full_backward_pre_hook,
                                      lambda hook: Affine.hooked.register_full_backward_pre_hook(hook)))
@pytest.mark.parametrize("given", ((), (None, None), torch.ones(2, 2)))
def test_bad_results_of_backward_pre_hooks(register, given):
    Affine.hooked = m = Affine(2, 2)
    handle = register(lambda m, grads: given)
    try:
        with pytest.raises(RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got . but expected 1"
                           .replace("got .", r"got \d,")):
            m(torch.ones(1, 2, requires_grad=True)).sum().backward()
    finally:
        handle.remove()
        del Affine.hooked


def test_a_gradient_put_there_by_its_private_name():
    p = nn.Parameter(torch.ones(2))
    g = torch.full((2,), 3.0)
    p._grad = g
    assert p.grad is g and p._grad is g and p._grad_fn is None
    optimizer = torch.optim.SGD([p], 1.0)
    optimizer.step()
    assert p.tolist() == [-2, -2]
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        p._grad = torch.ones(3)
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None"):
        p._grad = 3
    del p._grad
    assert p.grad is None
    assert (p * 2)._grad_fn.name() == "MulBackward0"


def test_a_scalar_takes_one_element_of_a_state_dict_and_no_more():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.tensor(1.0))

    net = Scaled()
    net.load_state_dict({"scale": torch.tensor([2.0])})  # of PyTorch 0.3
    assert net.scale.item() == 2
    for given in (torch.rand(3), torch.rand(0)):
        with pytest.raises(RuntimeError, match="size mismatch for scale"):
            net.load_state_dict({"scale": given})


def test_buffers_may_be_like_tensors_and_do_not_replace_attributes():
    class Like:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError

    net, one, other = nn.Module(), Like(), Like()
    net.register_buffer("like", one)
    assert net.like is one and net.get_buffer("like") is one
    net.like = other
    assert dict(net.named_buffers())["like"] is other
    net.number = 5
    with pytest.raises(KeyError, match="attribute 'number' already exists"):
        net.number = nn.Buffer(torch.rand(2))
    assert net.number == 5 and "number" not in net._buffers
