// SPDX-License-Identifier: Apache-2.0
#include "launcher/test_jvm.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "launcher/clock.h"
#include "launcher/wire.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using launcher::Now;

constexpr int kPatienceMs = 5000;
constexpr char kSecret[] = "the secret";

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t Spawn(const JvmOptions& options, std::vector<std::string> words, int in, int out,
            const std::map<std::string, std::string>& added) {
  std::map<std::string, std::string> all = options.environment;
  all.insert(added.begin(), added.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : all) environment.push_back(name + "=" + value);
  words.insert(words.begin(), options.launcher.string());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, options.launcher.c_str(), &actions, nullptr,
                                 Pointers(words).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? pid : -1;
}

// A read with a deadline from a pipe or socket.
bool ReadFully(int fd, void* bytes, size_t size) {
  char* into = static_cast<char*>(bytes);
  const int64_t deadline = Now() + kPatienceMs;
  while (size > 0) {
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::max<int64_t>(0, deadline - Now()))) <= 0) {
      return false;
    }
    const ssize_t got = ::read(fd, into, size);
    if (got <= 0) return false;
    into += got, size -= got;
  }
  return true;
}

bool ReadInt(int fd, int32_t& value) {
  uint32_t bytes;
  if (!ReadFully(fd, &bytes, sizeof bytes)) return false;
  value = static_cast<int32_t>(ntohl(bytes));
  return true;
}

bool ReadString(int fd, std::string& text) {
  int32_t length = 0;
  if (!ReadInt(fd, length) || length < 0 || length > 1 << 22) return false;
  text.resize(length);
  return ReadFully(fd, text.data(), text.size());
}

