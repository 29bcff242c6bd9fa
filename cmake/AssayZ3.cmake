# assay::z3, from ${ASSAY_DEPS} (small/z3 or the wheel), else from the system.

find_path(ASSAY_Z3_INCLUDE z3++.h HINTS
  "${ASSAY_DEPS}/small/z3/include" "${ASSAY_DEPS}/wheels/z3/include")
find_library(ASSAY_Z3_LIBRARY z3 HINTS
  "${ASSAY_DEPS}/small/z3/lib" "${ASSAY_DEPS}/wheels/z3/lib")
if(NOT ASSAY_Z3_INCLUDE OR NOT ASSAY_Z3_LIBRARY)
  message(FATAL_ERROR "z3 not found in ${ASSAY_DEPS} nor on the system: run ci/setup")
endif()

add_library(assay::z3 SHARED IMPORTED GLOBAL)
set_target_properties(assay::z3 PROPERTIES
  IMPORTED_LOCATION "${ASSAY_Z3_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${ASSAY_Z3_INCLUDE}")
