"""Pickles and files name what PyTorch has, under its names, so that each reads the other's; and what PyTorch wrote is read."""

import io
import os
import pickle
import pickletools
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import karat
from karat import nn
from karat.nn import functional as F

PROTOCOLS = (0, 1, 2, 4, 5)


def saved(obj, **options):
    file = io.BytesIO()
    karat.save(obj, file, **options)
    file.seek(0)
    return file


def names_in(pickled):
    """The names of a pickle, whatever its protocol."""
    texts, memo, names, last = [], {}, set(), None
    for opcode, argument, _ in pickletools.genops(pickled):
        if opcode.name == "MEMOIZE":
            memo[len(memo)] = last
        elif opcode.name.endswith("PUT"):
            memo[argument] = last
        elif opcode.name == "GLOBAL":
            names.add(argument.replace(" ", "."))
        elif opcode.name == "STACK_GLOBAL":
            names.add(".".join(texts[-2:]))
        if "UNICODE" in opcode.name or opcode.name.endswith("GET"):
            last = memo[argument] if opcode.name.endswith("GET") else argument
            if isinstance(last, str):
                texts.append(last)
        elif opcode.stack_after and opcode.name != "MEMOIZE":
            last = None
    return names


def names_saved(obj):
    file = saved(obj)
    return names_in(zipfile.ZipFile(file).read("archive/data.pkl"))


def test_a_file_has_pytorchs_names():
    t = karat.ones(2, 2)
    rebuild = {"torch._utils._rebuild_tensor_v2", "torch.FloatStorage", "collections.OrderedDict"}
    assert names_saved(t) == rebuild
    assert names_saved(t.max(0)) == rebuild | {"torch.return_types.max", "torch.LongStorage"}
    assert names_saved(karat.linalg.slogdet(t)) == rebuild | {"torch.return_types.linalg_slogdet"}
    assert names_saved(nn.Parameter(t)) == rebuild | {"torch._utils._rebuild_parameter"}
    assert names_saved(karat.Generator()) == {
        "torch.Generator", "torch.device", "torch._utils._rebuild_tensor_v2", "torch.ByteStorage", "collections.OrderedDict"}
    assert names_saved(karat.channels_last) == {"torch.channels_last"}
    assert names_saved(karat.strided) == {"torch.serialization._get_layout"}
    assert names_saved(karat.qint8) == {"torch.qint8"} and names_saved(karat.uint4) == {"torch.uint4"}
    assert names_saved([karat.relu, F.relu, F.gelu, F.logsigmoid, F.cross_entropy, karat.linalg.norm, karat.special.erf]) == {
        "torch.relu", "torch.nn.functional.relu", "torch._C._nn.gelu", "torch._C._nn.log_sigmoid",
        "torch.nn.functional.cross_entropy", "torch._C._linalg.linalg_norm", "torch._C._special.special_erf"}
    assert names_saved(karat.Tensor.dim_order) == {"__builtin__.getattr", "torch.Tensor"}


SCRIPT = """
import pickle, sys, torch
from torch import nn
from torch.nn import functional as F
t = torch.ones(2, 2)
objects = [t, t.max(0), nn.Parameter(t), torch.Generator(), torch.channels_last, torch.strided, torch.qint8, torch.FloatTensor,
           torch.FloatStorage, torch.cuda.FloatTensor, t.untyped_storage(), t.storage(), nn.Linear(2, 2), nn.LSTM(2, 2),
           torch.optim.SGD([nn.Parameter(t)], 0.1), torch.autocast("cpu", torch.bfloat16), torch.Size([2]), torch.device("cpu"),
           torch.half, torch.relu, F.gelu, F.logsigmoid, F.multi_head_attention_forward, torch.linalg.norm, torch.numel,
           torch.get_autocast_dtype, torch.as_tensor, torch.Tensor.storage, torch.Tensor.type, torch.Tensor.set_,
            torch.Tensor.add,
           torch.optim.lr_scheduler.CyclicLR(torch.optim.SGD([nn.Parameter(t)], 0.1, 0.9), 0.1, 0.2), torch.UntypedStorage,
           torch.distributions.Normal(t, t), torch.amp.GradScaler("cpu"), torch.nn.utils.rnn.pack_sequence([t])]
for one in objects:
    for protocol in (0, 2, 4):
        pickled = pickle.dumps(one, protocol)
        assert b"karat" not in pickled, (one, pickled)
        pickle.loads(pickled)
for function in (torch.relu, F.gelu, F.logsigmoid, torch.as_tensor, torch.Tensor.storage, nn.Linear, torch.FloatTensor):
    assert pickle.loads(pickle.dumps(function)) is function
assert torch.UntypedStorage.__module__ == "torch.storage" and nn.Linear.__module__ == "torch.nn.modules.linear"
"""