UniqueFd ConnectTo(Wire wire, int port, const std::string& path) {
  UniqueFd fd(::socket(wire == Wire::kTcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in tcp{};
  tcp.sin_family = AF_INET;
  tcp.sin_port = htons(static_cast<uint16_t>(port));
  tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::strncpy(local.sun_path, path.c_str(), sizeof local.sun_path - 1);
  const int failed = wire == Wire::kTcp
                         ? ::connect(fd.get(), reinterpret_cast<sockaddr*>(&tcp), sizeof tcp)
                         : ::connect(fd.get(), reinterpret_cast<sockaddr*>(&local), sizeof local);
  if (failed != 0) fd.reset();
  launcher::SendAtOnce(fd.get());
  return fd;
}

std::optional<int> Reap(pid_t pid, int ms) {
  const int64_t deadline = Now() + ms;
  do {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    launcher::Sleep(2);
  } while (Now() < deadline);
  return {};
}

void EndAndReap(pid_t pid, std::optional<int>& code) {
  if (pid <= 0 || code.has_value()) return;
  code = Reap(pid, 2000);
  if (code.has_value()) return;
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

std::string WorkerLink::Ask(const std::string& request) {
  std::string answer;
  const int64_t deadline = Now() + kPatienceMs;
  if (!launcher::SendText(fd(), request.c_str(), deadline) || !ReadString(fd(), answer)) return {};
  return answer;
}

std::string WorkerLink::ReadRefusal() {
  int32_t marker = 0;
  std::string text;
  if (!ReadInt(fd(), marker) || marker != -2 || !ReadString(fd(), text)) return {};
  return text;
}

std::unique_ptr<MockJvm> MockJvm::Start(const JvmOptions& options) {
  Result<Pipe> in = Pipe::Make();
  Result<Pipe> out = Pipe::Make();
  if (!in.ok() || !out.ok()) return {};
  std::unique_ptr<MockJvm> jvm(new MockJvm);
  jvm->wire_ = options.wire;
  std::map<std::string, std::string> added = {{"PYTHON_WORKER_FACTORY_SECRET", kSecret}};
  if (options.wire == Wire::kUnix) {
    added = {{"PYTHON_UNIX_DOMAIN_ENABLED", "True"},
             {"PYTHON_WORKER_FACTORY_SOCK_DIR", options.folder.string()}};
  }
  jvm->daemon_ = Spawn(options, {"-m", "pyspark.daemon", "pyspark.worker"}, in->read.get(),
                       out->write.get(), added);
  jvm->stdin_ = std::move(in->write);
  jvm->stdout_ = std::move(out->read);
  out->write.reset();
  const bool told = jvm->wire_ == Wire::kTcp ? ReadInt(jvm->stdout_.get(), jvm->port_)
                                             : ReadString(jvm->stdout_.get(), jvm->path_);
  if (!told) return {};
  return jvm;
}

MockJvm::~MockJvm() {
  CloseStdin();
  EndAndReap(daemon_, code_);
}

UniqueFd MockJvm::ConnectOnly() { return ConnectTo(wire_, port_, path_); }

std::optional<WorkerLink> MockJvm::Connect(const std::string& secret) {
  UniqueFd socket = ConnectOnly();
  int32_t pid = 0;
  if (!socket || !ReadInt(socket.get(), pid)) return {};
  if (wire_ == Wire::kTcp) {
    std::string answer;
    if (!launcher::SendText(socket.get(), secret.c_str(), Now() + kPatienceMs)) return {};
    if (!ReadString(socket.get(), answer) || answer != "ok") return {};
  }
  return WorkerLink(std::move(socket), pid);
}

void MockJvm::KillWorker(pid_t pid) { launcher::WriteInt(stdin_.get(), pid); }

std::optional<int> MockJvm::WaitForEnd(int ms) {
  if (!code_.has_value()) code_ = Reap(daemon_, ms);
  return code_;
}

std::unique_ptr<SimpleJvm> SimpleJvm::Start(const JvmOptions& options, const std::string& secret) {
  Result<Pipe> in = Pipe::Make();
  if (!in.ok()) return {};
  const bool tcp = options.wire == Wire::kTcp;
  const std::string path = (options.folder / "jvm.sock").string();
  UniqueFd listener(::socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::strncpy(local.sun_path, path.c_str(), sizeof local.sun_path - 1);
  const int bound = tcp ? ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size)
                        : ::bind(listener.get(), reinterpret_cast<sockaddr*>(&local), sizeof local);
  if (bound != 0 || ::listen(listener.get(), 1) != 0) return {};
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::map<std::string, std::string> added = {{"PYTHON_WORKER_FACTORY_SOCK_PATH", path}};
  if (tcp) {
    added = {{"PYTHON_WORKER_FACTORY_SECRET", secret},
             {"PYTHON_WORKER_FACTORY_PORT", std::to_string(ntohs(address.sin_port))}};
  }
  std::unique_ptr<SimpleJvm> jvm(new SimpleJvm);
  jvm->launcher_ = Spawn(options, {"-m", "pyspark.worker"}, in->read.get(), 2, added);
  jvm->stdin_ = std::move(in->write);
  pollfd waiting{listener.get(), POLLIN, 0};
  if (::poll(&waiting, 1, kPatienceMs) <= 0) return jvm;
  UniqueFd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  launcher::SendAtOnce(socket.get());
  std::string told;
  if (tcp && !ReadString(socket.get(), told)) return jvm;
  const bool same = !tcp || told == kSecret;
  if (tcp) launcher::SendText(socket.get(), same ? "ok" : "err", Now() + kPatienceMs);
  int32_t pid = 0;
  if (same && ReadInt(socket.get(), pid)) jvm->worker_.emplace(std::move(socket), pid);
  return jvm;
}

SimpleJvm::~SimpleJvm() {
  CloseStdin();
  EndAndReap(launcher_, code_);
}

std::optional<int> SimpleJvm::WaitForEnd(int ms) {
  if (!code_.has_value()) code_ = Reap(launcher_, ms);
  return code_;
}

bool IsGone(pid_t pid, int ms) {
  const int64_t deadline = Now() + ms;
  do {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    if (!std::getline(file, stat)) return true;
    const size_t name = stat.rfind(')');
    if (name != std::string::npos && name + 2 < stat.size() && stat[name + 2] == 'Z') return true;
    launcher::Sleep(2);
  } while (Now() < deadline);
  return false;
}

}  // namespace protium
