// SPDX-License-Identifier: Apache-2.0
#include "whole/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <set>
#include <sstream>

namespace protium::whole {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

namespace {

// What changes deeper in a folder than it is watched, nobody tells of.
constexpr std::chrono::milliseconds kBetweenLooks{500};

std::string NewMark() {
  static std::atomic<int> next{0};
  return "PROTIUM_TEST_MARK=" + std::to_string(getpid()) + "-" + std::to_string(next++);
}

bool Carries(pid_t pid, const std::string& mark) {
  const std::string environment = ReadText("/proc/" + std::to_string(pid) + "/environ");
  return environment.find(mark + '\0') != std::string::npos;
}

bool IsZombie(pid_t pid) {
  const std::string stat = ReadText("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() || stat[name_end + 2] == 'Z';
}

UniqueFd OpenPidfd(pid_t pid) { return UniqueFd(int(syscall(SYS_pidfd_open, pid, 0))); }

// Watches a folder and the folders in it, including those created later.
class FolderWatch {
 public:
  explicit FolderWatch(fs::path folder)
      : folder_(std::move(folder)), inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    fs::create_directories(folder_);
    Follow();
  }

  int fd() const { return inotify_.get(); }

  // Discards the notifications so far; later changes are reported again.
  void Drain() {
    alignas(inotify_event) std::array<char, 4096> events;
    while (read(inotify_.get(), events.data(), events.size()) > 0) {
    }
    Follow();
  }

 private:
  // The folder first, so that one created while the others are listed is reported.
  void Follow() {
    Add(folder_);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      if (entry.is_directory(ignored)) Add(entry.path());
    }
  }
  void Add(const fs::path& path) {
    if (followed_.insert(path).second) {
      inotify_add_watch(inotify_.get(), path.c_str(), IN_CREATE | IN_MODIFY | IN_MOVED_TO);
    }
  }

  fs::path folder_;
  UniqueFd inotify_;
  std::set<fs::path> followed_;
};

[[noreturn]] void BecomeCommand(const std::vector<std::string>& argv, const fs::path& out,
                                const fs::path& err, std::vector<std::string> environment) {
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDONLY);
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(null, 0);
  dup2(out_fd, 1);
  dup2(err_fd, 2);
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  std::vector<char*> env;
  for (std::string& entry : environment) env.push_back(entry.data());
  env.push_back(nullptr);
  execve(args[0], args.data(), env.data());
  _exit(127);
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& more,
                                     const std::string& mark) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string key(text.substr(0, text.find('=')));
    if (!more.contains(key) && key != "PROTIUM_TEST_MARK") environment.emplace_back(text);
  }
  for (const auto& [key, value] : more) environment.push_back(key + "=" + value);
  environment.push_back(mark);
  return environment;
}

Json LastLine(const std::string& out) {
  const size_t end = out.find_last_not_of('\n');
  if (end == std::string::npos) return {};
  const size_t begin = out.rfind('\n', end);
  const auto json = ParseJson(out.substr(begin == std::string::npos ? 0 : begin + 1, end + 1));
  return json.ok() ? *json : Json();
}

}  // namespace

Running::Running(std::vector<std::string> argv, const fs::path& scratch,
                 const std::map<std::string, std::string>& environment)
    : mark_(NewMark()), start_(Steady::now()) {
  const std::string id = mark_.substr(mark_.find('=') + 1);
  out_ = scratch / ("out-" + id);
  err_ = scratch / ("err-" + id);
  const std::vector<std::string> env = Environment(environment, mark_);
  pid_ = fork();
  if (pid_ == 0) BecomeCommand(argv, out_, err_, env);
  if (pid_ > 0) pidfd_ = OpenPidfd(pid_);
}

