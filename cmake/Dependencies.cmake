# SPDX-License-Identifier: Apache-2.0
# The third-party libraries as imported targets. Nothing of a third party is built here.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(ICU REQUIRED COMPONENTS i18n uc)
add_library(protium_icu INTERFACE)
target_link_libraries(protium_icu INTERFACE ICU::i18n ICU::uc)
add_library(protium::icu ALIAS protium_icu)
find_library(PROTIUM_LIB_pcre2 pcre2-8 REQUIRED)
add_library(protium_pcre2 INTERFACE)
target_link_libraries(protium_pcre2 INTERFACE "${PROTIUM_LIB_pcre2}")
add_library(protium::pcre2 ALIAS protium_pcre2)
if(PROTIUM_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

function(protium_imported target library)
  if(NOT EXISTS "${library}")
    message(FATAL_ERROR "${library} is missing; run ./dev setup first")
  endif()
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${library}")
  if(ARGN)
    target_include_directories(${target} SYSTEM INTERFACE ${ARGN})
  endif()
endfunction()

# Arrow and Parquet from the pyarrow wheel, which has no CMake config and versioned names only.
set(_arrow "${PROTIUM_DEPS}/py/pyarrow")
protium_imported(protium::arrow "${_arrow}/libarrow.so.2600" "${_arrow}/include")
protium_imported(protium::parquet "${_arrow}/libparquet.so.2600" "${_arrow}/include")
protium_imported(protium::duckdb "${PROTIUM_DEPS}/duckdb/lib/libduckdb.so" "${PROTIUM_DEPS}/duckdb/include")

if(PROTIUM_WITH_TORCH)
  # libtorch.so itself would pull in CUDA: torch_cpu and c10 are all that is linked.
  set(_torch "${PROTIUM_DEPS}/py/torch")
  file(STRINGS "${_torch}/include/torch/headeronly/version.h" _parts
    REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" _parts "${_parts}")
  list(JOIN _parts "." PROTIUM_TORCH_VERSION)
  protium_imported(protium::c10 "${_torch}/lib/libc10.so")
  protium_imported(protium::torch "${_torch}/lib/libtorch_cpu.so")
  # Last: LibTorch's include folder carries an fmt of its own, of another version than the library.
  target_compile_options(protium::torch INTERFACE
    "SHELL:-idirafter ${_torch}/include" "SHELL:-idirafter ${_torch}/include/torch/csrc/api/include")
  target_link_options(protium::torch INTERFACE
    "LINKER:-rpath-link,${PROTIUM_DEPS}/py/nvidia/cu13/lib" "LINKER:--no-as-needed")
  target_link_libraries(protium::torch INTERFACE protium::c10)
endif()

if(PROTIUM_WITH_SPARK)
  find_package(ZLIB REQUIRED)
  # By name: the packages' own targets bring flags under which the precompiled headers do not fit.
  add_library(protium_grpc INTERFACE)
  foreach(part grpc++ grpc gpr protobuf)
    find_library(PROTIUM_LIB_${part} ${part} REQUIRED)
    target_link_libraries(protium_grpc INTERFACE "${PROTIUM_LIB_${part}}")
  endforeach()
  find_program(PROTIUM_PROTOC protoc REQUIRED)
  find_program(PROTIUM_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
  add_library(protium::grpc ALIAS protium_grpc)
endif()
