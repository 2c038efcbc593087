// Logarithm, exponential and power from only +, -, * and /.
//
// The C library's functions may use fused multiply-add if the processor has it, and then differ in the last bit
// between machines. Such bits decide ties between persistence gaps, so ours are the same everywhere.
#pragma once

namespace phida {

// x > 0 and normal; within 0.52 units in the last place.
double portable_log(double x);

// |x| < 700.
double portable_exp(double x);

// base > 0.
double portable_pow(double base, double exponent);

}  // namespace phida
