# SPDX-License-Identifier: Apache-2.0
# protium_room(name FLOOR n [TORCH] USES rooms... SOURCES files... [LINKS targets...]
#              [DRIVER files... [DRIVER_OF room] [DRIVER_LINKS targets...]]
#              [TESTS files... [LABELS labels...]])
# declares a folder src/<wing>/<name>: its objects go into libprotium.so (libprotium_torch.so with TORCH),
# its tests become one program <name>_test. Using a room of the same or a higher floor is refused.
# DRIVER is what a driver alone needs, with large libraries that no worker carries: it becomes
# libprotium_<name>.so, opened when an engine is (engine/library.h), or with DRIVER_OF a part of the
# library of that room, which is announced later.
define_property(TARGET PROPERTY PROTIUM_FLOOR)
define_property(TARGET PROPERTY PROTIUM_USES)

# What users build: several files as one. Those with options of their own stay by themselves, and
# g++ takes the others for headers.
function(protium_unity target)
  if(PROTIUM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${PROTIUM_UNITY})
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(protium_flags target)
  # Programs are compiled as the libraries are, so that they share the precompiled headers.
  target_compile_options(${target} PRIVATE -fPIC -Wall -Wextra -Wno-unused-parameter
    -Wno-missing-field-initializers -ffp-contract=off $<$<BOOL:${PROTIUM_WERROR}>:-Werror>
    # As on x86-64, where a plain char below 0 is one.
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>:-fsigned-char>
    # g++ 12 sees overruns inside std::string's own code once it is optimised.
    $<$<CONFIG:Release>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
  target_include_directories(${target} PRIVATE ${PROTIUM_WINGS} "${PROJECT_SOURCE_DIR}/include"
    "${PROJECT_BINARY_DIR}/include")
endfunction()

function(protium_room name)
  cmake_parse_arguments(R "TORCH" "FLOOR;DRIVER_OF" "USES;SOURCES;LINKS;DRIVER;DRIVER_LINKS;TESTS;LABELS" ${ARGN})
  if(R_TORCH AND NOT PROTIUM_WITH_TORCH)
    return()
  endif()
  foreach(used ${R_USES})
    get_target_property(floor room_${used} PROTIUM_FLOOR)
    if(NOT floor LESS R_FLOOR)
      message(FATAL_ERROR "${name} (floor ${R_FLOOR}) may not use ${used} (floor ${floor})")
    endif()
  endforeach()
  if(NOT R_SOURCES)  # Declarations, or a driver alone.
    add_library(room_${name} INTERFACE)
    set_target_properties(room_${name} PROPERTIES PROTIUM_FLOOR ${R_FLOOR})
  else()
    protium_objects()
  endif()
  set_target_properties(room_${name} PROPERTIES PROTIUM_USES "${R_USES}")
  if(R_DRIVER AND R_DRIVER_OF)
    set(library protium_${R_DRIVER_OF})
    protium_driver_part(driver_${name} ${library} SOURCES ${R_DRIVER} LINKS ${R_DRIVER_LINKS})
  elseif(R_DRIVER)
    set(library protium_${name})
    protium_driver(${library} SOURCES ${R_DRIVER} LINKS ${R_DRIVER_LINKS})
  endif()
  if(R_TESTS AND PROTIUM_BUILD_TESTS)
    protium_test(${name}_test LIBRARY ${library} SOURCES ${R_TESTS} LINKS ${R_LINKS} ${R_DRIVER_LINKS}
      LABELS ${R_LABELS})
    if(R_FLOOR GREATER 4)
      add_dependencies(${name}_test protium_local)  # Sessions open it by name.
    endif()
  endif()
endfunction()

# The header set of what sees no LibTorch, and its options: with the preset "fuzz" those that
# tests/fuzz/rooms.cmake says of the room `ARGN`.
function(protium_plain_headers target)
  set(name "${ARGN}")
  set(kind plain)
  if(PROTIUM_INSTRUMENTED AND NOT name IN_LIST PROTIUM_INSTRUMENTED)
    set(kind bare)
  elseif(PROTIUM_INSTRUMENTED AND NOT name IN_LIST PROTIUM_OPTIMISED)
    set(kind slow)
  endif()
  target_compile_options(${target} PRIVATE ${PROTIUM_OPTIONS_${kind}})
  target_precompile_headers(${target} REUSE_FROM pch_${kind})
endfunction()

# The part of a room that belongs to libprotium.so or, with TORCH, to libprotium_torch.so.
macro(protium_objects)
  add_library(room_${name} OBJECT ${R_SOURCES})
  set_target_properties(room_${name} PROPERTIES PROTIUM_FLOOR ${R_FLOOR})
  protium_flags(room_${name})
  protium_unity(room_${name})
  target_link_libraries(room_${name} PRIVATE protium::arrow nlohmann_json::nlohmann_json fmt::fmt
    Threads::Threads ${R_LINKS})
  if(R_TORCH)
    target_link_libraries(room_${name} PRIVATE protium::torch)
    target_precompile_headers(room_${name} REUSE_FROM pch_torch)
    set_property(GLOBAL APPEND PROPERTY PROTIUM_TORCH_ROOMS room_${name})
    set(library protium_torch)
  else()
    protium_plain_headers(room_${name} ${name})
    set_property(GLOBAL APPEND PROPERTY PROTIUM_ROOMS room_${name})
    set(library protium)
  endif()
  set_property(GLOBAL APPEND PROPERTY PROTIUM_LINKS ${R_LINKS})
endmacro()

# The rooms among the targets in `list` that the rooms `only` need, themselves included.
function(protium_needed list only)
  set(needed)
  while(only)
    list(POP_FRONT only name)
    if(NOT room_${name} IN_LIST needed)
      list(APPEND needed room_${name})
      get_target_property(uses room_${name} PROTIUM_USES)
      list(APPEND only ${uses})
    endif()
  endwhile()
  set(kept)
  foreach(room ${${list}})
    if(room IN_LIST needed)
      list(APPEND kept ${room})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# Exports what exports.map says, and nothing else.
function(protium_exports library)
  target_link_options(${library} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/exports.map")
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS "${PROJECT_BINARY_DIR}/exports.map")
endfunction()

# Objects that protium_driver() takes into `library`, with what they link.
function(protium_driver_part objects library)
  cmake_parse_arguments(D "" "" "SOURCES;LINKS" ${ARGN})
  if(TARGET ${library})
    message(FATAL_ERROR "${objects} must be announced before ${library}, whose part it is")
  endif()
  add_library(${objects} OBJECT ${D_SOURCES})
  protium_flags(${objects})
  protium_unity(${objects})
  target_link_libraries(${objects} PRIVATE protium::arrow nlohmann_json::nlohmann_json fmt::fmt
    Threads::Threads ${D_LINKS})
  protium_plain_headers(${objects})
  set_property(GLOBAL APPEND PROPERTY PROTIUM_PARTS_OF_${library} $<TARGET_OBJECTS:${objects}>)
  set_property(GLOBAL APPEND PROPERTY PROTIUM_LINKS_OF_${library} ${D_LINKS})
endfunction()

# A symbol that the library lacks is missed when it is opened (os/library.h), not in the middle of a
# job; what it needs from others binds call by call, which takes half the time.
function(protium_bound_whole library)
  target_link_options(${library} PRIVATE "LINKER:-z,now")
endfunction()

# A library that only drivers open. It is written against libprotium.so, which is declared later.
function(protium_driver library)
  cmake_parse_arguments(D "" "" "SOURCES;LINKS" ${ARGN})
  get_property(parts GLOBAL PROPERTY PROTIUM_PARTS_OF_${library})
  get_property(part_links GLOBAL PROPERTY PROTIUM_LINKS_OF_${library})
  add_library(${library} SHARED ${D_SOURCES} ${parts})
  protium_flags(${library})
  protium_unity(${library})
  target_link_libraries(${library} PRIVATE protium protium::arrow nlohmann_json::nlohmann_json
    fmt::fmt Threads::Threads ${D_LINKS} ${part_links})
  protium_bound_whole(${library})
  protium_plain_headers(${library})
  set_property(GLOBAL APPEND PROPERTY PROTIUM_DRIVERS ${library})
endfunction()

# A test is compiled more often than it is run: optimising it takes longer than it saves. What it
# tests is optimised. With LibTorch it shares the header set of the libraries.
function(protium_unoptimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# One test program on GoogleTest, with the main in tests/main.cc, which can also become a worker.
# Label "spark": runs once per Spark version in ./dev test spark, with PROTIUM_TEST_SPARK set.
function(protium_test name)
  cmake_parse_arguments(T "" "LIBRARY" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES} $<TARGET_OBJECTS:test_main>)
  protium_flags(${name})
  protium_unity(${name})
  target_link_libraries(${name} PRIVATE ${T_LIBRARY} protium GTest::gtest GTest::gmock
    protium::arrow nlohmann_json::nlohmann_json fmt::fmt Threads::Threads ${T_LINKS})
  if(T_LIBRARY STREQUAL protium_torch)
    target_link_libraries(${name} PRIVATE protium::torch)
    target_precompile_headers(${name} REUSE_FROM pch_torch)
  else()
    protium_unoptimised(${name})
    target_precompile_headers(${name} REUSE_FROM pch_test)
  endif()
  add_test(NAME ${name} COMMAND ${name} "--gtest_output=xml:${CMAKE_BINARY_DIR}/test-results/${name}.xml")
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  if(spark IN_LIST T_LABELS)
    # They take turns at one server and are long: first of all.
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK spark COST 100)
  endif()
endfunction()

# Header sets that nearly every file needs, compiled once.
function(protium_pch name)
  cmake_parse_arguments(P "" "" "HEADERS;LINKS" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${name}.cc" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cc")
  protium_flags(${name})
  target_link_libraries(${name} PRIVATE protium::arrow nlohmann_json::nlohmann_json fmt::fmt
    Threads::Threads ${P_LINKS})
  target_precompile_headers(${name} PRIVATE ${P_HEADERS})
endfunction()
