# CUDA's compiler: ASSAY_CUDA is true when GPU targets are to be compiled. They link assay::cudart.
#
# An installed toolkit (nvcc on PATH or in /usr/local/cuda) is used as it is. The wheels of ci/setup
# lack lib64, unversioned libraries and the layout that nvcc expects: links in the build folder make
# them look like /usr/local/cuda.

set(ASSAY_CUDA FALSE)
if(NOT ASSAY_WITH_CUDA OR NOT ASSAY_WITH_TORCH)
  return()
endif()

# Fills `root` with links into `wheel` (nvidia/cu13 of the wheels).
function(assay_link_cuda_root wheel root)
  file(REMOVE_RECURSE "${root}")
  # nvcc derives its top folder from its own path, so bin is a real folder of links to files.
  file(MAKE_DIRECTORY "${root}/bin" "${root}/lib64")
  file(GLOB tools LIST_DIRECTORIES true "${wheel}/bin/*")
  foreach(tool IN LISTS tools)
    cmake_path(GET tool FILENAME name)
    file(CREATE_LINK "${tool}" "${root}/bin/${name}" SYMBOLIC)
  endforeach()
  foreach(folder include nvvm)
    file(CREATE_LINK "${wheel}/${folder}" "${root}/${folder}" SYMBOLIC)
  endforeach()
  file(GLOB libraries "${wheel}/lib/*.so*" "${wheel}/lib/*.a")
  foreach(library IN LISTS libraries)
    cmake_path(GET library FILENAME name)
    file(CREATE_LINK "${library}" "${root}/lib64/${name}" SYMBOLIC)
    string(REGEX REPLACE "\\.so\\..*" ".so" plain "${name}")
    if(NOT EXISTS "${root}/lib64/${plain}")
      file(CREATE_LINK "${library}" "${root}/lib64/${plain}" SYMBOLIC)
    endif()
  endforeach()
  file(CREATE_LINK "${root}/lib64" "${root}/lib" SYMBOLIC)
endfunction()

if(NOT CMAKE_CUDA_COMPILER)
  find_program(ASSAY_NVCC nvcc HINTS /usr/local/cuda/bin)
  set(wheel "${ASSAY_DEPS}/wheels/nvidia/cu13")
  if(ASSAY_NVCC)
    set(CMAKE_CUDA_COMPILER "${ASSAY_NVCC}")
  elseif(EXISTS "${wheel}/bin/nvcc")
    assay_link_cuda_root("${wheel}" "${PROJECT_BINARY_DIR}/cuda")
    set(CMAKE_CUDA_COMPILER "${PROJECT_BINARY_DIR}/cuda/bin/nvcc")
  else()
    message(STATUS "nvcc: not found, GPU targets are left out (ci/setup installs it)")
    return()
  endif()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)
string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr")
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 of Debian does not know it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(ASSAY_CUDA TRUE)
