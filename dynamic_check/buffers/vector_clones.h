// Loops over many elements, for several instruction sets.
#pragma once

// Before a function: it is compiled for several instruction sets, and each machine takes its best
// one. The sanitizers cannot start with that, and clang has it for plain functions alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ASSAY_VECTOR_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define ASSAY_VECTOR_CLONES
#endif
