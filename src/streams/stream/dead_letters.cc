// SPDX-License-Identifier: Apache-2.0
#include "stream/dead_letters.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <string>

#include "base/json.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {
namespace {

bool IsText(const std::string& bytes) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(bytes);
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char each : bytes) text += fmt::format("{:02x}", each);
  return text;
}

}  // namespace

Status WriteDeadLetters(const std::filesystem::path& folder, int64_t batch,
                        const std::vector<DeadLetter>& letters) {
  if (letters.empty()) return Status::OK();
  PT_TRY(MakeFolder(folder));
  std::string text;
  for (const DeadLetter& each : letters) {
    Json line = {{"place", each.place}, {"reason", each.reason}};
    if (IsText(each.bytes)) {
      line["text"] = each.bytes;
    } else {
      line["hex"] = Hex(each.bytes);
    }
    text += Dump(line) + "\n";
  }
  PT_TRY(WriteFile(folder / fmt::format("batch-{:012}.jsonl", batch), text));
  return SyncFolder(folder);
}

}  // namespace protium
