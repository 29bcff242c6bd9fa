// Numbers of a symbolic replay in the texts that fmt makes.
#pragma once

#include <fmt/format.h>

#include <string>

#include "shared_ir/symbolic/number.h"

template <>
struct fmt::formatter<symbolic::Number> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const symbolic::Number& number, Context& context) const {
    return fmt::formatter<std::string>::format(symbolic::decimal(number), context);
  }
};
