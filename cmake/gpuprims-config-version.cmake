# The version is the header's own. Before 1.0 a minor version may break its callers; from 1.0 on a major version may.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/gpuprims.h" _gpuprims_version
  REGEX "^#define GPUPRIMS_VERSION \"[0-9.]+\"")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" PACKAGE_VERSION "${_gpuprims_version}")
unset(_gpuprims_version)

set(PACKAGE_VERSION_EXACT FALSE)
set(PACKAGE_VERSION_COMPATIBLE FALSE)
string(REGEX REPLACE "^(0\\.[0-9]+|[0-9]+).*" "\\1" _gpuprims_ours "${PACKAGE_VERSION}")
string(REGEX REPLACE "^(0\\.[0-9]+|[0-9]+).*" "\\1" _gpuprims_wanted "${PACKAGE_FIND_VERSION}")
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  if(_gpuprims_ours STREQUAL _gpuprims_wanted OR PACKAGE_FIND_VERSION VERSION_EQUAL "0")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
endif()
unset(_gpuprims_ours)
unset(_gpuprims_wanted)
