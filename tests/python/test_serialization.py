"""torch.save and torch.load: PyTorch's zip format, what weights_only refuses, and files that are not whole."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict

import pytest

import karat
from karat import nn


class Mine:
    pass


def through(obj, **options):
    buffer = io.BytesIO()
    karat.save(obj, buffer)
    buffer.seek(0)
    return karat.load(buffer, **options)


@pytest.mark.parametrize("dtype", "float16 bfloat16 float32 float64 int8 uint8 int16 int32 int64 bool complex64 uint16 "
                         "float8_e4m3fn".split())
def test_tensors_of_every_kind_come_back(dtype):
    t = karat.tensor([0, 1, 2, 3]).to(getattr(karat, dtype))
    back = through({"t": t, "part": t[1:3]})
    assert back["t"].dtype is t.dtype and back["t"].float().tolist() == t.float().tolist()
    assert back["part"].storage_offset() == 1 and back["part"]._storage()[0] == back["t"]._storage()[0]


def test_what_surrounds_tensors():
    obj = OrderedDict(a=[1, 2.5, None, "x", (True,)], d=karat.float16, s=karat.Size([2, 3]), e={1, 2}, v=karat.device("cpu"),
                      p=nn.Parameter(karat.ones(2)), t=karat.ones(2, 3).t(), g=karat.ones(1, requires_grad=True))
    back = through(obj)
    assert back["a"] == obj["a"] and back["d"] is karat.float16 and back["s"] == (2, 3) and back["e"] == {1, 2}
    assert isinstance(back["p"], nn.Parameter) and back["t"].stride() == (1, 3) and back["g"].requires_grad
    assert back["v"] == karat.device("cpu")


def test_the_archive_is_pytorchs(tmp_path):
    karat.save({"w": karat.ones(3)}, tmp_path / "net.pt")
    with zipfile.ZipFile(tmp_path / "net.pt") as z:
        assert z.namelist() == ["net/data.pkl", "net/.format_version", "net/.storage_alignment", "net/byteorder", "net/data/0",
                                "net/version", "net/.data/serialization_id"]
        assert z.read("net/version") == b"3\n" and z.read("net/byteorder") == b"little" and len(z.read("net/data/0")) == 12
        text = z.read("net/data.pkl")
        assert b"ctorch._utils\n_rebuild_tensor_v2\n" in text and b"ctorch\nFloatStorage\n" in text and b"karat" not in text
    data = (tmp_path / "net.pt").read_bytes()
    assert data.index(b"\x00\x00\x80?" * 3) % 64 == 0
    assert os.listdir(tmp_path) == ["net.pt"]


def test_a_state_goes_to_another_dtype_and_device():
    net = nn.Sequential(nn.ParameterList([karat.ones(2)]))
    state = through(net.state_dict())
    assert list(state) == ["0.0"] and state._metadata == net.state_dict()._metadata
    assert through(net.state_dict(), map_location="meta")["0.0"].is_meta
    assert karat.lineage(state["0.0"])[0]["why"] == "loaded" and karat.lineage(state["0.0"])[0]["op"] == "torch.load"


def test_weights_only_runs_nothing():
    with pytest.raises(pickle.UnpicklingError) as e:
        through({"x": Mine()})
    name = f"{Mine.__module__}.Mine"
    assert f"WeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by default." in str(e.value)
    assert isinstance(through({"x": Mine()}, weights_only=False)["x"], Mine)
    with karat.serialization.safe_globals([Mine]):
        assert isinstance(through({"x": Mine()})["x"], Mine)
    assert karat.serialization.get_safe_globals() == []
    for call in (os.system, eval, karat.manual_seed):
        with pytest.raises(pickle.UnpicklingError, match="[Uu]nsupported (global|GLOBAL)"):
            through({"x": call})


def test_bad_files_say_so(tmp_path):
    good = tmp_path / "good.pt"
    karat.save(karat.ones(100), good)
    whole = good.read_bytes()
    for content, error, text in ((b"", EOFError, "Ran out of input"), (b"hello", pickle.UnpicklingError, "The file is damaged"),
                                 (whole[:300], RuntimeError, "failed finding central directory")):
        (tmp_path / "bad.pt").write_bytes(content)
        with pytest.raises(error, match=text):
            karat.load(tmp_path / "bad.pt")
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(tmp_path / "short.pt", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name)[:8] if name.endswith("data/0") else old.read(name))
    with pytest.raises(RuntimeError, match=r"record size \(8 bytes\) does not match expected size \(400 bytes = 400 elements"):
        karat.load(tmp_path / "short.pt")
    for call, error, text in ((lambda: karat.load(3), AttributeError, "'int' object has no attribute 'seek'"),
                              (lambda: karat.save(3, 3), AttributeError, "expected 'f' to be string, path, or a file-like"),
                              (lambda: karat.load(tmp_path / "none.pt"), FileNotFoundError, "No such file")):
        with pytest.raises(error, match=text):
            call()


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "net.pt"
    karat.save(karat.ones(2), path)
    before = path.read_bytes()
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        karat.save({"t": karat.ones(2), "f": lambda: 0}, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["net.pt"]


def test_attributes_buffers_and_meta_tensors_travel(tmp_path):
    t = karat.ones(2)
    t.note = "kept"
    saved = {"t": t, "buffer": nn.Buffer(karat.ones(3), persistent=False), "meta": karat.ones(2, 3, device="meta")}
    karat.save(saved, tmp_path / "x.pt")
    for weights_only in (True, False):
        loaded = karat.load(tmp_path / "x.pt", weights_only=weights_only)
        assert loaded["t"].note == "kept" and karat.equal(loaded["t"], t)
        assert isinstance(loaded["buffer"], nn.Buffer) and loaded["buffer"].persistent is False
        assert loaded["meta"].is_meta and loaded["meta"].shape == (2, 3)


def test_recurrent_layers_are_saved_with_the_list_that_pytorch_looks_for(tmp_path):
    lstm = nn.LSTM(2, 3)
    assert [id(w) for w in lstm.__getstate__()["_flat_weights"]] == [id(w) for w in lstm.parameters()]
    karat.save(lstm, tmp_path / "x.pt")
    loaded = karat.load(tmp_path / "x.pt", weights_only=False)
    assert loaded(karat.ones(1, 1, 2))[0].shape == (1, 1, 3) and loaded._flat_weights[0] is loaded.weight_ih_l0


def with_texts_of_python_2(data):
    """A file of before PyTorch 1.6 in which the short texts of its pickles are strings of Python 2."""
    made, at = bytearray(), 0
    while at < len(data):
        size = int.from_bytes(data[at + 1:at + 5], "little") if data[at:at + 1] == b"X" else 0
        text = data[at + 5:at + 5 + size]
        if 0 < size < 8 and text.isalnum() and text.isascii():
            made += b"U" + bytes([size]) + text
            at += 5 + size
        else:
            made.append(data[at])
            at += 1
    return bytes(made)


@pytest.mark.parametrize("weights_only", [False, True])
@pytest.mark.parametrize("encoding", ["bytes", "latin1"])
def test_texts_of_python_2_may_stay_bytes(encoding, weights_only):
    t = karat.arange(4.0)
    file = io.BytesIO()
    karat.save({"a": t, "b": t[1:]}, file, _use_new_zipfile_serialization=False)
    old = io.BytesIO(with_texts_of_python_2(file.getvalue()))
    back = karat.load(old, encoding=encoding, weights_only=weights_only)
    assert set(back) == ({b"a", b"b"} if encoding == "bytes" else {"a", "b"})
    assert [one.tolist() for one in back.values()] == [[0, 1, 2, 3], [1, 2, 3]]


def test_that_the_environment_switches_weights_only_off_is_told(monkeypatch):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    file = io.BytesIO()
    karat.save(karat.ones(1), file)
    file.seek(0)
    with pytest.warns(UserWarning, match="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected.*forcing weights_only=False"):
        karat.load(file)


def test_what_cannot_be_saved_is_said_as_by_the_pickler_in_c():
    class Local:
        pass

    class Reduces:
        def __init__(self, answer):
            self.answer = answer

        def __reduce__(self):
            return self.answer

    lost = type("Lost", (), {"__module__": "no_such_module"})
    unnamed = type("Unnamed", (), {"__module__": __name__})
    here = "test_what_cannot_be_saved_is_said_as_by_the_pickler_in_c.<locals>"
    for obj, error, text in (
            (Local(), AttributeError, f"Can't pickle local object '{here}.Local'"),
            (lambda: 0, AttributeError, f"Can't pickle local object '{here}.<lambda>'"),
            (lost(), pickle.PicklingError, "<class 'no_such_module.Lost'>: import of module 'no_such_module' failed"),
            (unnamed(), pickle.PicklingError, f"attribute lookup Unnamed on {__name__} failed"),
            (Reduces(3), pickle.PicklingError, "__reduce__ must return a string or tuple"),
            (Reduces((len,)), pickle.PicklingError, "tuple returned by __reduce__ must contain 2 through 6 elements"),
            (Reduces((3, ())), pickle.PicklingError, "first item of the tuple returned by __reduce__ must be callable"),
            (Reduces((len, 3)), pickle.PicklingError, "second item of the tuple returned by __reduce__ must be a tuple")):
        with pytest.raises(error) as raised:
            karat.save({"t": karat.ones(2), "x": obj}, io.BytesIO())
        assert text in str(raised.value)
