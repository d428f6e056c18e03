# find_package(gpuprims [version] [COMPONENTS header shared]) gives
#   gpuprims::gpuprims   component header: the headers and what the implementation links with; one file of the program
#                        defines GPUPRIMS_IMPLEMENTATION
#   gpuprims::shared     component shared: libgpuprims.so, which holds the implementation (where it is installed)

get_filename_component(_gpuprims_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(THREADS_PREFER_PTHREAD_FLAG OFF)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/gpuprims-targets.cmake") # of an installation by CMake
  include("${CMAKE_CURRENT_LIST_DIR}/gpuprims-targets.cmake")
else() # by `make install`
  if(NOT TARGET gpuprims::gpuprims)
    add_library(gpuprims::gpuprims INTERFACE IMPORTED)
    set_target_properties(gpuprims::gpuprims PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${_gpuprims_prefix}/include"
      INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
  endif()
  if(NOT TARGET gpuprims::shared)
    find_library(gpuprims_LIBRARY gpuprims
      PATHS "${_gpuprims_prefix}"
      PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}"
      NO_DEFAULT_PATH)
    mark_as_advanced(gpuprims_LIBRARY)
    if(gpuprims_LIBRARY)
      add_library(gpuprims::shared SHARED IMPORTED)
      set_target_properties(gpuprims::shared PROPERTIES
        IMPORTED_LOCATION "${gpuprims_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${_gpuprims_prefix}/include")
    endif()
  endif()
endif()

set(gpuprims_header_FOUND TRUE)
if(TARGET gpuprims::shared)
  set(gpuprims_shared_FOUND TRUE)
endif()
foreach(_gpuprims_component IN LISTS gpuprims_FIND_COMPONENTS)
  if(gpuprims_FIND_REQUIRED_${_gpuprims_component} AND NOT gpuprims_${_gpuprims_component}_FOUND)
    set(gpuprims_FOUND FALSE)
    set(gpuprims_NOT_FOUND_MESSAGE "gpuprims has no component ${_gpuprims_component} here")
  endif()
endforeach()
unset(_gpuprims_component)
unset(_gpuprims_prefix)
