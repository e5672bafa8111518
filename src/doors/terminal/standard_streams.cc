// SPDX-License-Identifier: Apache-2.0
#include "terminal/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "format/file_form.h"
#include "os/fd.h"
#include "os/file.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kPieceBytes = 1 << 20;
constexpr auto kStopLook =
    std::chrono::milliseconds(100);  // How often a request to stop is checked.

// Returns some bytes of stdin; none at its end.
Result<std::string> NextPiece(const std::stop_token& stop) {
  const std::array<int, 1> fds = {STDIN_FILENO};
  while (true) {
    if (stop.stop_requested()) {
      return Fail({.exit = Exit::kStopped, .what = "stopped while stdin was read"});
    }
    PT_LET(const auto ready, WaitReadable(fds, Clock::now() + kStopLook));
    if (ready.empty()) continue;
    std::string piece(kPieceBytes, '\0');
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return SystemFault("read stdin", errno);
    piece.resize(size_t(got));
    return piece;
  }
}

std::string PackedEnding(const std::string& first) {
  switch (PackingOf(first)) {
    case Packing::kGzip:
      return ".gz";
    case Packing::kZstd:
      return ".zst";
    case Packing::kNone:
      return "";
  }
  return "";
}

}  // namespace

Result<std::string> StreamEnding(const std::string& format) {
  if (format == "csv" || format == "jsonl") return format;
  const std::vector<std::string> known = {"csv", "jsonl"};
  return UnknownName("format", format, known, "--format");
}

Result<fs::path> KeepStdin(const fs::path& folder, const std::string& ending,
                           const std::stop_token& stop) {
  if (isatty(STDIN_FILENO) == 1) PrintNote("reading a table from the terminal until Ctrl-D\n");
  PT_LET(std::string piece, NextPiece(stop));
  const fs::path path = folder / ("stdin." + ending + PackedEnding(piece));
  PT_LET(AtomicFile file, AtomicFile::Make(path));
  while (!piece.empty()) {
    PT_TRY(file.Write(piece));
    PT_LET(piece, NextPiece(stop));
  }
  if (file.written() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "stdin is empty: there is no table to read",
                 .fix = "pipe a table in, with its first line: cat new.csv | protium predict ..."});
  }
  PT_TRY(file.Commit());
  return path;
}

Status PrintFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text, piece(kPieceBytes, '\0');
  while (file) {
    file.read(piece.data(), std::streamsize(piece.size()));
    text.append(piece, 0, size_t(file.gcount()));
    // Whole lines, so that a terminal never gets part of a character.
    const size_t lines = file ? text.rfind('\n') + 1 : text.size();
    PT_TRY(PrintResult(std::string_view(text).substr(0, lines)));
    text.erase(0, lines);
  }
  if (file.eof()) return Status::OK();
  return SystemFault("read " + path.string(), errno);
}

Status NamingStdin(const fs::path& file, const Status& status) {
  if (status.ok() || file.empty()) return status;
  Fault fault = FaultOf(status);
  for (std::string* part : {&fault.what, &fault.where, &fault.why, &fault.fix, &fault.kept}) {
    *part = Replaced(Replaced(*part, file.string(), "stdin"), file.filename().string(), "stdin");
  }
  return Fail(std::move(fault));
}

}  // namespace protium