def test_a_plain_pickle_under_karat_run_names_nothing_of_karats():
    command = Path(karat.__file__).parent / ".." / ".." / "bin" / "karat"
    ran = subprocess.run([os.path.realpath(command), "run", f"--python={sys.executable}", "-c", SCRIPT], capture_output=True,
                         text=True)
    assert ran.returncode == 0, ran.stderr


def test_plain_pickles_come_back():
    t = karat.arange(6.0).reshape(2, 3)
    noted = nn.Parameter(karat.ones(2))
    noted.note = [1]
    for one in (t, t.t(), t[1:], karat.tensor([1 + 2j]).conj(), karat.ones(2, dtype=karat.uint16), karat.ones(0, 3),
                karat.ones(2).to(karat.float8_e4m3fn), nn.Parameter(t), noted, karat.ones(2, device="meta"), nn.Buffer(t)):
        for protocol in PROTOCOLS:
            back = pickle.loads(pickle.dumps(one, protocol))
            assert type(back) in (type(one), karat.Tensor) and back.dtype is one.dtype and back.shape == one.shape
            assert back.stride() == one.stride() and back.is_conj() == one.is_conj() and back.requires_grad == one.requires_grad
            if not one.is_meta:
                assert back.tolist() == one.tolist()
            assert getattr(back, "note", None) == getattr(one, "note", None)
    for protocol in PROTOCOLS:
        values, indices = pickle.loads(pickle.dumps(t.max(0), protocol))
        assert values.tolist() == [3, 4, 5] and indices.tolist() == [1, 1, 1]
        drawn = karat.Generator().manual_seed(3)
        karat.rand(5, generator=drawn, device="cpu")
        back = pickle.loads(pickle.dumps(drawn, protocol))
        assert back.initial_seed() == 3
        assert karat.rand(4, generator=back, device="cpu").equal(karat.rand(4, generator=drawn, device="cpu"))
        for one in (karat.channels_last, karat.strided, karat.FloatTensor, karat.FloatStorage, karat.qint8, F.logsigmoid):
            assert pickle.loads(pickle.dumps(one, protocol)) is one
        assert pickle.loads(pickle.dumps(t.untyped_storage(), protocol)).tolist() == t.untyped_storage().tolist()
        region = pickle.loads(pickle.dumps(karat.autocast("cpu", karat.float16), protocol))
        with region:
            assert (karat.ones(2, 2, device="cpu") @ karat.ones(2, 2, device="cpu")).dtype is karat.float16
    with pytest.raises(TypeError, match="a generator's state is its seed, its offset and a tensor"):
        karat.Generator().__setstate__(5)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_modules_in_every_protocol(protocol):
    for module in (nn.Module(), nn.Linear(2, 2), nn.Sequential(nn.ReLU())):
        assert repr(pickle.loads(pickle.dumps(module, protocol))) == repr(module)


class Own(nn.Module):
    def __reduce__(self):
        return Own, ()


def test_a_module_with_a_reduce_of_its_own():
    for protocol in PROTOCOLS:
        assert type(pickle.loads(pickle.dumps(Own(), protocol))) is Own


