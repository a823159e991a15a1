# isas.cmake - the instruction sets the CPU kernels (src/cpu/isa/*.c) are built for, one row each: name, flags.
# In: the target's architecture. Out: KARAT_ISAS, slowest first, KARAT_ISA_FLAGS_<name>, and KARAT_COMPACT_KERNELS with
# KARAT_COMPACT_FLAGS, which come after the flags of every instruction set but the first.
set(KARAT_ISAS)
macro(karat_isa name)
    list(APPEND KARAT_ISAS ${name})
    set(KARAT_ISA_FLAGS_${name} ${ARGN})
endmacro()

# The base build is for machines that have nothing better: small rather than quick, or the library would pass 4 MiB.
karat_isa(base -O2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    karat_isa(avx2 -O3 -mavx2 -mfma -mf16c -mprfchw)
    karat_isa(avx512 -O3 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c -mavx2 -mprfchw -mprefer-vector-width=512)
    # Where AddressSanitizer looks for a use after return, as it does by default from GCC 13 on, locals lie in frames that GCC
    # aligns to 32 bytes, and yet it moves vectors of 64 bytes there as aligned ones (GCC bug 110027). On the real stack they are.
    if(KARAT_ASAN AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND KARAT_ISA_FLAGS_avx512 --param=asan-use-after-return=0)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    karat_isa(neon82 -O3 -march=armv8.2-a+fp16+bf16+dotprod)
endif()

# Integers and complex numbers: what -O3 adds to vectors there (copies of a loop for each of its conditions) makes their code
# half as large again and, taken over all rows, no quicker.
set(KARAT_COMPACT_KERNELS "/(c64|c128|i32|i64|u64)\\.c$")
set(KARAT_COMPACT_FLAGS -O2 -ftree-vectorize)
check_c_compiler_flag(-fvect-cost-model=dynamic KARAT_HAS_VECT_COST_MODEL)
if(KARAT_HAS_VECT_COST_MODEL)
    list(APPEND KARAT_COMPACT_FLAGS -fvect-cost-model=dynamic)
endif()
