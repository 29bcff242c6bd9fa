// LibTorch's package has Gloo's code without its headers. These declarations are what LibTorch's
// own header of its Gloo backend needs to be read; nothing here is called.
#pragma once

namespace gloo {
class Algorithm;
}  // namespace gloo
