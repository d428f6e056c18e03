# find_package(gpuprims) gives
#   gpuprims::gpuprims   the header and what its implementation links with; one file of the program defines
#                        GPUPRIMS_IMPLEMENTATION
#   gpuprims::shared     libgpuprims.so, which holds the implementation (where it is installed)

get_filename_component(_gpuprims_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(THREADS_PREFER_PTHREAD_FLAG OFF)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

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

unset(_gpuprims_prefix)
