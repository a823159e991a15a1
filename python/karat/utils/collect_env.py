"""karat.utils.collect_env: a text about the machine and what is installed, for reports. python -m karat.utils.collect_env"""

import os
import platform
import re
import subprocess
import sys
from collections import namedtuple

from .. import _karat, cuda, version

SystemEnv = namedtuple("SystemEnv", """torch_version is_debug_build cuda_compiled_version gcc_version clang_version cmake_version
    os libc_version python_version python_platform is_cuda_available cuda_runtime_version cuda_module_loading
    nvidia_driver_version nvidia_gpu_models cudnn_version is_xpu_available pip_version pip_packages conda_packages
    hip_compiled_version hip_runtime_version miopen_runtime_version caching_allocator_config is_xnnpack_available cpu_info""")

_NO = "Could not collect"
_PACKAGES = re.compile(r"(numpy|karat|torch|triton|onnx|nvidia|mypy|flake8|optree|pytorch)", re.IGNORECASE)


def run(command):
    """(exit status, what it printed, its errors) of a command."""
    try:
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as e:
        return 127, "", str(e)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def _first(command, pattern="(.*)"):
    status, text, _ = run(command)
    found = re.search(pattern, text) if status == 0 else None
    return found[1] if found else None


def _os():
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name} ({platform.machine()})"


def _packages():
    from importlib.metadata import distributions

    found = {f"{one.metadata['Name']}=={one.version}" for one in distributions() if _PACKAGES.match(one.metadata["Name"] or "")}
    return "\n".join(sorted(found, key=str.lower))


def _torch_version():
    """The version that programs see: PyTorch's under `karat run`, else Karat's."""
    return getattr(sys.modules.get("torch"), "__version__", version.__version__)


def get_env_info():
    """What there is to know, field by field; None: it could not be found."""
    available = cuda.is_available()
    return SystemEnv(
        torch_version=_torch_version(), is_debug_build="False", cuda_compiled_version="None",
        gcc_version=_first(["gcc", "--version"], r"gcc (.*)"),
        clang_version=_first(["clang", "--version"], r".*clang version (\S+)"),
        cmake_version=_first(["cmake", "--version"], r"cmake (version .*)"), os=_os(),
        libc_version="-".join(platform.libc_ver()),
        python_version=f"{sys.version} ({sys.maxsize.bit_length() + 1}-bit runtime)".replace("\n", ""),
        python_platform=platform.platform(), is_cuda_available=str(available), cuda_runtime_version=None,
        cuda_module_loading=os.environ.get("CUDA_MODULE_LOADING", "LAZY") if available else "N/A",
        nvidia_driver_version=_first(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]),
        nvidia_gpu_models="\n".join(f"GPU {i}: {cuda.get_device_name(i)}" for i in range(cuda.device_count())) or None,
        cudnn_version=None, is_xpu_available="False", pip_version="pip3", pip_packages=_packages(), conda_packages=None,
        hip_compiled_version="N/A", hip_runtime_version="N/A", miopen_runtime_version="N/A", caching_allocator_config="N/A",
        is_xnnpack_available="False", cpu_info=run(["lscpu"])[1] or None)


def get_pretty_env_info():
    """The same as text."""
    env = get_env_info()
    shown = {name: _NO if value is None else value or "No relevant packages" for name, value in env._asdict().items()}
    models = shown["nvidia_gpu_models"]
    shown["nvidia_gpu_models"] = "\n" + models if env.nvidia_gpu_models else models
    for kind, key in (("pip3", "pip_packages"), ("conda", "conda_packages")):
        shown[key] = "\n".join(f"[{kind}] {line}" for line in shown[key].split("\n"))
    shown["karat"] = f"{_karat.version}, kernels {_karat.isa}, products {', '.join(_karat.product_libraries())}"
    return """PyTorch version: {torch_version}
Karat: {karat}
Is debug build: {is_debug_build}
CUDA used to build PyTorch: {cuda_compiled_version}
ROCM used to build PyTorch: {hip_compiled_version}

OS: {os}
GCC version: {gcc_version}
Clang version: {clang_version}
CMake version: {cmake_version}
Libc version: {libc_version}

Python version: {python_version}
Python platform: {python_platform}
Is CUDA available: {is_cuda_available}
CUDA runtime version: {cuda_runtime_version}
CUDA_MODULE_LOADING set to: {cuda_module_loading}
GPU models and configuration: {nvidia_gpu_models}
Nvidia driver version: {nvidia_driver_version}
cuDNN version: {cudnn_version}
Is XPU available: {is_xpu_available}
HIP runtime version: {hip_runtime_version}
MIOpen runtime version: {miopen_runtime_version}
Is XNNPACK available: {is_xnnpack_available}
Caching allocator config: {caching_allocator_config}

CPU:
{cpu_info}

Versions of relevant libraries:
{pip_packages}
{conda_packages}""".format(**shown)


def main():
    """Prints it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
