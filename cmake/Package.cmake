# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix DIR: a package that can be moved, in three components.
#   protium  commands, doors, libraries of ours that need no LibTorch
#   needed   what these need beside Debian's packages: Arrow, DuckDB
#   torch    libprotium_torch.so, LibTorch and its headers
# Libraries of others lie in lib/protium, where the run paths of ours lead.
include(CMakePackageConfigHelpers)

# Headers of rooms that the door torch.h shows, for nets of one's own; no other door shows any.
# tests/consumer holds them to this list.
set(PROTIUM_INSIDE_TORCH base/describe.h base/json.h base/status.h base/unknown_name.h
  catalogue/catalogue.h catalogue/extension.h collective/sparse_rows.h deep/batch.h
  deep/module_net.h deep/recorded_loss.h deep/recorded_net.h format/safetensors.h metrics/metrics.h
  metrics/seasons.h rows/packed.h rows/schema.h stages/catalogue_row.h tensor/batch.h tensor/device.h
  tensor/net.h tensor/norm_statistics.h tensor/values.h train/loss.h)

install(TARGETS protium_command protium_launcher RUNTIME DESTINATION bin COMPONENT protium)
foreach(library protium protium_c protium_export protium_kafka protium_local protium_ludwig protium_older_glibc protium_onnx
    protium_page protium_serve protium_spark)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib COMPONENT protium)
  endif()
endforeach()
install(DIRECTORY include/protium "${PROJECT_BINARY_DIR}/include/protium" DESTINATION include
  COMPONENT protium PATTERN torch.h EXCLUDE)
# protium_inside(component headers...)
function(protium_inside component)
  foreach(header ${ARGN})
    get_filename_component(room "${header}" DIRECTORY)
    foreach(wing ${PROTIUM_WING_NAMES})
      if(EXISTS "${PROJECT_SOURCE_DIR}/src/${wing}/${header}")
        install(FILES "src/${wing}/${header}" DESTINATION "include/protium/inside/${room}" COMPONENT ${component})
      endif()
    endforeach()
  endforeach()
endfunction()
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
install(CODE "execute_process(COMMAND ${emulator} \"$<TARGET_FILE:protium_command>\" help
  --man \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT protium)
install(FILES LICENSE NOTICE DESTINATION share/doc/protium COMPONENT protium)
install(FILES deploy/systemd/protium-pool.service deploy/systemd/protium-pool.socket
  DESTINATION lib/systemd/user COMPONENT protium)

# protium_needed(component target) copies a library under the name that others ask for.
function(protium_needed component target)
  get_target_property(library ${target} IMPORTED_LOCATION)
  install(FILES "${library}" DESTINATION lib/protium COMPONENT ${component}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

# protium_licences(component wheel)
function(protium_licences component wheel)
  file(GLOB found "${PROTIUM_DEPS}/py/${wheel}-*.dist-info/licenses")
  get_filename_component(name "${wheel}" NAME)
  install(DIRECTORY ${found}/ DESTINATION "share/doc/protium/${name}" COMPONENT ${component})
endfunction()

protium_needed(needed protium::arrow)
protium_needed(needed protium::parquet)
protium_needed(needed protium::duckdb)
# DuckDB's extensions, as many as ./dev setup --sources has brought.
install(DIRECTORY "${PROTIUM_DEPS}/duckdb/lib/extensions" DESTINATION lib/protium
  COMPONENT needed OPTIONAL FILES_MATCHING PATTERN "*.duckdb_extension")
# Arrow's part for runs on S3, if ./dev setup --sources s3 has brought it.
install(FILES "${PROTIUM_DEPS}/py/pyarrow/libarrow_s3.so.2600" DESTINATION lib/protium
  COMPONENT needed OPTIONAL PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
# ONNX Runtime, if ./dev setup --onnx has brought it.
file(GLOB onnxruntime "${PROTIUM_DEPS}/py/onnxruntime/libonnxruntime.so.*")
install(FILES ${onnxruntime} DESTINATION lib/protium COMPONENT needed
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(DIRECTORY "${PROTIUM_DEPS}/py/onnxruntime/" DESTINATION share/doc/protium/onnxruntime
  COMPONENT needed OPTIONAL FILES_MATCHING PATTERN "LICENSE" PATTERN "*.txt")
protium_licences(needed pyarrow)
# What is downloaded of DuckDB has none beside it: that of the version in scripts/deps.lock.
install(DIRECTORY deploy/licences/duckdb DESTINATION share/doc/protium COMPONENT needed)
install(DIRECTORY "${PROTIUM_DEPS}/py/pyarrow/include/" DESTINATION lib/protium/include
  COMPONENT needed)

if(TARGET protium_torch)
  install(FILES include/protium/torch.h DESTINATION include/protium COMPONENT torch)
  protium_inside(torch ${PROTIUM_INSIDE_TORCH})
  install(TARGETS protium_torch LIBRARY DESTINATION lib COMPONENT torch)
  protium_needed(torch protium::torch)
  protium_needed(torch protium::c10)
  file(GLOB others "${PROTIUM_DEPS}/py/torch/lib/libgomp.so*" "${PROTIUM_DEPS}/py/nvidia/*/lib/*.so*")
  install(FILES ${others} DESTINATION lib/protium COMPONENT torch)
  install(DIRECTORY "${PROTIUM_DEPS}/py/torch/include/" DESTINATION lib/protium/torch COMPONENT torch)
  foreach(wheel torch nvidia_cuda_runtime nvidia_cuda_cupti)
    protium_licences(torch ${wheel})
  endforeach()
endif()

get_target_property(protium_arrow protium::arrow IMPORTED_LOCATION)
get_filename_component(protium_arrow "${protium_arrow}" NAME)
configure_package_config_file(cmake/protium-config.cmake.in protium-config.cmake
  INSTALL_DESTINATION lib/cmake/protium)
write_basic_package_version_file(protium-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/protium-config.cmake"
  "${PROJECT_BINARY_DIR}/protium-config-version.cmake" DESTINATION lib/cmake/protium
  COMPONENT protium)