def loaded(body):
    """What weights_only=False makes of a file with this pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("a/data.pkl", b"\x80\x02" + body + b".")
        z.writestr("a/version", b"3\n")
    file.seek(0)
    return karat.load(file, weights_only=False)


def test_pickles_of_pytorch():
    for name in ("relu", "sigmoid", "tanh", "add", "allclose", "as_tensor", "conv2d", "from_numpy"):
        body = b"c__builtin__\ngetattr\nctorch._C\n_VariableFunctionsClass\nX" + bytes([len(name), 0, 0, 0]) + name.encode()
        assert loaded(body + b"\x86R") is getattr(karat, name)
    with pytest.raises(AttributeError, match="type object '_VariableFunctionsClass' has no attribute '_karat'"):
        loaded(b"c__builtin__\ngetattr\nctorch._C\n_VariableFunctionsClass\nX\x06\0\0\0_karat\x86R")
    assert loaded(b"ctorch._C._nn\ngelu\n") is F.gelu
    made = loaded(b"ccopy_reg\n_reconstructor\nctorch.nn.modules.module\nModule\nc__builtin__\nobject\nN\x87R}b")
    assert type(made) is nn.Module and not made._parameters
    with pytest.raises(ImportError, match="PyTorch may have it|No module named"):
        loaded(b"ctorch.no_such_module\nx\n")


def test_refused_dtypes_are_values():
    for name in ("qint8", "quint8", "qint32", "quint4x2", "uint4", "bits8", "float4_e2m1fn_x2", "per_tensor_affine"):
        one = getattr(karat, name)
        assert one is getattr(karat, name) and karat.load(saved(one)) is one
        with pytest.raises(NotImplementedError):
            one()


def test_private_names_that_libraries_import():
    import karat.autograd.variable

    assert karat.autograd.variable.Variable is karat.autograd.Variable
    assert len(nn.modules.transformer._get_clones(nn.ReLU(), 2)) == 2
    assert nn.modules.conv._size_2_t == nn.modules.pooling._size_2_t == nn.common_types._size_2_t
    for content, is_zip in ((b"PK\3\4more", True), (b"abc", False), (b"", False)):
        file = io.BytesIO(content)
        assert karat.serialization._is_zipfile(file) is is_zip and file.tell() == 0


def test_a_name_that_is_no_text(tmp_path):
    folder = os.fsencode(tmp_path)
    for path in (os.fsdecode(folder + b"/\xff.pt"), folder + b"/\xfe.pt", str(tmp_path / "é一.pt")):
        karat.save(karat.ones(2), path)
        for mmap in (False, True):
            assert karat.load(path, mmap=mmap).tolist() == [1, 1]


def test_old_pickles_of_karat_are_read():
    t = karat.copying.rebuild(karat.Tensor, bytes(8), karat.float32, (2,), (1,), 0, False)
    assert t.tolist() == [0, 0]
    assert karat.copying.result("max", (t, t)).values is t and karat.copying.named("strided") is karat.strided
    assert karat.copying._function("functions", "add") is karat.add
    state = karat.Generator().manual_seed(4).get_state()
    assert karat.copying.generator("cpu", state).initial_seed() == 4
    assert nn.parameter._rebuild_parameter is karat._utils._rebuild_parameter


def test_storages_are_of_the_cpu_whatever_the_default_device():
    """The default device is for tensors: a storage that is made, or comes back from a pickle, is of the device it names."""
    t, drawn = karat.arange(8, dtype=karat.uint8, device="cpu"), karat.Generator().manual_seed(3)
    before = karat.get_default_device()
    karat.set_default_device("meta")
    try:
        made = [karat.UntypedStorage(4), karat.UntypedStorage([1, 2]), karat.UntypedStorage(), t.untyped_storage().clone()]
        made += [pickle.loads(pickle.dumps(t, protocol)) for protocol in PROTOCOLS]
        made += [karat.TypedStorage(4, dtype=karat.float32), karat.TypedStorage([1, 2], dtype=karat.float32)]
        again = pickle.loads(pickle.dumps(drawn))
    finally:
        karat.set_default_device(None if before.type == "cpu" else before)
    assert {x.device.type for x in made} == {"cpu"} and made[4].tolist() == list(range(8))
    assert karat.rand(3, generator=again, device="cpu").tolist() == karat.rand(3, generator=drawn, device="cpu").tolist()
