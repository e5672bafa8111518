// SPDX-License-Identifier: Apache-2.0
#include "page/run_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/utf8.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostFiles = 2000;
constexpr size_t kMostWalked = 50'000;
constexpr int64_t kMostText = 256 << 10;

struct FoundFile {
  std::string path;  // Below the folder.
  int64_t bytes = 0;
  int64_t modified = 0;
};

// Regular files only: links lead elsewhere, and reading a pipe would block.
std::vector<FoundFile> Walk(const fs::path& run) {
  std::vector<FoundFile> files;
  std::error_code error;
  size_t walked = 0;
  fs::recursive_directory_iterator at(run, error), end;
  for (; !error && at != end && walked < kMostWalked; at.increment(error), ++walked) {
    struct stat info {};
    if (lstat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back({at->path().lexically_relative(run).generic_string(), info.st_size,
                     info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000});
  }
  std::ranges::sort(files, {}, &FoundFile::path);
  return files;
}

// Returns the length up to the last line break, or else the last whole character, so that the next
// part continues there.
size_t WholeLines(const std::string& text) {
  const size_t line = text.rfind('\n');
  if (line != text.npos) return line + 1;
  size_t end = text.size();
  while (end > 0 && IsContinuation(text[end - 1])) --end;
  return end > 1 ? end - 1 : text.size();
}

}  // namespace

Json ListRunFiles(const fs::path& run) {
  const std::vector<FoundFile> found = Walk(run);
  const size_t count = std::min(found.size(), kMostFiles);
  Json files = Json::array();
  for (size_t i = 0; i < count; ++i) {
    files.push_back(
        {{"path", found[i].path}, {"bytes", found[i].bytes}, {"modified", found[i].modified}});
  }
  return {{"files", std::move(files)}, {"left_out", found.size() - count}};
}

Result<Json> ReadRunFile(const fs::path& run, const std::string& path, int64_t from) {
  const std::vector<FoundFile> files = Walk(run);
  const auto found = std::ranges::find(files, path, &FoundFile::path);
  if (found == files.end()) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("this run has no file \"{}\"", path),
                 .fix = "choose one of the list of its files"});
  }
  const int64_t begin =
      from < 0 ? std::max<int64_t>(0, found->bytes - kMostText) : std::min(from, found->bytes);
  std::ifstream in(run / path, std::ios::binary);
  in.seekg(begin);
  std::string text(size_t(std::min(kMostText, found->bytes - begin)), '\0');
  in.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(std::max<std::streamsize>(0, in.gcount())));
  const bool at_end = begin + int64_t(text.size()) >= found->bytes;
  if (!at_end) text.resize(WholeLines(text));
  const bool binary = text.find('\0') != text.npos;
  const int64_t next = begin + int64_t(text.size());
  if (binary) text.clear();
  return Json{{"path", path}, {"bytes", found->bytes}, {"from", begin},
              {"next", next}, {"text", text},          {"binary", binary}};
}

}  // namespace protium
