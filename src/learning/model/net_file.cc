// SPDX-License-Identifier: Apache-2.0
#include "model/net_file.h"

#include <system_error>

#include "base/fault.h"
#include "format/file.h"
#include "model/copy_file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInFolder = "net.pt";

bool IsFile(const Choice& net) { return net.name == "torchscript"; }

}  // namespace

Status FindNetFile(const fs::path& base, Choice& net) {
  if (!IsFile(net)) return Status::OK();
  const fs::path file = base / net.options.value("file", "");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = "there is no file " + file.string(),
                 .where = "net.file",
                 .fix = "save the net with torch.jit.script(net).save(file)"});
  }
  PT_LET(const std::string sha256, FileSha256(file.string()));
  const std::string expected = net.options.value("sha256", "");
  if (!expected.empty() && expected != sha256) {
    return Fail({.exit = Exit::kInput,
                 .what = "the net's file " + file.string() + " is not the same file as before",
                 .where = "net.sha256",
                 .why = "its sha256 is " + sha256 + ", not " + expected});
  }
  net.options["file"] = fs::absolute(file).string();
  net.options["sha256"] = sha256;
  return Status::OK();
}

Status KeepNetFile(const fs::path& run, Choice& net) {
  if (!IsFile(net)) return Status::OK();
  const fs::path kept = fs::absolute(run / kInFolder);
  PT_TRY(CopyFile(net.options.value("file", ""), kept).status());
  net.options["file"] = kept.string();
  return Status::OK();
}

Choice NetIntoFolder(Choice net, std::map<std::string, fs::path>& files) {
  if (!IsFile(net)) return net;
  files[kInFolder] = net.options.value("file", "");
  net.options["file"] = kInFolder;
  return net;
}

}  // namespace protium
