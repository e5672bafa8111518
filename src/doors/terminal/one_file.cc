// SPDX-License-Identifier: Apache-2.0
#include "terminal/one_file.h"

#include <utility>

#include "base/fault.h"
#include "engine/kind.h"
#include "format/file_form.h"

namespace protium {

namespace fs = std::filesystem;

Result<std::unique_ptr<Scratch>> Scratch::MakeFor(const std::string& engine,
                                                  const fs::path& output) {
  PT_LET(TemporaryFolder folder, KindOf(engine).runs_here
                                     ? TemporaryFolder::Make()
                                     : TemporaryFolder::MakeIn(fs::absolute(output).parent_path()));
  return std::make_unique<Scratch>(std::move(folder));
}

Status CheckOutputFormat(const std::string& output) {
  const Result<FileForm> form = FormNamed(output);
  if (form.ok()) return Status::OK();
  Fault fault = FaultOf(form.status());
  fault.where = "--output";
  return Fail(std::move(fault));
}

fs::path ResolveOutput(const std::string& typed) {
  const fs::path whole = fs::absolute(typed);
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  return (error ? whole.parent_path() : folder) / whole.filename();
}

Status WriteTo(const DataFrame& frame, const fs::path& output) {
  return frame.Write().File(output.string());
}

Status WithoutLogsIn(const fs::path& folder, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  const std::string named = ", log " + folder.string();
  for (size_t at = fault.where.find(named); at != std::string::npos; at = fault.where.find(named)) {
    fault.where.erase(at, fault.where.find_first_of(";\n", at) - at);
  }
  return Fail(std::move(fault));
}

}  // namespace protium
