// Logarithm, exponential and power from +, -, *, / alone.
//
// The C library's may use fused multiply-add where the processor has it, and then differ in the last bit from one
// machine to the next. Ties between persistence gaps are decided by such bits, so ours are the same everywhere.
#pragma once

namespace phida {

// x > 0 and normal; within 0.52 units in the last place.
double portable_log(double x);

// |x| < 700.
double portable_exp(double x);

// base > 0.
double portable_pow(double base, double exponent);

}  // namespace phida
