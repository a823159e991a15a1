"""The CUDA backend on a machine without a device: it loads, questions have empty answers, what needs a device says what is
missing, and seeds and settings that a script makes before it asks are accepted. Where there is a device, nothing is tested.

    KARAT_BACKEND_PATH=FOLDER no_device.py KARAT-COMMAND
"""
import subprocess
import sys
import warnings

import karat as torch

MISSING = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from"


def answers():
    cuda = torch.cuda
    assert not cuda.is_available() and cuda.device_count() == 0 and not cuda.is_initialized()
    assert not torch.accelerator.is_available() and torch.accelerator.device_count() == 0
    assert cuda.memory_allocated() == 0 and cuda.memory_reserved() == 0 and dict(cuda.memory_stats()) == {}
    assert cuda.get_rng_state_all() == [] and cuda.default_generators == () and cuda.get_arch_list() == []
    assert not cuda.is_current_stream_capturing() and not cuda.is_bf16_supported()
    cuda.manual_seed(3), cuda.manual_seed_all(3), cuda.seed(), cuda.seed_all(), cuda.empty_cache(), torch.manual_seed(3)
    with cuda.device(-1), cuda.device_of(torch.zeros(1)), cuda.stream(None), cuda.nvtx.range("a"):
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the argument is deprecated
        assert not torch.zeros(1).is_pinned("cuda") and not torch.zeros(1).is_pinned(device=torch.device("cuda:1"))
    torch.set_default_device("cuda:3")
    assert torch.get_default_device() == torch.device("cuda:3") and torch.zeros(1, device="cpu").device.type == "cpu"
    torch.set_default_device(None)
    assert torch.device("cuda:9").index == 9 and not torch.zeros(1).is_cuda and not torch.zeros(1).is_pinned()


def with_default(call):
    torch.set_default_device("cuda")
    try:
        call()
    finally:
        torch.set_default_device(None)


def refusals():
    cuda, x = torch.cuda, torch.zeros(2)
    for call in (lambda: torch.zeros(1, device="cuda"), lambda: torch.zeros(1, device="cuda:9"), x.cuda, lambda: x.to("cuda"),
                 lambda: torch.empty_like(x, device="cuda"), lambda: torch.nn.Linear(2, 2).cuda(), cuda.init, cuda.synchronize,
                 cuda.current_device, cuda.current_stream, lambda: cuda.set_device(0), cuda.get_device_name, cuda.mem_get_info,
                 lambda: torch.Generator(device="cuda"), cuda.get_rng_state, cuda.initial_seed, x.untyped_storage().cuda,
                 cuda.Stream, cuda.Event, cuda.CUDAGraph, lambda: torch.Stream("cuda"),
                 lambda: torch.from_dlpack(x, device="cuda"), lambda: with_default(lambda: torch.zeros(1)),
                 lambda: with_default(lambda: torch.tensor([1.0])), lambda: with_default(lambda: torch.nn.Linear(2, 2)),
                 lambda: with_default(torch.get_default_device)):
        try:
            call()
        except RuntimeError as error:
            assert str(error).startswith(MISSING), error
        else:
            raise AssertionError("no error")
    for call in (x.pin_memory, lambda: torch.empty(2, pin_memory=True), torch.accelerator.synchronize):
        try:
            call()
        except RuntimeError as error:
            assert str(error) == "Cannot access accelerator device when none is available.", error
        else:
            raise AssertionError("no error")
    try:
        x.__cuda_array_interface__
    except AttributeError as error:
        assert "Can't get __cuda_array_interface__ on non-CUDA tensor" in str(error), error
    else:
        raise AssertionError("no error")


def doctor(command):
    said = subprocess.run([command, "doctor"], capture_output=True, text=True, check=True).stdout
    assert "none: the plugin libkarat_cuda.so is there, but it finds no driver, or no device" in said, said


if torch.cuda.is_available():
    print("there is a device: nothing to test")
else:
    answers()
    refusals()
    doctor(sys.argv[1])
    print("without a device: the backend loads, answers and refuses")
