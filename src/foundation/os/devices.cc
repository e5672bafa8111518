// SPDX-License-Identifier: Apache-2.0
#include "os/devices.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <set>

#include "base/fault.h"
#include "base/json.h"
#include "base/utf8.h"
#include "os/poll.h"
#include "os/subprocess.h"

namespace protium {

namespace {

// Bounds on a script's output; no machine comes near them.
constexpr size_t kMostBytes = 64 << 10;
constexpr size_t kMostDevices = 1024;
constexpr size_t kLongestAddress = 200;

Status ScriptFault(const std::filesystem::path& script, std::string what, std::string why) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "the discovery script " + std::move(what),
               .where = script.string(),
               .why = std::move(why),
               .fix = R"(make it print {"name": "gpu", "addresses": ["0", "1"]})"});
}

// What a script wrote, up to one byte more than is accepted, to detect excess.
struct ScriptOutput {
  std::string out;
  std::string err;
};

// Reads what is available; closes `fd` at its end. Drops what is beyond the limit.
void ReadSome(UniqueFd& fd, std::string& into) {
  std::array<char, 4096> block;
  const ssize_t got = ::read(fd.get(), block.data(), block.size());
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return fd.reset();
  into.append(block.data(), std::min<size_t>(got, kMostBytes + 1 - into.size()));
}

// False at the deadline.
bool ReadToEnd(UniqueFd out, UniqueFd err, ScriptOutput& said, Deadline deadline) {
  while (out || err) {
    std::array<pollfd, 2> polls = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
    if (!Poll(polls, deadline)) return false;
    if (polls[0].revents != 0) ReadSome(out, said.out);
    if (polls[1].revents != 0) ReadSome(err, said.err);
    if (said.out.size() > kMostBytes) return true;
  }
  return true;
}

std::string FirstBytes(const std::string& text) { return Shortened(text, 200); }

Result<std::string> RunScript(const std::filesystem::path& script, Deadline deadline) {
  PT_LET(Pipe out, Pipe::Make());
  PT_LET(Pipe err, Pipe::Make());
  // Made for this call: when it ends, so does a script that still runs.
  Spawner spawner;
  auto started = spawner.Start(
      {.program = script, .env = {}, .fds = {{out.write.get(), 1}, {err.write.get(), 2}}});
  if (!started.ok()) {
    return ScriptFault(script, "cannot be run", FaultOf(started.status()).what);
  }
  Subprocess process = std::move(*started);
  out.write.reset();
  err.write.reset();
  ScriptOutput said;
  const bool in_time = ReadToEnd(std::move(out.read), std::move(err.read), said, deadline);
  if (said.out.size() > kMostBytes) return ScriptFault(script, "prints more than 64 KiB", "");
  PT_LET(const auto ended, process.Wait(in_time ? deadline : Clock::now()));
  if (!in_time || !ended) return ScriptFault(script, "did not finish in time", "");
  if (ended->code != 0 || ended->signal != 0) {
    return ScriptFault(script, ended->Describe(), FirstBytes(said.err));
  }
  return std::move(said.out);
}

// Addresses become file names and parts of comma-separated lists.
bool IsAddress(const Json& json) {
  if (!json.is_string()) return false;
  const std::string& text = json.get_ref<const std::string&>();
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == ':'; };
  const auto fits = [&](unsigned char c) { return plain(c) || c == '_' || c == '.' || c == '/'; };
  return !text.empty() && text.size() <= kLongestAddress && std::ranges::all_of(text, fits);
}

// The text that follows "prints an answer that"; empty if all is right.
std::string WhatIsWrong(const Result<Json>& json) {
  if (!json.ok()) return "is not JSON";
  if (!json->is_object()) return "is not an object";
  if (json->value("name", Json()) != "gpu") return "has no \"name\": \"gpu\"";
  const Json addresses = json->value("addresses", Json());
  if (!addresses.is_array()) return "has no list of \"addresses\"";
  if (addresses.size() > kMostDevices) return "has more than 1024 addresses";
  std::set<std::string> seen;
  for (const Json& each : addresses) {
    if (!IsAddress(each)) return "has an invalid address: " + FirstBytes(Dump(each));
    if (!seen.insert(each.get<std::string>()).second) return "has an address twice: " + Dump(each);
  }
  return {};
}

// A library that stays open only while it is used.
class Library {
 public:
  explicit Library(const std::string& name)
      : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), &::dlclose) {}

  template <class Function>
  Function* Find(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(::dlsym(handle_.get(), name)) : nullptr;
  }

 private:
  std::unique_ptr<void, int (*)(void*)> handle_;
};

// NVML counts all devices of the machine, whatever CUDA_VISIBLE_DEVICES says, and creates no
// context on any. Negative if the library does not exist or fails.
int32_t CountByNvml(const std::string& name) {
  const Library library(name);
  auto* const init = library.Find<int()>("nvmlInit_v2");
  auto* const count = library.Find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  auto* const shutdown = library.Find<int()>("nvmlShutdown");
  unsigned devices = 0;
  if (init == nullptr || count == nullptr || shutdown == nullptr || init() != 0) return -1;
  const bool counted = count(&devices) == 0;
  shutdown();
  return counted && devices <= kMostDevices ? static_cast<int32_t>(devices) : -1;
}

// For machines without NVML. CUDA counts only what CUDA_VISIBLE_DEVICES shows.
int32_t CountByCuda(const std::string& name) {
  const Library library(name);
  auto* const init = library.Find<int(unsigned)>("cuInit");
  auto* const count = library.Find<int(int*)>("cuDeviceGetCount");
  int devices = 0;
  const bool counted = init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0;
  return counted && devices >= 0 && devices <= static_cast<int>(kMostDevices) ? devices : -1;
}

}  // namespace

Result<DeviceList> DiscoverByScript(const std::filesystem::path& script, Deadline deadline) {
  PT_LET(const std::string text, RunScript(script, deadline));
  const Result<Json> json = ParseJson(text);
  const std::string wrong = WhatIsWrong(json);
  if (!wrong.empty()) {
    return ScriptFault(script, "prints an answer that " + wrong, "it printed: " + FirstBytes(text));
  }
  DeviceList list{.name = "gpu"};
  for (const Json& each : json->at("addresses")) list.addresses.push_back(each.get<std::string>());
  return list;
}

std::vector<std::string> VisibleDevices(int32_t count, const char* visible) {
  std::vector<std::string> all;
  for (int32_t i = 0; i < count && visible == nullptr; ++i) all.push_back(std::to_string(i));
  std::string_view rest = visible == nullptr ? "" : visible;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    int32_t number = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
    const bool is_number = error == std::errc() && end == entry.data() + entry.size();
    const bool by_name = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (!by_name && !(is_number && number >= 0 && number < count)) break;
    if (!IsAddress(std::string(entry))) break;
    if (std::ranges::find(all, entry) == all.end()) all.emplace_back(entry);
  }
  return all;
}

DeviceList DiscoverByDriver(const DriverLibraries& libraries) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const int32_t all = CountByNvml(libraries.nvml);
  if (all >= 0) return {"gpu", VisibleDevices(all, visible)};
  const int32_t seen = std::max(0, CountByCuda(libraries.cuda));
  if (visible == nullptr) return {"gpu", VisibleDevices(seen, nullptr)};
  // CUDA's count already includes only visible devices: their names come from the variable, their
  // number from CUDA.
  auto named = VisibleDevices(static_cast<int32_t>(kMostDevices), visible);
  named.resize(std::min(named.size(), static_cast<size_t>(seen)));
  return {"gpu", std::move(named)};
}

}  // namespace protium
