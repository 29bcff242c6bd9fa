// Memory in pages of 2 MiB, where the kernel gives them for the asking (transparent_hugepage is
// madvise or always): with pages of 4 KiB, a sixth of a static check is the kernel, mapping them.
#include <mimalloc.h>

namespace {

void prefer_large_pages(int, char**, char**) { mi_option_enable(mi_option_large_os_pages); }

// The allocator takes its first pages for the constructors of shared libraries. Only what stands
// here runs before those.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_constructors)(int, char**, char**) = prefer_large_pages;

}  // namespace
