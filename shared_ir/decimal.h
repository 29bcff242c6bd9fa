// Constants as programs write them down. What is read as an irrational number (0.7071067811865476):
// static_check/identity/constants/constants.cpp, and the checker's own.
#pragma once

#include <optional>

#include "shared_ir/rational.h"

namespace assay {

// The decimal number with at most six significant digits to which this double is the nearest one;
// of a value that a float32 holds also one with at most four digits to which that is the nearest
// float32 (9.999999974752427e-07 is 1e-06, as a kernel's float attribute has it). nullopt: none, or
// one whose fraction leaves 64 bits.
std::optional<Rational> short_decimal(double value);

// The decimal number with at most eight significant digits, one divided by such a number, or the
// fraction of integers up to 4096, from which this double differs by what few operations in double
// precision leave: 2^-52 of numbers around 1 (1 - 0.999^3), four units of the last place of a
// larger one or a quotient (0.1 / 0.271). nullopt: none, or one whose fraction leaves 64 bits.
std::optional<Rational> computed_fraction(double value);

// Whether the constant is this number to seven or more significant digits, and written with no more
// than these (0.79788456 for sqrt(2/pi)).
bool is_written_out(double constant, double number);

}  // namespace assay
