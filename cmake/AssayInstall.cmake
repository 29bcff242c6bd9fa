# The install tree and its find_package(assay): libraries with their headers below include/assay (so
# that "shared_ir/graph.h" and <assay/gtest.h> are both found), the command line, its modules.

include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/assay")
get_property(exported GLOBAL PROPERTY ASSAY_EXPORTED)

if(exported)
  install(TARGETS ${exported} EXPORT assayTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT assayTargets NAMESPACE assay:: DESTINATION "${package_folder}")
endif()
if(TARGET assay)
  install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(DIRECTORY shared_ir static_check dynamic_check gtest_plugin
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay"
  FILES_MATCHING PATTERN "*.h"
  PATTERN "gtest_plugin/include" EXCLUDE PATTERN "gtest_plugin/examples" EXCLUDE)
if(EXISTS "${PROJECT_SOURCE_DIR}/gtest_plugin/include")
  install(DIRECTORY gtest_plugin/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

configure_package_config_file(cmake/assayConfig.cmake.in
  "${PROJECT_BINARY_DIR}/assayConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/assayConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/assayConfig.cmake" "${PROJECT_BINARY_DIR}/assayConfigVersion.cmake"
  cmake/AssayRefinementTest.cmake cmake/AssaySmallDeps.cmake cmake/AssayTorch.cmake
  cmake/AssayZ3.cmake
  DESTINATION "${package_folder}")
