// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/closure.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/fault.h"
#include "os/file.h"
#include "os/subprocess.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Time limit for the loader; it maps the libraries but runs none of their code.
constexpr std::chrono::seconds kListing{60};

Status CannotBundle(const fs::path& object, std::string why, std::string fix) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "cannot send " + object.string() + " to the executors",
               .why = std::move(why),
               .fix = std::move(fix)});
}

// Runs `loader --list object`, as ldd does: it prints a line for each library that it would load.
// LD_PRELOAD is cleared, since what it names would be listed too.
Result<std::string> AskLoader(const fs::path& loader, const fs::path& object) {
  PT_LET(const auto folder, TemporaryFolder::Make());
  Spawner spawner;
  const fs::path answer = folder.path() / "libraries";
  PT_LET(auto asked, spawner.Start({.program = loader,
                                    .args = {"--list", object.string()},
                                    .env = {{"LD_PRELOAD", ""}},
                                    .log = answer}));
  PT_LET(const auto ended, asked.Wait(Clock::now() + kListing));
  PT_LET(std::string text, ReadFile(answer, 1 << 20));
  if (ended.has_value() && ended->code == 0 && ended->signal == 0) return text;
  const std::string how = ended.has_value() ? ended->Describe() : "did not answer for 60 s";
  return CannotBundle(object, loader.string() + " --list " + how + ": " + text,
                      "link it as a dynamic program for this machine");
}

// A line is "NAME => PATH (0x...)", "PATH (0x...)" or "NAME => not found". linux-vdso comes from
// the kernel and has no file.
Status AddLibrary(const std::string& line, const fs::path& object, const fs::path& loader,
                  std::vector<BundleMember>& members) {
  std::istringstream words(line);
  std::string name, arrow, path;
  words >> name >> arrow >> path;
  if (name.empty() || name.starts_with("linux-vdso")) return Status::OK();
  if (arrow == "=>" && path == "not") {
    return CannotBundle(object, name + " is not found",
                        "install it, or add its folder to LD_LIBRARY_PATH");
  }
  const fs::path file = arrow == "=>" ? fs::path(path) : fs::path(name);
  if (file.filename() == loader.filename()) return Status::OK();
  if (arrow != "=>" || name.find('/') != std::string::npos) {
    return CannotBundle(object, name + " is linked by its path, which executors do not have",
                        "give that library a soname and link the program again");
  }
  PT_LET(BundleMember member, MemberAt("lib/" + name, file));
  members.push_back(std::move(member));
  return Status::OK();
}

Status AddLibraries(const fs::path& loader, const fs::path& object,
                    std::vector<BundleMember>& members) {
  PT_LET(const std::string text, AskLoader(loader, object));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    PT_TRY(AddLibrary(line, object, loader, members));
  }
  std::ranges::sort(members, {}, &BundleMember::name);
  const auto again = std::ranges::unique(members, {}, &BundleMember::name);
  members.erase(again.begin(), again.end());
  return Status::OK();
}

Result<fs::path> ReadLoader(const fs::path& program) {
  const fs::path loader = ReadElfNotes(program).loader;
  if (!loader.empty()) return loader;
  return CannotBundle(program, "it is not a dynamically linked program",
                      "link it against libprotium.so");
}

}  // namespace

Result<BundleMember> MemberAt(std::string name, const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  struct stat about {};
  if (error || ::stat(real.c_str(), &about) != 0) {
    return SystemFault("read " + file.string(), error ? error.value() : errno);
  }
  const int64_t changed = about.st_mtim.tv_sec * int64_t{1000000000} + about.st_mtim.tv_nsec;
  return BundleMember{std::move(name), real, about.st_size, changed};
}

Result<std::vector<BundleMember>> ProgramClosure(const fs::path& program) {
  PT_LET(BundleMember itself, MemberAt(kBundledProgram, program));
  PT_LET(const fs::path loader, ReadLoader(itself.file));
  PT_LET(BundleMember loading, MemberAt(kBundledLoader, loader));
  const fs::path file = itself.file;
  std::vector<BundleMember> members = {std::move(itself), std::move(loading)};
  PT_TRY(AddLibraries(loader, file, members));
  return members;
}

Result<std::vector<BundleMember>> LibraryClosure(const fs::path& library) {
  PT_LET(const fs::path loader, ReadLoader("/proc/self/exe"));
  PT_LET(BundleMember itself, MemberAt("lib/" + library.filename().string(), library));
  std::vector<BundleMember> members = {std::move(itself)};
  PT_TRY(AddLibraries(loader, library, members));
  return members;
}

}  // namespace protium