Running::~Running() {
  for (const pid_t pid : Descendants()) kill(pid, SIGKILL);
  if (!reaped_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
}

bool Running::AwaitEnd(std::chrono::seconds limit) {
  if (pid_ <= 0 || reaped_) return true;
  const std::array<int, 1> ends = {pidfd_.get()};
  const auto ended = WaitReadable(ends, Steady::now() + limit);
  reaped_ = ended.ok() && !ended->empty() && waitpid(pid_, &status_, 0) == pid_;
  return reaped_;
}

bool Running::AwaitChange(const fs::path& folder, const std::function<bool()>& holds,
                          std::chrono::seconds limit) {
  const auto deadline = Steady::now() + limit;
  FolderWatch watch(folder);
  while (true) {
    watch.Drain();
    if (holds()) return true;
    const auto now = Steady::now();
    if (now >= deadline) return false;
    const std::array<int, 2> told = {pidfd_.get(), watch.fd()};
    const auto ready = WaitReadable(told, std::min(deadline, now + kBetweenLooks));
    if (!ready.ok() || (!ready->empty() && ready->front() == 0)) return false;
  }
}

void Running::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

Outcome Running::Wait(std::chrono::seconds limit) {
  AwaitEnd(limit);
  Outcome outcome;
  outcome.seconds = std::chrono::duration<double>(Steady::now() - start_).count();
  outcome.out = ReadText(out_);
  outcome.err = ReadText(err_);
  if (!reaped_) return outcome;
  outcome.exit = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  outcome.json = LastLine(outcome.out);
  return outcome;
}

std::vector<pid_t> Running::Descendants() const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (pid != pid_ && Carries(pid, mark_) && !IsZombie(pid)) found.push_back(pid);
  }
  return found;
}

bool EndWithin(const std::vector<pid_t>& processes, std::chrono::seconds limit) {
  const auto deadline = Steady::now() + limit;
  for (const pid_t pid : processes) {
    const UniqueFd pidfd = OpenPidfd(pid);
    if (!pidfd) continue;  // It has already ended.
    const std::array<int, 1> ends = {pidfd.get()};
    const auto ended = WaitReadable(ends, deadline);
    if (!ended.ok() || ended->empty()) return false;
  }
  return true;
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "protium-whole-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Repository() { return PROTIUM_REPOSITORY; }
std::string ProtiumCommand() { return PROTIUM_BINARIES "/protium"; }
std::string FlightsProgram() { return PROTIUM_BINARIES "/flights"; }
std::string FlightsJob() { return (Repository() / "examples/flights/flights.toml").string(); }

std::string ExampleTables(int rows, int seed) {
  static const Scratch scratch;
  const fs::path folder =
      scratch.path() / ("flights-" + std::to_string(rows) + "-" + std::to_string(seed));
  if (!fs::exists(folder)) {
    Running command({ProtiumCommand(), "example", "flights", folder.string(), "--rows",
                     std::to_string(rows), "--seed", std::to_string(seed)},
                    scratch.path());
    if (command.Wait().exit != 0) return {};
  }
  return folder.string();
}

std::string RealTables() {
  const fs::path folder = Repository().parent_path() / "shared/data/nycflights";
  return fs::exists(folder / "flights.csv") ? folder.string() : std::string();
}

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int64_t LastEventValue(const fs::path& run, const std::string& key) {
  std::istringstream lines(ReadText(run / "events.jsonl"));
  int64_t last = -1;
  for (std::string line; std::getline(lines, line);) {
    const auto json = ParseJson(line);
    if (json.ok() && json->contains(key) && (*json)[key].is_number_integer()) {
      last = (*json)[key].get<int64_t>();
    }
  }
  return last;
}

std::string ReadWeightsHash(const std::string& model, const fs::path& scratch) {
  Running command({ProtiumCommand(), "inspect", model, "--json"}, scratch);
  const Outcome outcome = command.Wait();
  if (outcome.exit != 0 || !outcome.json.contains("weights_sha256")) return {};
  return outcome.json["weights_sha256"].get<std::string>();
}

}  // namespace protium::whole
