// SPDX-License-Identifier: Apache-2.0
#include "launcher/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "launcher/bundle.h"
#include "launcher/clock.h"
#include "launcher/text.h"
#include "launcher/wire.h"
#include "spark_worker/bundle_format.h"

namespace protium::launcher {
namespace {

// PYTHON_EXCEPTION_THROWN, see spark_worker/marks.h.
constexpr int32_t kExceptionThrown = -2;
// How long the JVM has to read the reason.
constexpr int64_t kTellMs = 30000;
constexpr int kMaxBundles = 2;

// Spark shows `why` as the error of the task. The JVM may still be sending that task: closing with
// unread bytes would reset the connection and lose the message, so they are read first.
[[noreturn]] void Refuse(int socket, const char* why) {
  int64_t deadline = Now() + kTellMs;
  if (SendInt(socket, kExceptionThrown, deadline) && SendText(socket, why, deadline)) {
    Drain(socket, deadline);
  }
  _exit(1);
}

// Reads the hashes of bundles in a launcher's name; returns their number, 0 if it is not such a
// name.
int ReadHashes(const char* name, char hashes[kMaxBundles][kHashDigits + 1]) {
  if (!StartsWith(name, kLauncherPrefix)) return 0;
  const char* from = name + strlen(kLauncherPrefix);
  int found = -1;  // The first hash is the launcher's own.
  for (; found < kMaxBundles; ++found) {
    if (strspn(from, "0123456789abcdef") != kHashDigits) return 0;
    if (found >= 0) memcpy(hashes[found], from, kHashDigits), hashes[found][kHashDigits] = 0;
    from += kHashDigits;
    if (*from == 0) return found + 1;
    if (*from++ != '.') return 0;
  }
  return 0;
}

// Lets the program inherit the socket, and hides the JVM's secret from it and from what tasks
// start.
void HandOver(int socket) {
  fcntl(socket, F_SETFD, 0);
  char number[16];
  strcpy(number, Format("%d", socket).chars);
  setenv(kWorkerSocket, number, 1);
  unsetenv("PYTHON_WORKER_FACTORY_SECRET");
}

Text OwnPath(const char* own_name) {
  Text path;
  if (strchr(own_name, '/') != nullptr) return Format("%s", own_name);
  ssize_t size = readlink("/proc/self/exe", path.chars, sizeof path.chars - 1);
  path.chars[size > 0 ? size : 0] = 0;
  return path;
}

// For images that already contain the program: it is beside the launcher, with its libraries.
[[noreturn]] void StartBeside(int socket, const char* own_name) {
  static const char kEnding[] = "-launcher";
  Text program = OwnPath(own_name);
  size_t size = strlen(program.chars), ending = strlen(kEnding);
  if (size <= ending || strcmp(program.chars + size - ending, kEnding) != 0) {
    Refuse(socket, Format("protium: '%s' names no program to start; call it "
                          "PROGRAM-launcher and put it beside PROGRAM",
                          own_name)
                       .chars);
  }
  program.chars[size - ending] = 0;
  HandOver(socket);
  char* arguments[] = {program.chars, nullptr};
  execv(program.chars, arguments);
  const char* cause = strerror(errno);
  Refuse(socket, Format("protium: cannot start %s on this executor: %s; put the program and its "
                        "libraries there, in every image",
                        program.chars, cause)
                     .chars);
}

// Starts the bundle's own loader with the program as its argument: the interpreter named in the
// program is a path of the machine that built it.
[[noreturn]] void StartBundled(int socket, const Text* folders, int count) {
  Text loader = Join(folders[0].chars, kBundledLoader);
  Text program = Join(folders[0].chars, kBundledProgram);
  Text libraries;
  for (int i = 0; i < count; ++i) Append(&libraries, "%s%s/lib", i ? ":" : "", folders[i].chars);
  HandOver(socket);
  // These are set for this machine's own programs: the bundled one brings its libc and would load
  // libraries built for another.
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"}) unsetenv(name);
  char option[] = "--library-path";
  char* arguments[] = {loader.chars, option, libraries.chars, program.chars, nullptr};
  execv(loader.chars, arguments);
  const char* cause = strerror(errno);
  Refuse(socket, Format("protium: cannot start %s: %s; set spark.local.dir to a folder on a disk "
                        "that is not mounted noexec",
                        loader.chars, cause)
                     .chars);
}

// Names all missing bundles at once, so that the driver can send them together.
[[noreturn]] void StartBundles(int socket, char hashes[][kHashDigits + 1], int count) {
  Text folders[kMaxBundles], missing = Format("%s", kNeedsBundle), why;
  bool all = true;
  for (int i = 0; i < count; ++i) {
    switch (TakeBundle(hashes[i], &folders[i], &why)) {
      case Taken::kYes:
        break;
      case Taken::kAbsent:
        Append(&missing, " %s", hashes[i]), all = false;
        break;
      case Taken::kFailed:
        Refuse(socket, why.chars);
    }
  }
  if (!all) Refuse(socket, missing.chars);
  StartBundled(socket, folders, count);
}

}  // namespace

void StartProgram(int socket, const char* own_name) {
  const char* slash = strrchr(own_name, '/');
  char hashes[kMaxBundles][kHashDigits + 1];
  int count = ReadHashes(slash == nullptr ? own_name : slash + 1, hashes);
  if (count > 0) StartBundles(socket, hashes, count);
  StartBeside(socket, own_name);
}

}  // namespace protium::launcher
