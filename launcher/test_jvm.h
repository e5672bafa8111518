// SPDX-License-Identifier: Apache-2.0
// Does with a launcher what Spark's JVM does, for tests.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/fd.h"

namespace protium {

enum class Wire { kTcp, kUnix };

struct JvmOptions {
  std::filesystem::path launcher;  // As in Spark's setting; may be relative to `folder`.
  std::filesystem::path folder;    // The launcher's working directory.
  std::map<std::string, std::string> environment;  // Complete, apart from what the protocol adds.
  Wire wire = Wire::kTcp;
};

// One connection to a worker; after the handshake, requests to test_worker.cc.
class WorkerLink {
 public:
  WorkerLink(UniqueFd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  pid_t pid() const { return pid_; }
  int fd() const { return socket_.get(); }
  // Sends a request and returns the response; empty if the worker has ended.
  std::string Ask(const std::string& request);
  // The text of the error that the worker reports instead of reading a task; empty if it reports
  // none.
  std::string ReadRefusal();

 private:
  UniqueFd socket_;
  pid_t pid_;
};

// An executor's JVM with a launcher in daemon mode. The destructor ends the launcher, if it still
// runs, and waits for that.
class MockJvm {
 public:
  // Starts the launcher and reads where it listens. Null if it does not announce that within 5 s.
  static std::unique_ptr<MockJvm> Start(const JvmOptions& options);
  ~MockJvm();

  // Connects, reads the process id and sends `secret`; nullopt if it is refused.
  std::optional<WorkerLink> Connect(const std::string& secret = "the secret");
  // Only connects.
  UniqueFd ConnectOnly();
  void KillWorker(pid_t pid);
  void CloseStdin() { stdin_.reset(); }
  pid_t daemon() const { return daemon_; }
  // The daemon's exit code, or 128 + its signal; nullopt if it still runs after `ms`.
  std::optional<int> WaitForEnd(int ms);
  const std::string& socket_path() const { return path_; }

 private:
  MockJvm() = default;
  MockJvm(const MockJvm&) = delete;
  Wire wire_ = Wire::kTcp;
  UniqueFd stdin_, stdout_;
  pid_t daemon_ = -1;
  int port_ = 0;
  std::string path_;
  std::optional<int> code_;
};

// A JVM that waits for a worker in simple mode and accepts it if it knows the secret.
class SimpleJvm {
 public:
  static std::unique_ptr<SimpleJvm> Start(const JvmOptions& options,
                                          const std::string& secret = "the secret");
  ~SimpleJvm();
  WorkerLink& worker() { return *worker_; }
  bool has_worker() const { return worker_.has_value(); }
  pid_t launcher() const { return launcher_; }
  void CloseStdin() { stdin_.reset(); }
  std::optional<int> WaitForEnd(int ms);

 private:
  SimpleJvm() = default;
  SimpleJvm(const SimpleJvm&) = delete;
  UniqueFd stdin_;
  pid_t launcher_ = -1;
  std::optional<WorkerLink> worker_;
  std::optional<int> code_;
};

// Whether the process ends (or is a zombie) within `ms`.
bool IsGone(pid_t pid, int ms);

}  // namespace protium
