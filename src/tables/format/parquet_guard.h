// SPDX-License-Identifier: Apache-2.0
// The wall between the Parquet library, which throws, and this house, which does not.
#pragma once

#include <arrow/status.h>
#include <parquet/exception.h>

#include <new>

#include "base/status.h"

namespace protium {

// Runs `call`, which gives a Status or a Result. What the library throws becomes an IOError with
// its message; memory that is not there an OutOfMemory.
template <class Call>
auto GuardParquet(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const ::parquet::ParquetException& error) {
    return Status::IOError(error.what());
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory("no memory for a Parquet file");
  }
}

}  // namespace protium
