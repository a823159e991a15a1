# cuda.cmake - whether the CUDA backend is built, and its compiler. In: KARAT_CUDA, KARAT_CUDA_ARCHS. Out: KARAT_HAS_CUDA, and the
# language CUDA if so. It is off unless it is asked for: the kernels take minutes to compile. AUTO is what `make` says: where
# nvcc is found, the backend is there to be tested, and built when a test asks for it; `all` and what is installed are without it.
set(KARAT_CUDA OFF CACHE STRING "the CUDA backend: ON, OFF, or AUTO, which builds it for its tests alone, where nvcc is found")
set(KARAT_CUDA_ARCHS 90 CACHE STRING "the architectures that its kernels are compiled for; PTX of the last serves later ones")

set(KARAT_HAS_CUDA OFF)
if(KARAT_CUDA STREQUAL "OFF")
    return()
endif()
find_program(KARAT_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
if(NOT KARAT_NVCC)
    if(NOT KARAT_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "KARAT_CUDA=ON, and there is no nvcc")
    endif()
    return()
endif()
set(CMAKE_CUDA_COMPILER ${KARAT_NVCC})
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
set(CMAKE_CUDA_ARCHITECTURES ${KARAT_CUDA_ARCHS})
enable_language(CUDA)
set(KARAT_HAS_CUDA ON)
