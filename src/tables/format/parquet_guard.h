// SPDX-License-Identifier: Apache-2.0
// Wraps calls to the Parquet library, which throws, for our code, which does not.
#pragma once

#include <arrow/status.h>
#include <parquet/exception.h>

#include <new>

#include "base/status.h"

namespace protium {

// Runs `call`, which returns a Status or a Result. An exception of the library becomes an IOError
// with its message; failed allocations become OutOfMemory.
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
