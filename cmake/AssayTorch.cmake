# assay::torch_cpu and, where the wheel has it, assay::torch_cuda.
#
# Hand-written instead of find_package(Torch), which links libtorch_cuda into every program, demands
# nvrtc and ignores CMAKE_CUDA_ARCHITECTURES. An installed torch 2.11 is preferred to the one that
# ci/setup downloaded. Also used by the installed package, which sets ASSAY_TORCH_ROOT.

set(ASSAY_TORCH_VERSION 2.11)

function(assay_find_torch result)
  find_program(ASSAY_PYTHON NAMES python3 python)
  set(candidates "")
  if(ASSAY_PYTHON)
    execute_process(
      COMMAND "${ASSAY_PYTHON}" -c "import importlib.util, os
spec = importlib.util.find_spec('torch')
print(os.path.dirname(spec.origin) if spec else '', end='')"
      OUTPUT_VARIABLE installed ERROR_QUIET)
    list(APPEND candidates ${installed})
  endif()
  list(APPEND candidates "${ASSAY_DEPS}/wheels/torch")
  foreach(candidate IN LISTS candidates)
    if(EXISTS "${candidate}/version.py" AND EXISTS "${candidate}/lib/libtorch_cpu.so")
      file(STRINGS "${candidate}/version.py" version REGEX "^__version__")
      if(version MATCHES "['\"]${ASSAY_TORCH_VERSION}\\.")
        set(${result} "${candidate}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  set(${result} "NOTFOUND" PARENT_SCOPE)
endfunction()

if(NOT ASSAY_TORCH_ROOT)
  assay_find_torch(assay_torch_found)
  set(ASSAY_TORCH_ROOT "${assay_torch_found}" CACHE PATH "Folder of the torch 2.11 package" FORCE)
endif()
if(NOT ASSAY_TORCH_ROOT)
  message(FATAL_ERROR "torch ${ASSAY_TORCH_VERSION} not found: run ci/setup, or configure with "
    "-DASSAY_WITH_TORCH=OFF for the proof alone")
endif()

find_package(Threads REQUIRED)
# Where wheels put the CUDA libraries, as seen from the torch package.
cmake_path(GET ASSAY_TORCH_ROOT PARENT_PATH assay_wheels)
set(ASSAY_NVIDIA_WHEELS "${assay_wheels}/nvidia")

function(assay_torch_library name file)
  add_library(assay::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(assay::${name} PROPERTIES
    IMPORTED_LOCATION "${ASSAY_TORCH_ROOT}/lib/${file}")
endfunction()

# A library that registers operators when it is loaded must stay although no symbol asks for it. One
# argument, because CMake drops repeated ones; the target beside it gives the run path.
function(assay_link_whole name file)
  assay_torch_library(${name}_library ${file})
  target_link_libraries(assay::${name} INTERFACE
    "-Wl,--push-state,--no-as-needed,${ASSAY_TORCH_ROOT}/lib/${file},--pop-state"
    assay::${name}_library)
endfunction()

assay_torch_library(torch_c10 libc10.so)

add_library(assay::torch_cpu INTERFACE IMPORTED GLOBAL)
target_include_directories(assay::torch_cpu SYSTEM INTERFACE
  "${ASSAY_TORCH_ROOT}/include" "${ASSAY_TORCH_ROOT}/include/torch/csrc/api/include")
target_compile_definitions(assay::torch_cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
target_link_options(assay::torch_cpu INTERFACE
  -Wl,--allow-shlib-undefined "-Wl,-rpath-link,${ASSAY_TORCH_ROOT}/lib")
assay_link_whole(torch_cpu libtorch_cpu.so)
target_link_libraries(assay::torch_cpu INTERFACE assay::torch_c10 Threads::Threads)

find_path(ASSAY_NCCL_INCLUDE nccl.h HINTS "${ASSAY_NVIDIA_WHEELS}/nccl/include")
find_library(ASSAY_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS "${ASSAY_NVIDIA_WHEELS}/nccl/lib")
if(ASSAY_NCCL_INCLUDE AND ASSAY_NCCL_LIBRARY)
  add_library(assay::nccl SHARED IMPORTED GLOBAL)
  set_target_properties(assay::nccl PROPERTIES
    IMPORTED_LOCATION "${ASSAY_NCCL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_NCCL_INCLUDE}")
endif()

message(STATUS "LibTorch: ${ASSAY_TORCH_ROOT}")
