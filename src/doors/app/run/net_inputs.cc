// SPDX-License-Identifier: Apache-2.0
#include "app/run/net_inputs.h"

#include "app/run/scored_table.h"
#include "base/fault.h"
#include "onnx_runtime/net.h"

namespace protium {

Flag FedColumnsFlag() {
  return {"--inputs", "A,B",
          "for an ONNX file: the columns for its inputs, in order (columns of the same names)", ""};
}

Result<Columns> ReadFedColumns(const Arguments& arguments, const std::filesystem::path& model) {
  if (!arguments.Has("--inputs")) return Columns();
  if (!IsOnnxFile(model)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--inputs is for ONNX files, and this is a model folder",
                 .where = model.string(),
                 .why = "a model knows its columns by their names",
                 .fix = "leave --inputs out"});
  }
  Columns columns = ColumnsIn(arguments.Value("--inputs"));
  if (!columns.empty()) return columns;
  return Fail({.exit = Exit::kUsage, .what = "--inputs names no column", .fix = "--inputs a,b,c"});
}

}  // namespace protium
