// SPDX-License-Identifier: Apache-2.0
#include "duckdb/place_file.h"

namespace protium {

Result<PlaceFile> PlaceFile::Open(const duck::Connection& connection, const std::string& place) {
  PlaceFile opened;
  duckdb_connection_get_client_context(connection.get(), opened.context_.out());
  *opened.files_.out() = duckdb_client_context_get_file_system(opened.context_.get());
  const duck::Owned<duckdb_file_open_options, duckdb_destroy_file_open_options> options(
      duckdb_create_file_open_options());
  duckdb_file_open_options_set_flag(options.get(), DUCKDB_FILE_FLAG_READ, true);
  if (duckdb_file_system_open(opened.files_.get(), place.c_str(), options.get(),
                              opened.file_.out()) == DuckDBError) {
    PT_TRY(duck::TakeError(duckdb_file_system_error_data(opened.files_.get())));
    return Status::IOError("the file cannot be opened");
  }
  return opened;
}

Result<int64_t> PlaceFile::Size() const {
  const int64_t bytes = duckdb_file_handle_size(file_.get());
  if (bytes >= 0) return bytes;
  PT_TRY(duck::TakeError(duckdb_file_handle_error_data(file_.get())));
  return Status::IOError("the size of the file is not known");
}

Result<int64_t> PlaceFile::Read(std::span<char> bytes) const {
  const int64_t read =
      duckdb_file_handle_read(file_.get(), bytes.data(), static_cast<int64_t>(bytes.size()));
  if (read >= 0) return read;
  PT_TRY(duck::TakeError(duckdb_file_handle_error_data(file_.get())));
  return Status::IOError("the file cannot be read");
}

}  // namespace protium
