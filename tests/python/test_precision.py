"""To what float32 may be rounded before it is multiplied: PyTorch 2.11's settings, old and new, and what plans are told."""

import json

import pytest

import karat

backends = karat.backends
PLACES = (backends, backends.cudnn, backends.cudnn.conv, backends.cudnn.rnn, backends.cuda.matmul, backends.mkldnn,
          backends.mkldnn.matmul, backends.mkldnn.conv, backends.mkldnn.rnn)


@pytest.fixture(autouse=True)
def settings():
    """As they are in a new process; those of the other tests return afterwards."""
    convolutions = backends.cudnn.allow_tf32

    def begin(allowed):
        karat.set_float32_matmul_precision("highest")
        for place in PLACES:
            place.fp32_precision = "none"
        backends.cudnn.allow_tf32 = allowed

    begin(True)
    yield
    begin(convolutions)


def shown():
    def ask(question):
        try:
            return question()
        except RuntimeError as error:
            return str(error)[:60]

    return [ask(lambda: place.fp32_precision) for place in PLACES[:7]] + [
        ask(lambda: backends.cudnn.allow_tf32), ask(lambda: backends.cuda.matmul.allow_tf32),
        ask(karat.get_float32_matmul_precision)]


CHECKING = "PyTorch is checking "
NEW, OLD, MIXED = ((CHECKING + what)[:60] for what in (
    "whether allow_tf32_new is enabled for cuBlas matmul,", "whether allow_tf32 is enabled for cuDNN without a specific operator",
    "the matmul precision without a specific backend name,"))


def test_what_holds_at_first():
    assert shown() == ["none", "none", "tf32", "tf32", "none", "none", "none", True, False, "highest"]


@pytest.mark.parametrize("level, cuda, mkldnn", [
    ("highest", "ieee", "ieee"), ("high", "tf32", "tf32"), ("medium", "tf32", "bf16")])
def test_the_precision_of_products(level, cuda, mkldnn):
    karat.set_float32_matmul_precision(level)
    assert shown() == ["none", "none", "tf32", "tf32", cuda, "none", mkldnn, True, level != "highest", level]


def test_the_older_settings():
    backends.cuda.matmul.allow_tf32 = True
    assert shown() == ["none", "none", "tf32", "tf32", "tf32", "none", "none", True, True, "high"]
    backends.cuda.matmul.allow_tf32 = False
    assert shown() == ["none", "none", "tf32", "tf32", "ieee", "none", "none", True, False, "highest"]
    backends.cudnn.allow_tf32 = False
    assert shown() == ["none", "none", "none", "none", "ieee", "none", "none", False, False, "highest"]
    for place in (backends.cudnn, backends.cuda.matmul):
        with pytest.raises(RuntimeError, match="^set_allow_tf32_cublas expects a bool, but got int"):
            place.allow_tf32 = 1


def test_the_tree_of_places():
    backends.fp32_precision = "tf32"
    assert shown() == ["tf32"] * 7 + [True, NEW, MIXED]
    backends.cudnn.fp32_precision = "ieee"
    assert shown() == ["tf32", "ieee", "tf32", "tf32", "ieee", "tf32", "tf32", True, False, MIXED]
    backends.cuda.matmul.fp32_precision = "tf32"
    assert shown()[4:] == ["tf32", "tf32", "tf32", True, NEW, MIXED]
    backends.cuda.matmul.fp32_precision = "none"
    backends.cudnn.conv.fp32_precision = "none"
    backends.fp32_precision = "ieee"
    assert shown() == ["ieee", "ieee", "ieee", "tf32", "ieee", "ieee", "ieee", OLD, False, "highest"]
    backends.fp32_precision = "bf16"
    backends.cudnn.fp32_precision = "none"
    assert shown()[:7] == ["bf16", "none", "none", "tf32", "none", "bf16", "bf16"]


def test_names_that_are_refused():
    with pytest.raises(RuntimeError, match="^backend 'cuda' does not support precision 'bf16'"):
        backends.cudnn.conv.fp32_precision = "bf16"
    for name in ("x", 3):
        with pytest.raises(RuntimeError, match=f"^Unknown precision: {name}"):
            backends.fp32_precision = name


def test_a_scope():
    with backends.cudnn.flags(allow_tf32=False, fp32_precision="ieee"):
        assert shown()[:5] == ["none", "ieee", "ieee", "ieee", "ieee"] and backends.cudnn.allow_tf32 is False
    assert shown()[:5] == ["none", "none", "tf32", "tf32", "none"] and backends.cudnn.allow_tf32 is True


def where(run, tmp_path):
    """Where the kernels of a call ran, as the trace says it."""
    with karat.profiler.profile() as profile:
        run()
    profile.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    return {event["name"]: event["args"]["where"] for event in events if event.get("cat") == "kernel"}


def test_a_device_is_told(tmp_path):
    device = karat.ones(1).device.type  # the mirror or a GPU, where the tests run on one
    image, weight = karat.ones(1, 1, 5, 5), karat.ones(1, 1, 3, 3, requires_grad=True)

    def said(dtype=karat.float32):
        def run():
            x = karat.ones(4, 4, dtype=dtype)
            x @ x
            karat.nn.functional.conv2d(image, weight).sum().backward()

        seen = where(run, tmp_path)
        return [seen[name].endswith(" tf32") for name in ("matmul", "convolution", "convolution_weight")]

    told = device != "cpu"  # whose float32 stays float32
    assert said() == [False, told, told]
    backends.cuda.matmul.allow_tf32 = True
    backends.cudnn.allow_tf32 = False
    assert said() == [told, False, False] and said(karat.float64) == [False] * 3
