// SPDX-License-Identifier: Apache-2.0
// Tables of Delta as the field's own reader and writer see them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "whole/lake_jobs.h"

namespace protium::whole {

#define NEED_DELTALAKE()                                           \
  if (!std::filesystem::exists(Repository() / ".deps/lakes/made")) \
  GTEST_SKIP() << "deltalake is not here: ./dev setup --test-servers"

// Its threads may end a Python that ends by itself.
inline constexpr const char* kEndOfPython = "\nsys.stdout.flush()\nos._exit(0)\n";

// Runs a Python program over own / "lake" with pyarrow as pa and deltalake.
inline Outcome WithDeltalake(const OwnJob& own, const std::string& program) {
  return RunLakePython(
      "import os, sys, pyarrow as pa, deltalake\nplace = sys.argv[1]\n" + program + kEndOfPython,
      {own / "lake"}, own.path());
}

// What a Python program prints of `table`, a DeltaTable, and `rows`, all of it; else what went
// wrong.
inline std::string ReadTable(const OwnJob& own, const std::string& place, const ObjectServer* store,
                             const std::string& program) {
  const Outcome read =
      RunLakePython(
          R"(import os, sys, deltalake
place, endpoint = sys.argv[1:3]
store = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s",
         "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"} if endpoint else None
table = deltalake.DeltaTable(place, storage_options=store)
rows = table.to_pyarrow_table()
)" + program + kEndOfPython,
          {place, store == nullptr ? "" : store->url()}, own.path());
  return read.exit == 0 ? read.out : read.err;
}

}  // namespace protium::whole
