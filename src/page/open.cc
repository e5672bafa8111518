// SPDX-License-Identifier: Apache-2.0
#include "os/library.h"
#include "page/page.h"
#include "page/report.h"

namespace protium {

namespace {

constexpr const char* kFile = "libprotium_page.so";
constexpr const char* kNeededFor = "the page of runs and their reports";

template <class Made, class Entry, class Asked>
Result<Made> FromLibrary(const char* entry, const Asked& asked) {
  PT_LET(void* const found, OpenBeside(kFile, entry, kNeededFor, "./dev build"));
  Result<Made> made = Status::UnknownError("not made");
  if (reinterpret_cast<Entry>(found)(kPageLibraryVersion, asked, made)) return made;
  return UnusableLibrary(kFile, kNeededFor, "it belongs to another version");
}

}  // namespace

Result<std::unique_ptr<Page>> OpenPage(const PageOptions& options) {
  return FromLibrary<std::unique_ptr<Page>, PageEntry>("protium_open_page", options);
}

Result<std::string> MakeReport(const std::filesystem::path& run) {
  return FromLibrary<std::string, ReportEntry>("protium_make_report", run);
}

}  // namespace protium
