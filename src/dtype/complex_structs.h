/* complex_structs.h - kt__c64 and kt__c128 for nvcc: a real number becomes a complex one, and complex64 complex128, by itself.
 * Included by dtype/types.h alone. */
#ifndef KT_DTYPE_COMPLEX_STRUCTS_H
#define KT_DTYPE_COMPLEX_STRUCTS_H

#ifdef __CUDACC__
struct kt__c128;
struct kt__c64 {
    float re, im;
    kt__c64() = default;
    __device__ __forceinline__ kt__c64(float real, float imaginary = 0) : re(real), im(imaginary) {}
    explicit __device__ __forceinline__ kt__c64(const kt__c128 &z);
};
struct kt__c128 {
    double re, im;
    kt__c128() = default;
    __device__ __forceinline__ kt__c128(double real, double imaginary = 0) : re(real), im(imaginary) {}
    __device__ __forceinline__ kt__c128(const kt__c64 &z) : re(z.re), im(z.im) {}
};
__device__ __forceinline__ kt__c64::kt__c64(const kt__c128 &z) : re((float)z.re), im((float)z.im) {}
#endif

#endif
