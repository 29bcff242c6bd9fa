# assay::torch_cpu and, where this torch has CUDA, assay::torch_cuda, assay::cudart and assay::nccl.
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

# CUDA's run-time libraries from the wheels, else from an installed toolkit.
function(assay_cuda_library name header library soname)
  set(prefixes "${ASSAY_NVIDIA_WHEELS}/${name}" "${ASSAY_NVIDIA_WHEELS}/cu13" /usr/local/cuda)
  find_path(ASSAY_${name}_INCLUDE ${header} HINTS ${prefixes} PATH_SUFFIXES include)
  find_library(ASSAY_${name}_LIBRARY NAMES ${library} ${soname}
    HINTS ${prefixes} PATH_SUFFIXES lib lib64)
  if(ASSAY_${name}_INCLUDE AND ASSAY_${name}_LIBRARY)
    add_library(assay::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(assay::${name} PROPERTIES
      IMPORTED_LOCATION "${ASSAY_${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_${name}_INCLUDE}")
  endif()
endfunction()

assay_cuda_library(nccl nccl.h nccl libnccl.so.2)
# Not find_package(CUDAToolkit), which fails in CMake 3.25 on CUDA 13 (it wants nvToolsExt).
assay_cuda_library(cudart cuda_runtime_api.h cudart libcudart.so.13)

if(EXISTS "${ASSAY_TORCH_ROOT}/lib/libtorch_cuda.so" AND TARGET assay::cudart)
  assay_torch_library(torch_c10_cuda libc10_cuda.so)
  add_library(assay::torch_cuda INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(assay::torch_cuda INTERFACE USE_CUDA USE_C10D_NCCL)
  assay_link_whole(torch_cuda libtorch_cuda.so)
  target_link_libraries(assay::torch_cuda INTERFACE
    assay::torch_c10_cuda assay::torch_cpu assay::cudart)
endif()

message(STATUS "LibTorch: ${ASSAY_TORCH_ROOT}")

# LibTorch's headers cost more than most sources that include them: so many sources of the target
# read them together, but no more than ASSAY_MOST_SOURCES_AT_ONCE, where many cores compile.
set(ASSAY_MOST_SOURCES_AT_ONCE 0 CACHE STRING "Sources with LibTorch that are compiled together; 0: as each target says")
function(assay_share_torch_headers target sources)
  if(ASSAY_MOST_SOURCES_AT_ONCE GREATER 0 AND sources GREATER ASSAY_MOST_SOURCES_AT_ONCE)
    set(sources ${ASSAY_MOST_SOURCES_AT_ONCE})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
endfunction()
