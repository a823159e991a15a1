"""Fourier transforms: values beside NumPy's, layouts and messages as PyTorch has them, gradients, windows, spectra of parts."""

import gc
import threading

import numpy as np
import pytest

import karat
from karat import fft
from karat.autograd import gradcheck, gradgradcheck

LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 26, 30, 31, 64, 77, 97, 100, 121, 128, 169, 210, 255, 257,
           512, 1000, 1009, 1024, 2310]


def draw(*shape, dtype=karat.float64, seed=0):
    karat.manual_seed(seed)
    return karat.randn(*shape, dtype=dtype)


def close(x, expected, dtype):
    narrow = dtype in (karat.float32, karat.complex64)
    expected = np.asarray(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(x.resolve_conj().cpu().numpy(), expected, rtol=0, atol=scale * (3e-6 if narrow else 1e-13))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [karat.float32, karat.float64])
def test_every_length(n, dtype):
    complex_ = dtype.to_complex()
    x, z = draw(3, n, dtype=dtype), draw(3, n, dtype=complex_)
    close(fft.fft(z), np.fft.fft(z.cpu().numpy()), dtype)
    close(fft.ifft(z), np.fft.ifft(z.cpu().numpy()), dtype)
    close(fft.fft(x), np.fft.fft(x.cpu().numpy()), dtype)
    close(fft.ifft(x), np.fft.ifft(x.cpu().numpy()), dtype)
    close(fft.rfft(x), np.fft.rfft(x.cpu().numpy()), dtype)
    close(fft.ihfft(x), np.fft.ihfft(x.cpu().numpy()), dtype)
    half = z[:, :n // 2 + 1]
    close(fft.irfft(half, n), np.fft.irfft(half.cpu().numpy(), n), dtype)
    close(fft.hfft(half, n), np.fft.hfft(half.cpu().numpy(), n), dtype)
    assert fft.fft(x).dtype is complex_ and fft.irfft(half, n).dtype is dtype


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_normalization_dims_and_lengths(name, norm):
    x = draw(6, 5, 7) if name in ("rfft", "ihfft") else draw(6, 5, 7, dtype=karat.complex128)
    for dim in range(3):
        for n in (None, 1, 4, 9):
            got, expected = (getattr(one, name) for one in (fft, np.fft))
            close(got(x, n, dim, norm), expected(x.cpu().numpy(), n, dim, norm), karat.float64)
            turned = x.transpose(0, 2)
            close(got(turned, n, dim, norm), expected(turned.cpu().numpy(), n, dim, norm), karat.float64)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"])
def test_several_dims(name):
    x = draw(4, 5, 6) if name[0] == "r" else draw(4, 5, 6, dtype=karat.complex128)
    for dim in ((0, 1), (1, 0), (2, 0), (0, 1, 2), (-1, -3)):
        for s in (None, (3, 8, 4)[:len(dim)]):
            if "2" in name and len(dim) != 2:
                continue
            expected = getattr(np.fft, name)(x.cpu().numpy(), s, dim)
            close(getattr(fft, name)(x, s, dim), expected, karat.float64)
    close(fft.hfftn(x.to(karat.complex128), None, (1, 2)),
          np.fft.irfftn(np.conj(x.to(karat.complex128).cpu().numpy()), None, (1, 2), "forward"), karat.float64)
    close(fft.ihfftn(x.real, None, (1, 2)), np.conj(np.fft.rfftn(x.real.cpu().numpy(), None, (1, 2), "forward")), karat.float64)


def test_layouts_are_those_of_pytorch():
    z = draw(3, 4, 5, dtype=karat.complex64)
    x = z.real
    observed = [(fft.fft(z, dim=0), (1, 15, 3)), (fft.fft(z, dim=1), (20, 1, 4)), (fft.fft(z), (20, 5, 1)),
                (fft.rfft(x, dim=0), (1, 10, 2)), (fft.irfft(z, dim=0), (1, 20, 4)), (fft.fftn(z, dim=(0, 2)), (5, 15, 1)),
                (fft.rfftn(x, dim=(2, 0)), (1, 10, 2)), (fft.rfftn(x, dim=(0, 1)), (3, 1, 9)),
                (fft.irfftn(z, dim=(0, 1)), (6, 1, 18)), (fft.fft(z.transpose(0, 2)), (3, 15, 1)),
                (fft.ihfftn(x.contiguous()), (4, 1, 12)), (fft.irfft(z, n=1), (4, 1, 1))]  # PyTorch 2.11
    ones = draw(1, 3, 2, 3, 1, dtype=karat.complex64)  # dims of equal strides
    observed += [(fft.fft(ones, dim=1), (18, 1, 9, 3, 9)), (fft.rfft(ones.real, dim=1), (12, 1, 6, 2, 6)),
                 (fft.irfft(ones, dim=1), (24, 1, 12, 4, 12)),
                 (fft.irfftn(draw(3, 2, 2, 1, 1, 1, dtype=karat.complex64), (2, 2), (1, 0)), (1, 2, 4, 4, 4, 8))]
    for result, stride in observed:
        assert result.stride() == stride
    assert fft.ifft(x).is_conj() and fft.ihfft(x).is_conj()


def test_dtypes():
    for dtype in (karat.int32, karat.bool, karat.uint8, karat.float32):
        ones = karat.ones(4, dtype=dtype)
        assert fft.fft(ones).dtype is karat.complex64 and fft.irfft(ones).dtype is karat.float32
    assert fft.rfft(karat.ones(4, dtype=karat.int64)).tolist() == [4, 0, 0]
    for dtype, name in ((karat.float16, "Half"), (karat.bfloat16, "BFloat16")):
        narrow = karat.ones(4, dtype=dtype, device="cpu")
        with pytest.raises(RuntimeError, match=f"^Unsupported dtype {name}\n"):
            fft.fft(narrow)
        with karat.autocast("cpu", karat.bfloat16):
            assert fft.fft(narrow).dtype is karat.complex64
    with pytest.raises(RuntimeError, match="rfft expects a real input tensor, but got ComplexFloat"):
        fft.rfft(karat.ones(4, dtype=karat.complex64))
    with pytest.raises(RuntimeError, match="fft expects a complex output tensor, but got Float"):
        fft.fft(karat.ones(4), out=karat.empty(4))
    with pytest.raises(RuntimeError, match="irfft expects a floating point output tensor, but got ComplexFloat"):
        fft.irfft(karat.ones(4), out=karat.empty(6, dtype=karat.complex64))
    out = karat.empty(4, dtype=karat.complex128)
    assert fft.fft(karat.ones(4), out=out) is out and out[0] == 4


def test_dtypes_keep_their_history():
    x = karat.arange(4)
    for result in (fft.fft(x), fft.rfft(x), fft.irfft(x), fft.ifft(x), fft.fftn(x)):
        history = str(karat.lineage(result))
        assert "arange" in history and "promotion" in history
    assert "ones" in str(karat.lineage(fft.irfft(karat.ones(3, dtype=karat.complex128))))
    with karat.policy("strict"):
        with pytest.raises(TypeError, match="refuses to convert self from int64 to float32 in fft.rfft"):
            fft.rfft(x)
        with pytest.raises(TypeError, match="refuses to convert self from float32 to float64 in stft"):
            karat.stft(karat.ones(100), 16, window=karat.ones(16, dtype=karat.float64), return_complex=True)
        assert fft.fftn(karat.ones(2, 2)).dtype is karat.complex64  # the operator's own


@pytest.mark.parametrize("call, message", [
    (lambda x: fft.fft(x, n=0), r"Invalid number of data points \(0\) specified"),
    (lambda x: fft.irfft(x[..., :1]), r"Invalid number of data points \(0\) specified"),
    (lambda x: fft.fft(x, norm="bad"), 'Invalid normalization mode: "bad"'),
    (lambda x: fft.fft(x, dim=3), "Dimension out of range"),
    (lambda x: fft.fft(x.sum()), "Dimension specified as -1 but tensor has no dimensions"),
    (lambda x: fft.fftn(x, s=(2, 2, 2, 2)), "Got shape with 4 values but input tensor only has 3 dimensions."),
    (lambda x: fft.fftn(x, s=(2, 3), dim=(0,)), "When given, dim and shape arguments must have the same length"),
    (lambda x: fft.fftn(x, dim=(0, -3)), "FFT dims must be unique"),
    (lambda x: fft.rfftn(x, dim=()), "rfftn must transform at least one axis"),
    (lambda x: fft.irfftn(x, dim=()), "irfftn must transform at least one axis"),
    (lambda x: fft.fftfreq(4, dtype=karat.int32), "fftfreq requires a floating point or complex dtype"),
])
def test_refusals(call, message):
    with pytest.raises((RuntimeError, IndexError), match=f"^{message}"):
        call(karat.ones(2, 3, 4))


def test_gradients():
    x, z = draw(2, 5).requires_grad_(), draw(2, 5, dtype=karat.complex128).requires_grad_()
    y = draw(3, 4).requires_grad_()
    for function in (fft.fft, fft.ifft, fft.rfft, fft.ihfft, lambda t: fft.rfft(t, 8), lambda t: fft.rfft(t, 3, 0, "ortho")):
        assert gradcheck(function, (x,)) and gradgradcheck(function, (x,))
    for function in (fft.fft, fft.irfft, fft.hfft, lambda t: fft.irfft(t, 9), lambda t: fft.irfft(t, 4, 0), fft.fftn,
                     lambda t: fft.irfftn(t, norm="ortho")):
        assert gradcheck(function, (z,)) and gradgradcheck(function, (z,))
    for function in (fft.rfft2, fft.ihfft2, fft.fft2, fft.fftshift, lambda t: fft.irfft2(fft.rfft2(t, dim=(1, 0)), dim=(1, 0))):
        assert gradcheck(function, (y,), check_forward_ad=True)
    assert fft.fft(x).grad_fn.name() == "FftR2CBackward0"
    assert fft.fft(z).grad_fn.name() == "FftC2CBackward0"
    assert fft.irfft(z).grad_fn.name() == "FftC2RBackward0"


def test_a_vmap_transforms_examples():
    z = draw(3, 4, 6, dtype=karat.complex128)
    assert karat.equal(karat.vmap(fft.fft)(z), fft.fft(z))
    assert karat.equal(karat.vmap(fft.fftn, in_dims=1)(z), fft.fftn(z, dim=(0, 2)).transpose(0, 1))
    assert karat.allclose(karat.vmap(lambda t: fft.irfft(fft.rfft(t), 6))(z.real), z.real)


def test_a_lazily_conjugated_operand():
    z = draw(5, 12, dtype=karat.complex128)
    close(fft.fft(z.conj()), np.fft.fft(np.conj(z.cpu().numpy())), karat.float64)
    close(fft.fft(z.conj().imag), np.fft.fft(-z.cpu().numpy().imag), karat.float64)
    close(fft.irfft(z.conj(), 22), np.fft.irfft(np.conj(z.cpu().numpy()), 22), karat.float64)


def test_long_lines_and_many_of_them():
    for shape, dim in (((1 << 18,), 0), ((70000,), 0), ((65537,), 0), ((40, 3000), 1), ((3000, 40), 0), ((2, 5, 4097), 2)):
        z = draw(*shape, dtype=karat.complex64)
        close(fft.fft(z, dim=dim), np.fft.fft(z.cpu().numpy(), axis=dim), karat.complex64)


@pytest.mark.cpu_only("threads of a device have streams of their own")
def test_threads_make_the_same_tables():
    lengths, wrong = [n for n in range(300, 420)], []

    def run(seed):
        x = draw(2, 512, seed=seed).numpy()
        for n in lengths:
            if not np.allclose(fft.fft(karat.from_numpy(x), n).numpy(), np.fft.fft(x, n)):
                wrong.append(n)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_tables_of_lengths_are_kept_within_bounds():
    fft.fft(karat.ones(4096))
    gc.collect()
    before = karat.memory_stats()["live_bytes"]
    for n in range(1 << 17, (1 << 17) + 40, 4):
        fft.fft(karat.ones(n))
    assert karat.memory_stats()["live_bytes"] - before < 1 << 20


def test_frequencies_and_shifts():
    for n in (0, 1, 4, 5):
        close(fft.fftfreq(n or 1, 0.5, dtype=karat.float64), np.fft.fftfreq(n or 1, 0.5), karat.float64)
        close(fft.rfftfreq(n or 1, 2.0, dtype=karat.float64), np.fft.rfftfreq(n or 1, 2.0), karat.float64)
    x = karat.arange(15).reshape(3, 5)
    assert fft.fftshift(x).tolist() == np.fft.fftshift(x.cpu().numpy()).tolist()
    assert fft.ifftshift(x, 1).tolist() == np.fft.ifftshift(x.cpu().numpy(), 1).tolist()
    assert fft.fftfreq(5).dtype is karat.float32 and fft.fftfreq(4, dtype=karat.float16).dtype is karat.float16


@pytest.mark.parametrize("name, reference", [("hann", np.hanning), ("hamming", np.hamming), ("blackman", np.blackman),
                                             ("bartlett", np.bartlett), ("kaiser", lambda n: np.kaiser(n, 12))])
def test_windows(name, reference):
    make = getattr(karat, f"{name}_window")
    for n in (2, 5, 8):
        np.testing.assert_allclose(make(n, False, dtype=karat.float64).cpu().numpy(), reference(n), atol=1e-14)
        np.testing.assert_allclose(make(n, dtype=karat.float64).cpu().numpy(), reference(n + 1)[:-1], atol=1e-14)
    assert make(0).tolist() == [] and make(1).tolist() == [1]
    assert make(4, requires_grad=True).requires_grad and make(4, dtype=karat.float16).dtype is karat.float16
    with pytest.raises(RuntimeError, match=f"{name}_window requires non-negative window_length, got window_length=-1"):
        make(-1)
    with pytest.raises(RuntimeError, match=f"{name}_window expects floating point dtypes"):
        make(3, dtype=karat.int32)


@pytest.mark.parametrize("options", [dict(), dict(hop_length=5, win_length=12), dict(normalized=True, onesided=False),
                                     dict(center=False), dict(pad_mode="constant", win_length=15, hop_length=3)])
def test_parts_of_a_signal(options):
    x = draw(2, 100).requires_grad_()
    window = karat.hann_window(options.get("win_length", 16), dtype=karat.float64) + 0.1
    y = karat.stft(x, 16, window=window, return_complex=True, **options)
    hop, before = options.get("hop_length", 4), (16 - len(window)) // 2
    padded = x.detach().cpu().numpy()
    if options.get("center", True):
        padded = np.pad(padded, ((0, 0), (8, 8)), options.get("pad_mode", "reflect"))
    wide = np.zeros(16)
    wide[before:before + len(window)] = window.cpu().numpy()
    parts = np.stack([padded[:, at:at + 16] * wide for at in range(0, padded.shape[1] - 15, hop)], 1)
    transform = np.fft.fft if options.get("onesided") is False else np.fft.rfft
    expected = transform(parts, norm="ortho" if options.get("normalized") else None).transpose(0, 2, 1)
    close(y.detach(), expected, karat.float64)
    back = {key: value for key, value in options.items() if key != "pad_mode"}
    again = karat.istft(y, 16, window=window, length=None if options.get("center") is False else 100, **back)
    assert karat.allclose(again[:, 20:80], x[:, 20:80])
    again.sum().backward()
    assert x.grad.isfinite().all()


@pytest.mark.filterwarnings("ignore:A window was not provided")
def test_mistakes_in_parts_of_a_signal():
    x, window = karat.ones(2, 400), karat.hann_window(64)
    cases = [(dict(n_fft=64), "stft requires the return_complex parameter be given for real inputs"),
             (dict(n_fft=64, hop_length=-1, return_complex=True), "expected hop_length > 0, but got hop_length=-1"),
             (dict(n_fft=64, win_length=100, return_complex=True), "expected 0 < win_length <= n_fft, but got win_length=100"),
             (dict(n_fft=64, window=karat.ones(3), return_complex=True), "of size equal to win_length=64"),
             (dict(n_fft=64, align_to_window=True, return_complex=True), "should only be set when center = false")]
    for options, message in cases:
        with pytest.raises(RuntimeError, match=message):
            karat.stft(x, **{"window": None, **options})
    y = karat.stft(x, 64, window=window, return_complex=True)
    assert y.stride() == (858, 1, 33)  # PyTorch 2.11
    for options, message in [(dict(center=False), "window overlap add min: 1"),
                             (dict(hop_length=0), "0 < hop_length <= win_length"),
                             (dict(onesided=False), "to match n_fft when onesided=False, but got 33")]:
        with pytest.raises(RuntimeError, match=message):
            karat.istft(y, 64, window=window, **options)
    with pytest.raises(RuntimeError, match="istft requires a complex-valued input tensor"):
        karat.istft(y.real, 64, window=window)


def test_kaiser_windows_whose_points_are_rounded_past_the_end():
    for n in (300, 512, 1000, 1024):  # 299 is 300 in bfloat16
        assert not karat.kaiser_window(n, False, 5.3, dtype=karat.bfloat16).isnan().any()
    assert karat.kaiser_window(300, False, 5.3, dtype=karat.bfloat16)[-2:].tolist() == [0.03076171875, 0.03076171875]


def test_layouts_of_targets():
    x = karat.ones(2, 4, 3)
    for name, given, strides in [("fft", dict(dim=0), (12, 3, 1)), ("ifft", dict(dim=0), (1, 6, 2)),
                                 ("rfft", dict(dim=1), (9, 3, 1)),
                                 ("fftn", dict(dim=(1, 0)), (12, 3, 1)), ("irfft2", dict(dim=(2, 0)), (12, 3, 1)),
                                 ("ihfft", dict(dim=1), (9, 1, 3))]:  # PyTorch 2.11
        out = karat.empty(0, dtype=karat.float32 if name == "irfft2" else karat.complex64)
        made = getattr(karat.fft, name)(x, **given, out=out)
        assert made is out and out.stride() == strides, (name, out.stride())


def test_under_autocast():
    x = karat.ones(4, 4, dtype=karat.float16)
    with karat.autocast("cpu", karat.float16):
        assert karat.fft.fft(x).dtype is karat.complex64
        for name in ("hfft2", "ihfft2", "hfftn", "ihfftn"):  # of which PyTorch's list has none
            with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
                getattr(karat.fft, name)(x)
