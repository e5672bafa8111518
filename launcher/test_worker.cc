// SPDX-License-Identifier: Apache-2.0
// A program for the launcher's tests to start. Reads requests from its socket as texts preceded by
// their length, and responds to each with a text. Refuses anything else, such as Spark's tasks, as
// a worker does, with a text that shows that it runs.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "launcher/clock.h"
#include "launcher/wire.h"
#include "os/machine.h"
#include "spark_worker/bundle_format.h"

namespace {

using protium::launcher::Now;

constexpr int32_t kNothing = INT32_MIN;

std::string ReadAll(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string Environment() {
  std::string text = ReadAll("/proc/self/environ");
  std::ranges::replace(text, '\0', '\n');
  return text;
}

// Starts a child that does nothing until it is killed; returns its process id.
std::string StartSleeper(bool leaves_group) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (leaves_group) setpgid(0, 0);
    for (;;) pause();
  }
  return std::to_string(pid);
}

std::string Signals() {
  std::string ignored;
  for (const int number : {SIGHUP, SIGCHLD, SIGTERM, SIGPIPE}) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) ignored += std::to_string(number) + " ";
  }
  return ignored;
}

std::string Answer(const std::string& request) {
  if (request == "maps") return ReadAll("/proc/self/maps");
  if (request == "environment") return Environment();
  if (request == "host") return protium::HostName();  // From libprotium.so.
  if (request == "pid") return std::to_string(getpid());
  if (request == "ignored signals") return Signals();
  if (request == "sleeper") return StartSleeper(false);
  if (request == "sleeper elsewhere") return StartSleeper(true);
  if (request == "stay") {
    signal(SIGTERM, SIG_IGN);
    return "stays";
  }
  return "unknown request";
}

int RefuseTask(int socket, const char* own_name) {
  const int64_t deadline = Now() + 10000;
  const std::string text = std::string("the test worker runs, started as ") + own_name;
  if (!protium::launcher::SendInt(socket, -2, deadline) ||
      !protium::launcher::SendText(socket, text.c_str(), deadline)) {
    return 1;
  }
  protium::launcher::Drain(socket, deadline);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* number = std::getenv(protium::kWorkerSocket);
  if (number == nullptr) return 2;
  const int socket = std::atoi(number);
  for (;;) {
    char request[256];
    int32_t length = kNothing;
    const int64_t deadline = Now() + 600000;
    const bool whole =
        protium::launcher::ReceiveText(socket, request, sizeof request, &length, deadline);
    if (length == kNothing) return 0;
    if (!whole || length == 0) return RefuseTask(socket, argv[0]);
    if (!protium::launcher::SendText(socket, Answer(request).c_str(), deadline)) return 1;
  }
}
