#pragma once

namespace gloo {
struct Exception;
}  // namespace gloo
