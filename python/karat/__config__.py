"""karat.__config__: what the package was built with, as text."""

from . import _karat, version


def show():
    """Of the library: version, kernels, and the libraries for matrix products that were found."""
    found = ", ".join(_karat.product_libraries())
    return f"Karat {version.__version__} built with:\n  - kernels: {_karat.isa}\n  - products: {found}\n"


def parallel_info():
    """How many threads operators use."""
    import os

    asked = os.environ.get("OMP_NUM_THREADS", "[not set]")
    return (f"ATen/Parallel:\n\tat::get_num_threads() : {_karat.get_num_threads()}\n\tat::get_num_interop_threads() : 1\n"
            f"std::thread::hardware_concurrency() : {os.cpu_count()}\nEnvironment variables:\n\tOMP_NUM_THREADS : {asked}\n"
            "ATen parallel backend: Karat\n")
