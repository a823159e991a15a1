# isas.cmake - the instruction sets the CPU kernels (src/cpu/isa/*.c) are built for, one row each: name, flags.
# In: the target's architecture, KARAT_SANITIZED. Out: KARAT_ISAS, slowest first, and KARAT_ISA_FLAGS_<name>.
set(KARAT_ISAS)
macro(karat_isa name)
    list(APPEND KARAT_ISAS ${name})
    set(KARAT_ISA_FLAGS_${name} ${ARGN})
endmacro()

set(level -O3)
if(KARAT_SANITIZED)
    set(level -O1)
endif()
karat_isa(base ${level})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    if(NOT KARAT_TSAN) # how work is divided among threads is alike there and for avx512
        karat_isa(avx2 ${level} -mavx2 -mfma -mf16c -mprfchw)
    endif()
    karat_isa(avx512 ${level} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c -mavx2 -mprfchw -mprefer-vector-width=512)
    # GCC: the two vectors of a group side by side, not one after the other: an expression is a long chain.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND KARAT_ISA_FLAGS_avx512 -fschedule-insns -fsched-pressure)
    endif()
    # Where AddressSanitizer looks for a use after return, as it does by default from GCC 13 on, locals lie in frames that GCC
    # aligns to 32 bytes, and yet it moves vectors of 64 bytes there as aligned ones (GCC bug 110027). On the real stack they are.
    if(KARAT_ASAN AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND KARAT_ISA_FLAGS_avx512 --param=asan-use-after-return=0)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    karat_isa(neon82 ${level} -march=armv8.2-a+fp16+bf16+dotprod)
endif()
