// SPDX-License-Identifier: Apache-2.0
#include "app/run/one_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/fault.h"
#include "format/file_form.h"

namespace protium {

namespace fs = std::filesystem;

Result<std::unique_ptr<Scratch>> Scratch::Make(const fs::path& base) {
  std::string name = (base / "protium-XXXXXX").string();
  // A new folder that only this user may read.
  if (mkdtemp(name.data()) == nullptr) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "cannot make a temporary folder in " + base.string(),
                 .why = std::strerror(errno)});
  }
  return std::make_unique<Scratch>(name);
}

Result<std::unique_ptr<Scratch>> Scratch::MakeFor(const std::string& engine,
                                                  const fs::path& output) {
  return Make(engine.starts_with("sc://") ? fs::absolute(output).parent_path()
                                          : fs::temp_directory_path());
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
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

}  // namespace protium
